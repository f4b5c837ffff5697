import CoreData
import GRDB
import TestSupport
import Testing

/// Every operation on a store preserves its unknown content.
@Suite struct UnknownContentTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    private let folder: StoreFolder
    private let other: StoreFolder

    init() throws {
        folder = try StoreFolder()
        other = try StoreFolder()
        let coordinator = try folder.open(Self.model)
        coordinator.persistentStores[0].metadata["com.example.secret"] = [1, 2]
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "kept"])
            try context.save()
        }
        try coordinator.close()
        try folder.execute(
            """
            ALTER TABLE ZITEM ADD COLUMN ZFUTURE DEFAULT 'later';
            UPDATE ZITEM SET ZFUTURE = x'CAFE';
            ALTER TABLE Z_METADATA ADD COLUMN Z_FUTURE; UPDATE Z_METADATA SET Z_VERSION = 7, Z_FUTURE = 'more';
            CREATE TABLE diary (day PRIMARY KEY, text) WITHOUT ROWID; INSERT INTO diary VALUES (1, 'nothing');
            CREATE VIEW days AS SELECT day FROM diary;
            CREATE INDEX dates ON diary (text) WHERE day > 0;
            CREATE VIRTUAL TABLE words USING fts5 (word); INSERT INTO words VALUES ('found');
            CREATE TRIGGER noted AFTER UPDATE OF ZNAME ON ZITEM BEGIN INSERT OR REPLACE INTO diary VALUES (2, NEW.ZNAME); END;
            INSERT INTO Z_PRIMARYKEY VALUES (16777, 'PRIVATE', 0, 5);
            """)
    }

    private func check(_ folder: StoreFolder, name: String) throws {
        #expect(
            try folder.rows("SELECT ZNAME, ZFUTURE FROM ZITEM WHERE Z_PK = 1")
                == [[name.databaseValue, Data([0xCA, 0xFE]).databaseValue]])
        #expect(
            try folder.rows("SELECT Z_VERSION, Z_FUTURE FROM Z_METADATA").map { $0.map(\.description) } == [
                ["7", "\"more\""]
            ])
        #expect(try folder.value("SELECT text FROM diary WHERE day = 1") == "nothing".databaseValue)
        #expect(try folder.value("SELECT MIN(day) FROM days").description == "1")
        #expect(try folder.value("SELECT word FROM words WHERE words MATCH 'found'") == "found".databaseValue)
        let schema = try folder.schema()
        #expect(schema["noted"] != nil && schema["dates"]?.hasSuffix("WHERE day > 0") == true)
        #expect(try folder.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16777").description == "5")
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: folder.file)
        #expect(metadata["com.example.secret"] as? [Int] == [1, 2])
        #expect(try folder.value("PRAGMA integrity_check").description == "\"ok\"")
    }

    @Test("A save keeps unknown columns, tables and triggers")
    func save() throws {
        let coordinator = try folder.open(Self.model)
        #expect(!coordinator.persistentStores[0].isReadOnly)
        try coordinator.inContext { context in
            try context.only("Item").setValue("changed", forKey: "name")
            try context.insert("Item", ["name": "new"])
            try context.save()
        }
        try coordinator.close()
        try check(folder, name: "changed")
        // The trigger ran.
        #expect(try folder.value("SELECT text FROM diary WHERE day = 2") == "changed".databaseValue)
        #expect(try folder.value("SELECT ZFUTURE FROM ZITEM WHERE Z_PK = 2") == "later".databaseValue)
    }

    @Test("Setting metadata keeps unknown content")
    func metadata() throws {
        let coordinator = try folder.open(Self.model)
        coordinator.persistentStores[0].metadata["Author"] = "Jane"
        try coordinator.inContext { try $0.save() }
        try coordinator.close()
        try check(folder, name: "kept")
        var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: folder.file)
        #expect(metadata["Author"] as? String == "Jane")
        metadata["Author"] = "Emma"
        try NSPersistentStoreCoordinator.setMetadata(metadata, type: .sqlite, at: folder.file)
        try check(folder, name: "kept")
        #expect(
            try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: folder.file)[
                "Author"]
                as? String == "Emma")
    }

    @Test("Vacuum and analysis keep unknown content")
    func maintenance() throws {
        try folder.open(Self.model, [NSSQLiteManualVacuumOption: true, NSSQLiteAnalyzeOption: true]).close()
        try check(folder, name: "kept")
    }

    @Test("A migration keeps unknown content in both files")
    func migration() throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.migratePersistentStore(coordinator.persistentStores[0], to: other.file, type: .sqlite)
        try coordinator.close()
        try check(other, name: "kept")
        try check(folder, name: "kept")
    }

    @Test("A replacement copies unknown content")
    func replacement() throws {
        try other.make(Self.model)
        try NSPersistentStoreCoordinator(managedObjectModel: Self.model).replacePersistentStore(
            at: other.file, withPersistentStoreFrom: folder.file, type: .sqlite)
        try check(other, name: "kept")
    }

    @Test("Setting the identifier keeps unknown content")
    func changedIdentifier() throws {
        let coordinator = try folder.open(Self.model)
        let identifier = UUID().uuidString
        coordinator.persistentStores[0].identifier = identifier
        try coordinator.inContext { context in
            #expect(try context.only("Item").objectID.uriRepresentation().host == identifier)
            try context.save()
        }
        try coordinator.close()
        #expect(try folder.value("SELECT Z_UUID FROM Z_METADATA") == identifier.databaseValue)
        try check(folder, name: "kept")
    }

    // MARK: Apple's

    /// Everything in a store but the metadata, as text.
    private func dump(_ folder: StoreFolder) throws -> [String] {
        try folder.withDatabase { database in
            var lines = try String.fetchAll(
                database,
                sql: "SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_master ORDER BY 1")
            let tables = try String.fetchAll(
                database,
                sql:
                    "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'Z_METADATA' AND name NOT LIKE 'sqlite%'"
            )
            for table in tables.sorted() {
                let rows = try Row.fetchAll(database, sql: "SELECT * FROM \"\(table)\"")
                lines += rows.map { "\(table) \($0.databaseValues)" }
            }
            return lines
        }
    }

    @Test(
        "Operations on Apple's stores keep all of their content",
        .enabled(if: Corpus.isPresent, "\(Corpus.missing)"), arguments: StorePair.all)
    func appleStores(_ pair: StorePair) throws {
        let folder = try StoreFolder(copying: pair.store)
        let model = try #require(NSManagedObjectModel(contentsOf: pair.model.deletingLastPathComponent()))
        let before = try dump(folder)
        var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: folder.file)
        metadata["Author"] = "Jane"
        try NSPersistentStoreCoordinator.setMetadata(metadata, type: .sqlite, at: folder.file)
        let coordinator = try folder.open(model, [NSSQLiteManualVacuumOption: true])
        try coordinator.migratePersistentStore(coordinator.persistentStores[0], to: other.file, type: .sqlite)
        try coordinator.close()
        #expect(try dump(folder) == before)
        #expect(try dump(other) == before)
        try coordinator.replacePersistentStore(
            at: other.file, withPersistentStoreFrom: folder.file, type: .sqlite)
        #expect(try dump(other) == before)
        let after = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: other.file)
        #expect(after as NSDictionary == metadata as NSDictionary)
    }
}
