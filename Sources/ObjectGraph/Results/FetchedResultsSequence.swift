import CocoaFoundation
import Foundation

/// The results of a request now and after each change, as an asynchronous sequence.
///
/// ```swift
/// let request = NSFetchRequest<Book>(entityName: "Book")
/// request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.publishDate, ascending: true)]
/// for try await results in context.results(of: request, sectionedBy: \.publishMonthID) {
///     for section in results.sections {
///         print(section.name, section.objectIDs.count)
///     }
/// }
/// ```
///
/// - The first element is the present content, without changes. Each later one has what changed since the element before
///   it, as a delegate of `NSFetchedResultsController` receives it, and the content after that.
/// - A slow reader misses states, never a change: what several events changed comes as one element, with the newest
///   content and what is different from the element before.
/// - The sequence follows the context, its unsaved changes included, as long as its iterator lives; it ends when the
///   iterating task is cancelled. It throws, and is over, when the store fails as the results are to follow a change.
/// - It can be iterated on any task, and several times, each for itself. Elements have object IDs; an object with an ID
///   is had from `context.object(with:)` on the context's queue. The ID of an object that was not saved is temporary, and
///   another one in the first element after the save that gave it a lasting one, without a change that says so.
public struct FetchedResultsSequence: AsyncSequence, Sendable {
    /// What changed, and the results after it.
    public typealias Element = FetchedResultsChanges

    private let source: Source

    /// The request as it was passed; it is never changed.
    private struct Source: @unchecked Sendable {
        let request: NSPersistentStoreRequest
        let context: NSManagedObjectContext
        let sectionNameKeyPath: String?
    }

    init(_ request: NSPersistentStoreRequest, _ context: NSManagedObjectContext, sectionNameKeyPath: String?)
    {
        source = Source(request: request, context: context, sectionNameKeyPath: sectionNameKeyPath)
    }

    /// Begins to follow with the first `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            FetchedResults(
                request: source.request, context: source.context,
                sectionNameKeyPath: source.sectionNameKeyPath, cacheName: nil))
    }

    /// An iteration over the results. It fetches at the first `next()`, and follows the context until it is released. It is used by one
    /// task.
    public struct Iterator: AsyncIteratorProtocol {
        private let following: FollowedResults
        private var signals: AsyncStream<Void>.Iterator
        private var hasBegun = false

        fileprivate init(_ results: FetchedResults) {
            following = FollowedResults(results)
            signals = following.signals.makeAsyncIterator()
        }

        /// The present content, then the next change; nil when the task is cancelled.
        ///
        /// - Throws: as `NSManagedObjectContext.fetch(_:)`, for the first element and where a later one needs the store.
        public mutating func next() async throws -> FetchedResultsChanges? {
            let following = following
            if !hasBegun {
                hasBegun = true
                let first = try await following.context.perform { try following.begin() }
                return Task.isCancelled ? nil : first
            }
            while await signals.next() != nil {
                if let changes = try await following.context.perform({ try following.take() }) {
                    return changes
                }
            }
            return nil
        }
    }
}

/// Collects changes of results until the iterator takes them. Used on the context's queue, but for the signals.
private final class FollowedResults: @unchecked Sendable {
    /// One signal, at most, that there is something to take.
    let signals: AsyncStream<Void>
    let context: NSManagedObjectContext
    private let signal: AsyncStream<Void>.Continuation
    private let results: FetchedResults
    /// What was taken last.
    private var taken: (objects: [NSManagedObject], sections: [String]?) = ([], nil)
    /// What changed since, event by event; the differences of all but the first are not needed.
    private var first: ResultDifference?
    private var events = 0
    private var changed: Set<ObjectIdentifier> = []
    private var failure: (any Error)?

    init(_ results: FetchedResults) {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.results = results
        context = results.context
        results.onChange = { [weak self] in self?.note($0) }
        results.onFailure = { [weak self] in self?.end($0) }
    }

    deinit { signal.finish() }

    /// - Throws: as `performFetch()`. There are no changes to wait for then.
    func begin() throws -> FetchedResultsChanges {
        do {
            try results.performFetch()
        } catch {
            signal.finish()
            throw error
        }
        return changes(ResultDifference())
    }

    private func note(_ difference: ResultDifference) {
        events += 1
        first = events == 1 ? difference : nil
        changed.formUnion(difference.changed)
        signal.yield()
    }

    private func end(_ error: any Error) {
        failure = error
        signal.yield()
        signal.finish()
    }

    /// What changed since the last time; nil if that cancels out.
    ///
    /// - Throws: what kept the results from following the context.
    func take() throws -> FetchedResultsChanges? {
        if let failure { throw failure }
        guard events > 0 else { return nil }
        return (first ?? combined).map(changes)
    }

    /// What several events changed. O(n log n).
    private var combined: ResultDifference? {
        guard let list = results.list else { return nil }
        let rules = ResultRules(order: []) { object in list.sectionName(of: object) ?? "" }
        let old = ResultList(taken.objects, sections: taken.sections, nil)
        return old.edit(to: list.objects, changed: changed, rules).map { old.apply($0, rules) }
    }

    private func changes(_ difference: ResultDifference) -> FetchedResultsChanges {
        events = 0
        first = nil
        changed = []
        taken = results.list.map { ($0.objects, $0.sectionNames) } ?? ([], nil)
        return FetchedResultsChanges(difference, results.list?.sectionsOfIDs ?? [])
    }
}

extension NSManagedObjectContext {
    /// The results of a request now and after each change of the context. See `FetchedResultsSequence`.
    ///
    /// - Precondition: the request has a sort descriptor. It is copied: later changes of it do not count.
    public func results<Result: NSManagedObject>(of request: NSFetchRequest<Result>) -> FetchedResultsSequence
    {
        sequence(of: request, sectionNameKeyPath: nil)
    }

    /// The results of a request in sections, now and after each change of the context. See `FetchedResultsSequence`.
    ///
    /// - Parameters:
    ///   - request: has a sort descriptor or more. The first one must order the objects as the sections follow each other.
    ///   - keyPath: leads to the name of an object's section; it must have a name in `KeyPathNames`.
    public func results<Result: NSManagedObject, Name>(
        of request: NSFetchRequest<Result>, sectionedBy keyPath: KeyPath<Result, Name>
    ) -> FetchedResultsSequence {
        guard let key = KeyPathNames.name(of: keyPath) else {
            fatalError(
                "No key is registered for \(keyPath); let \(Result.self) list it in managedProperties.")
        }
        return sequence(of: request, sectionNameKeyPath: key)
    }

    private func sequence<Result>(
        of request: NSFetchRequest<Result>, sectionNameKeyPath: String?
    ) -> FetchedResultsSequence {
        require(
            !(request.sortDescriptors ?? []).isEmpty,
            "A sequence of results requires a fetch request with sort descriptors.")
        let copy = request.copy() as? NSPersistentStoreRequest ?? request
        return FetchedResultsSequence(copy, self, sectionNameKeyPath: sectionNameKeyPath)
    }
}
