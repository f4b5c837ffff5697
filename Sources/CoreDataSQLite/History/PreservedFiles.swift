import CoreDataSQL
import GRDB
import ManagedObjectModel

/// The files of external data that the history of a store names, whose values of deleted objects outlive these.
struct PreservedFiles {
    private let schema: SQLSchema
    private let history: StoreHistory
    private let database: Database

    init(_ schema: SQLSchema, _ history: StoreHistory, _ database: Database) {
        self.schema = schema
        self.history = history
        self.database = database
    }

    /// The files that changes of the history name.
    ///
    /// - Parameter condition: which changes, as SQL on `ACHANGE`; nil for all.
    func namedByHistory(where condition: SQLStatement? = nil) throws -> Set<String> {
        let condition = try condition.map(SQLiteDialect().part)
        var names: Set<String> = []
        for entity in schema.entities {
            let kept = history.columns(of: entity.storedEntity).tombstones.prefix(
                history.tables.tombstoneCount)
            for (index, slot) in kept.enumerated() where slot.isExternal {
                let arguments =
                    [entity.number.databaseValue] + (condition?.arguments.map(\.databaseValue) ?? [])
                names.formUnion(
                    try ExternalFileNames.all(
                        in: database, column: HistoryTables.tombstone(index), of: HistoryTables.change,
                        where: "ZENTITY = ?" + (condition.map { " AND \($0.text)" } ?? ""),
                        StatementArguments(arguments)))
            }
        }
        return names
    }
}

extension StoreSnapshot {
    /// The files of external data that the history keeps for values of deleted objects.
    ///
    /// - Throws: an error of SQLite.
    func filesOfHistory() throws -> Set<String> {
        guard let history = tables.history else { return [] }
        return try PreservedFiles(schema, history, database).namedByHistory()
    }
}
