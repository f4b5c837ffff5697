import CoreDataSQL
import Foundation
import GRDB
import GRDBSQLite
import ObjectGraph

/// A connection to SQLite, for what runs over any database.
package struct SQLiteConnection: SQLConnection {
    package let database: Database

    package init(_ database: Database) { self.database = database }

    /// The database of a connection to SQLite.
    ///
    /// - Throws: 134060 for a connection to another database.
    package static func database(of connection: any SQLConnection) throws -> Database {
        guard let connection = connection as? SQLiteConnection else {
            throw NSError.coreData(.coreData, "The database of the store is not SQLite.")
        }
        return connection.database
    }

    package var dialect: any SQLDialect { SQLiteDialect() }

    package var changeCount: Int { Int(sqlite3_changes(database.sqliteConnection)) }

    package func execute(_ statement: RenderedSQL) throws {
        Log.sql.debug("\(statement.text)")
        // GRDB has to know of what changes the schema.
        try database.execute(
            sql: statement.text, arguments: StatementArguments(statement.arguments.map(\.databaseValue)))
    }

    package func prepare(_ statement: RenderedSQL) throws -> any SQLPreparedStatement {
        try SQLitePreparedStatement(database, statement.text)
    }

    package func rowWriter(_ statement: RenderedSQL, _ columns: [SQLColumn]) throws -> any RowWriting {
        try RowWriter(database, statement.text, columns, dialect)
    }

    package func insertionWriter(_ statement: RenderedSQL, _ entity: SQLEntity) throws -> any RowWriting {
        try RowWriter(database, statement.text, entity.columns, inserting: entity, dialect)
    }

    package func changeWriter(_ statement: RenderedSQL, transaction: Int64) throws -> any ChangeWriting {
        try ChangeWriter(database, statement.text, transaction: transaction)
    }

    private var reader: SQLiteReader { SQLiteReader(database) }

    package func forEachRow(of statement: RenderedSQL, _ body: (any SQLRow) throws -> Void) throws {
        try reader.forEachRow(of: statement, body)
    }

    package func forEachRow(
        of statement: RenderedSQL, as selection: RowSelection, timestamp: Double, _ body: (Row) throws -> Void
    ) throws {
        try reader.forEachRow(of: statement, as: selection, timestamp: timestamp, body)
    }

    package func forEachPair(of statement: RenderedSQL, _ body: (Int64, Int64) throws -> Void) throws {
        try reader.forEachPair(of: statement, body)
    }

    package func links(
        _ statement: RenderedSQL
    ) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]] {
        try reader.links(statement)
    }

    package func columnNames(of table: String) throws -> [String] {
        try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
    }

    package func inTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        try database.inImmediateTransaction(body)
    }

    package func inSavepoint<Value>(_ body: () throws -> Value) throws -> Value {
        var value: Value?
        try database.inSavepoint {
            value = try body()
            return .commit
        }
        guard let value else {
            throw DatabaseError(resultCode: .SQLITE_ABORT, message: "The block was not called.")
        }
        return value
    }

    package func interrupt() { sqlite3_interrupt(database.sqliteConnection) }
}

extension SQLValue {
    /// The value as GRDB has it.
    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .double(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .blob(let value): value.databaseValue
        }
    }
}
