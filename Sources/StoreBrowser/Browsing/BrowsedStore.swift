import CoreData
import StoreTools
import Synchronization

/// A store that pages show, and may change.
///
/// Each query has a context of its own. A store that may be changed executes several of them in parallel; queries
/// for objects go to the one context that holds the changes. A store that is only read has one connection, for
/// which queries wait in turn; those that yield, such as counts, let the others go first.
package final class BrowsedStore: @unchecked Sendable {
    /// How many seconds a query may take.
    private let longestReading: Double

    // Of the things in it, only the coordinator and the store are used by several threads, which they are made for.
    let source: OpenStore
    /// The context with the changes; nil for a store that can only be read.
    let editing: NSManagedObjectContext?
    let running = RunningQueries()
    let precedence = Precedence()
    let isExporting = ExportFlag()
    let exports = ExportLog()
    let textSearches = TextSearches()

    /// - Parameters:
    ///   - url: a store: SQLite, XML or binary.
    ///   - model: its model; nil for the copy that it holds, or one made from its tables or objects.
    ///   - canWrite: whether objects can be changed, which takes the real model.
    ///   - longestReading: how many seconds a query may take.
    /// - Throws: as `OpenStore.init(_:model:isReadOnly:makesFile:)`.
    package init(
        opening url: URL, model: NSManagedObjectModel?, canWrite: Bool = false, longestReading: Double = 10
    ) throws {
        self.longestReading = longestReading
        source = try OpenStore(url, model: model, isReadOnly: !canWrite)
        guard canWrite else {
            editing = nil
            return
        }
        guard source.reconstruction == nil else {
            throw StoreToolError(
                "A store whose model is not known can only be read. Give the model with --model.")
        }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = source.coordinator
        context.performAndWait {
            context.undoManager = UndoManager()
            context.transactionAuthor = "coredata browse"
            // Others may write to the store: what is read anew is read from there.
            context.stalenessInterval = 0
        }
        editing = context
    }

    /// Closes the store.
    ///
    /// - Throws: an error of the store.
    package func close() throws {
        try textSearches.close()
        try source.close()
    }

    /// The context that knows what objects look like now.
    var objects: NSManagedObjectContext { editing ?? makeContext() }

    func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = source.coordinator
        return context
    }

    /// The entity with a name.
    ///
    /// - Throws: `BrowsingError` when there is no such entity.
    func entity(named name: String) throws -> NSEntityDescription {
        guard let entity = source.model.entitiesByName[name],
            source.store.schema.entities.contains(where: { $0.name == name })
        else { throw BrowsingError("The store has no entity named '\(name)'.") }
        return entity
    }

    /// Reads in a context of its own, and ends that when it takes too long: from when it has a thread, with what it waits for the
    /// connection of a store that is only read.
    ///
    /// - Parameters:
    ///   - client: the client, whose earlier query this one ends; nil for a query that ends no other.
    ///   - group: the query that this reading is a part of; nil for one of its own.
    ///   - yields: whether it waits for more urgent queries (`Precedence`). It is ended for them, and started again.
    /// - Throws: what `body` throws; `BrowsingError` when it took too long, or there was a newer query.
    func reading<Value: Sendable>(
        for client: String? = nil, in group: QueryGroup = QueryGroup(), yields: Bool = false,
        _ body: @escaping @Sendable (NSManagedObjectContext, FetchCancellation) throws -> Value
    ) async throws -> Value {
        if let client { running.begin(client, group) }
        defer { if let client { running.end(client, group) } }
        guard yields else { return try await reading(in: group, FetchCancellation(), body) }
        while true {
            let cancellation = FetchCancellation()
            let turn = await precedence.begin(cancellation)
            defer { precedence.end(turn) }
            do {
                return try await reading(in: group, cancellation, body)
            } catch let error as BrowsingError
                where error.code == BrowsingError.superseded.code && turn.didYield && !group.isCancelled
            {
                continue
            }
        }
    }

    private func reading<Value: Sendable>(
        in group: QueryGroup, _ cancellation: FetchCancellation,
        _ body: @escaping @Sendable (NSManagedObjectContext, FetchCancellation) throws -> Value
    ) async throws -> Value {
        let deadline = Deadline(cancellation)
        group.add(cancellation)
        defer { group.remove(cancellation) }
        let (context, limit) = (makeContext(), longestReading)
        do {
            return try await withTaskCancellationHandler {
                try await context.perform {
                    try cancellation.check()
                    // The time starts here: waiting for a thread does not count.
                    let end = DispatchWorkItem { deadline.pass() }
                    DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: end)
                    defer { end.cancel() }
                    return try body(context, cancellation)
                }
            } onCancel: {
                cancellation.cancel()
            }
        } catch  where cancellation.isCancelled && FetchCancellation.isError(error) {
            // Any other error has come before the query read, or after that, and stays.
            try Task.checkCancellation()
            guard deadline.hasPassed else { throw BrowsingError.superseded }
            throw BrowsingError(
                """
                This took longer than \(Int(longestReading)) seconds and was stopped. An index on the attributes \
                to sort or filter by would help.
                """, code: "time")
        }
    }
}

/// Ends a query that takes too long, and remembers that it did.
final class Deadline: Sendable {
    private let cancellation: FetchCancellation
    private let passed = Mutex(false)

    init(_ cancellation: FetchCancellation) { self.cancellation = cancellation }

    /// Whether the query was ended for its time; not when something else had ended it by then.
    var hasPassed: Bool { passed.withLock { $0 } }

    func pass() {
        // Inside the lock: a reader that sees the cancellation waits for its cause.
        passed.withLock { $0 = cancellation.cancel() }
    }
}

/// Why something cannot be shown or done: a sentence for a person.
struct BrowsingError: Error, LocalizedError {
    let detail: String
    /// A name that stays the same, for scripts.
    let code: String
    /// The property that is wrong, if it is one.
    let field: String?

    init(_ detail: String, code: String = "browse", field: String? = nil) {
        self.detail = detail
        self.code = code
        self.field = field
    }

    var errorDescription: String? { detail }

    static let superseded = BrowsingError("A newer request has replaced this one.", code: "superseded")
}
