import Foundation
import Synchronization

@testable import CoreDataSQL

/// The statements of a test run as PostgreSQL has them, line by line as JSON, for `scripts/check-dialect`.
///
/// `{"schema": [text, …]}` makes tables; `{"statement": text, "names": [name, …]}` is to be prepared where these are;
/// `{"statement": text of SQLite, "obstacle": reason}` is one that the dialect says it has no form for.
final class StatementFile: Sendable {
    /// The file that the environment names by `OPENCOREDATA_STATEMENTS`.
    static let ofEnvironment = ProcessInfo.processInfo.environment["OPENCOREDATA_STATEMENTS"].flatMap(
        StatementFile.init)

    private struct Contents {
        let handle: FileHandle
        var lines: Set<Int> = []
    }

    private let contents: Mutex<Contents>

    /// Nil for a file that cannot be made.
    init?(path: String) {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { return nil }
        contents = Mutex(Contents(handle: handle))
    }

    func add(_ statement: SQLStatement) {
        var sql = SQLText()
        do {
            try PostgreSQLDialect().write(statement, to: &sql)
            write(["statement": sql.text, "names": Self.names(in: statement).sorted()])
        } catch {
            var text = SQLText()
            try? FakeDialect().write(statement, to: &text)
            write(["statement": text.text, "obstacle": "\(error)"])
        }
    }

    func add(schema statements: [SQLStatement]) {
        let texts = statements.compactMap { statement -> String? in
            // Triggers are written by the module of a database.
            if case .native? = statement.pieces.first { return nil }
            // Rows are of no importance, and have values.
            guard !statement.hasArguments else { return nil }
            var sql = SQLText()
            try? PostgreSQLDialect().write(statement, to: &sql)
            return sql.text
        }
        write(["schema": texts])
    }

    /// The names of tables and columns, as PostgreSQL has them.
    private static func names(in statement: SQLStatement) -> Set<String> {
        var names: Set<String> = []
        for piece in statement.pieces {
            switch piece {
            case .name(let name):
                let quoted = PostgreSQLDialect().quoted(name)
                // Aliases are not in a schema.
                if name.hasPrefix("Z") || name.hasPrefix("A") { names.insert(quoted) }
            case .insertUnlessThere(let table, let columns, _):
                names.formUnion(([table] + columns).map(PostgreSQLDialect().quoted))
            default: break
            }
            for part in piece.statements { names.formUnion(self.names(in: part)) }
        }
        return names
    }

    private func write(_ object: [String: any Sendable]) {
        guard var data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys) else {
            return
        }
        data.append(UInt8(ascii: "\n"))
        contents.withLock { contents in
            guard contents.lines.insert(data.hashValue).inserted else { return }
            contents.handle.write(data)
        }
    }
}
