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

    /// - Throws: an error when an object that came in leads to one that is not there, that is of another entity, or that
    ///   does not lead back where it should.
    func checkDestinations() throws {
        let schema = store.snapshot.schema
        let references = DanglingReferences(schema)
        for entity in schema.entities {
            guard let table = tables[entity.home.table], table.last > table.first else { continue }
            for query in references.toOne(of: entity) {
                try check(query, entity, table) { "there is no \($0) among the objects." }
            }
            for query in references.wrongEntities(of: entity) {
                try check(query, entity, table) { "\($0) is of another entity than it says." }
            }
            for query in references.oneSided(of: entity) {
                try check(query, entity, table) { "'\(query.inverse)' of \($0) does not lead back." }
            }
        }
    }

    private func check(
        _ query: DanglingReferences.Query, _ entity: SQLEntity, _ table: Table,
        _ reason: (ObjectReference) -> String
    ) throws {
        let row = try GRDB.Row.fetchOne(
            store.snapshot.database, sql: query.sql + " AND s.Z_PK > \(table.first) LIMIT 1")
        guard let row, let key = Int64.fromDatabaseValue(row[0]),
            let destinationKey = Int64.fromDatabaseValue(row[1])
        else { return }
        let object = ObjectReference(entity: entity.name, key: key - table.first)
        let first = tables[query.destination.home.table]?.first ?? 0
        let destination = ObjectReference(entity: query.destination.name, key: destinationKey - first)
        throw StoreToolError("\(object), '\(query.property)': \(reason(destination))")
    }
}
