import ObjectGraph
import GRDBSQLite

extension FetchCancellation {
    /// Reads on a connection.
    ///
    /// - Throws: `NSUserCancelledError` when the fetch was cancelled, before or meanwhile.
    func reading<Value>(on connection: OpaquePointer?, _ body: () throws -> Value) throws -> Value {
        try reading(interruptedBy: { sqlite3_interrupt(connection) }, body)
    }

    /// Reads on a connection, in a way that can be cancelled if there is something to cancel it by.
    ///
    /// - Throws: as `reading(on:_:)`.
    static func reading<Value>(
        on connection: OpaquePointer?, _ cancellation: FetchCancellation?, _ body: () throws -> Value
    ) throws -> Value {
        guard let cancellation else { return try body() }
        return try cancellation.reading(on: connection, body)
    }
}
