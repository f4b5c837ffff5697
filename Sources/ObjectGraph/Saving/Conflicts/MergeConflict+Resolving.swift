import Foundation

extension NSMergeConflict {
    /// Changes the object so that the next attempt to save it meets no conflict.
    func resolve(_ policy: NSMergePolicyType) {
        let object = sourceObject
        guard let context = object.managedObjectContext else { return }
        guard let currentRow, object.stands(for: currentRow) else {
            resolveDeletedRow(policy, context)
            return
        }
        switch policy {
        case .errorMergePolicyType:
            return
        case .overwriteMergePolicyType:
            object.rebase(on: currentRow, keeping: .everything)
        case .mergeByPropertyObjectTrumpMergePolicyType:
            object.rebase(on: currentRow, keeping: .ownChanges)
        case .mergeByPropertyStoreTrumpMergePolicyType:
            object.rebase(on: currentRow, keeping: .changesOfUntouched)
        case .rollbackMergePolicyType:
            context.discardChanges(of: object, row: currentRow)
        }
        // The change of the row may have changed which rows lead to it.
        object.dropLoadedRelationships()
        object.withoutChangeTracking { object.awake(fromSnapshotEvents: .mergePolicy) }
    }

    /// The row is gone: an object that keeps its values gets a new row, any other is deleted too.
    private func resolveDeletedRow(_ policy: NSMergePolicyType, _ context: NSManagedObjectContext) {
        switch policy {
        case .overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType:
            if sourceObject.isDeleted {
                context.acceptDeletion(of: sourceObject)
            } else {
                context.reinsert(sourceObject)
            }
        case .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
            context.acceptDeletion(of: sourceObject)
        }
    }
}

extension NSManagedObject {
    /// The values of the object that survive when a newer row replaces its row.
    enum KeptSide {
        /// All values, also those that were not changed.
        case everything
        /// The values that were set here.
        case ownChanges
        /// The values that were set here, of properties that the other side did not change.
        case changesOfUntouched
    }

    /// Merges the object's changes with a newer row.
    final func rebase(on newer: Row, keeping: KeptSide) {
        let old = row
        for slot in layout.slots.indices {
            let info = layout.slots[slot]
            guard info.isStored, info.kind != .toMany else { continue }
            let isOwn = touched.contains(slot) && differsFromRow(at: slot)
            switch keeping {
            case .everything where !isOwn:
                let mine = value(at: slot)
                let isUnread = mine.isNull && old.map { !$0.isNull(slot) } ?? false
                if isUnread || old?.hasSameValue(as: newer, slot, info) ?? false
                    || hasLeftPartner(mine, info)
                {
                    // A value that the other side did not change, or that could not be read, keeps its bytes.
                    drop(slot)
                } else {
                    setSlot(slot, mine)
                }
            case .changesOfUntouched where isOwn:
                if let old, !old.hasSameValue(as: newer, slot, info) { drop(slot) }
            default:
                if !isOwn { drop(slot) }
            }
        }
        row = newer
    }

    /// Whether only this end has a one-to-one link, read before the other end got another partner.
    private final func hasLeftPartner(_ value: SlotValue, _ info: PropertySlot) -> Bool {
        guard case .object(let partner) = value, let inverse = info.relationship?.inverseRelationship,
            !inverse.isToMany
        else { return false }
        return !partner.leads(to: self, inverse)
    }

    /// Drops a decoded or set value, so that the row's counts.
    private final func drop(_ slot: Int) {
        guard slot < values.count else { return }
        values[slot] = .unloaded
        touched.remove(slot)
    }

    /// All stored values but to-many relationships, by key.
    final var snapshot: [String: Any] {
        var snapshot: [String: Any] = [:]
        for slot in layout.slots.indices
        where layout.slots[slot].isStored && layout.slots[slot].kind != .toMany {
            snapshot[layout.slots[slot].name] = anyValue(at: slot).map(SnapshotValue.of) ?? NSNull()
        }
        return snapshot
    }
}

/// Snapshots hold the IDs of related objects, not the objects.
enum SnapshotValue {
    static func of(_ value: Any) -> Any { (value as? NSManagedObject)?.objectID ?? value }
}

extension Row {
    /// Whether another row of the same layout has the same value in a slot.
    func hasSameValue(as other: Row, _ slot: Int, _ info: PropertySlot) -> Bool {
        guard isNull(slot) == other.isNull(slot) else { return false }
        if isNull(slot) {
            return info.kind != .composite || composite(info).isSame(as: other.composite(info))
        }
        if info.kind.hasBytes {
            return withBytes(slot) { mine in other.withBytes(slot) { mine.elementsEqual($0) } }
        }
        return integer(slot) == other.integer(slot)
            && (info.entitySlot < 0 || integer(info.entitySlot) == other.integer(info.entitySlot))
    }

    /// The stored values by key, for conflicts.
    ///
    /// - Parameter storedEntity: the row's own entity; rows of another one are not read.
    func snapshot(_ storedEntity: StoredEntity) -> [String: Any] {
        guard entityNumber == storedEntity.entityNumber else { return [:] }
        var snapshot: [String: Any] = [:]
        for slot in storedEntity.layout.slots where slot.isStored && slot.kind != .toMany {
            if slot.kind == .toOne {
                guard let store = storedEntity.store, let destination = destinationStoredEntity(slot, store)
                else {
                    snapshot[slot.name] = NSNull()
                    continue
                }
                snapshot[slot.name] = NSManagedObjectID(
                    storedEntity: destination, reference: integer(slot.rowSlot))
            } else {
                snapshot[slot.name] = value(slot.rowSlot, slot).anyValue(slot.kind) ?? NSNull()
            }
        }
        return snapshot
    }

    /// The entity binding of the destination of a to-one relationship; nil when there is none.
    package func destinationStoredEntity(_ slot: PropertySlot, _ store: NSPersistentStore) -> StoredEntity? {
        guard !isNull(slot.rowSlot) else { return nil }
        guard let destination = slot.relationship?.destinationEntity else { return nil }
        if slot.entitySlot >= 0, !isNull(slot.entitySlot),
            let number = Int32(exactly: integer(slot.entitySlot)),
            let storedEntity = store.storedEntity(number: number),
            storedEntity.entity.isKindOf(entity: destination)
        {
            return storedEntity
        }
        return store.storedEntity(of: destination)
    }
}
