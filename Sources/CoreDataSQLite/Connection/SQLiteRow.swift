import CoreDataSQL
import Foundation
import GRDBSQLite
import ObjectGraph

/// The row that a statement has found last.
struct SQLiteRow: SQLRow {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    func type(_ column: Int) -> SQLValueType {
        switch sqlite3_column_type(statement, Int32(column)) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .double
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    func integer(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(column)) }
    func double(_ column: Int) -> Double { sqlite3_column_double(statement, Int32(column)) }
    func string(_ column: Int) -> String { SQLiteReader.text(statement, Int32(column)) }
    func data(_ column: Int) -> Data { SQLiteReader.blob(statement, Int32(column)) }
    func bytes(_ column: Int, atMost count: Int) -> [UInt8] {
        guard let start = sqlite3_column_blob(statement, Int32(column)) else { return [] }
        let length = min(Int(sqlite3_column_bytes(statement, Int32(column))), max(count, 0))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: length))
    }

    func value(_ column: Int) -> SQLValue { SQLValue(statement, Int32(column)) }
}
