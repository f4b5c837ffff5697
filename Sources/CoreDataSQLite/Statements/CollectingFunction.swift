import CoreDataSQL
import GRDB
import GRDBSQLite
import ObjectGraph

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

    /// The SQL that hands the columns of a SELECT to the collector, its first argument; nil if the SELECT does not begin with the list.
    ///
    /// - Parameter list: the list of columns; nothing that follows puts the rows into an order or leaves some out.
    func collecting(_ sql: String, list: String) -> String? {
        let select = "SELECT "
        guard sql.hasPrefix(select) else { return nil }
        let columns = sql.utf8.dropFirst(select.utf8.count)
        guard columns.starts(with: list.utf8) else { return nil }
        return "\(select)\(name)(?, \(list))\(Substring(columns.dropFirst(list.utf8.count)))"
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

    /// Has a collector get the rows of a statement.
    ///
    /// - Parameters:
    ///   - list: the list of columns that the statement begins with; nothing that follows puts the rows into an order or leaves some out.
    ///   - collector: what the function's step finds.
    /// - Returns: false if that cannot be done: nothing is done then.
    /// - Throws: `DatabaseError`.
    func run(
        _ statement: RenderedSQL, _ list: String, _ collector: UnsafeMutableRawPointer,
        _ connection: any PreparingConnection
    ) throws -> Bool {
        try connection.withCollecting(statement.text, list, self) { collecting in
            guard Int(sqlite3_bind_parameter_count(collecting)) == statement.arguments.count + 1 else {
                return false
            }
            SQLiteReader.log(statement)
            try SQLiteBinder(collecting).bind(statement.arguments, from: 2)
            guard sqlite3_bind_pointer(collecting, 1, collector, typeName, nil) == SQLITE_OK else {
                throw SQLiteBinder.error(of: connection.sqliteConnection, statement.text)
            }
            while true {
                switch sqlite3_step(collecting) {
                case SQLITE_ROW: continue
                case SQLITE_DONE: return true
                default: throw SQLiteBinder.error(of: connection.sqliteConnection, statement.text)
                }
            }
        } ?? false
    }
}

/// What a function hands the rows of a statement to.
protocol RowReceiver: ~Copyable {
    static var function: CollectingFunction { get }
    /// The error of a row that cannot be read, which ended the statement.
    var failure: (any Error)? { get }
}

extension RowReceiver where Self: ~Copyable {
    /// Gets the rows of a statement; false if that cannot be done: see `CollectingFunction.run`.
    ///
    /// - Throws: `DatabaseError`; the error of a row that cannot be read.
    mutating func run(
        _ statement: RenderedSQL, _ list: String, _ connection: any PreparingConnection
    ) throws -> Bool {
        try withUnsafeMutablePointer(to: &self) { receiver in
            do {
                return try Self.function.run(statement, list, receiver, connection)
            } catch {
                throw receiver.pointee.failure ?? error
            }
        }
    }
}
