import Foundation

/// The results of a fetch as IDs, in sections, at one moment.
///
/// ```swift
/// func controller(
///     _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
///     didChangeContentWith snapshot: FetchedResultsSnapshot
/// ) {
///     print(snapshot.sectionIdentifiers, snapshot.numberOfItems, snapshot.reloadedItemIdentifiers.count)
/// }
/// ```
///
/// It stands in for Apple's `NSDiffableDataSourceSnapshot<String, NSManagedObjectID>`, which belongs to UIKit and AppKit, and has the same
/// names. It is a value: it does not follow the results, and can be used on any thread.
public struct FetchedResultsSnapshot: Sendable, Equatable {
    /// A section's name and the IDs of its objects, in order.
    public typealias Section = FetchedResultsChanges.Section

    /// The sections, in order; one with an empty name for results without sections.
    public let sections: [Section]

    /// The objects whose values changed since the snapshot before, as far as they are still among the results.
    public let reloadedItemIdentifiers: [NSManagedObjectID]

    init(_ sections: [Section], reloaded: [NSManagedObjectID]) {
        self.sections = sections
        reloadedItemIdentifiers = reloaded
    }

    /// The names of the sections, in order.
    public var sectionIdentifiers: [String] { sections.map(\.name) }

    /// The sections with objects whose values changed since the snapshot before. O(n).
    public var reloadedSectionIdentifiers: [String] {
        let reloaded = Set(reloadedItemIdentifiers)
        guard !reloaded.isEmpty else { return [] }
        return sections.filter { $0.objectIDs.contains(where: reloaded.contains) }.map(\.name)
    }

    /// The IDs of all objects, in order. O(n).
    public var itemIdentifiers: [NSManagedObjectID] { sections.flatMap(\.objectIDs) }

    /// How many objects there are. O(m) of m sections.
    public var numberOfItems: Int { sections.reduce(0) { $0 + $1.objectIDs.count } }

    /// How many sections there are.
    public var numberOfSections: Int { sections.count }

    /// How many objects are in a section; 0 in one that there is not. O(m).
    public func numberOfItems(inSection identifier: String) -> Int {
        itemIdentifiers(inSection: identifier).count
    }

    /// The IDs of a section's objects, in order; none of a section that there is not. O(m).
    public func itemIdentifiers(inSection identifier: String) -> [NSManagedObjectID] {
        sections.first { $0.name == identifier }?.objectIDs ?? []
    }

    /// The section of an object; nil when it is not among the results. O(n).
    public func sectionIdentifier(containingItem identifier: NSManagedObjectID) -> String? {
        sections.first { $0.objectIDs.contains(identifier) }?.name
    }

    /// The index of an object among all; nil when it is not among the results. O(n).
    public func indexOfItem(_ itemIdentifier: NSManagedObjectID) -> Int? {
        itemIdentifiers.firstIndex(of: itemIdentifier)
    }

    /// The index of a section; nil when there is none of the name. O(m).
    public func indexOfSection(_ sectionIdentifier: String) -> Int? {
        sections.firstIndex { $0.name == sectionIdentifier }
    }
}

/// The type that a delegate written for Apple's platforms receives.
public typealias NSDiffableDataSourceSnapshotReference = FetchedResultsSnapshot

extension ResultList {
    /// The sections as IDs. O(n).
    var sectionsOfIDs: [FetchedResultsChanges.Section] {
        sections.map { .init(name: $0.name, objectIDs: $0.members.map(\.objectID)) }
    }
}

extension ResultDifference {
    /// The IDs of the objects whose values changed, and that are still among the results.
    var reloaded: [NSManagedObjectID] {
        changes.filter {
            ($0.type == .update || $0.type == .move) && changed.contains(ObjectIdentifier($0.object))
        }.map(\.object.objectID)
    }
}

extension FetchedResultsChanges {
    init(_ difference: ResultDifference, _ sections: [Section]) {
        changes = difference.changes.map {
            Change(type: $0.type, objectID: $0.object.objectID, oldIndexPath: $0.old, newIndexPath: $0.new)
        }
        self.sections = sections
        reloaded = difference.reloaded
    }
}
