import CSQLiteHardening
import CoreDataSQL
import CocoaFoundation
import GRDB

/// The SQL function behind `CONTAINS` without options: `f(text, part)`.
///
/// SQLite's own `instr` compares at each character, in time that grows with both strings multiplied.
enum ContainsFunction {
    static func install(on database: Database) {
        _ = csqlite_contains_install(database.sqliteConnection, SQLFunctionNames.contains) { part, count in
            Int32(ByteSearch.rarest(of: UnsafeBufferPointer(start: part, count: Int(count))))
        }
    }
}
