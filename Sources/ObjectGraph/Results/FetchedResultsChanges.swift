import Foundation

/// What one event changed in the results of a request, and the results after it.
///
/// ```swift
/// for try await results in context.results(of: request) {
///     for change in results.changes { print(change.type, change.objectID) }
///     print(results.sections.map(\.objectIDs.count))
/// }
/// ```
///
/// It is a value with object IDs instead of objects, so it can be used on any thread; `NSManagedObjectContext.object(with:)` returns the
/// object of an ID on the context's queue. `NSFetchedResultsController.changes()` returns a sequence of them too.
public struct FetchedResultsChanges: Sendable {
    /// A section of the results after a change: its name and the IDs of its objects, in order.
    public struct Section: Sendable, Equatable {
        /// The section's name.
        public let name: String
        /// The IDs of its objects, in order.
        public let objectIDs: [NSManagedObjectID]
    }

    /// A change of one object of the results, with its positions as `[section, item]`. Old positions are those before all changes of the
    /// event, new ones those after all of them, as table views expect.
    public struct Change: Sendable, Equatable {
        /// What happened.
        public let type: NSFetchedResultsChangeType
        /// The object.
        public let objectID: NSManagedObjectID
        /// Its position before the change; nil for an insertion.
        public let oldIndexPath: IndexPath?
        /// Its position after the change; nil for a deletion.
        public let newIndexPath: IndexPath?
    }

    /// The changes of objects.
    public let changes: [Change]
    /// The sections after the change.
    public let sections: [Section]
    let reloaded: [NSManagedObjectID]

    /// The results after the change.
    public var snapshot: FetchedResultsSnapshot { FetchedResultsSnapshot(sections, reloaded: reloaded) }
}

extension IndexPath {
    /// A position in a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// A row in a section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    /// The section.
    public var section: Int { self[0] }

    /// The position in the section.
    public var item: Int { self[1] }

    /// The row in the section.
    public var row: Int { self[1] }
}
