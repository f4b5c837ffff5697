import CoreDataSQL
import ObjectGraph
import Foundation
import GRDB
import GRDBSQLite
import ManagedObjectModel

/// Finds what a store has that cannot be kept right here when rows are written.
///
/// SQLite itself decides: a statement that writes to a table is compiled with all triggers that it sets off, with
/// the table's conditions and indexes. What calls a function that a connection does not have, or that a schema must
/// not call, what needs a missing module or table, does not compile. Nothing is run. Statements that write to a table of `PlainTables`
/// compile, which is known without a try: three statements for each table take as long as all the rest of opening a store.
struct SQLiteStoreFeatures {
    private let database: Database
    private let schema: SQLSchema
    private let existing: SQLiteTables

    /// - Parameters:
    ///   - database: a connection with the functions that a writing one has.
    ///   - existing: the tables of the file.
    init(_ database: Database, _ schema: SQLSchema, _ existing: SQLiteTables) {
        self.database = database
        self.schema = schema
        self.existing = existing
    }

    /// The features, each as part of a sentence; none when the store can be written to.
    func unsupported() throws -> [String] {
        var features: [String] = []
        features += try unknownEntities()
        let plain = try PlainTables(database)
        for table in tables {
            let compiles = plain.contains(table.name) && existing.has(table.columns, in: table.name)
            let obstacles = compiles ? [] : try unsupported(in: table)
            features += obstacles.isEmpty ? missingColumns(of: table) : obstacles
        }
        features += try unsupportedValues()
        features += try conditions()
        features += try virtualTables()
        return features
    }

    private var tables: [(name: String, columns: [String])] {
        let entities = schema.tables.map { ($0.name, $0.columns.map(\.name)) }
        let joins = schema.joinTables.map { ($0.name, [$0.first, $0.second] + $0.orders) }
        return entities + joins + [
            ("Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]),
            ("Z_METADATA", ["Z_VERSION", "Z_UUID", "Z_PLIST"]),
        ]
    }

    // MARK: Entities

    /// The first number of an entity of Apple's own, such as those of history.
    static let firstPrivateEntity = 16000

    /// Rows of `Z_PRIMARYKEY` that do not fit the model: new objects would get numbers that others have, or none.
    private func unknownEntities() throws -> [String] {
        var numbers: [String: Int64] = [:]
        for entity in schema.entities {
            numbers[entity.storedEntity.entity.name ?? ""] = Int64(entity.number)
        }
        // The entities that other configurations have.
        let model = schema.entities.first?.storedEntity.entity.model
        var others: [String: Int64] = [:]
        for (index, entity) in (model?.entitiesInPreorder() ?? []).enumerated() {
            guard let name = entity.name, numbers[name] == nil else { continue }
            others[name] = Int64(index + 1)
        }
        var features: [String] = []
        var found: Set<String> = []
        let rows = try GRDB.Row.fetchCursor(
            database, sql: "SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_ENT")
        while let row = try rows.next(), features.count < 10 {
            let name = String.fromDatabaseValue(row[1]) ?? ""
            guard let number = Int64.fromDatabaseValue(row[0]), number < Self.firstPrivateEntity else {
                continue
            }
            if numbers[name] == number {
                found.insert(name)
            } else if others[name] != number {
                features.append(
                    "entity '\(name)' (number \(number)), which has another number, or none, in the model")
            }
        }
        guard features.isEmpty else { return features }
        return numbers.keys.filter { !found.contains($0) }.sorted()
            .map { "no number for entity '\($0)' in Z_PRIMARYKEY" }
    }

    // MARK: Tables

    /// What of a table keeps statements that write to it from being compiled.
    private func unsupported(in table: (name: String, columns: [String])) throws -> [String] {
        // GRDB gathers what the statements of a connection would do, ever more of it, until it compiles one itself.
        _ = try database.makeStatement(sql: "SELECT 1")
        let name = schema.quoted(table.name)
        let columns = table.columns.map(schema.quoted)
        let statements = [
            "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))",
            "UPDATE \(name) SET \(columns.map { "\($0) = ?" }.joined(separator: ", "))",
            "DELETE FROM \(name)",
        ]
        for statement in statements {
            if let reason = Self.reasonAgainst(statement, database) {
                return ["a trigger, index or condition of table \(table.name): \(reason)"]
            }
        }
        return []
    }

    /// Columns that the model does not have.
    private func missingColumns(of table: (name: String, columns: [String])) -> [String] {
        existing.neededColumns(of: table.name).filter { !table.columns.contains($0) }
            .map { "column \($0) of table \(table.name), which must have a value and is not in the model" }
    }

    /// Triggers and conditions that drop a change without an error: a save would take for written what is not.
    private func unsupportedValues() throws -> [String] {
        let history = [HistoryTables.transaction, HistoryTables.change, HistoryTables.strings]
        let written = Set((tables.map(\.name) + history).map { $0.uppercased() })
        let rows = try GRDB.Row.fetchCursor(
            database,
            sql: """
                SELECT name, tbl_name, sql, type = 'trigger' FROM sqlite_master
                WHERE (type = 'trigger' AND sql LIKE '%RAISE%IGNORE%') OR (type = 'table' AND sql LIKE '%CONFLICT%')
                ORDER BY name
                """)
        var features: [String] = []
        while let row = try rows.next(), features.count < 10 {
            guard let name = String.fromDatabaseValue(row[0]), let table = String.fromDatabaseValue(row[1]),
                let sql = String.fromDatabaseValue(row[2]), written.contains(table.uppercased())
            else { continue }
            if Bool.fromDatabaseValue(row[3]) == true {
                if SQLTokens(sql).raisesIgnore {
                    features.append("trigger \(name) of table \(table), which drops changes without an error")
                }
            } else if SQLTokens(sql).dropsConflicts {
                features.append(
                    "a condition of table \(table) that drops rows without an error (ON CONFLICT)")
            }
        }
        return features
    }

    /// Conditions of tables (`CHECK`). A connection that only reads ignores them, so the statements that made the
    /// tables are compiled, and not run, in an empty database.
    private func conditions() throws -> [String] {
        let tables = try GRDB.Row.fetchAll(
            database,
            sql: """
                SELECT name, sql FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND sql LIKE '%CHECK%'
                """)
        guard !tables.isEmpty else { return [] }
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { database in
            try SQLiteHardening.install(on: database)
            SQLiteFunctions.install(on: database, reports: DerivedReports())
        }
        return try DatabaseQueue(configuration: configuration).read { empty in
            tables.compactMap { table in
                guard let name = String.fromDatabaseValue(table[0]),
                    let sql = String.fromDatabaseValue(table[1]),
                    let reason = Self.reasonAgainst(sql, empty)
                else { return nil }
                return "a condition of table \(name): \(reason)"
            }
        }
    }

    /// Tables of modules that are not there.
    private func virtualTables() throws -> [String] {
        let names = try String.fetchAll(
            database,
            sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0 ORDER BY name")
        return names.compactMap { name in
            let quoted = name.replacing("\"", with: "\"\"")
            return Self.reasonAgainst("SELECT 1 FROM \"\(quoted)\"", database).map {
                "virtual table \(name): \($0)"
            }
        }
    }

    /// Why SQLite does not compile a statement; nil when it does.
    private static func reasonAgainst(_ sql: String, _ database: Database) -> String? {
        let connection = database.sqliteConnection
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        defer { sqlite3_finalize(statement) }
        return code == SQLITE_OK ? nil : String(cString: sqlite3_errmsg(connection))
    }
}
