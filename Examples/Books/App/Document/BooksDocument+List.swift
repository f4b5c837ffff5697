import CoreData

extension BooksDocument {
    /// A page of the list.
    func list(_ query: BookListQuery) async throws -> BookList {
        // While the index is built the document is free for other windows.
        if query.showsHits { try await container.persistentStoreCoordinator.updateSearchIndexes() }
        return try await perform { context in
            var timings: [BookList.Timing] = []
            if !query.text.isEmpty {
                timings = try query.methods.map { try Self.time($0, query, context) }
            }
            if query.showsHits { return try Self.hits(query, timings, context) }
            let found = try timings.first?.found ?? Self.count(query.conditions, context)
            guard found > 0 else { return BookList(sections: [], found: 0, timings: timings) }
            let controller = NSFetchedResultsController(
                fetchRequest: query.pageRequest(), managedObjectContext: context,
                sectionNameKeyPath: Book.Name.publishMonthID, cacheName: nil)
            try controller.performFetch()
            var list = BookList(sections: Self.sections(controller), found: found, timings: timings)
            let hasMore = list.count > BookListQuery.pageSize
            if hasMore { list.dropLast() }
            list.next = try Self.next(list, query, hasMore: hasMore, context)
            list.previous = try Self.previous(query, context)
            return list
        }
    }

    /// A page of what the index finds.
    private static func hits(
        _ query: BookListQuery, _ timings: [BookList.Timing], _ context: NSManagedObjectContext
    ) throws -> BookList {
        let (hits, count) = try WordSearch(query, context).page()
        let skip = query.position.skip
        var list = BookList(hits: hits, found: count, timings: timings)
        if skip > 0 {
            list.previous = BookListQuery.Position(skip: max(0, skip - BookListQuery.pageSize))
        }
        if skip + hits.count < count, !hits.isEmpty {
            list.next = BookListQuery.Position(skip: skip + hits.count)
        }
        return list
    }

    private static func sections(_ controller: NSFetchedResultsController<Book>) -> [BookList.Section] {
        (controller.sections ?? []).map { section in
            BookList.Section(
                month: PublishMonth(id: section.name),
                books: (section.objects ?? []).compactMap { ($0 as? Book).map(BookSnapshot.init) })
        }
    }

    private static func count(_ conditions: [NSPredicate], _ context: NSManagedObjectContext) throws -> Int {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate =
            conditions.isEmpty ? nil : NSCompoundPredicate(andPredicateWithSubpredicates: conditions)
        return try context.count(for: request)
    }

    // MARK: Timing

    /// Counts what a search finds and how long that takes. The searches with CONTAINS look at every title once.
    ///
    /// A search that is over in no time is made again: the first time pays for what is kept afterwards.
    private static func time(
        _ method: SearchMethod, _ query: BookListQuery, _ context: NSManagedObjectContext
    ) throws -> BookList.Timing {
        var query = query
        query.method = method
        let clock = ContinuousClock()
        var timing: BookList.Timing?
        for _ in 0..<3 {
            let begin = clock.now
            let found =
                method == .words
                ? try WordSearch(query, context).count() : try count(query.conditions, context)
            let duration = clock.now - begin
            let best = min(duration, timing?.duration ?? duration)
            timing = BookList.Timing(method: method, found: found, duration: best)
            if duration > .milliseconds(10) { break }
        }
        return timing ?? BookList.Timing(method: method, found: 0, duration: .zero)
    }

    // MARK: Neighbouring pages

    /// Where the next page begins: at a month, so that a page far down costs no more than the first one.
    private static func next(
        _ list: BookList, _ query: BookListQuery, hasMore: Bool, _ context: NSManagedObjectContext
    ) throws -> BookListQuery.Position? {
        guard hasMore, let last = list.sections.last else {
            // A page that begins at a month ends before the undated books.
            guard case .month = query.position.start else { return nil }
            let undated = query.conditions + [NSPredicate(format: "publishDate == nil")]
            return try count(undated, context) > 0 ? BookListQuery.Position(start: .undated) : nil
        }
        guard list.sections.count > 1 else {
            var position = query.position
            position.skip += list.count
            return position
        }
        return BookListQuery.Position(
            start: last.month.map(BookListQuery.Position.Start.month) ?? .undated, skip: last.books.count)
    }

    /// Where the page before begins; nil when this is the first one.
    private static func previous(
        _ query: BookListQuery, _ context: NSManagedObjectContext
    ) throws -> BookListQuery.Position? {
        var position = query.position
        if position.skip >= BookListQuery.pageSize {
            position.skip -= BookListQuery.pageSize
            return position
        }
        guard let before = query.before(position) else {
            return position.skip > 0 ? BookListQuery.Position() : nil
        }
        let wanted = BookListQuery.pageSize - position.skip
        let request = query.request(from: BookListQuery.Position(), isReversed: true)
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: query.conditions + [before])
        request.fetchLimit = wanted + 1
        let books = try context.fetch(request)
        guard !books.isEmpty else {
            return position.skip > 0 ? BookListQuery.Position(start: position.start) : nil
        }
        guard books.count > wanted, let date = books[wanted - 1].publishDate, let month = PublishMonth(date),
            let begin = month.start, let end = month.end
        else { return BookListQuery.Position() }
        let inMonth = NSPredicate(
            format: "publishDate >= %@ AND publishDate < %@", begin as NSDate, end as NSDate)
        let taken = books.prefix(wanted).count { $0.publishDate.flatMap(PublishMonth.init) == month }
        let all = try count(query.conditions + [inMonth], context)
        return BookListQuery.Position(start: .month(month), skip: max(0, all - taken))
    }
}

extension BookListQuery {
    /// The searches to make; the first one's results are shown.
    fileprivate var methods: [SearchMethod] {
        switch method {
        case .words, .canonical, .plain: [method]
        case .all: [.words, .canonical, .plain]
        }
    }
}

extension BookList {
    /// Takes the last book out.
    fileprivate mutating func dropLast() {
        guard let last = sections.indices.last else { return }
        sections[last].books.removeLast()
        if sections[last].books.isEmpty { sections.removeLast() }
    }
}
