import ObjectGraph
import Foundation
import ManagedObjectModel

/// The transaction of one batch request: many small units of work, and one transaction of the store's history.
///
/// Valid only inside the call that hands it out.
package final class StoreBatch {
    /// How many rows are in memory at once.
    static let chunk = 500

    let store: any SQLStore
    let connection: any SQLConnection
    let snapshot: StoreSnapshot
    private let save: SQLSave
    private let files: any ExternalFilePlacing
    private let author: String?
    private let contextName: String?
    /// The number in the history of the store; nil before anything is written there.
    package private(set) var historyNumber: Int64?

    var schema: SQLSchema { snapshot.schema }

    /// - Parameter connection: inside of the transaction.
    package init(
        _ store: any SQLStore, _ connection: any SQLConnection, _ files: any ExternalFilePlacing,
        author: String?, contextName: String?
    ) {
        self.store = store
        self.connection = connection
        self.files = files
        self.author = author
        self.contextName = contextName
        save = SQLSave(store, connection)
        snapshot = StoreSnapshot(store, connection)
    }

    /// Writes a unit of work.
    func run(_ unit: UnitOfWork) throws -> SaveOutcome {
        var unit = unit
        unit.author = author
        unit.contextName = contextName
        // What triggers report is wanted for the rows of one unit only.
        store.derivedValues.removeAll()
        let outcome = try save.run(try files.take(unit), historyNumber: historyNumber)
        historyNumber = outcome.historyNumber ?? historyNumber
        return outcome
    }

    /// The entity numbers and keys of what a query finds, in order. Rows decide what the database cannot.
    ///
    /// - Throws: an error of the database; 134060 for a condition or an order that cannot be evaluated.
    func keys(_ query: FetchQuery) throws -> [(entityNumber: Int32, reference: Int64)] {
        let compiler = snapshot.tables.compiler
        return try compiler.result(of: query) {
            try connection.keys(compiler.keys(query))
        } decided: {
            try snapshot.rows(for: $0).map { ($0.entityNumber, $0.reference) }
        }
    }

    /// Writes to the history which rows a statement changed.
    func noteUpdates(_ keys: [(entityNumber: Int32, reference: Int64)], _ changed: PropertySet) throws {
        guard let history = snapshot.tables.history, !keys.isEmpty else { return }
        guard history.isTracking else { return try HistoryWriter(store, history, connection).skip() }
        var unit = UnitOfWork()
        unit.author = author
        unit.contextName = contextName
        historyNumber = try HistoryWriter(store, history, connection).write(keys, changed, unit)
    }

    /// Runs a block, after which rows may name fewer files of external data.
    func leavingExternalFiles<Value>(_ isNeeded: Bool, _ body: () throws -> Value) throws -> Value {
        guard isNeeded else { return try body() }
        let before = try files.names(connection, schema)
        let value = try body()
        files.leave(before.subtracting(try files.names(connection, schema)))
        return value
    }

    /// The entity of the store with a number.
    ///
    /// - Throws: 134060 when the model has none.
    func storedEntity(number: Int32) throws -> StoredEntity {
        guard let storedEntity = store.storedEntity(number: number) else {
            throw NSError.coreData(
                .coreData,
                "The store is damaged: it has rows of entity \(number), which the model does not know.")
        }
        return storedEntity
    }
}
