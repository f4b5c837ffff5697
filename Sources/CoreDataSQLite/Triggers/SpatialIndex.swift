import CoreDataSQL

/// An R-tree of columns of a table, and the triggers that keep it.
struct SpatialIndex {
    let name: String
    let table: String
    let columns: [String]

    var statements: [SQLStatement] {
        let dialect = SQLiteDialect()
        let tree = dialect.quoted(name)
        let bounds = columns.flatMap { [dialect.quoted("\($0)_MIN"), dialect.quoted("\($0)_MAX")] }
        let values = columns.map { "NEW.\(dialect.quoted($0)) ,NEW.\(dialect.quoted($0))" }
            .joined(separator: ", ")
        let insertion = "INTO \(tree) (Z_PK, \(bounds.joined(separator: ", "))) VALUES (NEW.Z_PK, \(values))"
        func trigger(_ event: String, _ body: String) -> SQLStatement {
            SQLStatement(
                native: """
                    CREATE TRIGGER \(dialect.quoted("\(name)_\(event)")) AFTER \(event) ON \(dialect.quoted(table)) \
                    FOR EACH ROW BEGIN \(body) ; END
                    """)
        }
        return [
            SQLStatement(
                native: """
                    CREATE VIRTUAL TABLE \(tree) USING RTREE (Z_PK INTEGER PRIMARY KEY, \
                    \(bounds.map { "\($0) FLOAT" }.joined(separator: ", ")))
                    """),
            trigger("INSERT", "INSERT OR REPLACE \(insertion)"),
            trigger("UPDATE", "DELETE FROM \(tree) WHERE Z_PK = NEW.Z_PK ; INSERT \(insertion)"),
            trigger("DELETE", "DELETE FROM \(tree) WHERE Z_PK = OLD.Z_PK"),
        ]
    }
}
