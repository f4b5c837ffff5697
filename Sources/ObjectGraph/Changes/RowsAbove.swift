import Foundation

/// The rows that contexts above a child have of some objects.
struct RowsAbove {
    /// The rows of existing objects.
    var rows: [NSManagedObjectID: Row] = [:]
    /// The time of the rows; nil for rows that were just saved. Later reads of the child are newer.
    var time: Double?
    /// The error of reading others.
    var error: (any Error)?

    /// Whether an object was read after its row here.
    func isOlder(_ row: Row, than object: NSManagedObject) -> Bool {
        time ?? row.timestamp < object.row?.timestamp ?? -.infinity
    }
}
