import Foundation
import ManagedObjectModel

extension NSIncrementalStore {
    package final func save(_ unit: UnitOfWork) throws -> SaveOutcome {
        guard !isReadOnly else { throw readOnlyError }
        // No other save may run between the comparison with the row cache and the update of the cache.
        return try saving.withLock { try saveAlone(unit) }
    }

    private func saveAlone(_ unit: UnitOfWork) throws -> SaveOutcome {
        try checkConflicts(unit)
        let request = NSSaveChangesRequest(
            inserted: Set(unit.objects.inserted), updated: Set(unit.objects.updated),
            deleted: Set(unit.objects.deleted), locked: Set(unit.objects.locked))
        request.affectedStores = [self]
        do {
            _ = try execute(request, with: unit.objects.context)
        } catch let error as NSError {
            throw try conflicts(error, unit) ?? error
        }
        var outcome = SaveOutcome()
        outcome.inserted = unit.inserts.map(\.row)
        outcome.updated = unit.updates.map(\.row)
        rowCache.update { cache in
            for (insert, row) in zip(unit.inserts, outcome.inserted) {
                cache.add(row, insert.storedEntity.table)
            }
            for (update, row) in zip(unit.updates, outcome.updated) {
                cache.add(row, update.storedEntity.table)
            }
            for deletion in unit.deletions {
                cache.remove(ObjectKey(table: deletion.storedEntity.table, reference: deletion.old.reference))
            }
        }
        return outcome
    }

    /// Compares the rows that the objects were read with and those in the row cache, which another context may have saved
    /// since. A store that counts its versions in its own way returns rows with other numbers and the same values.
    ///
    /// - Throws: `SaveConflicts`; an error of the store.
    private func checkConflicts(_ unit: UnitOfWork) throws {
        var conflicts: [SaveConflicts.Conflict] = []
        func check(_ storedEntity: StoredEntity, _ old: Row, isDeletion: Bool = false) throws {
            let key = ObjectKey(table: storedEntity.table, reference: old.reference)
            let cached = rowCache.row(key)
            // Another context may have deleted what is not in the cache: only the store knows.
            let current =
                try cached
                ?? row(
                    of: storedEntity, old.reference, notBefore: .infinity,
                    for: StoreReader(client: unit.objects.client))
            if let current {
                guard current.version != old.version,
                    storedEntity.layout.slots.contains(where: { slot in
                        slot.isStored && slot.kind != .toMany
                            && !current.hasSameValue(as: old, slot.rowSlot, slot)
                    })
                else { return }
            } else if isDeletion {
                return
            }
            conflicts.append(.init(storedEntity: storedEntity, old: old, cached: cached, current: current))
        }
        for update in unit.updates { try check(update.storedEntity, update.old) }
        for lock in unit.locks { try check(lock.storedEntity, lock.old) }
        for deletion in unit.deletions { try check(deletion.storedEntity, deletion.old, isDeletion: true) }
        if !conflicts.isEmpty { throw SaveConflicts(conflicts) }
    }

    /// The conflicts that the store itself has found, for the context's merge policy; nil when there are none, or when some are
    /// not of saved objects with their rows, which no policy can resolve.
    private func conflicts(_ error: NSError, _ unit: UnitOfWork) throws -> SaveConflicts? {
        guard let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict],
            !list.isEmpty
        else { return nil }
        let saved = Set(
            (unit.objects.updated + unit.objects.deleted + unit.objects.locked).map(ObjectIdentifier.init))
        guard list.allSatisfy({ saved.contains(ObjectIdentifier($0.sourceObject)) }) else { return nil }
        let rows = list.compactMap(\.sourceObject.row)
        guard rows.count == list.count else { return nil }
        return SaveConflicts(
            try zip(list, rows).map { conflict, old in
                let object = conflict.sourceObject
                let key = ObjectKey(table: object.storedEntity.table, reference: object.reference)
                let cached = rowCache.row(key)
                let current = try row(
                    of: object.storedEntity, object.reference, notBefore: .infinity,
                    for: StoreReader(client: unit.objects.client))
                return .init(storedEntity: object.storedEntity, old: old, cached: cached, current: current)
            })
    }
}
