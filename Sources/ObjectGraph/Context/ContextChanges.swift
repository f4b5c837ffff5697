import Foundation

/// The changes of an event, for notifications and results controllers.
package struct ContextChanges {
    package var inserted: [NSManagedObject] = []
    package var updated: [NSManagedObject] = []
    package var deleted: [NSManagedObject] = []
    package var refreshed: [NSManagedObject] = []
    /// All objects that the context had, when it forgot them.
    var invalidatedIDs: [NSManagedObjectID]?

    package var invalidatedAll: Bool { invalidatedIDs != nil }

    /// Whether anything in the stores may have changed, so that followers have to fetch again.
    private(set) var isUnbounded = false

    /// Any change of the stores.
    static var anything: ContextChanges {
        var changes = ContextChanges()
        changes.isUnbounded = true
        return changes
    }

    /// The set slots of changed objects, where they are known.
    private(set) var slots: [ObjectIdentifier: [Int]] = [:]

    mutating func append(_ other: ContextChanges) {
        inserted.add(other.inserted)
        updated.add(other.updated)
        deleted.add(other.deleted)
        refreshed.add(other.refreshed)
        if let ids = other.invalidatedIDs { invalidatedIDs = (invalidatedIDs ?? []) + ids }
        isUnbounded = isUnbounded || other.isUnbounded
        if !other.slots.isEmpty { slots.merge(other.slots) { $0 + $1 } }
    }

    /// Notes the slots that the running event has set. Events do not note what primitive setters set: for these all slots set
    /// since the last save count.
    mutating func noteSlots(of objects: [NSManagedObject]) {
        for object in objects {
            guard let event = object.extras?.event else { continue }
            slots[ObjectIdentifier(object)] =
                event.old.map(\.slot) + event.toMany.map(\.slot) + Array(object.touched)
        }
    }

    package var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && !invalidatedAll
            && !isUnbounded
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

    /// The changes with the known slots of some of their objects.
    func withSlots(of all: ContextChanges) -> ContextChanges {
        guard !all.slots.isEmpty else { return self }
        var changes = self
        for object in updated {
            changes.slots[ObjectIdentifier(object)] = all.slots[ObjectIdentifier(object)]
        }
        return changes
    }
}
