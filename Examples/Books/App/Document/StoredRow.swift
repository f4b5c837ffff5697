import CoreData
import GRDB

/// A book's row exactly as SQLite has it, read by plain SQL past the framework.
struct StoredRow: Sendable {
    struct Column: Sendable {
        var name: String
        /// The type in the table's declaration.
        var declaredType: String
        /// The type of the value: `integer`, `real`, `text`, `blob` or `null`.
        var storedType: String
        var value: String
    }

    /// How many bytes of a blob or a text are shown.
    private static let shownBytes = 2048

    var table: String
    var columns: [Column]

    /// Reads the row of a book; nil when it has none yet.
    ///
    /// The connection is opened for this and only reads, so that looking cannot change anything.
    static func read(_ uuid: UUID, from file: URL) throws -> StoredRow? {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        let database = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? database.close() }
        return try database.read { database in
            let declarations = try Row.fetchAll(
                database, sql: "SELECT name, type FROM pragma_table_info('ZBOOK')")
            let names: [(String, String)] = declarations.compactMap { row in
                guard let name = row["name"] as String?, let type = row["type"] as String? else { return nil }
                return (name, type)
            }
            // Names come from the table itself; a quotation mark in one is doubled.
            let columns = names.map { "\"\($0.0.replacing("\"", with: "\"\""))\"" }
            let values = columns.flatMap { ["typeof(\($0))", $0] }.joined(separator: ", ")
            let key = withUnsafeBytes(of: uuid.uuid) { Data($0) }
            guard
                let row = try Row.fetchOne(
                    database, sql: "SELECT \(values) FROM ZBOOK WHERE ZUUID = ?", arguments: [key])
            else { return nil }
            return StoredRow(
                table: "ZBOOK",
                columns: names.enumerated().map { index, name in
                    Column(
                        name: name.0, declaredType: name.1, storedType: row[index * 2],
                        value: text(row[index * 2 + 1] as DatabaseValue))
                })
        }
    }

    private static func text(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .null: return "NULL"
        case .int64(let number): return "\(number)"
        case .double(let number): return "\(number)"
        case .string(let text):
            return text.utf8.count <= shownBytes
                ? text : "\(text.prefix(shownBytes))… (\(text.utf8.count) bytes)"
        case .blob(let data):
            let digits = Array("0123456789abcdef".utf8)
            let bytes = data.prefix(shownBytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
            let hex = String(decoding: bytes, as: UTF8.self)
            return data.count <= shownBytes ? "x'\(hex)'" : "x'\(hex)…' (\(data.count) bytes)"
        }
    }
}
