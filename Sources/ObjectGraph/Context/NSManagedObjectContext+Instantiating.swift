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
    func instantiate(_ rows: RowList, from store: any ObjectStore, refreshing: Bool) -> FoundObjects {
        guard let first = rows.first, let table = store.storedEntity(number: first.entityNumber)?.table else {
            return FoundObjects([])
        }
        let known = rows.withPointers { rows in
            identityMap.objects(table: table, references: rows.lazy.map { $0.reference })
        }
        guard known.isEmpty else {
            return FoundObjects(instantiate(rows, known, table, from: store, refreshing: refreshing))
        }
        var maker = FaultMaker(self, store)
        let departures = identityMap.departures
        var former: [NSManagedObject] = []
        let objects = rows.withPointers { maker.makeRegistered($0, table, &former) }
        displaceForSameIdentity(former)
        guard former.isEmpty, identityMap.departures == departures else {
            // Initialisers of the class have made objects of these rows, or have made some leave the context.
            let present = rows.withPointers { rows in
                identityMap.objects(table: table, references: rows.lazy.map { $0.reference })
            }
            return FoundObjects(
                withExtendedLifetime(objects) {
                    instantiate(rows, present, table, from: store, refreshing: false)
                })
        }
        return FoundObjects(objects, all: maker.onlyClass)
    }

    /// The same for rows of a table of which the context has objects.
    ///
    /// - Parameter known: the object of each row, if there is one; empty for none at all.
    private func instantiate(
        _ rows: RowList, _ known: [NSManagedObject?], _ table: UInt32, from store: any ObjectStore,
        refreshing: Bool
    ) -> [NSManagedObject] {
        var maker = FaultMaker(self, store)
        var objects: [NSManagedObject] = []
        objects.reserveCapacity(rows.count)
        var made: [NSManagedObject] = []
        var isDisplaced = false
        for index in rows.indices {
            let row = rows[index]
            let known = known.isEmpty ? nil : known[index]
            if let known, known.stands(for: row) {
                if known.isFault {
                    known.row = row
                } else if refreshing, !known.hasChanges, known.differs(from: row) {
                    refreshValues(of: known, row)
                }
                objects.append(known)
            } else if let object = row.reading({ maker.make($0) }) {
                if let known {
                    displace(known)
                    isDisplaced = true
                }
                objects.append(object)
                made.append(object)
            }
        }
        if register(made, table: table) { isDisplaced = true }
        return isDisplaced ? present(objects) : objects
    }

    /// New faults with rows of a table of which the context has no objects, in a list for each run of rows, and their class if all have
    /// the same; nil if one of them cannot be made, or initialisers of the class have made one or made one leave. O(n).
    func instantiateNew(
        _ rows: UnsafeBufferPointer<RowPointer>, _ runs: [Range<Int>], _ table: UInt32,
        from store: any ObjectStore
    ) -> (lists: [[NSManagedObject]], objectClass: NSManagedObject.Type?)? {
        var maker = FaultMaker(self, store)
        let departures = identityMap.departures
        var former: [NSManagedObject] = []
        let lists = maker.makeRegistered(rows, runs, table, &former)
        displaceForSameIdentity(former)
        guard former.isEmpty, identityMap.departures == departures,
            zip(lists, runs).allSatisfy({ $0.count == $1.count })
        else { return nil }
        return (lists, maker.onlyClass)
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
        var maker = FaultMaker(self, store)
        objects.reserveCapacity(keys.count)
        for (index, key) in keys.enumerated() {
            if !known.isEmpty, let known = known[index],
                !store.fetchesRows || known.storedEntity.entityNumber == key.entityNumber
            {
                objects.append(known)
                continue
            }
            // A damaged store can name an entity of another table, where the identity map would look for the object.
            guard let object = maker.make(key.entityNumber, key.reference, ofTable: table) else { continue }
            if !known.isEmpty, let known = known[index] {
                displace(known)
                isDisplaced = true
            }
            objects.append(object)
            made.append(object)
        }
        if register(made, table: table) { isDisplaced = true }
        return isDisplaced ? present(objects) : objects
    }

    /// The objects of some identities of a list; new ones are faults without rows. O(n).
    func objects(at identities: IdentityList, _ indexes: Range<Int>) -> [NSManagedObject] {
        // A custom store may return an object twice.
        if let storedEntity = identities.onlyStoredEntity, let store = storedEntity.objectStore,
            store.fetchesRows
        {
            let keys = indexes.map { (storedEntity.entityNumber, identities.reference(at: $0)) }
            let objects = instantiate(keys, from: store)
            if objects.count == keys.count { return objects }
        }
        return indexes.map { object(at: identities[$0]) }
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

/// Makes objects for rows of one store, which are then registered, many at once.
///
/// Until they are, the caller keeps the objects: they have no references of their entity bindings, which the maker has the identity
/// map keep. They have references of the blocks of their rows from the beginning: the initialiser of the next object may
/// have the one before turned into a fault, which gives back the reference of its row.
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
    private var hasSeveralEntities = false

    /// The class of all objects made; nil for several and for none.
    var onlyClass: NSManagedObject.Type? { hasSeveralEntities || storedEntity == nil ? nil : objectClass }

    init(_ context: NSManagedObjectContext, _ store: any ObjectStore) {
        self.context = context
        self.store = store
        isRetaining = context.retained != nil
    }

    /// A fault with a row; nil when the store does not have the row's entity.
    mutating func make(_ row: RowPointer) -> NSManagedObject? {
        row.block.retain(1)
        return make(countedRow: row)
    }

    /// The same with a reference of the row's block, which is given back where there is no object.
    @inline(__always)
    private mutating func make(countedRow row: RowPointer) -> NSManagedObject? {
        guard let object = object(row.entityNumber, row.reference) else {
            row.block.release()
            return nil
        }
        object.becomeFault(of: .passUnretained(context), countedRow: row)
        if isRetaining { context.retained?[ObjectIdentifier(object)] = object }
        return object
    }

    /// How many objects are made before they are registered: so few that they are still in the processor's caches then.
    private static var pieceCount: Int { 1024 }

    /// Faults with the rows, without those whose entity the store does not have, registered. O(n).
    ///
    /// - Parameters:
    ///   - rows: the caller keeps them.
    ///   - table: that of the rows, of which the context has no objects.
    ///   - former: receives other objects that had the identities: the initialiser of a class may have made them.
    mutating func makeRegistered(
        _ rows: UnsafeBufferPointer<RowPointer>, _ table: UInt32, _ former: inout [NSManagedObject]
    ) -> [NSManagedObject] {
        reserve(rows.count, table)
        return [NSManagedObject](unsafeUninitializedCapacity: rows.count) { objects, count in
            for start in stride(from: 0, to: rows.count, by: Self.pieceCount) {
                let first = count
                make(rows, start..<min(start + Self.pieceCount, rows.count), objects, &count)
                let made = UnsafeBufferPointer(UnsafeMutableBufferPointer(rebasing: objects[first..<count]))
                former += context.identityMap.register(made, table: table)
            }
        }
    }

    /// The same for runs of the rows, in a list for each.
    mutating func makeRegistered(
        _ rows: UnsafeBufferPointer<RowPointer>, _ runs: [Range<Int>], _ table: UInt32,
        _ former: inout [NSManagedObject]
    ) -> [[NSManagedObject]] {
        reserve(rows.count, table)
        var lists: [[NSManagedObject]] = []
        lists.reserveCapacity(runs.count)
        var (registered, count) = (0, 0)
        for run in runs {
            lists.append(
                [NSManagedObject](unsafeUninitializedCapacity: run.count) { make(rows, run, $0, &$1) })
            count += run.count
            guard count >= Self.pieceCount || lists.count == runs.count else { continue }
            for list in lists[registered...] {
                former += list.withUnsafeBufferPointer {
                    context.identityMap.register($0, table: table)
                }
            }
            (registered, count) = (lists.count, 0)
        }
        return lists
    }

    /// Registering makes room for a piece.
    private func reserve(_ count: Int, _ table: UInt32) {
        if count > Self.pieceCount { context.identityMap.reserve(count, table: table) }
    }

    /// Adds faults with some of the rows to objects, of which there are `count`.
    @inline(__always)
    private mutating func make(
        _ rows: UnsafeBufferPointer<RowPointer>, _ indexes: Range<Int>,
        _ objects: UnsafeMutableBufferPointer<NSManagedObject>, _ count: inout Int
    ) {
        // Where the rows begin that do not have the references of their objects yet.
        var uncounted = indexes.lowerBound
        for index in indexes {
            // Of very many rows the first ones are far away again.
            if index + 16 < rows.count { coredata_prefetch(rows[index + 16].words) }
            if index == uncounted { uncounted = countReferences(rows, index..<indexes.upperBound) }
            guard let object = make(countedRow: rows[index]) else { continue }
            objects.initializeElement(at: count, to: object)
            count += 1
        }
    }

    /// Counts a reference for each of the first rows that are of one block, as rows are mostly that come one after the other.
    ///
    /// - Returns: the index of the row after these.
    @inline(__always)
    private func countReferences(_ rows: UnsafeBufferPointer<RowPointer>, _ indexes: Range<Int>) -> Int {
        let block = rows[indexes.lowerBound].block
        var end = indexes.lowerBound + 1
        while end < indexes.upperBound, rows[end].block.toOpaque() == block.toOpaque() { end += 1 }
        block.retain(UInt32(end - indexes.lowerBound))
        return end
    }

    /// A fault without a row; nil when the store does not have the entity in the table.
    @inline(__always)
    mutating func make(_ entityNumber: Int32, _ reference: Int64, ofTable table: UInt32) -> NSManagedObject? {
        if number != entityNumber { find(entityNumber) }
        guard let storedEntity, storedEntity._withUnsafeGuaranteedRef({ $0.table == table }) else {
            return nil
        }
        return make(entityNumber, reference)
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

    deinit { entityReference?.release() }

    private mutating func find(_ wanted: Int32) {
        hasSeveralEntities = number != .min
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
