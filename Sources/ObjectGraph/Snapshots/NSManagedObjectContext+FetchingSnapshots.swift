import Foundation
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Snapshots of the objects that a request finds, in its order.
    ///
    /// In a context without unsaved changes and without a parent they are made of the rows that the store has, and no object is
    /// made: each requested to-many relationship costs one query. They then have what is stored, also where the
    /// context has older values of an object. Otherwise they are made of the objects that `fetch(_:)` finds.
    ///
    /// - Parameters:
    ///   - request: what to find. What it says of the result's form does not count.
    ///   - keys: the names of the properties that the snapshots have; nil for every stored attribute that is not
    ///     transformable, and every to-one relationship.
    /// - Throws: 134060 for a name that is none of the entity's properties; as `fetch(_:)`.
    public func fetchSnapshots<Result>(
        _ request: NSFetchRequest<Result>, of keys: [String]? = nil
    ) throws -> [ManagedObjectSnapshot] {
        // The caller's request stays as it is.
        let request = request.copy() as? NSFetchRequest<Result> ?? request
        request.resultType = .managedObjectResultType
        request.includesPropertyValues = true
        request.propertiesToFetch = nil
        request.propertiesToGroupBy = nil
        request.havingPredicate = nil
        request.returnsDistinctResults = false
        request.fetchBatchSize = 0
        let fetch = try ResolvedFetch(request, self)
        adoptPermanentIDs()
        processPendingChanges()
        let layout = EntityLayout.layout(of: fetch.entity)
        let slots = try layout.snapshotSlots(keys)
        let areStored = slots.allSatisfy { layout.slots[$0].isStored }
        if areStored, !hasChanges, parentContext == nil, fetch.stores.count == 1,
            let store = fetch.stores.first, store.fetchesRows
        {
            let query = fetch.query(store)
            // Subentities may have more properties than the requested entity.
            let wanted: PropertySet? =
                keys == nil && fetch.specification.includesSubentities && !fetch.entity.subentities.isEmpty
                ? nil : PropertySet(slots)
            if let wanted, let store = store as? any SnapshotStore,
                let storedEntity = store.storedEntity(of: fetch.entity),
                let schema = SnapshotSchema(storedEntity, slots: slots, store),
                let snapshots = try store.snapshots(for: query, of: wanted, schema)
            {
                return snapshots
            }
            let partial = try wanted.flatMap { try store.partialRows(for: query, $0) }
            return try SnapshotReading(context: self, store: store).snapshots(
                partial ?? store.rows(for: query), keys)
        }
        return try identityMap.collectingRegistrations {
            let objects = try objects(fetch)
            let entities = Dictionary(grouping: objects) { ObjectIdentifier($0.layout) }
            for group in entities.values {
                guard let layout = group.first?.layout else { continue }
                for slot in try layout.snapshotSlots(keys) where layout.slots[slot].kind == .toMany {
                    guard let relationship = layout.slots[slot].relationship else { continue }
                    _ = try prefetch(relationship, group)
                }
            }
            return try objects.map { try $0.snapshot(of: keys) }
        }
    }
}

/// Makes snapshots of the rows of one store.
private struct SnapshotReading {
    let context: NSManagedObjectContext
    let store: any ObjectStore

    /// A snapshot of each row, in their order.
    func snapshots(_ rows: RowList, _ keys: [String]?) throws -> [ManagedObjectSnapshot] {
        guard let first = rows.first else { return [] }
        // Most often all rows are of one entity.
        if rows.areOfOneEntity,
            let storedEntity = store.storedEntity(number: first.entityNumber),
            let schema = try schema(storedEntity, keys)
        {
            return try packed(rows, schema)
        }
        let groups = Dictionary(grouping: rows, by: \.entityNumber)
        var kinds: [Int32: Kind] = [:]
        // The snapshots of each entity whose values are read from rows, in the order of these.
        var packed: [Int32: ArraySlice<ManagedObjectSnapshot>] = [:]
        for (number, rows) in groups {
            guard let storedEntity = store.storedEntity(number: number) else { continue }
            if let schema = try schema(storedEntity, keys) {
                packed[number] = try self.packed(rows, schema)[...]
            } else {
                kinds[number] = try kind(storedEntity, rows, keys)
            }
        }
        var snapshots: [ManagedObjectSnapshot] = []
        snapshots.reserveCapacity(rows.count)
        for row in rows {
            if let snapshot = packed[row.entityNumber]?.popFirst() {
                snapshots.append(snapshot)
            } else if let kind = kinds[row.entityNumber] {
                snapshots.append(try snapshot(row, kind))
            }
        }
        return snapshots
    }

    private func packed(
        _ rows: some Sequence<Row>, _ schema: SnapshotSchema
    ) throws -> [ManagedObjectSnapshot] {
        var builder = SnapshotRowBuilder(schema)
        for row in rows { try builder.append(row) }
        return builder.finish()
    }

    /// What reads the values of an entity's rows when they are requested; nil when they must be read now.
    private func schema(_ storedEntity: StoredEntity, _ keys: [String]?) throws -> SnapshotSchema? {
        SnapshotSchema(storedEntity, slots: try storedEntity.layout.snapshotSlots(keys), store)
    }

    /// What the rows of one entity have in common.
    private struct Kind {
        let storedEntity: StoredEntity
        let slots: [Int]
        /// The destinations of each to-many relationship, by slot and owner.
        let destinations: [Int: [Int64: [(entityNumber: Int32, reference: Int64)]]]
    }

    private func kind(_ storedEntity: StoredEntity, _ rows: [Row], _ keys: [String]?) throws -> Kind {
        let slots = try storedEntity.layout.snapshotSlots(keys)
        var destinations: [Int: [Int64: [(entityNumber: Int32, reference: Int64)]]] = [:]
        for slot in slots where storedEntity.layout.slots[slot].kind == .toMany {
            guard let relationship = storedEntity.layout.slots[slot].relationship else { continue }
            destinations[slot] = try store.destinations(
                of: relationship, storedEntity: storedEntity, owners: rows.map(\.reference),
                for: context.reader(of: store))
        }
        return Kind(storedEntity: storedEntity, slots: slots, destinations: destinations)
    }

    private func snapshot(_ row: Row, _ kind: Kind) throws -> ManagedObjectSnapshot {
        var values: [String: ManagedObjectSnapshot.Value] = [:]
        for slot in kind.slots {
            values[kind.storedEntity.layout.slots[slot].name] = try value(slot, row, kind)
        }
        return ManagedObjectSnapshot(
            objectID: NSManagedObjectID(storedEntity: kind.storedEntity, reference: row.reference),
            values: values)
    }

    private func value(_ slot: Int, _ row: Row, _ kind: Kind) throws -> ManagedObjectSnapshot.Value {
        let info = kind.storedEntity.layout.slots[slot]
        switch info.kind {
        case .toOne:
            guard !row.isNull(slot), let storedEntity = row.destinationStoredEntity(info, store) else {
                return .null
            }
            return .object(NSManagedObjectID(storedEntity: storedEntity, reference: row.integer(slot)))
        case .toMany:
            let ids = (kind.destinations[slot]?[row.reference] ?? []).compactMap { key in
                store.storedEntity(number: key.entityNumber).map {
                    NSManagedObjectID(storedEntity: $0, reference: key.reference)
                }
            }
            return info.isOrdered ? .orderedObjects(ids) : .objects(Set(ids))
        // The bytes as they are: an archive need not be read.
        case .transformable: return row.isNull(slot) ? .null : .data(row.data(slot))
        case .binary where info.isExternal:
            return row.isNull(slot) ? .null : .data(try externalData(slot, row, kind.storedEntity))
        default: return try .init(row.value(slot, info), info)
        }
    }

    private func externalData(_ slot: Int, _ row: Row, _ storedEntity: StoredEntity) throws -> Data {
        do {
            return try ExternalData.data(row.data(slot), of: store)
        } catch {
            // The file of a row that others have changed since is gone: theirs is the one to read.
            let newer = try store.row(
                of: storedEntity, row.reference, notBefore: .infinity, for: context.reader(of: store))
            guard let newer, !newer.isNull(slot), newer.data(slot) != row.data(slot) else { throw error }
            return try ExternalData.data(newer.data(slot), of: store)
        }
    }
}
