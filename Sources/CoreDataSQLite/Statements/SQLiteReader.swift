import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB
import GRDBSQLite
import ManagedObjectModel

/// Runs SELECT statements on a connection and steps through them with SQLite's own calls.
struct SQLiteReader {
    private let connection: any PreparingConnection

    init(_ connection: any PreparingConnection) { self.connection = connection }

    /// - Parameters:
    ///   - list: the list of columns that the statement begins with, if its rows may be collected inside of SQLite: nothing puts them
    ///     into an order or leaves some out.
    ///   - note: is called now and then with the number of rows read.
    func rows(
        _ statement: RenderedSQL, _ decoder: RowDecoder, _ timestamp: Double, collecting list: String? = nil,
        noting note: ((Int) -> Void)? = nil
    ) throws -> RowList {
        if let list, note == nil {
            var collector = RowCollector(decoder, timestamp)
            if try collector.run(statement, list, connection) { return collector.rows }
        }
        var builder = RowBuilder(sharingBlocks: true)
        var rows = RowList()
        var values = RowValues()
        try step(statement) {
            values.read($0)
            rows.append(try decoder.put(values, &builder, timestamp: timestamp))
            if rows.count & 1023 == 0 { note?(rows.count) }
        }
        return rows
    }

    /// Snapshots of rows that are all of one entity, in the order of the statement or in that of their keys.
    ///
    /// - Parameter list: as of `rows`.
    func snapshots(
        _ statement: RenderedSQL, _ decoder: RowDecoder, _ entity: RowSelection.Entity,
        _ schema: SnapshotSchema, collecting list: String?, sortsByKey: Bool
    ) throws -> [ManagedObjectSnapshot] {
        if let list {
            var collector = SnapshotCollector(schema, decoder, entity)
            if try collector.run(statement, list, connection) {
                return collector.finish(sortsByKey: sortsByKey)
            }
        }
        var builder = SnapshotRowBuilder(schema)
        var values = RowValues()
        try step(statement) {
            values.read($0)
            try decoder.addRow(values, to: &builder, entity)
        }
        return builder.finish(sortsByKey: sortsByKey)
    }

    /// Calls `body` with the keys of all rows, in pieces; a row has nothing else.
    ///
    /// - Parameter list: as of `rows`.
    func forEachReferences(
        _ statement: RenderedSQL, collecting list: String?, _ body: (UnsafeBufferPointer<Int64>) -> Void
    ) throws {
        try withoutActuallyEscaping(body) { body in
            try withUnsafeTemporaryAllocation(of: Int64.self, capacity: 1024) { piece in
                var collector = ReferenceCollector(piece, body)
                let isDone = try list.map { try collector.run(statement, $0, connection) } ?? false
                if !isDone { try step(statement) { collector.add(sqlite3_column_int64($0, 0)) } }
                collector.end()
            }
        }
    }

    /// Calls `body` with the entity number and the key of each row.
    func forEachKey(_ statement: RenderedSQL, _ body: (Int32, Int64) -> Void) throws {
        try step(statement) { body(sqlite3_column_int($0, 0), sqlite3_column_int64($0, 1)) }
    }

    /// Owner, entity number and key of each link.
    func links(_ statement: RenderedSQL) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]] {
        var links: [Int64: [(entityNumber: Int32, reference: Int64)]] = [:]
        // The links of an owner mostly follow each other.
        var owner: Int64?
        var ofOwner: [(entityNumber: Int32, reference: Int64)] = []
        func add() {
            guard let owner, !ofOwner.isEmpty else { return }
            if links[owner] == nil { links[owner] = ofOwner } else { links[owner]? += ofOwner }
            ofOwner = []
        }
        var values = RowValues()
        try step(statement) {
            values.read($0)
            let next = values.integer(0)
            if next != owner {
                add()
                owner = next
            }
            // What SQLite's calls for columns of 32 bits do with larger numbers.
            ofOwner.append((Int32(truncatingIfNeeded: values.integer(1)), values.integer(2)))
        }
        add()
        return links
    }

    func dictionaries(_ statement: RenderedSQL, _ columns: [DictionaryColumn]) throws -> [[String: Any]] {
        var dictionaries: [[String: Any]] = []
        try step(statement) { row in
            var dictionary: [String: Any] = [:]
            for (index, column) in columns.enumerated() {
                if let value = value(row, Int32(index), column) { dictionary[column.name] = value }
            }
            dictionaries.append(dictionary)
        }
        return dictionaries
    }

    private func value(_ row: OpaquePointer, _ index: Int32, _ column: DictionaryColumn) -> Any? {
        let type = sqlite3_column_type(row, index)
        guard type != SQLITE_NULL else { return nil }
        switch type == SQLITE_FLOAT ? column.kindOfReal : column.kind {
        case .toOne:
            let reference = sqlite3_column_int64(row, index)
            let number = column.entityColumn.map { sqlite3_column_int(row, $0) }
            let storedEntity =
                number.flatMap { column.destination?.store?.storedEntity(number: $0) } ?? column.destination
            return storedEntity.map { NSManagedObjectID(storedEntity: $0, reference: reference) }
        case .decimal:
            if let decimal = RowDecoder.decimal(sqlite3_column_value(row, index)) {
                return NSDecimalNumber(decimal: decimal)
            }
            // What was computed may be no decimal, as in memory: 1e300, or no number at all.
            return type == SQLITE_FLOAT ? NSNumber(value: sqlite3_column_double(row, index)) : nil
        case .integer16, .integer32, .integer64, .boolean:
            return SlotValue.integer(sqlite3_column_int64(row, index)).anyValue(column.kind)
        case .double, .float, .date:
            return SlotValue.double(sqlite3_column_double(row, index)).anyValue(column.kind)
        case .string: return Self.text(row, index)
        case .uri: return URL(string: Self.text(row, index))
        case .uuid:
            let bytes = Self.blob(row, index)
            return bytes.count == 16
                ? bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) } : nil
        case .binary, .transformable: return Self.blob(row, index)
        case .composite, .undefined, .toMany, .fetched: return nil
        }
    }

    /// The text in a column of a statement's present row; empty for NULL.
    static func text(_ row: OpaquePointer, _ index: Int32) -> String {
        guard let text = sqlite3_column_text(row, index) else { return "" }
        let count = Int(sqlite3_column_bytes(row, index))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    /// The bytes in a column of a statement's present row; none for NULL.
    static func blob(_ row: OpaquePointer, _ index: Int32) -> Data {
        guard let start = sqlite3_column_blob(row, index) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_column_bytes(row, index)))
    }

    /// Logs a statement that is about to run.
    static func log(_ statement: RenderedSQL) {
        // One look at the level, for each statement.
        guard Log.sql.logLevel <= .debug else { return }
        Log.sql.debug("\(statement.text)")
        Log.sql.trace("\(Log.description(of: statement.arguments))")
    }

    /// Runs a statement that the connection keeps, and calls `body` for each row.
    @inline(__always)
    func step(_ statement: RenderedSQL, _ body: (OpaquePointer) throws -> Void) throws {
        Self.log(statement)
        try PreparedStatements.step(statement.text, statement.arguments, connection, body)
    }
}

/// Binds values to a statement.
struct SQLiteBinder {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    /// SQLite copies what it is given.
    static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// - Parameter first: the position of the first value.
    func bind(_ values: [SQLValue], from first: Int32 = 1) throws {
        for (index, value) in values.enumerated() { try bind(value, at: first + Int32(index)) }
    }

    func bind(_ value: SQLValue, at index: Int32) throws {
        let code: Int32
        switch value {
        case .null: code = sqlite3_bind_null(statement, index)
        case .integer(let value): code = sqlite3_bind_int64(statement, index, value)
        case .double(let value): code = sqlite3_bind_double(statement, index, value)
        case .text(var value):
            code = value.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text64(
                        statement, index, $0.baseAddress, UInt64($0.count), Self.copied, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let value):
            code = value.withUnsafeBytes { bytes in
                bytes.count == 0
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob64(
                        statement, index, bytes.baseAddress, UInt64(bytes.count), Self.copied)
            }
        }
        guard code == SQLITE_OK else { throw Self.error(of: sqlite3_db_handle(statement), "bind") }
    }

    /// The connection's last error.
    static func error(of connection: OpaquePointer?, _ sql: String) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
            message: String(cString: sqlite3_errmsg(connection)), sql: sql)
    }
}
