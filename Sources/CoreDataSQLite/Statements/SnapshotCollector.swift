import CoreDataSQL
import GRDB
import GRDBSQLite
import ObjectGraph

/// Packs rows for snapshots inside of SQLite, as an aggregate function of SQL: `f(collector, key, value, …)`.
///
/// SQLite then goes through all rows in one step, and hands over the values of a row where they are: reading them one by one from
/// statements takes a fifth longer than the whole query does so. A statement with an order cannot call it, since its rows are put
/// into that order after the function has had them.
struct SnapshotCollector: ~Copyable {
    private(set) var builder: SnapshotRowBuilder
    private let decoder: RowDecoder
    private let entity: RowSelection.Entity
    /// The error that ended the statement.
    private(set) var failure: (any Error)?

    init(_ schema: SnapshotSchema, _ decoder: RowDecoder, _ entity: RowSelection.Entity) {
        builder = SnapshotRowBuilder(schema)
        self.decoder = decoder
        self.entity = entity
    }

    /// What the function is called with after the collector; SQLite takes at least so many arguments.
    static let maxColumns = 90

    private static let functionName = "OpenCoreDataCollect"

    /// How SQLite knows the pointer of the first argument.
    private static let pointerType: StaticString = "OpenCoreDataSnapshotCollector"

    /// The list of a SELECT that hands the columns of a list to the collector, the first argument of the statement.
    static func collecting(_ list: SQLStatement) -> SQLStatement {
        "\(name: functionName)(\(value: .null), \(list))"
    }

    static func install(on database: Database) {
        sqlite3_create_function_v2(
            database.sqliteConnection, functionName, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil,
            nil,
            { context, count, values in
                guard count > 1, let values,
                    let pointer = sqlite3_value_pointer(values[0], SnapshotCollector.typeName)
                else {
                    sqlite3_result_error(context, "The function is called by the framework alone.", -1)
                    return
                }
                // The caller of the statement has it, and nothing else uses it meanwhile.
                let collector = pointer.assumingMemoryBound(to: SnapshotCollector.self)
                if !collector.pointee.add(ArgumentValues(values + 1)) {
                    sqlite3_result_error(context, "A row cannot be read.", -1)
                }
            },
            { context in sqlite3_result_null(context) }, nil)
    }

    private static var typeName: UnsafePointer<CChar> {
        UnsafeRawPointer(pointerType.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// False if the row could not be read.
    private mutating func add(_ row: ArgumentValues) -> Bool {
        do {
            try decoder.addRow(row, to: &builder, entity)
            return true
        } catch {
            failure = failure ?? error
            return false
        }
    }

    /// Runs a statement that `collecting(_:)` has made the list of, with the collector.
    ///
    /// - Parameters:
    ///   - sql: the statement.
    ///   - values: its arguments; the first one stands for the collector.
    /// - Throws: `DatabaseError`; the error of a row that cannot be read.
    mutating func run(_ sql: String, _ values: [SQLValue], _ connection: any PreparingConnection) throws {
        try withUnsafeMutablePointer(to: &self) { collector in
            try connection.withPrepared(sql) { statement in
                try SQLiteBinder(statement).bind(values)
                guard
                    sqlite3_bind_pointer(
                        statement, 1, UnsafeMutableRawPointer(collector), Self.typeName, nil) == SQLITE_OK
                else {
                    throw SQLiteBinder.error(of: connection.sqliteConnection, sql)
                }
                while true {
                    switch sqlite3_step(statement) {
                    case SQLITE_ROW: continue
                    case SQLITE_DONE: return
                    default:
                        if let failure = collector.pointee.failure { throw failure }
                        throw SQLiteBinder.error(of: connection.sqliteConnection, sql)
                    }
                }
            }
        }
    }

    /// The snapshots of all rows.
    mutating func finish(sortsByKey: Bool) -> [ManagedObjectSnapshot] {
        builder.finish(sortsByKey: sortsByKey)
    }
}
