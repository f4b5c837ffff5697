import CoreDataSQL
import GRDB
import ManagedObjectModel
import ObjectGraph

extension SQLiteStore: BatchStore {
    package func insertBatch(
        _ source: NSBatchInsertRequest.Source, into storedEntity: StoredEntity, policy: NSMergePolicyType?,
        _ terms: BatchTerms
    ) throws -> BatchOutcome {
        try batch("insert a batch", terms) { batch in
            var insertion = BatchInsertion(batch, storedEntity, policy: policy, keepingIDs: terms.keepsIDs)
            return try insertion.run(source)
        }
    }

    package func updateBatch(
        _ query: FetchQuery, _ values: [AnyHashable: Any], _ terms: BatchTerms
    ) throws -> BatchOutcome {
        try batch("update a batch", terms) {
            try BatchUpdate($0, query, values).run(keepingIDs: terms.keepsIDs)
        }
    }

    package func deleteBatch(_ query: FetchQuery, _ terms: BatchTerms) throws -> BatchOutcome {
        try batch("delete a batch", terms) { batch in
            var deletion = BatchDeletion(batch, keepingIDs: terms.keepsIDs)
            return try deletion.run(query)
        }
    }

    /// Runs a batch request in one transaction, which is rolled back when `body` throws.
    ///
    /// - Throws: what `body` throws; 134030 when the store is read-only, 133021 when a constraint is violated.
    private func batch(
        _ what: String, _ terms: BatchTerms, _ body: (StoreBatch) throws -> BatchOutcome
    ) throws -> BatchOutcome {
        try changingFiles { files in
            defer { fileUse.forget() }
            return try write(what, files) { database in
                let batch = StoreBatch(
                    self, SQLiteConnection(database), files, author: terms.author,
                    contextName: terms.contextName)
                writers.noteOthers()
                var outcome = try body(batch)
                outcome.historyNumber = batch.historyNumber
                try writeMetadata(database)
                noteOwnTransaction(outcome.historyNumber, database)
                // While no other connection can write; readers that began before do not bring old rows back.
                database.afterNextTransaction { _ in self.rowCache.removeAll() }
                return outcome
            }
        }
    }
}
