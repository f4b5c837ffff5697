import CSwiftRuntime
import Foundation
import ManagedObjectModel

// Instantiating objects of stores and parents, one for each identity.

extension NSManagedObjectContext {
    /// A new object for a row, or for an identity without one.
    func instantiate(_ row: Row?, _ identity: ObjectIdentity) -> NSManagedObject {
        let storedEntity =
            row.flatMap { identity.storedEntity.store?.storedEntity(number: $0.entityNumber) }
            ?? identity.storedEntity
        let object = (storedEntity.isTemporary ? unstoredEntity(storedEntity.layout) : storedEntity)
            .instantiate(
                reference: identity.reference)
        if let known = identityMap.object(object.key) { displace(known) }
        adopt(object, row.flatMap { object.stands(for: $0) ? $0 : nil })
        register(object)
        return object
    }

    /// Enters an object into the identity map. Another object that had its identity leaves the context.
    func register(_ object: NSManagedObject) {
        if let former = identityMap.register(object) { displaceForSameIdentity([former]) }
    }

    /// Enters objects of one table into the identity map. Other objects that had their identities leave the context, also
    /// those of the list that come before another with the same identity.
    ///
    /// - Returns: whether there were any.
    private func register(_ objects: [NSManagedObject], table: UInt32) -> Bool {
        let former = identityMap.register(objects, table: table)
        displaceForSameIdentity(former)
        return !former.isEmpty
    }

    /// Discards objects whose identity another object now has: a row has only one object.
    func displaceForSameIdentity(_ objects: [NSManagedObject]) {
        for object in objects {
            Log.objects.error(
                "Object \(object.objectID) was removed from its context, with its changes: another object has its identity now."
            )
            displace(object)
        }
    }

    /// The object with an identity whose exact entity is known; a new fault if there is none. An object requested by an ID with
    /// another entity of the table does not count.
    func object(at identity: ObjectIdentity) -> NSManagedObject {
        let identity = self.identity(identity)
        if let known = identityMap.object(identity.key),
            known.storedEntity.isTemporary
                || known.storedEntity.entityNumber == identity.storedEntity.entityNumber
                || !((identity.storedEntity.store as? any ObjectStore)?.fetchesRows ?? true)
        {
            return known
        }
        return instantiate(nil, identity)
    }

    /// Releases an object that another one replaces: it was requested by an ID with another entity of the table.
    private func displace(_ object: NSManagedObject) {
        guard object.context === self else { return }
        if object.isFault { makeInaccessible(object) }
        tracker.remove(object)
        session.stopWatching(object)
        leave(object)
    }

    /// A result after registering new objects displaced others: a store may have an identity twice, or the initialiser of a
    /// class may have made the object already. Each element is the context's own object.
    private func present(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        objects.map { $0.context === self ? $0 : identityMap.object($0.key) ?? $0 }
    }

    func adopt(_ object: NSManagedObject, _ row: Row?) {
        object.context = self
        object.row = row
        object.state.insert(.fault)
        retained?[ObjectIdentifier(object)] = object
    }

    /// The objects of rows, one for each; new ones are faults with their rows. O(n).
    func instantiate(_ rows: RowList, from store: any ObjectStore, refreshing: Bool) -> [NSManagedObject] {
        guard let first = rows.first, let table = store.storedEntity(number: first.entityNumber)?.table else {
            return []
        }
        let known = rows.withPointers { rows in
            identityMap.objects(table: table, references: rows.lazy.map { $0.reference })
        }
        var maker = FaultMaker(self, store)
        if known.isEmpty {
            let objects = rows.withPointers { rows in
                defer { maker.countRows() }
                return maker.make(rows, rows.indices)
            }
            return register(objects, table: table) ? present(objects) : objects
        }
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(rows.count)
        var made: [NSManagedObject] = []
        var isDisplaced = false
        for index in rows.indices {
            let row = rows[index]
            if let known = known[index], known.stands(for: row) {
                if known.isFault {
                    known.row = row
                } else if refreshing, !known.hasChanges, known.differs(from: row) {
                    // Code of a program that this calls may release the rows of the objects made so far.
                    maker.countRows()
                    refreshValues(of: known, row)
                }
                objects.append(known)
            } else if let object = row.reading({ maker.make($0) }) {
                if let known = known[index] {
                    displace(known)
                    isDisplaced = true
                }
                objects.append(object)
                made.append(object)
            }
        }
        withExtendedLifetime(rows) { maker.countRows() }
        if register(made, table: table) { isDisplaced = true }
        return isDisplaced ? present(objects) : objects
    }

    /// New faults with rows of a table of which the context has no objects, in a list for each run of rows; nil if one of them cannot
    /// be made. O(n).
    func instantiateNew(
        _ rows: RowList, _ runs: [Range<Int>], _ table: UInt32, from store: any ObjectStore
    ) -> [[NSManagedObject]]? {
        var maker = FaultMaker(self, store)
        let lists = rows.withPointers { rows in
            defer { maker.countRows() }
            return runs.map { maker.make(rows, $0) }
        }
        let former = identityMap.register(lists, table: table)
        displaceForSameIdentity(former)
        guard zip(lists, runs).allSatisfy({ $0.count == $1.count }) else { return nil }
        return former.isEmpty ? lists : lists.map(present)
    }

    /// The objects of keys, one for each; new ones are faults without rows. O(n).
    func instantiate(
        _ keys: [(entityNumber: Int32, reference: Int64)], from store: any ObjectStore
    ) -> [NSManagedObject] {
        guard let first = keys.first, let table = store.storedEntity(number: first.entityNumber)?.table else {
            return []
        }
        let known = identityMap.objects(table: table, references: keys.lazy.map { $0.reference })
        var objects: [NSManagedObject] = []
        var made: [NSManagedObject] = []
        var isDisplaced = false
        objects.reserveCapacity(keys.count)
        for (index, key) in keys.enumerated() {
            if !known.isEmpty, let known = known[index],
                !store.fetchesRows || known.storedEntity.entityNumber == key.entityNumber
            {
                objects.append(known)
                continue
            }
            // A damaged store can name an entity of another table, where the identity map would look for the object.
            guard let storedEntity = store.storedEntity(number: key.entityNumber), storedEntity.table == table
            else { continue }
            if !known.isEmpty, let known = known[index] {
                displace(known)
                isDisplaced = true
            }
            let object = storedEntity.instantiate(reference: key.reference)
            adopt(object, nil)
            objects.append(object)
            made.append(object)
        }
        if register(made, table: table) { isDisplaced = true }
        return isDisplaced ? present(objects) : objects
    }

    /// The objects that a relationship leads to, one for each key; new ones are faults without rows. O(n).
    func destinations(
        _ keys: [(entityNumber: Int32, reference: Int64)], in store: any ObjectStore
    ) -> StoredDestinations {
        guard let table = Self.tableOfDistinct(keys, in: store) else {
            let objects = identityMap.collectingRegistrations { keys.compactMap { object($0, in: store) } }
            return StoredDestinations(objects: objects, areDistinct: false)
        }
        let known = identityMap.objects(table: table, references: keys.lazy.map { $0.reference })
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(keys.count)
        var made: [NSManagedObject] = []
        var maker = FaultMaker(self, store)
        for index in keys.indices {
            if !known.isEmpty, let known = known[index] {
                objects.append(known)
            } else if let object = maker.make(keys[index].entityNumber, keys[index].reference) {
                objects.append(object)
                if !known.isEmpty { made.append(object) }
            }
        }
        let isDisplaced = register(known.isEmpty ? objects : made, table: table)
        return StoredDestinations(
            objects: isDisplaced ? present(objects) : objects, areDistinct: !isDisplaced)
    }

    /// The table of keys that ascend, so that none is there twice; nil for other keys, and for those of several tables.
    private static func tableOfDistinct(
        _ keys: [(entityNumber: Int32, reference: Int64)], in store: any ObjectStore
    ) -> UInt32? {
        guard let first = keys.first, let table = store.storedEntity(number: first.entityNumber)?.table else {
            return nil
        }
        var (number, last) = first
        for key in keys.dropFirst() {
            guard key.reference > last else { return nil }
            last = key.reference
            guard key.entityNumber != number else { continue }
            number = key.entityNumber
            guard store.storedEntity(number: number)?.table == table else { return nil }
        }
        return table
    }

    /// The objects of rows with some of the columns, one for each; those that are faults return these values. O(n).
    func instantiate(
        _ rows: RowList, _ slots: PropertySet, from store: any ObjectStore
    ) -> [NSManagedObject] {
        let objects = instantiate(rows.map { ($0.entityNumber, $0.reference) }, from: store)
        for (object, row) in zip(objects, rows)
        where object.isFault && object.row?.version != row.version && object.reference == row.reference
            && object.stands(for: row)
        {
            object.row = nil
            object.faultSource = .part(PartialRow(row, slots: slots))
        }
        return objects
    }
}

/// Makes objects for rows of one store, which the context then registers together.
///
/// Until it has, the caller keeps the objects: they have no references of their entity bindings, which the maker has the identity
/// map keep. The caller also keeps the rows until `countRows()`.
private struct FaultMaker: ~Copyable {
    private let context: NSManagedObjectContext
    private let store: any ObjectStore
    /// Whether the context keeps its objects.
    private let isRetaining: Bool
    /// The entity binding of the last row, and its number.
    private var storedEntity: Unmanaged<StoredEntity>?
    private var number = Int32.min
    /// The class of its objects.
    private var objectClass: NSManagedObject.Type = NSManagedObject.self
    /// Its entity, with a reference for the next object.
    private var entityReference: Unmanaged<NSEntityDescription>?
    /// The entity bindings of the rows before by number; the identity map keeps them.
    private var storedEntities: [Int32: Unmanaged<StoredEntity>] = [:]
    private var blockReferences = BlockReferences()

    init(_ context: NSManagedObjectContext, _ store: any ObjectStore) {
        self.context = context
        self.store = store
        isRetaining = context.retained != nil
    }

    /// A fault with a row; nil when the store does not have the row's entity.
    @inline(__always)
    mutating func make(_ row: RowPointer) -> NSManagedObject? {
        guard let object = object(row.entityNumber, row.reference) else { return nil }
        blockReferences.add(row) { $0.retain($1) }
        object.becomeFault(of: .passUnretained(context), countedRow: row)
        if isRetaining { context.retained?[ObjectIdentifier(object)] = object }
        return object
    }

    /// Faults with some of the rows, without those whose entity the store does not have. O(n).
    mutating func make(_ rows: UnsafeBufferPointer<RowPointer>, _ indexes: Range<Int>) -> [NSManagedObject] {
        [NSManagedObject](unsafeUninitializedCapacity: indexes.count) { objects, count in
            for index in indexes {
                // Of very many rows the first ones are far away again.
                if index + 16 < rows.count { coredata_prefetch(rows[index + 16].words) }
                guard let object = make(rows[index]) else { continue }
                objects.initializeElement(at: count, to: object)
                count += 1
            }
        }
    }

    /// A fault without a row; nil when the store does not have the entity.
    @inline(__always)
    mutating func make(_ entityNumber: Int32, _ reference: Int64) -> NSManagedObject? {
        guard let object = object(entityNumber, reference) else { return nil }
        object.becomeFault(of: .passUnretained(context))
        if isRetaining { context.retained?[ObjectIdentifier(object)] = object }
        return object
    }

    /// An object that is in no context yet.
    @inline(__always)
    private mutating func object(_ entityNumber: Int32, _ reference: Int64) -> NSManagedObject? {
        if number != entityNumber { find(entityNumber) }
        guard let storedEntity, let entityReference else { return nil }
        return storedEntity._withUnsafeGuaranteedRef {
            $0.instantiate(objectClass, reference, entityReference)
        }
    }

    /// Counts what the objects have of the last rows' block.
    mutating func countRows() { blockReferences.end { $0.retain($1) } }

    deinit { entityReference?.release() }

    private mutating func find(_ wanted: Int32) {
        findBinding(wanted)
        entityReference?.release()
        entityReference = nil
        if let binding = storedEntity?.takeUnretainedValue() {
            objectClass = binding.objectClass
            entityReference = .passRetained(binding.entity)
        }
    }

    private mutating func findBinding(_ wanted: Int32) {
        // Rows are mostly of one entity alone, which needs no table.
        if let storedEntity { storedEntities[number] = storedEntity }
        number = wanted
        if let known = storedEntities[wanted] {
            storedEntity = known
        } else if let found = store.storedEntity(number: wanted) {
            context.identityMap.keep(found)
            storedEntity = .passUnretained(found)
        } else {
            storedEntity = nil
        }
    }
}
