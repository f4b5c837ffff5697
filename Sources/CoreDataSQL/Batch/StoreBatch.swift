import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB
import ManagedObjectModel

/// The transaction of one batch request: many small units of work, and one transaction of the store's history.
///
/// Valid only inside the call that hands it out.
final class StoreBatch {
    /// How many rows are in memory at once.
    static let chunk = 500

    let store: SQLiteStore
    let database: Database
    let snapshot: StoreSnapshot
    private let save: SQLiteSave
    private let files: ExternalFiles
    private let author: String?
    private let contextName: String?
    /// The number in the history of the store; nil before anything is written there.
    private(set) var historyNumber: Int64?

    var schema: SQLSchema { store.schema }

    fileprivate init(
        _ store: SQLiteStore, _ database: Database, _ files: ExternalFiles, author: String?,
        contextName: String?
    ) {
        self.store = store
        self.database = database
        self.files = files
        self.author = author
        self.contextName = contextName
        save = SQLiteSave(store, database)
        snapshot = StoreSnapshot(store, database)
    }

    /// Writes a unit of work.
    func run(_ unit: UnitOfWork) throws -> SaveOutcome {
        var unit = unit
        unit.author = author
        unit.contextName = contextName
        // What triggers report is wanted for the rows of one unit only.
        store.reports.removeAll()
        let outcome = try save.run(try files.take(unit), historyNumber: historyNumber)
        historyNumber = outcome.historyNumber ?? historyNumber
        return outcome
    }

    /// Writes to the history which rows a statement changed.
    func noteUpdates(_ keys: [(entityNumber: Int32, reference: Int64)], _ changed: PropertySet) throws {
        guard let history = store.history, history.isTracking, !keys.isEmpty else { return }
        var unit = UnitOfWork()
        unit.author = author
        unit.contextName = contextName
        historyNumber = try HistoryWriter(store: store, history: history, database: database)
            .write(keys, changed, unit)
    }

    /// Runs a block, after which rows may name fewer files of external data.
    func leavingExternalFiles<Value>(_ isNeeded: Bool, _ body: () throws -> Value) throws -> Value {
        guard isNeeded else { return try body() }
        let before = try ExternalFileNames.all(in: database, schema)
        let value = try body()
        files.leave(before.subtracting(try ExternalFileNames.all(in: database, schema)))
        return value
    }

    /// The entity of the store with a number.
    ///
    /// - Throws: 134060 when the model has none.
    func home(number: Int32) throws -> StoredEntity {
        guard let home = store.home(number: number) else {
            throw NSError.coreData(
                .coreData,
                "The store is damaged: it has rows of entity \(number), which the model does not know.")
        }
        return home
    }
}

extension SQLiteStore: BatchStore {
    package func insertBatch(
        _ source: NSBatchInsertRequest.Source, into home: StoredEntity, policy: NSMergePolicyType?,
        _ terms: BatchTerms
    ) throws -> BatchOutcome {
        try batch("insert a batch", terms) { batch in
            var insertion = BatchInsertion(batch, home, policy: policy, keepingIDs: terms.keepsIDs)
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
                    self, database, files, author: terms.author, contextName: terms.contextName)
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
