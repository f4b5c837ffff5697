/// A fetch translated for a store: it uses no objects of a context, so any thread may execute it.
package protocol PreparedFetch: Sendable {
    /// Queries the store; can be cancelled.
    ///
    /// - Parameter note: is called from time to time with the number of rows that were read.
    /// - Throws: an error of the store, or `NSUserCancelledError`.
    func run(_ cancellation: FetchCancellation, noting note: @escaping (Int) -> Void) throws -> FetchedValues

    /// Whether the store would get the same query.
    func isSame(as other: any PreparedFetch) -> Bool
}

/// The result of a store for a fetch.
package enum FetchedValues: @unchecked Sendable {
    case rows(RowList)
    case dictionaries([[String: Any]])
}
