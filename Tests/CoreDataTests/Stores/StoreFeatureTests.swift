import CoreData
import GRDB
import TestSupport
import Testing

/// Stores with what cannot be kept right here: they are read, and a save says why not.
@Suite struct StoreFeatureTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)), NSEntityDescription("Other"))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func make(_ sql: String) throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "kept"])
            try context.save()
        }
        try coordinator.close()
        try folder.execute(sql)
    }

    /// Opens the store, reads it, tries every way to change it, and gives the error of a save.
    private func saveRefusal(_ options: [AnyHashable: Any]? = nil) throws -> NSError {
        let before = try folder.contents()
        let coordinator = try folder.open(Self.model, options)
        let store = coordinator.persistentStores[0]
        #expect(store.isReadOnly)
        store.isReadOnly = false
        #expect(store.isReadOnly)
        let refusal = try coordinator.inContext { context in
            let item = try context.only("Item")
            #expect(item.value(forKey: "name") as? String == "kept")
            item.setValue("changed", forKey: "name")
            let refusal = try error { try context.save() }
            context.rollback()
            try context.insert("Item")
            #expect(try error { try context.save() }.localizedDescription == refusal.localizedDescription)
            #expect(throws: (any Error).self) {
                try context.obtainPermanentIDs(for: Array(context.insertedObjects))
            }
            context.rollback()
            store.metadata["Author"] = "Jane"
            #expect(try error { try context.save() }.code == 134030)
            return refusal
        }
        try coordinator.close()
        #expect(try folder.contents() == before)
        #expect(refusal.code == 134030)
        #expect((refusal.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore])?.first === store)
        return refusal
    }

    @Test(
        "A store with an unsupported feature refuses a save and names the feature",
        arguments: [
            (
                "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY); CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY)",
                "history"
            ),
            ("INSERT INTO Z_PRIMARYKEY VALUES (9, 'Stranger', 0, 4)", "'Stranger' (number 9)"),
            ("UPDATE Z_PRIMARYKEY SET Z_NAME = 'Else' WHERE Z_NAME = 'Other'", "'Else' (number 2)"),
            ("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Other'", "no number for entity 'Other'"),
            ("ALTER TABLE ZITEM ADD COLUMN ZODD NOT NULL DEFAULT 1", ""),
            (
                "CREATE TRIGGER t AFTER INSERT ON ZITEM BEGIN SELECT Fancy(NEW.Z_PK); END",
                "no such function: Fancy"
            ),
            ("CREATE TRIGGER t AFTER DELETE ON ZOTHER BEGIN INSERT INTO gone VALUES (1); END", "gone"),
            ("CREATE TRIGGER t AFTER UPDATE ON Z_PRIMARYKEY BEGIN SELECT Fancy(1); END", "Z_PRIMARYKEY"),
            (
                "CREATE TRIGGER quiet BEFORE UPDATE ON ZITEM WHEN NEW.ZNAME = 'changed' BEGIN SELECT RAISE(IGNORE); END",
                "trigger quiet of table ZITEM"
            ),
            (
                "CREATE TRIGGER quiet BEFORE INSERT ON zitem BEGIN SELECT CASE 1 WHEN 1 THEN rAiSe /* no */ ( -- ABORT\n Ignore) END; END",
                "trigger quiet of table"
            ),
            (
                "CREATE TRIGGER quiet AFTER UPDATE ON Z_PRIMARYKEY BEGIN SELECT RAISE(IGNORE); END",
                "trigger quiet of table Z_PRIMARYKEY"
            ),
            // Only what a save writes to matters, and words in texts are none.
            (
                """
                CREATE TABLE log (x UNIQUE ON CONFLICT IGNORE);
                CREATE TRIGGER aside BEFORE INSERT ON log BEGIN SELECT RAISE(IGNORE); END;
                CREATE TRIGGER loud BEFORE DELETE ON ZOTHER WHEN OLD.Z_PK = 'RAISE(IGNORE)' BEGIN
                SELECT RAISE(ABORT, 'RAISE(IGNORE)'); END
                """, ""
            ),
        ])
    func unsupportedFeatureIsNamed(_ sql: String, _ name: String) throws {
        try make(sql)
        guard !name.isEmpty else {
            // A column that the model does not have is not a reason.
            let coordinator = try folder.open(Self.model)
            #expect(!coordinator.persistentStores[0].isReadOnly)
            try coordinator.close()
            return
        }
        let refusal = try saveRefusal()
        #expect(refusal.localizedDescription.contains(name), "\(refusal.localizedDescription)")
        #expect(refusal.localizedDescription.contains(folder.file.path))
    }

    @Test("An unknown column that needs a value is named")
    func columnThatNeedsAValue() throws {
        try make(
            """
            ALTER TABLE ZITEM RENAME TO old;
            CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZODD NOT NULL);
            INSERT INTO ZITEM SELECT *, 1 FROM old; DROP TABLE old;
            """)
        #expect(try saveRefusal().localizedDescription.contains("column ZODD of table ZITEM"))
    }

    @Test("A table whose constraints drop rows is named", arguments: ["IGNORE", "replace"])
    func tableThatDropsRows(_ policy: String) throws {
        try make(
            """
            ALTER TABLE ZITEM RENAME TO old;
            CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR UNIQUE ON CONFLICT \(policy));
            INSERT INTO ZITEM SELECT * FROM old; DROP TABLE old;
            """)
        #expect(try saveRefusal().localizedDescription.contains("a condition of table ZITEM that drops rows"))
    }

    @Test("A virtual table of a missing module is named")
    func missingModule() throws {
        try make(
            """
            CREATE VIRTUAL TABLE places USING fts5 (x); PRAGMA writable_schema = 1;
            UPDATE sqlite_master SET sql = 'CREATE VIRTUAL TABLE places USING geosphere (x)' WHERE name = 'places'
            """)
        let refusal = try saveRefusal()
        #expect(refusal.localizedDescription.contains("virtual table places: no such module: geosphere"))
    }

    @Test("Several unsupported features are all named")
    func severalFeatures() throws {
        try make(
            """
            INSERT INTO Z_PRIMARYKEY VALUES (9, 'Stranger', 0, 4);
            CREATE TRIGGER t AFTER INSERT ON ZITEM BEGIN SELECT Fancy(NEW.Z_PK); END
            """)
        let refusal = try saveRefusal()
        #expect(refusal.localizedDescription.contains("Stranger"))
        #expect(refusal.localizedDescription.contains("Fancy"))
    }

    @Test("The triggers of the format are supported")
    func ownTriggersAreSupported() throws {
        let stack = try TestStack()
        #expect(!stack.coordinator.persistentStores[0].isReadOnly)
        let again = try stack.reopened()
        #expect(!again.coordinator.persistentStores[0].isReadOnly)
    }

    @Test(
        "Apple's stores have no unsupported feature", .enabled(if: Corpus.isPresent, "\(Corpus.missing)"),
        arguments: StorePair.all)
    func appleStoresAreSupported(_ pair: StorePair) throws {
        let folder = try StoreFolder(copying: pair.store)
        let model = try #require(NSManagedObjectModel(contentsOf: pair.model.deletingLastPathComponent()))
        let coordinator = try folder.open(model)
        #expect(!coordinator.persistentStores[0].isReadOnly)
        try coordinator.close()
    }
}
