import CoreDataSQL
import CoreData

/// The primary keys that the objects of a dump get in a store.
///
/// In a new store objects keep their keys; those below one, which no object should have, get new ones when all others
/// are known. In a store that has objects, each object gets the next key, in the order in which the dump speaks of them.
/// Which key an object got is in a temporary table, so that memory does not grow with the dump.
final class ImportedKeys {
    private struct Table {
        let root: StoredEntity
        /// The highest key before the import.
        let first: Int64
        /// The highest key so far.
        var last: Int64
    }

    private let store: StoreImport
    private let keepsKeys: Bool
    private var tables: [UInt32: Table] = [:]
    /// What reads the entity of a row, by the number of an entity of its table: rendered once, for it is run for each link.
    private var lookups: [Int32: RenderedSQL] = [:]
    /// Whether all keys are known that are kept.
    var isComplete = false

    /// The keys that objects got, by the roots of their entities and the keys that they have in the dump.
    private let given: ScratchTable
    /// So that there are always some left.
    private static let limit = Int64.max / 2

    init(_ store: StoreImport, keepsKeys: Bool) throws {
        self.store = store
        self.keepsKeys = keepsKeys
        // Each object of the dump gets one key.
        given = try ScratchTable(
            store.snapshot.connection, "OpenCoreDataImportedKey",
            [("root", .integer), ("dump", .integer), ("given", .integer)], indexed: ["root", "dump"])
    }

    func removeTables() throws { try given.remove() }

    /// The key that an object gets; nil when that is not known yet.
    ///
    /// - Throws: an error when there are no keys left.
    func key(_ object: ObjectReference, _ entity: SQLEntity) throws -> Int64? {
        guard !keepsKeys || object.key < 1 else {
            guard object.key < Self.limit else { throw StoreToolError("\(object): the key is too large") }
            return object.key
        }
        guard !keepsKeys || isComplete else { return nil }
        if let known = try known(object.key, entity) { return known }
        let key = try table(entity).last + 1
        guard key < Self.limit else { throw StoreToolError("\(object): the store has no keys left") }
        tables[entity.storedEntity.table]?.last = key
        try given.insert([.integer(Int64(entity.storedEntity.table)), .integer(object.key), .integer(key)])
        return key
    }

    private func known(_ dump: Int64, _ entity: SQLEntity) throws -> Int64? {
        try given.number("given", where: ["root", "dump"], are: [Int64(entity.storedEntity.table), dump])
    }

    private func table(_ entity: SQLEntity) throws -> Table {
        if let table = tables[entity.storedEntity.table] { return table }
        let highest = try store.highestReference(of: entity.storedEntity)
        let table = Table(root: entity.storedEntity, first: highest, last: highest)
        tables[entity.storedEntity.table] = table
        return table
    }

    /// Notes that an object came in.
    func note(_ row: CoreData.Row, _ entity: SQLEntity) throws {
        let last = try table(entity).last
        if row.reference > last { tables[entity.storedEntity.table]?.last = row.reference }
    }

    /// Gives out all keys up to the highest, so that no other object gets one of them.
    func reserve() throws {
        for table in tables.values { try store.reserve(upTo: table.last, of: table.root) }
    }

    /// The highest key of an entity's table before the import; nil when nothing came into the table.
    func first(_ entity: SQLEntity) -> Int64? { tables[entity.storedEntity.table]?.first }

    /// The object of the dump that got a key.
    func object(_ key: Int64, _ entity: SQLEntity) throws -> ObjectReference {
        let dump = try given.number(
            "dump", where: ["root", "given"], are: [Int64(entity.storedEntity.table), key])
        return ObjectReference(entity: entity.name, key: dump ?? key)
    }

    /// The key of an object that came in; nil for one that did not, or not as one of this entity.
    func imported(_ object: ObjectReference, _ entity: SQLEntity) throws -> Int64? {
        let isKept = keepsKeys && object.key > 0
        guard let key = isKept ? object.key : try known(object.key, entity) else { return nil }
        let connection = store.snapshot.connection
        let lookup =
            try lookups[entity.number] ?? connection.dialect.render(RowLookup.entityNumber(in: entity))
        lookups[entity.number] = lookup
        let number = try connection.firstInteger(lookup.binding([.integer(key)]))
        return number == Int64(entity.number) ? key : nil
    }
}
