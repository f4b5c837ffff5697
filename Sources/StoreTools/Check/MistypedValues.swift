import CoreDataSQL
import CoreData
import GRDB

/// Values in columns of an entity that are not of the type that the model says: they cannot be read as what they are.
struct MistypedValues {
    private let snapshot: StoreSnapshot
    private let entity: SQLEntity
    /// What of the rows is looked at.
    private let condition: String

    /// - Parameter keys: those of the objects to look at; nil for all.
    init(_ snapshot: StoreSnapshot, _ entity: SQLEntity, keys: [Int64]? = nil) {
        self.snapshot = snapshot
        self.entity = entity
        let list = keys.map { " AND s.Z_PK IN (\($0.map(String.init).joined(separator: ", ")))" }
        condition = "s.Z_ENT = \(entity.number)\(list ?? "")"
    }

    /// Hands out the keys of the objects that have such a value in a column, one at each call; nil at the end. One
    /// without a key is nil too, in an optional.
    func objects(_ column: SQLColumn) throws -> () throws -> Int64?? {
        guard let isMistyped = isMistyped(column) else { return { nil } }
        let name = "s.\(snapshot.schema.quoted(column.name))"
        let source = "FROM \(snapshot.schema.quoted(entity.table)) s WHERE \(condition)"
        let hasText = column.kind == .string || column.kind == .uri
        let isUTF8 = try String.fetchOne(snapshot.database, sql: "PRAGMA encoding") == "UTF-8"
        guard hasText, isUTF8 else {
            let rows = try GRDB.Row.fetchCursor(
                snapshot.database, sql: "SELECT s.Z_PK \(source) AND \(isMistyped)")
            return { try rows.next().map { Int64.fromDatabaseValue($0[0]) } }
        }
        // SQLite does not look at the bytes of a string.
        let rows = try GRDB.Row.fetchCursor(
            snapshot.database,
            sql: "SELECT s.Z_PK, \(isMistyped), CAST(\(name) AS BLOB) \(source) AND \(name) NOT NULL")
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

    /// - Parameter properties: those to look at; nil for all.
    /// - Throws: an error that names an object with such a value; it would be reported as another value.
    func requireNone(of properties: Set<String>? = nil) throws {
        for column in entity.columns where column.role == .value {
            let name = entity.home.layout.slots[column.slot].name
            guard properties?.contains(name) ?? true, let key = try objects(column)() else { continue }
            let object = ObjectReference(entity: entity.name, key: key ?? 0)
            throw StoreToolError(
                """
                \(object), '\(name)' (column \(column.name) of row \(object.key)): the value is not of the type that the \
                model says; check lists all of them.
                """)
        }
    }

    private func isMistyped(_ column: SQLColumn) -> String? {
        let name = "s.\(snapshot.schema.quoted(column.name))"
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
