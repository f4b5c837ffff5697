import ObjectGraph

/// The tables of one open database, and what reads and writes them.
package final class StoreTables: Sendable {
    package let schema: SQLSchema
    /// The persistent history; nil when the database has none.
    package let history: StoreHistory?
    /// Turns queries into statements, those of one shape once.
    package let compiler: FetchCompiler
    private let selections: [Int32: RowSelection]

    package init(_ schema: SQLSchema, _ history: StoreHistory?) {
        self.schema = schema
        self.history = history
        compiler = FetchCompiler(schema: schema, keepsStatements: true)
        selections = Dictionary(
            schema.entities.map { ($0.number, schema.selection(of: $0)) }, uniquingKeysWith: { first, _ in first })
    }

    /// What reads rows of an entity and its subentities.
    package func selection(of entity: SQLEntity) -> RowSelection {
        selections[entity.number] ?? schema.selection(of: entity)
    }

    /// The history, if saves are written to it.
    package var trackedHistory: StoreHistory? { history.flatMap { $0.isTracking ? $0 : nil } }
}
