import CoreDataSQL
import Foundation
import GRDB

/// Values in columns of an entity that are not of the type that the model says: SQLite takes any value in any column.
struct MistypedValues {
    private let database: Database
    private let entity: SQLEntity
    private let dialect = SQLiteDialect()
    /// Which rows are read.
    private let condition: String

    /// - Parameter keys: those of the objects to read; nil for all.
    init(_ database: Database, _ entity: SQLEntity, keys: [Int64]?) {
        self.database = database
        self.entity = entity
        // In a table of one entity all rows are of that entity, whatever their numbers.
        let isOwn = entity.sharesTable ? "s.Z_ENT = \(entity.number)" : "1"
        let list = keys.map { " AND s.Z_PK IN (\($0.map(String.init).joined(separator: ", ")))" }
        condition = "\(isOwn)\(list ?? "")"
    }

    /// Calls `body` with the key of each object that has such a value in a column, until it returns false. A row without a key
    /// has nil.
    func forEach(_ column: SQLColumn, _ body: (Int64?) throws -> Bool) throws {
        guard let isMistyped = isMistyped(column) else { return }
        let name = "s.\(dialect.quoted(column.name))"
        let source = "FROM \(dialect.quoted(entity.table)) s WHERE \(condition)"
        let hasText = column.kind == .string || column.kind == .uri
        guard hasText, try String.fetchOne(database, sql: "PRAGMA encoding") == "UTF-8" else {
            let rows = try GRDB.Row.fetchCursor(database, sql: "SELECT s.Z_PK \(source) AND \(isMistyped)")
            while let row = try rows.next(), try body(Int64.fromDatabaseValue(row[0])) {}
            return
        }
        // SQLite does not look at the bytes of a string.
        let rows = try GRDB.Row.fetchCursor(
            database,
            sql: "SELECT s.Z_PK, \(isMistyped), CAST(\(name) AS BLOB) \(source) AND \(name) NOT NULL")
        while let row = try rows.next() {
            let isMistyped = Bool.fromDatabaseValue(row[1]) ?? false
            let bytes = Data.fromDatabaseValue(row[2]) ?? Data()
            guard isMistyped || String(validating: bytes, as: UTF8.self) == nil else { continue }
            guard try body(Int64.fromDatabaseValue(row[0])) else { return }
        }
    }

    private func isMistyped(_ column: SQLColumn) -> String? {
        let name = "s.\(dialect.quoted(column.name))"
        switch column.kind {
        // A column of whole numbers keeps a real number only if it is not whole.
        case .integer16, .integer32, .integer64, .boolean, .toOne:
            return "typeof(\(name)) IN ('text', 'blob', 'real')"
        case .double, .float, .date: return "typeof(\(name)) IN ('text', 'blob')"
        case .decimal:
            return """
                (typeof(\(name)) = 'blob' OR typeof(\(name)) = 'text' AND \(name) <> 'NaN' \
                AND (\(name) NOT GLOB '[-+0-9.]*' OR \(name) GLOB '*[^-+0-9.eE]*'))
                """
        case .uuid: return "\(name) NOT NULL AND (typeof(\(name)) <> 'blob' OR length(\(name)) <> 16)"
        case .string, .uri: return "typeof(\(name)) = 'blob'"
        case .binary, .transformable: return "typeof(\(name)) IN ('integer', 'real')"
        case .composite, .undefined, .toMany, .fetched: return nil
        }
    }
}
