import Foundation
import ManagedObjectModel

/// Sets the values of a node from a managed object.
struct NodeUpdate {
    let store: NSAtomicStore
    let node: NSAtomicStoreCacheNode

    func take(_ object: NSManagedObject) {
        object.fireFault()
        for (index, slot) in object.layout.slots.enumerated() where slot.isStored {
            switch slot.kind {
            case .toOne:
                guard case .object(let destination) = object.value(at: index), !destination.isDeleted else {
                    node.setValue(nil, forKey: slot.name)
                    continue
                }
                node.setValue(store.cacheNode(for: destination.objectID), forKey: slot.name)
            case .toMany:
                applyDestinations(object, index, slot)
            default:
                // An unset property keeps its value, also an archive that could not be read.
                if object.row != nil, !object.touched.contains(index),
                    node.storedValue(forKey: slot.name) != nil
                {
                    continue
                }
                if let archived = archived(object, index, slot) {
                    node.setValue(archived, forKey: slot.name)
                } else {
                    node.setValue(value(object.value(at: index), slot), forKey: slot.name)
                }
            }
        }
    }

    /// The bytes that the object was read from, if they still represent its value.
    private func archived(_ object: NSManagedObject, _ index: Int, _ slot: PropertySlot) -> ArchivedValue? {
        guard store.keepsArchives, slot.kind == .transformable, !object.touched.contains(index),
            let row = object.row, !row.isNull(slot.rowSlot)
        else { return nil }
        return ArchivedValue(row.data(slot.rowSlot), slot)
    }

    private func value(_ value: SlotValue, _ slot: PropertySlot) -> Any? {
        let any = value.anyValue(slot.kind)
        // A refused value throws when the row is made from the node.
        guard store.keepsArchives, slot.kind == .transformable, let any,
            let data = try? TransformableValue.encode(any, slot)
        else { return any }
        return ArchivedValue(data, slot)
    }

    /// Merges the additions and removals of the object's context into the node's: others may have changed them too.
    private func applyDestinations(_ object: NSManagedObject, _ index: Int, _ slot: PropertySlot) {
        guard index < object.values.count, case .toMany(let contents) = object.values[index],
            contents.hasChanges, let relationship = slot.relationship
        else {
            if node.value(forKey: slot.name) == nil { set([], slot) }
            return
        }
        let removed = Set(contents.removed.map(\.objectID.key))
        let old = (try? node.destinations(relationship)) ?? []
        var keys = old.map(\.key).filter { !removed.contains($0) }
        if contents.isOrdered, contents.isLoaded {
            let order = contents.order.filter { !$0.isDeleted }.map(\.objectID.key)
            let known = Set(order)
            keys = order + keys.filter { !known.contains($0) }
        } else {
            let known = Set(keys)
            keys += contents.added.filter { !$0.isDeleted }.map(\.objectID.key).filter { !known.contains($0) }
        }
        set(keys.compactMap { key in store.access.withLock { store.nodes.node(key) } }, slot)
    }

    private func set(_ destinations: [NSAtomicStoreCacheNode], _ slot: PropertySlot) {
        let value: Any = slot.isOrdered ? NSOrderedSet(array: destinations) : NSSet(array: destinations)
        node.setValue(value, forKey: slot.name)
    }
}
