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

    /// Gets the rows of a statement; false if that cannot be done: see `CollectingFunction.run`.
    ///
    /// - Throws: `DatabaseError`; the error of a row that cannot be read.
    mutating func run(
        _ statement: RenderedSQL, _ list: String, _ connection: any PreparingConnection
    ) throws -> Bool {
        try withUnsafeMutablePointer(to: &self) { collector in
            do {
                return try Self.function.run(statement, list, collector, connection)
            } catch {
                throw collector.pointee.failure ?? error
            }
        }
    }
}
