import CoreDataSQL
import CocoaFoundation
import Foundation
import GRDB
import GRDBSQLite

/// The SQL function behind `CONTAINS` without options: `f(text, part)`.
///
/// SQLite's own `instr` compares at each character, in time that grows with both strings multiplied. What `ByteSearch` knows of
/// the part, such as its rarest byte, is kept with the statement from row to row.
enum ContainsFunction {
    static func install(on database: Database) {
        sqlite3_create_function_v2(
            database.sqliteConnection, SQLFunctionNames.contains, 2,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
            { context, _, values in ContainsFunction.call(context, values) }, nil, nil, nil)
    }

    private static func call(_ context: OpaquePointer?, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        guard let values, let text = TextMatchFunction.utf8(values[0]) else {
            return sqlite3_result_null(context)
        }
        if let kept = sqlite3_get_auxdata(context, 1) {
            let isFound = Unmanaged<ByteSearch>.fromOpaque(kept)._withUnsafeGuaranteedRef {
                $0.isFound(in: text)
            }
            return sqlite3_result_int(context, isFound ? 1 : 0)
        }
        guard let part = TextMatchFunction.utf8(values[1]) else { return sqlite3_result_null(context) }
        let search = ByteSearch(for: ContiguousArray(part))
        sqlite3_result_int(context, search.isFound(in: text) ? 1 : 0)
        // SQLite keeps it only while the part is a constant.
        sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(search).toOpaque()) { kept in
            if let kept { Unmanaged<ByteSearch>.fromOpaque(kept).release() }
        }
    }
}
