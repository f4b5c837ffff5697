import CoreData
import GRDB

/// Values in columns of an entity that are not of the type that the model says: they cannot be read as what they are.
struct MistypedValues {
    private let snapshot: StoreSnapshot
    private let entity: SQLEntity

    init(_ snapshot: StoreSnapshot, _ entity: SQLEntity) {
        self.snapshot = snapshot
        self.entity = entity
    }

    /// Hands out the keys of the objects that have such a value in a column, one at each call; nil at the end. One
    /// without a key is nil too, in an optional.
    func objects(_ column: SQLColumn) throws -> () throws -> Int64?? {
        guard let condition = condition(column) else { return { nil } }
        let name = "s.\(snapshot.schema.quoted(column.name))"
        let source = "FROM \(snapshot.schema.quoted(entity.table)) s WHERE s.Z_ENT = \(entity.number)"
        let hasText = column.kind == .string || column.kind == .uri
        let isUTF8 = try String.fetchOne(snapshot.database, sql: "PRAGMA encoding") == "UTF-8"
        guard hasText, isUTF8 else {
            let rows = try GRDB.Row.fetchCursor(
                snapshot.database, sql: "SELECT s.Z_PK \(source) AND \(condition)")
            return { try rows.next().map { Int64.fromDatabaseValue($0[0]) } }
        }
        // SQLite does not look at the bytes of a text.
        let rows = try GRDB.Row.fetchCursor(
            snapshot.database,
            sql: "SELECT s.Z_PK, \(condition), CAST(\(name) AS BLOB) \(source) AND \(name) NOT NULL")
        return {
            while let row = try rows.next() {
                let isMistyped = Bool.fromDatabaseValue(row[1]) ?? false
                let bytes = Data.fromDatabaseValue(row[2]) ?? Data()
                if isMistyped || String(validating: bytes, as: UTF8.self) == nil {
                    return .some(Int64.fromDatabaseValue(row[0]))
                }
            }
            return nil
        }
    }

    /// - Throws: an error that names an object with such a value; it would be told as another value.
    func requireNone() throws {
        for column in entity.columns where column.role == .value {
            guard let key = try objects(column)() else { continue }
            let object = ObjectReference(entity: entity.name, key: key ?? 0)
            let property = entity.home.layout.slots[column.slot].name
            throw StoreToolError(
                "\(object), '\(property)': the value is not of the type that the model says; check lists all of them."
            )
        }
    }

    private func condition(_ column: SQLColumn) -> String? {
        let name = "s.\(snapshot.schema.quoted(column.name))"
        switch column.kind {
        case .integer16, .integer32, .integer64, .boolean, .double, .float, .date, .toOne:
            return "typeof(\(name)) IN ('text', 'blob')"
        case .decimal:
            return "(typeof(\(name)) = 'blob' OR typeof(\(name)) = 'text' AND \(name) NOT GLOB '[-+0-9.]*')"
        case .uuid: return "\(name) NOT NULL AND (typeof(\(name)) <> 'blob' OR length(\(name)) <> 16)"
        case .string, .uri: return "typeof(\(name)) = 'blob'"
        case .binary, .transformable: return "typeof(\(name)) IN ('integer', 'real')"
        case .composite, .undefined, .toMany, .fetched: return nil
        }
    }
}
