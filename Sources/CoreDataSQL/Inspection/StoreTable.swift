/// A table of a store, as the database describes it.
package struct StoreTable: Sendable {
    package struct Column: Sendable {
        package let name: String
        /// The declared type.
        package let type: String

        package init(name: String, type: String) { (self.name, self.type) = (name, type) }
    }

    package let name: String
    /// Whether the table keeps no rows itself, or keeps what a virtual one holds.
    package let isPartOfIndex: Bool
    /// Whether the database keeps the table for itself.
    package let isOfDatabase: Bool
    package let columns: [Column]
    /// By name.
    package let indexes: [String]
    /// By name.
    package let triggers: [String]

    package init(
        name: String, isPartOfIndex: Bool, isOfDatabase: Bool, columns: [Column], indexes: [String],
        triggers: [String]
    ) {
        self.name = name
        self.isPartOfIndex = isPartOfIndex
        self.isOfDatabase = isOfDatabase
        self.columns = columns
        self.indexes = indexes
        self.triggers = triggers
    }
}
