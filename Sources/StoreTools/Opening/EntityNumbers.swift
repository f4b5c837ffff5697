import CoreData
import GRDB

/// The entities of a store as `Z_PRIMARYKEY` lists them; that takes no model.
struct EntityNumbers {
    struct Entity {
        let number: Int64
        let name: String
        /// The number of the superentity; 0 for none.
        let parent: Int64
        /// The highest key given out; counted at roots only.
        let highestKey: Int64

        var isRoot: Bool { parent == 0 }
        /// Whether the entity is one of Apple's own, such as those of history.
        var isPrivate: Bool { number >= 16000 }
    }

    /// All entities, by number.
    let all: [Entity]
    private let byNumber: [Int64: Entity]
    /// The tables, by their name in capitals.
    private let tables: [String: String]

    /// - Throws: an error of SQLite.
    init(_ database: Database) throws {
        guard try database.tableExists("Z_PRIMARYKEY") else {
            throw StoreToolError("The store has no table Z_PRIMARYKEY, which lists its entities.")
        }
        let rows = try GRDB.Row.fetchAll(
            database, sql: "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT LIMIT 20000"
        )
        all = rows.compactMap { row in
            guard let number = Int64.fromDatabaseValue(row[0]), let name = String.fromDatabaseValue(row[1])
            else { return nil }
            return Entity(
                number: number, name: name, parent: Int64.fromDatabaseValue(row[2]) ?? 0,
                highestKey: Int64.fromDatabaseValue(row[3]) ?? 0)
        }
        byNumber = Dictionary(all.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        tables = Dictionary(
            try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
            ).map { ($0.uppercased(), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The table that has the rows of an entity; nil when it has none.
    func table(of entity: Entity) -> String? {
        var root = entity
        // A list that goes round has no root.
        var steps = 0
        while !root.isRoot, let parent = byNumber[root.parent], steps < 1000 {
            root = parent
            steps += 1
        }
        let name = root.name.uppercased()
        return tables[root.isPrivate ? "A\(name)" : "Z\(name)"]
    }
}
