import CoreDataSQL
import CoreDataSQLite
import GRDB
import ObjectGraph
import Testing

@Suite("Scratch tables")
struct ScratchTableTests {
    private func withTable(_ body: (ScratchTable, Database) throws -> Void) throws {
        try DatabaseQueue().write { database in
            let table = try ScratchTable(
                CoreDataSQLite.SQLiteConnection(database), "Waiting",
                [("root", .integer), ("dump", .integer), ("json", .string(length: nil))],
                indexed: ["root", "dump"])
            try body(table, database)
        }
    }

    @Test("Rows come in the order in which they were inserted, not in that of the index")
    func order() throws {
        try withTable { table, _ in
            for (root, text) in [(3, "c"), (1, "a\0b"), (2, "")] {
                try table.insert([.integer(Int64(root)), .integer(-1), .text(text)])
            }
            var rows: [(Int64, Int64, String)] = []
            try table.forEachRow { rows.append(($0.integer(0), $0.integer(1), $0.string(2))) }
            #expect(rows.map(\.0) == [3, 1, 2])
            #expect(rows.map(\.1) == [-1, -1, -1])
            #expect(rows.map(\.2) == ["c", "a\0b", ""])
        }
    }

    @Test(
        "A number is found by the other columns of its row, also while rows are read")
    func numbers() throws {
        try withTable { table, _ in
            for key in 1...4 { try table.insert([.integer(7), .integer(Int64(key * 10)), .text("\(key)")]) }
            var found: [Int64?] = []
            try table.forEachRow { row in
                found.append(try table.number("root", where: ["dump"], are: [row.integer(1)]))
            }
            #expect(found == [7, 7, 7, 7])
            #expect(try table.number("dump", where: ["root", "dump"], are: [7, 30]) == 30)
            #expect(try table.number("dump", where: ["root", "dump"], are: [8, 30]) == nil)
        }
    }

    @Test("A table of the same name in the main database stays unchanged")
    func sameName() throws {
        try DatabaseQueue().write { database in
            try database.execute(sql: "CREATE TABLE Waiting (a); INSERT INTO Waiting VALUES (42)")
            let table = try ScratchTable(
                CoreDataSQLite.SQLiteConnection(database), "Waiting", [("dump", .integer)])
            try table.insert([.integer(1)])
            try table.remove()
            #expect(try Int.fetchAll(database, sql: "SELECT a FROM Waiting") == [42])
        }
    }
}
