import CoreDataSQL
import GRDB
import ManagedObjectModel

/// The files of external data that the history of a store names, whose values of deleted objects outlive these.
struct PreservedFiles {
    private let schema: SQLSchema
    private let history: StoreHistory
    private let database: Database

    init(_ store: SQLiteStore, _ history: StoreHistory, _ database: Database) {
        schema = store.schema
        self.history = history
        self.database = database
    }

    /// The files that changes of the history name.
    ///
    /// - Parameters:
    ///   - condition: which changes, as SQL on `ACHANGE`; nil for all.
    ///   - argument: the argument of the condition.
    func namedByHistory(where condition: String? = nil, _ argument: DatabaseValue? = nil) throws -> Set<
        String
    > {
        var names: Set<String> = []
        for entity in schema.entities {
            let kept = history.columns(of: entity.home).tombstones.prefix(history.tables.tombstoneCount)
            for (index, slot) in kept.enumerated() where slot.isExternal {
                var arguments: StatementArguments = [entity.number]
                if let argument { arguments += [argument] }
                names.formUnion(
                    try ExternalFileNames.all(
                        in: database, column: "ZTOMBSTONE\(index)", of: HistoryTables.change,
                        where: "ZENTITY = ?" + (condition.map { " AND \($0)" } ?? ""), arguments))
            }
        }
        return names
    }
}

extension StoreSnapshot {
    /// The files of external data that the history keeps for values of deleted objects.
    ///
    /// - Throws: an error of SQLite.
    package func filesOfHistory() throws -> Set<String> {
        guard let history = store.history else { return [] }
        return try PreservedFiles(store, history, database).namedByHistory()
    }
}
