import CoreData
import Synchronization

/// The one document that all windows work on.
///
/// It is a context with a queue and an undo manager of its own. A change in one window is therefore seen, unsaved,
/// in all of them. Managed objects stay on the queue: what leaves it are snapshots.
final class BooksDocument: Sendable {
    let container: BooksContainer
    let context: NSManagedObjectContext
    let news = DocumentNews()
    /// The timeline as it was computed last; nil after a change.
    let timelineCache = Mutex<(timeline: Timeline, time: ContinuousClock.Instant)?>(nil)

    /// A document on a store that is open.
    init(_ container: BooksContainer) async {
        self.container = container
        context = container.newBackgroundContext()
        context.name = "document"
        let context = context
        await context.perform {
            context.undoManager = UndoManager()
            context.undoManager?.levelsOfUndo = 200
            context.automaticallyMergesChangesFromParent = true
            // What was typed here wins, property by property, over what another program saved meanwhile.
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        }
        news.follow(context) { [weak self] in self?.timelineCache.withLock { $0 = nil } }
    }

    /// Runs a block on the context's queue. What it changes is one step of undo.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (NSManagedObjectContext) throws -> Value
    ) async throws -> Value {
        let context = context
        return try await context.perform { () throws -> Value in try body(context) }
    }
}

extension NSManagedObjectContext {
    /// The book of this identity.
    func book(_ uuid: UUID) throws -> Book? {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = NSPredicate(format: "uuid == %@", uuid as any CVarArg)
        request.fetchLimit = 1
        request.shouldRefreshRefetchedObjects = true
        return try fetch(request).first
    }

    /// The author of this name.
    func author(named name: String) throws -> Author? {
        let request: NSFetchRequest<Author> = Author.fetchRequest()
        request.predicate = NSPredicate(format: "name == %@", name)
        request.fetchLimit = 1
        return try fetch(request).first
    }
}
