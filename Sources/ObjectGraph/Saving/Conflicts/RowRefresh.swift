import ManagedObjectModel

// Reads what others have saved meanwhile, for many objects at once.

extension NSManagedObjectContext {
    /// The current rows of objects below this context; deleted ones have none. Without a parent, one request for
    /// each table.
    ///
    /// - Parameter objects: saved objects of this context, each once.
    /// - Throws: an error of the store.
    func storedRows(of objects: [NSManagedObject]) throws -> [NSManagedObject: Row] {
        var rows: [NSManagedObject: Row] = [:]
        for group in Dictionary(grouping: objects, by: { $0.storedEntity.table }).values {
            guard group.count > 1, parentContext == nil, let first = group.first,
                let store = first.storedEntity.store as? any ObjectStore, store.fetchesRows,
                let storedEntity = store.storedEntity(of: first.entity.rootEntity)
            else {
                for object in group { rows[object] = try storedRow(of: object, notBefore: .infinity) }
                continue
            }
            var query = FetchQuery(storedEntity: storedEntity)
            query.references = group.map(\.reference)
            query.reader = try reader(of: store)
            let found = Dictionary(
                try store.rows(for: query).map { ($0.reference, $0) }, uniquingKeysWith: { one, _ in one })
            for object in group {
                if let row = found[object.reference], object.stands(for: row) { rows[object] = row }
            }
        }
        return rows
    }

    /// Refreshes objects that the save would not compare: one with changes to save has a conflict of its own, if any.
    ///
    /// - Returns: those of the objects whose rows are gone.
    /// - Throws: an error of the store.
    @discardableResult
    func adoptNewerRows(of objects: [NSManagedObject]) throws -> Set<NSManagedObject> {
        var seen: Set<NSManagedObject> = []
        let candidates = objects.filter {
            isBelow($0) && !$0.isDeleted && !$0.hasPersistentChangedValues && seen.insert($0).inserted
        }
        let rows = try storedRows(of: candidates)
        for object in candidates {
            guard let row = rows[object] else { continue }
            if object.isFault {
                object.row = row
            } else if object.differs(from: row) {
                refreshValues(of: object, row)
                tracker.noteExternalRefresh(of: object)
            }
        }
        return seen.subtracting(rows.keys)
    }

    /// Those of some objects, not deleted here, whose rows are gone.
    ///
    /// - Throws: an error of the store.
    func gone(among objects: Set<NSManagedObject>) throws -> Set<NSManagedObject> {
        let lost = objects.filter { $0.context !== self || $0.state.contains(.inaccessible) }
        let candidates = objects.subtracting(lost).filter { isBelow($0) && !$0.isDeleted }
        return lost.union(candidates.subtracting(try storedRows(of: Array(candidates)).keys))
    }

    /// Whether the store, or the parent, should have an object of this context.
    private func isBelow(_ object: NSManagedObject) -> Bool {
        object.context === self && !object.isInserted && !object.isUnknownBelow
            && !object.state.contains(.inaccessible)
    }
}
