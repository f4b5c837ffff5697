import CoreData
import CoreDataSQL
import CoreDataSQLite
import Foundation
import GRDB
import Synchronization
import Testing

/// What runs over any database sees SQLite by these calls alone.
@Suite struct SQLConnectionTests {
    /// GRDB has a type of the same name.
    private typealias Connection = CoreDataSQLite.SQLiteConnection

    private func withConnection(_ body: (Connection) throws -> Void) throws {
        try DatabaseQueue().inDatabase { try body(Connection($0)) }
    }

    private func count(_ connection: Connection) throws -> Int64 {
        try connection.integer("SELECT COUNT(*) FROM t")
    }

    private static let values: [SQLValue] = [
        .null, .integer(.min), .integer(.max), .double(0.1), .double(-.infinity), .text(""), .text("a\u{0}é"),
        .blob(Data()), .blob(Data([0, 255, 1])),
    ]

    @Test("A bound value is read back unchanged, with its type", arguments: values)
    func valueComesBack(value: SQLValue) throws {
        try withConnection { connection in
            #expect(try connection.value("SELECT \(value: value)") == value)
            var types: [SQLValueType] = []
            try connection.forEachRow(of: "SELECT \(value: value)") { types.append($0.type(0)) }
            let expected: SQLValueType =
                switch value {
                case .null: .null
                case .integer: .integer
                case .double: .double
                case .text: .text
                case .blob: .blob
                }
            #expect(types == [expected])
        }
    }

    @Test("NULL reads as zero, an empty string and no bytes")
    func nullReadsAsNothing() throws {
        try withConnection { connection in
            try connection.forEachRow(of: "SELECT NULL") { row in
                #expect(row.isNull(0) && row.integer(0) == 0 && row.double(0) == 0)
                #expect(row.string(0).isEmpty && row.data(0).isEmpty)
            }
        }
    }

    @Test("The first bytes of a value are read without the others")
    func firstBytesAreRead() throws {
        try withConnection { connection in
            try connection.forEachRow(of: "SELECT \(value: .blob(Data([1, 2, 3])))") { row in
                #expect(row.bytes(0, atMost: 2) == [1, 2])
                #expect(row.bytes(0, atMost: 9) == [1, 2, 3])
            }
        }
    }

    @Test("A prepared statement runs again with new values, and keeps those that are not bound again")
    func preparedStatementRunsAgain() throws {
        try withConnection { connection in
            let statement = try connection.prepare("SELECT \(.parameter), \(.parameter)" as SQLStatement)
            func run(_ values: [SQLValue]) throws -> [SQLValue] {
                var found: [SQLValue] = []
                try statement.forEachRow(values) { found += [$0.value(0), $0.value(1)] }
                return found
            }
            #expect(try run([.integer(1), .text("a")]) == [.integer(1), .text("a")])
            #expect(try run([.integer(2)]) == [.integer(2), .text("a")])
            statement.clearBindings()
            #expect(try run([]) == [.null, .null])
        }
    }

    @Test("A change in the history has what is bound for it, and nothing of the change before")
    func changesAreWritten() throws {
        try withConnection { connection in
            try connection.execute(
                SQLStatement(native: "CREATE TABLE c (a, type, entity, object, inside, changed)"))
            let insertion = try connection.dialect.render("INSERT INTO c VALUES (\(parameters: 6))")
            let writer = try connection.changeWriter(insertion, transaction: 7)
            let bits: [UInt8] = [0x80, 1]
            try bits.withUnsafeBytes { try writer.insert(1, .update, 2, 3, changed: $0) }
            try writer.insert(2, .insert, 2, 4, changed: nil)
            var changes: [[SQLValue]] = []
            try connection.forEachRow(of: SQLStatement(native: "SELECT * FROM c ORDER BY a")) { row in
                changes.append((0..<6).map(row.value))
            }
            let integers = { (values: Int64...) in values.map(SQLValue.integer) }
            #expect(changes[0] == integers(1, 1, 2, 3, 7) + [.blob(Data(bits))])
            #expect(changes[1] == integers(2, 0, 2, 4, 7) + [.null])
        }
    }

    @Test("A position that a statement does not have cannot be bound")
    func positionIsChecked() throws {
        try withConnection { connection in
            let statement = try connection.prepare("SELECT \(.parameter)" as SQLStatement)
            #expect(throws: DatabaseError.self) { try statement.bind(.integer(1), at: 2) }
        }
    }

    @Test("A savepoint that throws undoes only its own changes")
    func savepointTakesBackItsChanges() throws {
        struct Failure: Error {}
        try withConnection { connection in
            try connection.execute(SQLStatement(native: "CREATE TABLE t (a)"))
            try connection.inTransaction {
                try connection.run("INSERT INTO t VALUES (1)")
                #expect(connection.changeCount == 1)
                #expect(throws: Failure.self) {
                    try connection.inSavepoint {
                        try connection.run("INSERT INTO t VALUES (2)")
                        throw Failure()
                    }
                }
                try connection.inSavepoint { try connection.run("INSERT INTO t VALUES (3)") }
            }
            #expect(try connection.strings("SELECT a FROM t ORDER BY a") == ["1", "3"])
        }
    }

    @Test("A transaction that throws leaves no changes")
    func transactionIsRolledBack() throws {
        struct Failure: Error {}
        try withConnection { connection in
            try connection.execute(SQLStatement(native: "CREATE TABLE t (a)"))
            #expect(throws: Failure.self) {
                try connection.inTransaction {
                    try connection.run("INSERT INTO t VALUES (1)")
                    throw Failure()
                }
            }
            #expect(try count(connection) == 0)
        }
    }

    @Test("A created table has its columns, and a missing table has none")
    func columnNamesAreThoseOfTheTable() throws {
        try withConnection { connection in
            try connection.execute(
                "CREATE TABLE t (Z_PK \(.columnType(.primaryKey)), \(name: "a b") \(.columnType(.data)))")
            #expect(try connection.columnNames(of: "t") == ["Z_PK", "a b"])
            #expect(try connection.columnNames(of: "u").isEmpty)
            #expect(try connection.database.tableExists("t"))
        }
    }

    // MARK: Errors

    private func error(_ body: () throws -> Void) -> (any SQLError)? {
        do {
            try body()
            return nil
        } catch {
            return error as? any SQLError
        }
    }

    @Test("A duplicate value is a uniqueness violation, a duplicate primary key is not")
    func uniquenessViolationIsKnown() throws {
        try withConnection { connection in
            try connection.execute(
                SQLStatement(native: "CREATE TABLE t (Z_PK INTEGER PRIMARY KEY, a UNIQUE)"))
            try connection.run("INSERT INTO t VALUES (1, \(value: .text("a")))")
            let value = error { try connection.run("INSERT INTO t VALUES (2, \(value: .text("a")))") }
            #expect(value?.isUniquenessViolation == true)
            #expect(value?.isBusy == false && value?.isInterrupted == false)
            let key = error { try connection.run("INSERT INTO t VALUES (1, \(value: .text("b")))") }
            #expect(key?.isUniquenessViolation == false)
        }
    }

    @Test("A statement that waits for another connection's lock is busy")
    func lockIsKnown() throws {
        let folder = try StoreFolder()
        let (one, other) = (
            try DatabaseQueue(path: folder.file.path), try DatabaseQueue(path: folder.file.path)
        )
        try one.writeWithoutTransaction { database in
            let connection = Connection(database)
            try connection.execute(SQLStatement(native: "CREATE TABLE t (a)"))
            try connection.inTransaction {
                try connection.run("INSERT INTO t VALUES (1)")
                let found = other.writeWithoutTransaction { database in
                    error { try Connection(database).run("INSERT INTO t VALUES (2)") }
                }
                #expect(found?.isBusy == true && found?.isUniquenessViolation == false)
                let shown = found?.error(during: "save", store: folder.file)
                #expect(shown?.code == CocoaError.Code.persistentStoreTimeout.rawValue)
                #expect(shown?.localizedDescription.contains("save") == true)
            }
        }
    }

    @Test("An interrupted statement ends with an error that says so")
    func interruptionIsKnown() throws {
        try withConnection { connection in
            var count = 0
            let found = error {
                try connection.forEachRow(
                    of: SQLStatement(
                        native:
                            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
                ) { _ in
                    count += 1
                    if count == 3 { connection.interrupt() }
                }
            }
            #expect(found?.isInterrupted == true && count == 3)
        }
    }

    // MARK: Rendered statements

    @Test("A statement is rendered once for each key")
    func statementIsRenderedOnce() throws {
        let statements = RenderedStatements<Int>(SQLiteDialect())
        let made = Mutex(0)
        for number in [1, 2, 1, 1, 2] {
            let rendered = try statements.statement(number) {
                made.withLock { $0 += 1 }
                return "SELECT \(integer: number)"
            }
            #expect(rendered.text == "SELECT \(number)")
        }
        #expect(made.withLock { $0 } == 2)
    }
}
