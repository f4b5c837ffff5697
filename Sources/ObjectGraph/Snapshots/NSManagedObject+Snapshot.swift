import CocoaFoundation
import Foundation
import ManagedObjectModel

extension NSManagedObject {
    /// The object's values now, unsaved changes included, for other actors and threads.
    ///
    /// - Parameter keys: the names of the properties that the snapshot has; nil for every stored attribute that is not
    ///   transformable, and every to-one relationship. A to-many relationship that is named is loaded.
    /// - Throws: 134060 for a name that is none of the entity's properties, for a fetched property, and for a value that cannot
    ///   be in a snapshot; an error of the store, when the object cannot be loaded.
    public final func snapshot(of keys: [String]? = nil) throws -> ManagedObjectSnapshot {
        context?.assertOnQueue()
        let slots = try layout.snapshotSlots(keys)
        fireFault()
        if isFault { try context?.throwFaultingError() }
        var values: [String: ManagedObjectSnapshot.Value] = [:]
        for slot in slots {
            let info = layout.slots[slot]
            let value = info.kind == .toMany ? .toMany(loadedToMany(at: slot)) : value(at: slot)
            values[info.name] = try .init(value, info)
        }
        return ManagedObjectSnapshot(objectID: objectID, values: values)
    }
}

extension NSFetchRequestResult where Self: NSManagedObject {
    /// The object's values of some properties now.
    ///
    /// - Precondition: each key path has a name in `KeyPathNames`.
    /// - Throws: as `snapshot(of:)`.
    public func snapshot(_ keyPaths: PartialKeyPath<Self>...) throws -> ManagedObjectSnapshot {
        try snapshot(of: keyPaths.map { ManagedObjectSnapshot.key($0) })
    }
}

extension EntityLayout {
    /// The slots that a snapshot is made of.
    ///
    /// - Throws: 134060 for a name that is not an attribute or relationship of the entity.
    func snapshotSlots(_ keys: [String]?) throws -> [Int] {
        guard let keys else {
            return slots.indices.filter { index in
                let slot = slots[index]
                return slot.isStored && slot.kind != .toMany && slot.kind != .transformable
                    && slot.kind != .undefined
            }
        }
        return try keys.map { key in
            guard let index = index(of: key), slots[index].kind != .fetched else {
                throw NSError.coreData(
                    .coreData,
                    "A snapshot cannot have '\(key)': it is not an attribute or relationship of entity '\(entity.name ?? "")'."
                )
            }
            return index
        }
    }
}
