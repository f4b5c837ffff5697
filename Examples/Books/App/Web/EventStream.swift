import CoreData

/// One message of a stream of server-sent events.
struct ServerEvent: Sendable, Equatable {
    /// What a results controller saw change on the page; `document` is for changes elsewhere.
    enum Kind: String, Sendable {
        case results, document
    }

    var kind: Kind
    /// The books on the page that are new or other than before.
    var books: [String] = []

    /// The message as it is sent.
    var text: String {
        // UUIDs need no escapes.
        let list = books.map { "\"\($0)\"" }.joined(separator: ",")
        return "event: \(kind.rawValue)\ndata: {\"books\":[\(list)]}\n\n"
    }
}

/// What a window shows, as far as its results are followed.
enum FollowedView: Sendable {
    case books(BookListQuery)
    case book(UUID)
    case authors(AuthorListQuery)
    /// Nothing but the document as a whole.
    case changes
}

extension BooksDocument {
    /// The events for one window, until its reader stops.
    ///
    /// A results controller with the page's own request follows the context, so a window costs as much as its page
    /// has rows, however many books there are. If the window is slow, older events give way to newer ones.
    ///
    /// - Parameter revision: the state of the document that the window shows. If it is not the present one, the window
    ///   hears of that at once: the change came before it listened.
    func events(_ view: FollowedView, since revision: String? = nil) async throws -> AsyncStream<
        ServerEvent
    > {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ServerEvent.self, bufferingPolicy: .bufferingNewest(16))
        let documentChanges = news.changes()
        if case .books(let query) = view, query.showsHits {
            try await container.persistentStoreCoordinator.updateSearchIndexes()
        }
        let results = try await followedResults(view)
        if let revision, revision != news.revision { continuation.yield(ServerEvent(kind: .document)) }
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in documentChanges { continuation.yield(ServerEvent(kind: .document)) }
                }
                if let results {
                    group.addTask {
                        do {
                            for try await changes in results.changes {
                                let books = (try? await self.identities(changes)) ?? []
                                continuation.yield(ServerEvent(kind: .results, books: books))
                            }
                        } catch {
                            // The page is asked for anew, and says what is wrong if that lasts.
                            continuation.yield(ServerEvent(kind: .document))
                        }
                    }
                }
            }
        }
        continuation.onTermination = { _ in
            task.cancel()
            results?.end()
        }
        return stream
    }

    private func followedResults(_ view: FollowedView) async throws -> FollowedResults? {
        try await perform { context in
            switch view {
            case .books(let query) where query.showsHits:
                // The books of the page. Others that come to have the words are seen by the reload after any change.
                let uuids = try WordSearch(query, context).page().hits.compactMap(\.book.uuid)
                let request: NSFetchRequest<Book> = Book.fetchRequest()
                request.predicate = NSPredicate(format: "uuid IN %@", uuids)
                request.sortDescriptors = query.order(isReversed: false)
                return try FollowedResults(request, context)
            case .books(let query):
                return try FollowedResults(
                    query.pageRequest(), context, sectionNameKeyPath: Book.Name.publishMonthID)
            case .book(let uuid):
                let request: NSFetchRequest<Book> = Book.fetchRequest()
                request.predicate = NSPredicate(format: "uuid == %@", uuid as any CVarArg)
                request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
                request.fetchLimit = 1
                return try FollowedResults(request, context)
            case .authors(let query): return try FollowedResults(query.pageRequest(), context)
            case .changes: return nil
            }
        }
    }

    /// The identities of the books that are on a page and changed.
    private func identities(_ changes: FetchedResultsChanges) async throws -> [String] {
        let ids = changes.changes.filter { $0.type != .delete }.map(\.objectID)
        return try await perform { context in
            ids.compactMap { (context.registeredObject(for: $0) as? Book)?.uuid?.uuidString.lowercased() }
        }
    }
}

/// A results controller and its changes. The controller is made and released on the context's queue.
private final class FollowedResults: @unchecked Sendable {
    // Unchecked: `controller` is touched on the context's queue only.
    private var controller: AnyObject?
    private let context: NSManagedObjectContext
    let changes: AsyncThrowingStream<FetchedResultsChanges, any Error>

    init<Object: NSManagedObject>(
        _ request: NSFetchRequest<Object>, _ context: NSManagedObjectContext,
        sectionNameKeyPath: String? = nil
    ) throws {
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sectionNameKeyPath,
            cacheName: nil)
        try controller.performFetch()
        changes = controller.changes()
        self.context = context
        self.controller = controller
    }

    func end() { context.perform { self.controller = nil } }
}
