import CoreDataSQL
import GRDB
import GRDBSQLite

/// Hands on the keys of rows in pieces, as they are stepped through or inside of SQLite; see `CollectingFunction`.
struct ReferenceCollector: RowReceiver {
    private let piece: UnsafeMutableBufferPointer<Int64>
    private let body: (UnsafeBufferPointer<Int64>) -> Void
    private var count = 0
    /// A key can always be read.
    var failure: (any Error)? { nil }

    /// - Parameters:
    ///   - piece: memory for at least one key, which the caller keeps.
    ///   - body: gets the next keys, which it can use until it returns.
    init(_ piece: UnsafeMutableBufferPointer<Int64>, _ body: @escaping (UnsafeBufferPointer<Int64>) -> Void) {
        self.piece = piece
        self.body = body
    }

    @inline(__always)
    mutating func add(_ reference: Int64) {
        if count == piece.count { end() }
        piece[count] = reference
        count += 1
    }

    /// Hands on the keys that are left, if there are any.
    mutating func end() {
        guard count > 0 else { return }
        body(UnsafeBufferPointer(rebasing: piece[..<count]))
        count = 0
    }

    /// Not a variable, whose initialisation each row would check.
    static var function: CollectingFunction {
        CollectingFunction("OpenCoreDataCollectKeys", collector: "OpenCoreDataReferenceCollector")
    }

    static func install(on database: Database) {
        function.install(on: database) { context, count, values in
            guard let (pointer, row) = ReferenceCollector.function.collector(context, count, values) else {
                return
            }
            // The caller of the statement has it, and nothing else uses it meanwhile.
            pointer.assumingMemoryBound(to: ReferenceCollector.self).pointee.add(row.integer(0))
        }
    }
}
