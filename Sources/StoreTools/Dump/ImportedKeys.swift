import CoreData
import GRDB

/// The primary keys that the objects of a dump get in a store: those they had, counted on from the keys that are taken
/// in the store already.
final class ImportedKeys {
    private struct Table {
        let root: StoredEntity
        /// The highest key before the import.
        let first: Int64
        /// The highest key so far.
        var last: Int64
    }

    private let store: StoreImport
    private var tables: [UInt32: Table] = [:]

    init(_ store: StoreImport) { self.store = store }

    /// The key that an object gets.
    ///
    /// - Throws: an error when there are no keys left.
    func key(_ object: ObjectReference, _ entity: SQLEntity) throws -> Int64 {
        let (key, overflow) = object.key.addingReportingOverflow(try table(entity).first)
        guard !overflow, key < Int64.max / 2 else { throw StoreToolError("\(object): the key is too large") }
        return key
    }

    private func table(_ entity: SQLEntity) throws -> Table {
        if let table = tables[entity.home.table] { return table }
        let highest = try store.highestReference(of: entity.home)
        let table = Table(root: entity.home, first: highest, last: highest)
        tables[entity.home.table] = table
        return table
    }

    func note(_ row: CoreData.Row, _ entity: SQLEntity) {
        if let table = tables[entity.home.table], row.reference > table.last {
            tables[entity.home.table]?.last = row.reference
        }
    }

    /// Gives out all keys up to the highest, so that no other object gets one of them.
    func reserve() throws {
        for table in tables.values { try store.reserve(upTo: table.last, of: table.root) }
    }

    /// - Throws: an error when an object that came in leads to one that is not there.
    func checkDestinations() throws {
        let schema = store.snapshot.schema
        for entity in schema.entities {
            guard let table = tables[entity.home.table], table.last > table.first else { continue }
            for dangling in DanglingReferences(schema).toOne(of: entity) {
                let found = try GRDB.Row.fetchOne(
                    store.snapshot.database, sql: dangling.sql + " AND s.Z_PK > \(table.first) LIMIT 1")
                guard let found, let key = Int64.fromDatabaseValue(found[0]),
                    let missingKey = Int64.fromDatabaseValue(found[1])
                else { continue }
                let object = ObjectReference(entity: entity.name, key: key - table.first)
                let first = tables[dangling.destination.home.table]?.first ?? 0
                let missing = ObjectReference(
                    entity: dangling.destination.name, key: missingKey - first)
                throw StoreToolError(
                    "\(object), '\(dangling.property)': there is no \(missing) among the objects.")
            }
        }
    }
}
