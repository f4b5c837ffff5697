import GRDB
import Testing

import CoreData
@testable import CoreDataSQLite

/// A migration makes no table of a module, however the statement for it is written.
@Suite struct VirtualTableTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    private static var newModel: NSManagedObjectModel {
        NSManagedObjectModel(
            of: NSEntityDescription("Item", attribute("name", .string), attribute("note", .string)))
    }

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func migrate() throws {
        let coordinator = try folder.open(
            Self.newModel,
            [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ])
        try coordinator.close()
    }

    @Test(
        "A migration leaves out virtual tables, however they are written, and keeps others",
        arguments: [
            "CREATE VIRTUAL TABLE words USING fts5 (word)",
            "CREATE  VIRTUAL\n TABLE words USING fts5 (word)",
            "create/* */virtual table words using fts5 (word)",
            "CREATE -- comment\nVIRTUAL TABLE words USING fts5 (word)",
        ])
    func spellings(_ statement: String) throws {
        try folder.make(Self.model)
        try folder.execute(
            """
            CREATE TABLE diary (day, text); INSERT INTO diary VALUES (1, 'kept');
            CREATE VIRTUAL TABLE words USING fts5 (word); INSERT INTO words VALUES ('found');
            PRAGMA writable_schema = 1;
            """)
        try folder.execute(
            "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = '\(statement)' WHERE name = 'words'")
        try migrate()
        let schema = try folder.schema()
        #expect(schema["diary"] != nil && schema["ZITEM"]?.contains("ZNOTE") == true)
        #expect(schema.keys.filter { $0.hasPrefix("words") } == [])
        #expect(try folder.value("SELECT text FROM diary") == "kept".databaseValue)
    }

    @Test(
        "A migration leaves out schema rows whose type contradicts their statement",
        arguments: ["view", "table", "index", "trigger"])
    func rows(_ type: String) throws {
        try folder.make(Self.model)
        try folder.execute(
            """
            CREATE TABLE diary (day, text); CREATE TABLE words (word); INSERT INTO words VALUES ('found');
            """)
        // A table with pages, as a module's has none.
        try folder.execute(
            """
            PRAGMA writable_schema = 1;
            UPDATE sqlite_master SET type = '\(type)', sql = 'CREATE/**/VIRTUAL TABLE words USING fts5 (word)'
            WHERE name = 'words'
            """)
        // SQLite itself may refuse such a file: then nothing is migrated.
        let result = Result { try migrate() }
        guard case .success = result else { return }
        let schema = try folder.schema()
        #expect(schema.keys.filter { $0.hasPrefix("words") } == [])
        #expect(schema["diary"] != nil)
    }

    @Test("Statements are classified by their tokens")
    func tokens() {
        for (statement, thing) in [
            ("CREATE TABLE a (b)", "table"), ("create\ttable a (b)", "table"),
            ("CREATE UNIQUE INDEX a ON b (c)", "index"),
            ("CREATE INDEX a ON b (c)", "index"), ("CREATE VIEW a AS SELECT 1", "view"),
            ("/* x */ CREATE -- y\n TRIGGER a", "trigger"),
            ("CREATE/**/VIRTUAL/**/TABLE a USING b", "virtual"),
            ("CREATE TEMP TABLE a (b)", nil), ("CREATE UNIQUE TABLE", nil), ("DROP TABLE a", nil),
            ("CREATE", nil),
            ("", nil), ("CREATE \"TABLE\" a", nil),
        ] as [(String, String?)] {
            #expect(SQLTokens(statement).createdKind == thing, "\(statement)")
        }
    }
}
