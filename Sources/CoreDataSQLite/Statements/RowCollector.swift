import CoreDataSQL
import GRDB
import GRDBSQLite
import ObjectGraph

/// Packs the rows of objects inside of SQLite; see `CollectingFunction`.
struct RowCollector: RowReceiver, ~Copyable {
    private(set) var rows = RowList()
    private var builder = RowBuilder(sharingBlocks: true)
    private let decoder: RowDecoder
    private let timestamp: Double
    /// The error that ended the statement.
    private(set) var failure: (any Error)?

    init(_ decoder: RowDecoder, _ timestamp: Double) {
        self.decoder = decoder
        self.timestamp = timestamp
    }

    /// Not a variable, whose initialisation each row would check.
    static var function: CollectingFunction {
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
}
