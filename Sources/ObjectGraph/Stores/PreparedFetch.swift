/// A fetch in the language of a store: nothing in it is a context's, so any thread may execute it.
package protocol PreparedFetch: Sendable {
    /// Asks the store, in a way that can be cancelled.
    ///
    /// - Parameter note: is called now and then with the number of rows that were read.
    /// - Throws: an error of the store, or `NSUserCancelledError`.
    func run(_ cancellation: FetchCancellation, noting note: @escaping (Int) -> Void) throws -> FetchedValues

    /// Whether the store would be asked the same.
    func isSame(as other: any PreparedFetch) -> Bool
}

/// What a store gives for a fetch.
package enum FetchedValues: @unchecked Sendable {
    case rows([Row])
    case dictionaries([[String: Any]])
}
