import CoreData
import GRDB
import GRDBSQLite
import Testing

/// The statements that a connection keeps prepared.
@Suite struct PreparedStatementsTests {
    private func count(_ database: Database) -> Int {
        var count = 0
        var statement = sqlite3_next_stmt(database.sqliteConnection, nil)
        while let next = statement {
            count += 1
            statement = sqlite3_next_stmt(database.sqliteConnection, next)
        }
        return count
    }

    /// Conditions that users make are without number; what they leave behind is not.
    @Test("A connection keeps a bounded number of prepared statements")
    func statementsAreBounded() throws {
        try DatabaseQueue().inDatabase { database in
            let kept = try PreparedStatements.statement("SELECT 'kept'", database)
            for number in 0..<(3 * PreparedStatements.limit) {
                let statement = try PreparedStatements.statement("SELECT \(number)", database)
                #expect(sqlite3_step(statement.sqliteStatement) == SQLITE_ROW)
                #expect(sqlite3_column_int(statement.sqliteStatement, 0) == number)
                sqlite3_reset(statement.sqliteStatement)
                #expect(count(database) <= PreparedStatements.limit + 1)
            }
            // A statement stays usable while it is referenced, even after the connection has released it.
            #expect(sqlite3_step(kept.sqliteStatement) == SQLITE_ROW)
            sqlite3_reset(kept.sqliteStatement)
        }
    }

    @Test("The same SQL is prepared once")
    func statementIsPreparedOnce() throws {
        try DatabaseQueue().inDatabase { database in
            let statement = try PreparedStatements.statement("SELECT 1", database)
            #expect(sqlite3_step(statement.sqliteStatement) == SQLITE_ROW)
            let again = try PreparedStatements.statement("SELECT 1", database)
            #expect(again === statement && sqlite3_stmt_busy(again.sqliteStatement) == 0)
        }
    }
}
