import CoreDataSQL
import GRDB
import GRDBSQLite
import ObjectGraph

/// Packs rows for snapshots inside of SQLite; see `CollectingFunction`.
struct SnapshotCollector: RowReceiver, ~Copyable {
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

    /// Not a variable, whose initialisation each row would check.
    static var function: CollectingFunction {
        CollectingFunction("OpenCoreDataCollect", collector: "OpenCoreDataSnapshotCollector")
    }

    static func install(on database: Database) {
        function.install(on: database) { context, count, values in
            guard let (pointer, row) = SnapshotCollector.function.collector(context, count, values) else {
                return
            }
            // The caller of the statement has it, and nothing else uses it meanwhile.
            if !pointer.assumingMemoryBound(to: SnapshotCollector.self).pointee.add(row) {
                CollectingFunction.fail(context)
            }
        }
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

    /// The snapshots of all rows.
    mutating func finish(sortsByKey: Bool) -> [ManagedObjectSnapshot] {
        builder.finish(sortsByKey: sortsByKey)
    }
}
