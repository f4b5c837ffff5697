/// A store that executes batch requests, each in one transaction.
package protocol BatchStore: ObjectStore {
    /// - Throws: see `NSBatchInsertRequest`.
    func insertBatch(
        _ source: NSBatchInsertRequest.Source, into storedEntity: StoredEntity, policy: NSMergePolicyType?,
        _ terms: BatchTerms
    ) throws -> BatchOutcome

    /// - Throws: see `NSBatchUpdateRequest`.
    func updateBatch(_ query: FetchQuery, _ values: [AnyHashable: Any], _ terms: BatchTerms) throws
        -> BatchOutcome

    /// - Throws: see `NSBatchDeleteRequest`.
    func deleteBatch(_ query: FetchQuery, _ terms: BatchTerms) throws -> BatchOutcome
}

/// The options of a batch request, besides its changes.
package struct BatchTerms {
    /// Whether the outcome has the IDs of the objects.
    package let keepsIDs: Bool
    /// Who makes the changes, and in what context, for history.
    package let author: String?
    package let contextName: String?
}
