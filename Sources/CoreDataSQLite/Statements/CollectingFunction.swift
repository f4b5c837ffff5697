import GRDB
import GRDBSQLite

/// An aggregate function of SQL that hands rows to a collector, which packs them inside of SQLite: `f(collector, key, value, …)`.
///
/// SQLite then goes through all rows in one step, and hands over the values of a row where they are: reading them one by one from
/// statements takes a fifth longer than the whole query does so. A statement with an order cannot call it, since its rows are put
/// into that order after the function has had them.
struct CollectingFunction {
    let name: String
    /// How SQLite knows the pointer of the first argument.
    private let type: StaticString

    /// How many columns the function is called with at most; SQLite takes at least so many arguments.
    static let maxColumns = 93

    init(_ name: String, collector type: StaticString) {
        self.name = name
        self.type = type
    }

    private var typeName: UnsafePointer<CChar> {
        UnsafeRawPointer(type.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// - Parameter step: finds its collector by `collector(_:_:_:)`.
    func install(
        on database: Database,
        step:
            @escaping @convention(c) (
                OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
            ) -> Void
    ) {
        sqlite3_create_function_v2(
            database.sqliteConnection, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil, nil, step,
            { context in sqlite3_result_null(context) }, nil)
    }

    /// The collector and the columns that the function was called with; nil for a call by others, which fails.
    @inline(__always)
    func collector(
        _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) -> (UnsafeMutableRawPointer, ArgumentValues)? {
        let size = Int32(MemoryLayout<UnsafeMutableRawPointer>.size)
        guard let known = sqlite3_aggregate_context(context, size) else {
            sqlite3_result_error_nomem(context)
            return nil
        }
        // Zero at the first row: only there the name of the argument's type is compared.
        let collector = known.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        if count > 1, let values, collector.pointee == nil {
            collector.pointee = sqlite3_value_pointer(values[0], typeName)
        }
        guard count > 1, let values, let pointer = collector.pointee else {
            sqlite3_result_error(context, "The function is called by the framework alone.", -1)
            return nil
        }
        return (pointer, ArgumentValues(values + 1))
    }

    /// Ends the statement that runs: the collector has noted why.
    static func fail(_ context: OpaquePointer?) { sqlite3_result_error(context, "A row cannot be read.", -1) }

    /// Runs a statement that has its arguments but for the first one, the collector.
    ///
    /// - Throws: `DatabaseError`.
    func run(
        _ statement: OpaquePointer, _ collector: UnsafeMutableRawPointer, _ sql: String,
        _ connection: any PreparingConnection
    ) throws {
        guard sqlite3_bind_pointer(statement, 1, collector, typeName, nil) == SQLITE_OK else {
            throw SQLiteBinder.error(of: connection.sqliteConnection, sql)
        }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: continue
            case SQLITE_DONE: return
            default: throw SQLiteBinder.error(of: connection.sqliteConnection, sql)
            }
        }
    }
}
