import ObjectGraph

/// A store in a database, for tools that look at all of it, or fill it: one that is open.
package protocol InspectedStore: SQLStore {
    /// Reads the store as it is at one moment.
    ///
    /// What is read may be on its way already when others change the file under a connection that is unknown here, so
    /// `body` is not called a second time then.
    ///
    /// - Parameter cancellation: ends the reading.
    /// - Throws: what `body` throws; 134070 when the store was removed, or was changed meanwhile; `NSUserCancelledError`.
    func withContents<Value>(
        until cancellation: FetchCancellation?, _ body: (any StoreContents) throws -> Value
    ) throws -> Value

    /// Writes much in one transaction, which is rolled back when `body` throws.
    ///
    /// - Throws: what `body` throws; 134030 when the store is read-only, 133021 when a constraint is violated.
    func importing(_ body: (StoreImport) throws -> Void) throws

    /// Reads the latest transactions of the history, and nothing of others.
    ///
    /// - Parameters:
    ///   - number: the number that those of all transactions are below.
    ///   - count: the most transactions.
    ///   - changeCount: the most changes that are read of a transaction.
    ///   - body: makes of a transaction and the number of all its changes what is wanted. What deleted objects left in files
    ///     is not read.
    /// - Returns: nil for a store without history.
    /// - Throws: an error of the database; `NSUserCancelledError`; what `body` throws.
    func historyPage<Element>(
        before number: Int64, count: Int, changeCount: Int, _ cancellation: FetchCancellation,
        _ body: (NSPersistentHistoryTransaction, Int) throws -> Element
    ) throws -> HistoryPage<Element>?
}

extension InspectedStore {
    package var schema: SQLSchema { tables.schema }

    package func withContents<Value>(_ body: (any StoreContents) throws -> Value) throws -> Value {
        try withContents(until: nil, body)
    }
}
