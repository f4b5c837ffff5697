import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import GRDB
import GRDBSQLite

/// The functions that a connection to a store has: those that triggers of the format call, and those that
/// conditions on text and orders of text need.
///
/// They are called for every row that a save or a search touches, so they read SQLite's values in place, and whole:
/// a string may contain any character, also NUL.
enum SQLiteFunctions {
    static func install(on database: Database, reports: DerivedReports) {
        for name in [
            SQLFunctionNames.updatedAffectedValue, SQLFunctionNames.insertUpdatedAffectedValue,
            SQLFunctionNames.updateAffectedValue,
        ] {
            SQLFunction(argumentCount: 5) { reports.note($0) }.install(name, on: database, isPure: false)
        }
        SQLFunction(argumentCount: 0) { $0.set(Date.timeIntervalSinceReferenceDate) }
            .install(SQLFunctionNames.now, on: database, isPure: false)
        for (name, transform) in [
            (SQLFunctionNames.uppercase, TextFunctions.uppercase),
            (SQLFunctionNames.lowercase, TextFunctions.lowercase),
            (SQLFunctionNames.canonical, TextFunctions.canonical),
        ] {
            SQLFunction(argumentCount: 1) { call in
                if let text = call.text(0) { call.set(transform(text)) }
            }
            .install(name, on: database, isPure: true)
        }
        TextMatchFunction.install(on: database)
        ContainsFunction.install(on: database)
        SnapshotCollector.install(on: database)
        RowCollector.install(on: database)
        ReferenceCollector.install(on: database)
        RowFeed.install(on: database)
        SQLiteCollations.install(on: database)
        ExpressionFunctions.install(on: database)
    }
}

/// A function of SQL that runs Swift code. Without a result set, it gives NULL.
final class SQLFunction {
    private let argumentCount: Int32
    private let body: (SQLFunctionCall) -> Void

    init(argumentCount: Int32, _ body: @escaping (SQLFunctionCall) -> Void) {
        self.argumentCount = argumentCount
        self.body = body
    }

    /// - Parameter isForQueries: whether statements of the file, such as its triggers, may not call it.
    func install(_ name: String, on database: Database, isPure: Bool, isForQueries: Bool = false) {
        let flags =
            SQLITE_UTF8 | (isForQueries ? SQLITE_DIRECTONLY : SQLITE_INNOCUOUS)
            | (isPure ? SQLITE_DETERMINISTIC : 0)
        sqlite3_create_function_v2(
            database.sqliteConnection, name, argumentCount, flags, Unmanaged.passRetained(self).toOpaque(),
            { context, count, values in
                guard let context, let pointer = sqlite3_user_data(context) else { return }
                let function = Unmanaged<SQLFunction>.fromOpaque(pointer).takeUnretainedValue()
                function.body(SQLFunctionCall(context: context, count: Int(count), values: values))
            }, nil, nil,
            { pointer in if let pointer { Unmanaged<SQLFunction>.fromOpaque(pointer).release() } })
    }
}

/// One call of a function of SQL; valid as long as it lasts.
struct SQLFunctionCall {
    private let context: OpaquePointer
    let count: Int
    private let values: UnsafeMutablePointer<OpaquePointer?>?

    init(context: OpaquePointer, count: Int, values: UnsafeMutablePointer<OpaquePointer?>?) {
        self.context = context
        self.count = count
        self.values = values
    }

    /// An argument as it is.
    func value(_ index: Int) -> SQLValue {
        let value = values?[index]
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .double(sqlite3_value_double(value))
        case SQLITE_TEXT: return text(index).map(SQLValue.text) ?? .null
        case SQLITE_BLOB:
            let start = sqlite3_value_blob(value)
            return .blob(start.map { Data(bytes: $0, count: Int(sqlite3_value_bytes(value))) } ?? Data())
        default: return .null
        }
    }

    func integer(_ index: Int) -> Int64 { sqlite3_value_int64(values?[index]) }

    /// An argument as text; nil for NULL.
    func text(_ index: Int) -> String? {
        let value = values?[index]
        guard sqlite3_value_type(value) != SQLITE_NULL, let start = sqlite3_value_text(value) else {
            return nil
        }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        return String(decoding: bytes, as: UTF8.self)
    }

    func set(_ result: SQLValue) {
        switch result {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .double(let value): set(value)
        case .text(let value): set(value)
        case .blob(let value):
            value.withUnsafeBytes { bytes in
                if bytes.count == 0 {
                    sqlite3_result_zeroblob(context, 0)
                } else {
                    sqlite3_result_blob64(
                        context, bytes.baseAddress, UInt64(bytes.count), SQLiteBinder.copied)
                }
            }
        }
    }

    /// Ends the statement with an error.
    func fail(_ reason: String) { sqlite3_result_error(context, reason, -1) }

    func set(_ result: Double) { sqlite3_result_double(context, result) }

    func set(_ result: String) {
        var result = result
        result.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_result_text64(
                    context, $0.baseAddress, UInt64($0.count), SQLiteBinder.copied, UInt8(SQLITE_UTF8))
            }
        }
    }
}

extension SQLValue {
    /// The value in a column of a statement's present row.
    init(_ statement: OpaquePointer, _ column: Int32) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: self = .double(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: self = .text(SQLiteReader.text(statement, column))
        case SQLITE_BLOB: self = .blob(SQLiteReader.blob(statement, column))
        default: self = .null
        }
    }
}
