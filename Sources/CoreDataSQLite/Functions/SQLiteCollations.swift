import CocoaFoundation
import GRDB
import GRDBSQLite

/// The orders of strings that sort descriptors ask for by a selector, as collations of a connection.
///
/// They call the very function that sorts in memory; see `StringOrder`. No file may name them: an index in an order
/// that depends on the locale would be wrong under the next one, and a column would find what is equal to others by
/// it; `schemaObjects(naming:)` finds such files.
enum SQLiteCollations {
    /// The name of the collation for an order; nil for that of code points, which is SQLite's own.
    static func name(_ order: StringOrder) -> String? {
        switch order {
        case .compare: nil
        case .caseInsensitive: prefix + "CaseInsensitive"
        case .localized: prefix + "Localized"
        case .localizedCaseInsensitive: prefix + "LocalizedCaseInsensitive"
        case .localizedStandard: prefix + "LocalizedStandard"
        }
    }

    /// What all names begin with.
    private static let prefix = "OpenCoreDataOrder"

    private static let orders = StringOrder.allCases

    /// Adds the collations to a connection.
    static func install(on database: Database) {
        for (index, order) in orders.enumerated() {
            guard let name = name(order) else { continue }
            // The order's number replaces the pointer that a collation is given, so that nothing is kept.
            sqlite3_create_collation_v2(
                database.sqliteConnection, name, SQLITE_UTF8, UnsafeMutableRawPointer(bitPattern: index),
                { index, leftCount, left, rightCount, right in
                    let order = SQLiteCollations.orders[Int(bitPattern: index)]
                    let result = order.order(
                        utf8: SQLiteCollations.bytes(left, leftCount),
                        SQLiteCollations.bytes(right, rightCount))
                    return Int32(result.rawValue)
                }, nil)
        }
    }

    private static func bytes(_ start: UnsafeRawPointer?, _ count: Int32) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(
            start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : Int(count))
    }

    /// The names of tables, indexes, views and triggers of a file whose text has the name of one of the collations.
    static func schemaObjects(naming database: Database) throws -> [String] {
        try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_master WHERE instr(lower(sql), lower(?)) ORDER BY name",
            arguments: [prefix])
    }
}
