/// An index of the trigrams of strings, which `SubstringForm` makes.
package protocol SubstringIndex: SearchIndex {
    /// The documents that a query may find: all that it finds, and others.
    ///
    /// - Parameters:
    ///   - signature: that of what the index is to be of.
    ///   - limit: how many keys are returned at most.
    func candidates(
        for query: SubstringQuery, in collection: Int, signature: String, limit: Int
    ) throws -> SubstringCandidates
}

/// What a `SubstringIndex` knows of a query.
package enum SubstringCandidates: Hashable, Sendable {
    /// The index is not of the requested contents, or not complete.
    case incomplete
    /// There are more than the limit.
    case tooMany
    /// The keys in ascending order, as of a position in the changes of the indexed store.
    case keys([Int64], SearchIndexState.Position)
}
