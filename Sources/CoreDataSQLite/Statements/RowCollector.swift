import CoreDataSQL
import GRDB
import GRDBSQLite
import ObjectGraph

/// Packs the rows of objects inside of SQLite; see `CollectingFunction`.
struct RowCollector: ~Copyable {
    private(set) var rows = RowList()
    private var builder = RowBuilder(sharingBlocks: true)
    private let decoder: RowDecoder
    private let timestamp: Double
    /// The error that ended the statement.
    private var failure: (any Error)?

    init(_ decoder: RowDecoder, _ timestamp: Double) {
        self.decoder = decoder
        self.timestamp = timestamp
    }

    /// Not a variable, whose initialisation each row would check.
    private static var function: CollectingFunction {
        CollectingFunction("OpenCoreDataCollectRows", collector: "OpenCoreDataRowCollector")
    }

    static func install(on database: Database) {
        function.install(on: database) { context, count, values in
            guard let (pointer, row) = RowCollector.function.collector(context, count, values) else { return }
            // The caller of the statement has it, and nothing else uses it meanwhile.
            if !pointer.assumingMemoryBound(to: RowCollector.self).pointee.add(row) {
                CollectingFunction.fail(context)
            }
        }
    }

    /// False if the row could not be read.
    @inline(__always)
    private mutating func add(_ row: ArgumentValues) -> Bool {
        do {
            rows.append(try decoder.put(row, &builder, timestamp: timestamp))
            return true
        } catch {
            failure = failure ?? error
            return false
        }
    }

    /// The SQL that hands the columns of a SELECT to the collector, its first argument; nil if the SELECT does not begin with the list.
    ///
    /// - Parameter list: the list of columns; nothing that follows puts the rows into an order or leaves some out.
    static func collecting(_ sql: String, list: String) -> String? {
        let select = "SELECT "
        guard sql.hasPrefix(select) else { return nil }
        let columns = sql.utf8.dropFirst(select.utf8.count)
        guard columns.starts(with: list.utf8) else { return nil }
        return "\(select)\(function.name)(?, \(list))\(Substring(columns.dropFirst(list.utf8.count)))"
    }

    /// Runs a statement that `collecting(_:list:)` has made.
    ///
    /// - Parameter values: the arguments of the statement that it was made of.
    /// - Returns: false if the statement has other arguments: nothing is done then.
    /// - Throws: `DatabaseError`; the error of a row that cannot be read.
    mutating func run(
        _ statement: OpaquePointer, _ sql: String, _ values: [SQLValue], _ connection: any PreparingConnection
    ) throws -> Bool {
        guard Int(sqlite3_bind_parameter_count(statement)) == values.count + 1 else { return false }
        try SQLiteBinder(statement).bind(values, from: 2)
        try withUnsafeMutablePointer(to: &self) { collector in
            do {
                try Self.function.run(statement, collector, sql, connection)
            } catch {
                throw collector.pointee.failure ?? error
            }
        }
        return true
    }
}
