import CoreDataSQL
import CocoaFoundation
import Foundation
import GRDB
import GRDBSQLite

/// The SQL function behind text conditions with options: `f(operation, text, pattern, options)`.
///
/// It is called for every row of a search, so it reads SQLite's bytes in place and keeps the pattern prepared from
/// one row to the next.
enum TextMatchFunction {
    /// What a connection keeps between two calls; used on the connection's queue only.
    private final class State {
        private var operation: TextOperation?
        private var options: UInt = 0
        private var pattern: [UInt8] = []
        private var prepared: Result<TextPattern, any Error>?

        func prepared(
            _ operation: TextOperation, _ pattern: UnsafeBufferPointer<UInt8>, _ options: UInt
        ) throws -> TextPattern {
            if let prepared, operation == self.operation, options == self.options,
                self.pattern.elementsEqual(pattern)
            {
                return try prepared.get()
            }
            self.operation = operation
            self.options = options
            self.pattern = Array(pattern)
            let text = String(decoding: pattern, as: UTF8.self)
            let made = Result { try Self.pattern(operation, text, options) }
            prepared = made
            return try made.get()
        }

        private static func pattern(_ operation: TextOperation, _ text: String, _ options: UInt) throws
            -> TextPattern
        {
            let comparison = TextComparison(options: .init(rawValue: options))
            return switch operation {
            case .contains: TextPattern(containing: text, comparison: comparison)
            case .beginsWith: TextPattern(beginningWith: text, comparison: comparison)
            case .endsWith: TextPattern(endingWith: text, comparison: comparison)
            case .like: TextPattern(like: text, comparison: comparison)
            case .matches: try TextPattern(matching: text, comparison: comparison)
            case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual:
                TextPattern(equalTo: text, comparison: comparison)
            }
        }
    }

    static func install(on database: Database) {
        let state = Unmanaged.passRetained(State())
        sqlite3_create_function_v2(
            database.sqliteConnection, SQLFunctionNames.textMatch, 4,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, state.toOpaque(),
            { context, _, values in TextMatchFunction.call(context, values) }, nil, nil,
            { pointer in if let pointer { Unmanaged<State>.fromOpaque(pointer).release() } })
    }

    private static func call(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        guard let context, let values, let pointer = sqlite3_user_data(context) else { return }
        guard let operation = TextOperation(rawValue: Int(sqlite3_value_int64(values[0]))),
            let text = utf8(values[1]), let pattern = utf8(values[2])
        else {
            sqlite3_result_null(context)
            return
        }
        let options = UInt(truncatingIfNeeded: sqlite3_value_int64(values[3]))
        let state = Unmanaged<State>.fromOpaque(pointer).takeUnretainedValue()
        do {
            let isMet: Bool
            switch operation {
            case .less, .lessOrEqual, .greater, .greaterOrEqual:
                isMet = compare(operation, text, pattern, options)
            default:
                isMet = try state.prepared(operation, pattern, options).matches(utf8: text)
            }
            sqlite3_result_int(context, isMet ? 1 : 0)
        } catch {
            sqlite3_result_error(context, error.localizedDescription, -1)
        }
    }

    private static func compare(
        _ operation: TextOperation, _ text: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>,
        _ options: UInt
    ) -> Bool {
        let order = TextComparison(options: .init(rawValue: options)).order(
            String(decoding: text, as: UTF8.self), String(decoding: other, as: UTF8.self))
        return switch operation {
        case .less: order == .orderedAscending
        case .lessOrEqual: order != .orderedDescending
        case .greater: order == .orderedDescending
        default: order != .orderedAscending
        }
    }

    /// The bytes of a string; nil for SQL's NULL.
    static func utf8(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8>? {
        guard sqlite3_value_type(value) != SQLITE_NULL, let text = sqlite3_value_text(value) else {
            return nil
        }
        return UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
    }
}
