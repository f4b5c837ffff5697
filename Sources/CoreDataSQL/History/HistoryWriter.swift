import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB
import GRDBSQLite
import ManagedObjectModel

/// Writes down what a save did, in the save's own SQL transaction: one row for the transaction and one for each
/// object that the save inserted, updated or deleted, in this order, as Apple's stores have them.
///
/// What only triggers changed (derived attributes of other objects) gets no row of its own.
struct HistoryWriter {
    let store: SQLiteStore
    let history: StoreHistory
    let database: Database

    /// - Parameters:
    ///   - missing: indexes of the deletions whose rows others had deleted already.
    ///   - reordered: the objects that ordered relationships have in another position.
    ///   - begun: the number of a transaction that was written before, and to which this belongs; nil for a new one.
    /// - Returns: the number of the transaction.
    func write(
        _ unit: UnitOfWork, _ outcome: SaveOutcome, missing: Set<Int>, reordered: ReorderedMembers,
        into begun: Int64? = nil
    ) throws -> Int64 {
        let tables = history.tables
        let transaction = try begun ?? begin(unit)
        var reordered = reordered
        for (insert, row) in zip(unit.inserts, outcome.inserted) {
            _ = reordered.take(ObjectKey(table: insert.home.table, reference: row.reference))
        }
        let places = zip(unit.updates, outcome.updated).map { update, row in
            reordered.take(ObjectKey(table: update.home.table, reference: row.reference))
        }
        let moved = reordered.rest
        let count =
            unit.inserts.count + unit.updates.count + unit.deletions.count - missing.count + moved.count
        guard count > 0 else { return transaction }
        var rows = try ChangeRows(
            database, tables, transaction: transaction,
            first: reserve(HistoryTables.change, HistoryTables.changeNumber, count))
        for row in outcome.inserted { try rows.insert(row) }
        // Objects come in groups of one entity, more or less.
        var last: (home: StoredEntity, columns: HistoryColumns)?
        func columns(_ home: StoredEntity) -> HistoryColumns {
            if let last, last.home === home { return last.columns }
            let columns = history.columns(of: home)
            last = (home, columns)
            return columns
        }
        for (index, (update, row)) in zip(unit.updates, outcome.updated).enumerated() {
            try rows.update(update, row, columns(update.home), places: places[index])
        }
        for (key, member) in moved {
            guard let home = store.home(number: member.entityNumber) else { continue }
            try rows.move((member.entityNumber, key.reference), member.relationships, columns(home))
        }
        for (index, deletion) in unit.deletions.enumerated() where !missing.contains(index) {
            try rows.delete(deletion.old, columns(deletion.home))
        }
        return transaction
    }

    /// Writes down which rows a statement changed, and that it changed the same properties of all.
    ///
    /// - Parameters:
    ///   - unit: who changed them.
    /// - Returns: the number of the transaction.
    func write(
        _ keys: [(entityNumber: Int32, reference: Int64)], _ changed: PropertySet, _ unit: UnitOfWork
    ) throws -> Int64 {
        let transaction = try begin(unit)
        var rows = try ChangeRows(
            database, history.tables, transaction: transaction,
            first: reserve(HistoryTables.change, HistoryTables.changeNumber, keys.count))
        for key in keys {
            guard let home = store.home(number: key.entityNumber) else { continue }
            try rows.update(key, changed, history.columns(of: home))
        }
        return transaction
    }

    /// Writes the row of a transaction; its number.
    private func begin(_ unit: UnitOfWork) throws -> Int64 {
        let transaction = try reserve(HistoryTables.transaction, HistoryTables.transactionNumber, 1)
        var values: [SQLValue] = [
            .integer(transaction), .double(Date.timeIntervalSinceReferenceDate),
        ]
        for text in [unit.author, StoreHistory.bundleID, unit.contextName, StoreHistory.processID] {
            values.append(try reference(to: text))
        }
        try run(history.tables.insertTransaction, values)
        return transaction
    }

    /// Takes primary keys; the first one.
    private func reserve(_ table: String, _ number: Int64, _ count: Int) throws -> Int64 {
        try run(HistoryTables.reserve(table), [.integer(Int64(count)), .integer(number)])
        let highest = try SQLiteReader(database).integer(
            SQLStatement("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(number)]))
        guard highest >= count, highest < Int.max else {
            throw HistoryTables.damaged("Z_PRIMARYKEY has no number left for \(table)")
        }
        return Int64(highest) - Int64(count) + 1
    }

    /// What the row of a transaction has for a string.
    private func reference(to text: String?) throws -> SQLValue {
        guard let text else { return .null }
        guard history.tables.hasStrings else { return .text(text) }
        let known = try SQLiteReader(database).integer(
            SQLStatement("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", [.text(text)]))
        if known != 0 { return .integer(Int64(known)) }
        let key = try reserve(HistoryTables.strings, HistoryTables.stringNumber, 1)
        try run(
            """
            INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, \(HistoryTables.stringNumber), ?)
            """, [.integer(key), .text(text)])
        return .integer(key)
    }

    private func run(_ sql: String, _ values: [SQLValue]) throws {
        Log.sql.debug("\(sql)")
        try PreparedStatements.step(sql, values, database)
    }
}

/// Binds one row after the other to the statement that inserts changes.
private struct ChangeRows {
    private let database: Database
    private let sql: String
    private let statement: OpaquePointer
    /// Keeps the statement: the connection may let go of it.
    private let prepared: Statement
    private let tombstoneCount: Int
    private var next: Int64
    private var bitmap: [UInt8] = []
    /// SQLite reads bitmap and values where they are; they live until the statement is reset.
    private static let inPlace: sqlite3_destructor_type? = nil

    init(_ database: Database, _ tables: HistoryTables, transaction: Int64, first: Int64) throws {
        self.database = database
        sql = tables.insertChange
        Log.sql.debug("\(sql)")
        prepared = try PreparedStatements.statement(sql, database)
        statement = prepared.sqliteStatement
        tombstoneCount = tables.tombstoneCount
        next = first
        sqlite3_clear_bindings(statement)
        sqlite3_bind_int64(statement, 5, transaction)
    }

    mutating func insert(_ row: Row) throws { try run(.insert, (row.entityNumber, row.reference)) }

    mutating func update(
        _ update: UnitOfWork.Update, _ row: Row, _ columns: HistoryColumns,
        places: [NSRelationshipDescription]
    ) throws {
        try self.update((row.entityNumber, row.reference), columns) {
            columns.mark(update, row, in: $0)
            columns.markPlaces(places, in: $0)
        }
    }

    /// Notes an object that has another position in the other ends of relationships.
    mutating func move(
        _ key: (entityNumber: Int32, reference: Int64), _ relationships: [NSRelationshipDescription],
        _ columns: HistoryColumns
    ) throws {
        try update(key, columns) { columns.markPlaces(relationships, in: $0) }
    }

    mutating func update(
        _ key: (entityNumber: Int32, reference: Int64), _ changed: PropertySet, _ columns: HistoryColumns
    ) throws {
        try update(key, columns) { columns.mark(changed, in: $0) }
    }

    private mutating func update(
        _ key: (entityNumber: Int32, reference: Int64), _ columns: HistoryColumns,
        _ mark: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) throws {
        let count = columns.byteCount
        // Taken out, so that it is not copied.
        var taken = bitmap
        bitmap = []
        defer { bitmap = taken }
        if taken.count < count { taken = Array(repeating: 0, count: count) }
        try taken.withUnsafeMutableBufferPointer { bytes in
            bytes.update(repeating: 0)
            mark(bytes)
            sqlite3_bind_blob(statement, 6, bytes.baseAddress, Int32(count), Self.inPlace)
            try run(.update, key)
        }
        sqlite3_bind_null(statement, 6)
    }

    mutating func delete(_ row: Row, _ columns: HistoryColumns) throws {
        let kept = columns.tombstones.prefix(tombstoneCount)
        try withExtendedLifetime(row) {
            for (index, slot) in kept.enumerated() {
                // Apple's framework keeps no value that may be in a file, wherever it is.
                if slot.isExternal { continue }
                let code = RowBinding.bind(row, slot.rowSlot, slot.kind, statement, Int32(7 + index))
                guard code == SQLITE_OK else { throw SQLiteBinder.error(of: database.sqliteConnection, sql) }
            }
            try run(.delete, (row.entityNumber, row.reference))
        }
        for index in kept.indices { sqlite3_bind_null(statement, Int32(7 + index)) }
    }

    private mutating func run(
        _ type: NSPersistentHistoryChangeType, _ key: (entityNumber: Int32, reference: Int64)
    ) throws {
        sqlite3_bind_int64(statement, 1, next)
        sqlite3_bind_int64(statement, 2, Int64(type.rawValue))
        sqlite3_bind_int64(statement, 3, Int64(key.entityNumber))
        sqlite3_bind_int64(statement, 4, key.reference)
        defer { sqlite3_reset(statement) }
        guard sqlite3_step(statement) == SQLITE_DONE else {
            throw SQLiteBinder.error(of: database.sqliteConnection, sql)
        }
        next += 1
    }
}
