import CoreData
import Testing

/// Records the reports of a results controller to its delegate, in order.
final class ResultsLog: NSObject, NSFetchedResultsControllerDelegate {
    private var noted: [String] = []

    /// What was noted since the last time.
    func take() -> [String] {
        defer { noted = [] }
        return noted
    }

    private func text(_ path: IndexPath?) -> String { path.map { "\($0.section).\($0.item)" } ?? "-" }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        noted.append("will")
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        noted.append("\(type) section \(sectionInfo.name) \(sectionIndex)")
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        let title = (anObject as? NSManagedObject)?.value(forKey: "title") ?? "nil"
        noted.append("\(type) \(title) \(text(indexPath)) \(text(newIndexPath))")
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        noted.append("did")
    }
}

/// Wants nothing but that a controller follows its context.
final class ResultsAudience: NSObject, NSFetchedResultsControllerDelegate {}

extension NSFetchedResultsController {
    /// The titles in each section.
    var titles: [[String]] {
        (sections ?? []).map { section in
            (section.objects ?? []).map { "\(($0 as? NSManagedObject)?.value(forKey: "title") ?? "nil")" }
        }
    }
}

/// A context with books and a controller over them, whose delegate records the reports.
final class ResultsStack {
    let stack: TestStack
    let context: NSManagedObjectContext
    let diary = ResultsLog()
    let controller: NSFetchedResultsController<Book>
    private var saved: [String: Book] = [:]

    /// - Parameter books: titles with pages, saved in this order.
    init(_ books: KeyValuePairs<String, Int32>, _ request: NSFetchRequest<Book>, sections: String? = nil)
        throws
    {
        stack = try TestStack()
        context = stack.context()
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil
        )
        controller.delegate = diary
        try context.performAndWait {
            for (title, pages) in books { saved[title] = SampleBooks.book(title, pages, nil, nil, context) }
            try context.save()
            try controller.performFetch()
        }
    }

    /// A book as it was saved at first; a fetch would end the event.
    subscript(title: String) -> Book {
        get throws { try #require(saved[title]) }
    }

    /// The delegate's reports of an event.
    func event(_ body: (NSManagedObjectContext) throws -> Void) throws -> [String] {
        _ = diary.take()
        return try context.performAndWait {
            try body(context)
            context.processPendingChanges()
            return diary.take()
        }
    }

    /// Saves a change with another context.
    func elsewhere(_ body: (NSManagedObjectContext) throws -> Void) throws {
        try stack.inContext { other in
            try body(other)
            try other.save()
        }
    }

    var titles: [[String]] { context.performAndWait { controller.titles } }
}
