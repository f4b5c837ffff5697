import CoreData

/// How many books were published in each year.
struct Timeline: Sendable {
    struct Year: Sendable, Equatable {
        var year: Int
        var count: Int
    }

    /// The years that have books, the newest first.
    var years: [Year]
    /// How many books have no date.
    var undated: Int
}

extension BooksDocument {
    /// The timeline, computed once between two changes.
    ///
    /// Only the index of the dates is read: from one year that has books to the next.
    func timeline() async throws -> Timeline {
        let clock = ContinuousClock()
        // Another program may have changed the store without a word.
        if let kept = timelineCache.withLock(\.self), clock.now - kept.time < .seconds(30) {
            return kept.timeline
        }
        let timeline = try await perform { context in
            Timeline(years: try Self.years(context).reversed(), undated: try Self.undated(context))
        }
        timelineCache.withLock { $0 = (timeline, clock.now) }
        return timeline
    }

    private static func years(_ context: NSManagedObjectContext) throws -> [Timeline.Year] {
        var years: [Timeline.Year] = []
        var begin = Date.distantPast
        while true {
            let request: NSFetchRequest<Book> = Book.fetchRequest()
            request.predicate = NSPredicate(format: "publishDate >= %@", begin as NSDate)
            request.sortDescriptors = [NSSortDescriptor(key: "publishDate", ascending: true)]
            request.fetchLimit = 1
            guard let date = try context.fetch(request).first?.publishDate, let month = PublishMonth(date),
                let first = PublishMonth(year: month.year, month: 1)?.start,
                let end = PublishMonth(year: month.year, month: 12)?.end
            else { return years }
            let within: NSFetchRequest<Book> = Book.fetchRequest()
            within.predicate = NSPredicate(
                format: "publishDate >= %@ AND publishDate < %@", first as NSDate, end as NSDate)
            years.append(Timeline.Year(year: month.year, count: try context.count(for: within)))
            begin = end
        }
    }

    private static func undated(_ context: NSManagedObjectContext) throws -> Int {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = NSPredicate(format: "publishDate == nil")
        return try context.count(for: request)
    }
}
