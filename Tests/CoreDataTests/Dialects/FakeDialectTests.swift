import Testing

@testable import CoreDataSQL
@testable import ObjectGraph

/// Statements are pieces that any dialect can render, and none of their text is SQLite's.
@Suite(.observingStatements) struct FakeDialectTests {
    @Test("Every statement of the process is rendered by the fake dialect, too")
    func statementsAreObserved() throws {
        let before = DialectObserver.shared.count
        let folder = try StoreFolder()
        try folder.make(
            NSManagedObjectModel(of: NSEntityDescription("Observed", attribute("observed", .string))))
        #expect(DialectObserver.shared.count > before)
    }

    @Test(
        "Keywords that only SQLite knows are refused",
        arguments: [
            "SELECT IFNULL(Z_MAX, 0) FROM Z_PRIMARYKEY",
            "INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT) VALUES (1)",
            "SELECT Z_PK FROM ACHANGE LIMIT 1", "SELECT Z_PK FROM ACHANGE WHERE Z_PK = ?",
            "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_NAME GLOB 'a'", "SELECT typeof(Z_PK) FROM ACHANGE",
            "SELECT rowid FROM ACHANGE", "PRAGMA user_version", "SELECT Z_PK FROM ACHANGE WHERE Z_ENT == 1",
            "SELECT Z_PK FROM ACHANGE WHERE Z_ENT NOT NULL", "SELECT MAX(Z_PK, 1) FROM ACHANGE",
            "SELECT Z_PK FROM ACHANGE WHERE Z_ENT IS 1", "SELECT Z_PK FROM (SELECT Z_PK FROM ACHANGE)",
        ] as [SQLStatement])
    func wordsOfSQLiteAreRefused(_ statement: SQLStatement) {
        #expect(throws: FakeDialect.Refusal.self) { try FakeDialect.rendered(statement) }
    }

    @Test(
        "A number is refused as a condition, and a condition as a value",
        arguments: [
            "SELECT Z_PK FROM ACHANGE WHERE 1", "SELECT Z_PK FROM ACHANGE WHERE Z_ENT",
            "SELECT Z_PK = 1 FROM ACHANGE", "SELECT Z_PK FROM ACHANGE WHERE (Z_ENT = 1) = 1",
            "SELECT Z_PK FROM ACHANGE WHERE NOT Z_ENT", "SELECT CASE WHEN Z_ENT THEN 1 END FROM ACHANGE",
            "SELECT \(.number("Z_PK")) FROM ACHANGE", "SELECT Z_PK FROM ACHANGE WHERE \(.truth("Z_PK = 1"))",
            "UPDATE ACHANGE SET Z_ENT = (Z_PK = 1)", "SELECT Z_PK + (Z_PK = 1) FROM ACHANGE",
            "SELECT Z_PK FROM ACHANGE WHERE Z_PK = \(.boolean(true))",
        ] as [SQLStatement])
    func conditionsAreNotValues(_ statement: SQLStatement) {
        #expect(throws: FakeDialect.Refusal.self) { try FakeDialect.rendered(statement) }
    }

    @Test(
        "Standard SQL is rendered with numbered parameters and quoted names",
        arguments: [
            (
                "SELECT \(name: "ZNAME") FROM \(name: "ZBOOK") WHERE Z_PK = \(value: .integer(1))",
                #"SELECT "ZNAME" FROM "ZBOOK" WHERE Z_PK = :1"#
            ),
            (
                "UPDATE \(name: "ZBOOK") SET Z_OPT = \(.parameter) WHERE Z_PK = \(.parameter)",
                #"UPDATE "ZBOOK" SET Z_OPT = :1 WHERE Z_PK = :2"#
            ),
            (
                "SELECT \(.number("EXISTS (SELECT 1 FROM ACHANGE)")) WHERE \(.boolean(true))",
                "SELECT number(EXISTS (SELECT 1 FROM ACHANGE)) WHERE TRUE"
            ),
            (
                "SELECT CASE WHEN \(.truth("Z_ENT")) THEN NULL ELSE 1 END FROM ACHANGE x WHERE x.Z_PK IS NOT NULL",
                "SELECT CASE WHEN truth(Z_ENT) THEN NULL ELSE 1 END FROM ACHANGE x WHERE x.Z_PK IS NOT NULL"
            ),
        ] as [(SQLStatement, String)])
    func standardSQLIsRendered(_ statement: SQLStatement, _ text: String) throws {
        #expect(try FakeDialect.rendered(statement) == text)
    }
}
