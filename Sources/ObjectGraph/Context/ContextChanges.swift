import Foundation

/// What an event changed, as notifications and results controllers see it.
package struct ContextChanges {
    package var inserted: [NSManagedObject] = []
    package var updated: [NSManagedObject] = []
    package var deleted: [NSManagedObject] = []
    package var refreshed: [NSManagedObject] = []
    /// All objects that the context had, when it forgot them.
    var invalidatedIDs: [NSManagedObjectID]?

    package var invalidatedAll: Bool { invalidatedIDs != nil }

    /// Whether what is in the stores may have changed in any way, so that who follows it has to fetch again.
    private(set) var isOfAnything = false

    /// Of the stores anything.
    static var anything: ContextChanges {
        var changes = ContextChanges()
        changes.isOfAnything = true
        return changes
    }

    /// The slots that were set of changed objects, as far as it is known which ones they are.
    private(set) var slots: [ObjectIdentifier: [Int]] = [:]

    mutating func append(_ other: ContextChanges) {
        inserted += other.inserted
        updated += other.updated
        deleted += other.deleted
        refreshed += other.refreshed
        if let ids = other.invalidatedIDs { invalidatedIDs = (invalidatedIDs ?? []) + ids }
        isOfAnything = isOfAnything || other.isOfAnything
        slots.merge(other.slots) { $0 + $1 }
    }

    /// Notes what the running event has set of objects. What a primitive setter sets beside it, no event notes: all that was set
    /// since the last save counts.
    mutating func noteSlots(of objects: [NSManagedObject]) {
        for object in objects {
            guard let event = object.extras?.event else { continue }
            slots[ObjectIdentifier(object)] =
                event.old.map(\.slot) + event.toMany.map(\.slot) + Array(object.touched)
        }
    }

    package var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && !invalidatedAll
            && !isOfAnything
    }

    /// The changed objects, each once.
    var objects: [NSManagedObject] { (inserted + updated + deleted + refreshed).uniqued }

    /// The changes of the objects of each entity.
    var byEntity: [ObjectIdentifier: ContextChanges] {
        var groups: [ObjectIdentifier: ContextChanges] = [:]
        func group(_ path: WritableKeyPath<ContextChanges, [NSManagedObject]>) {
            for object in self[keyPath: path] {
                groups[ObjectIdentifier(object.entity), default: ContextChanges()][keyPath: path]
                    .append(object)
            }
        }
        group(\.inserted)
        group(\.updated)
        group(\.deleted)
        group(\.refreshed)
        return groups
    }

    /// The changes with the slots that are known of some of their objects.
    func withSlots(of all: ContextChanges) -> ContextChanges {
        guard !all.slots.isEmpty else { return self }
        var changes = self
        for object in updated {
            changes.slots[ObjectIdentifier(object)] = all.slots[ObjectIdentifier(object)]
        }
        return changes
    }
}
