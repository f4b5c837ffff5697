import CoreData
import GRDB
import Testing

/// The tables of the format with contents that no framework writes.
@Suite struct HostileFormatTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func make(_ sql: String, options: [AnyHashable: Any]? = nil) throws {
        let coordinator = try folder.open(Self.model, options)
        try coordinator.inContext { context in
            for name in ["one", "two"] { try context.insert("Item", ["name": name]) }
            try context.save()
        }
        try coordinator.close()
        try folder.execute(sql)
    }

    private var stored: [String] {
        get throws {
            try folder.rows("SELECT ZNAME FROM ZITEM ORDER BY Z_PK").map {
                String.fromDatabaseValue($0[0]) ?? ""
            }
        }
    }

    // MARK: Versions

    /// What a save of a row of this version does.
    private func save(version: String) throws -> NSError? {
        try make("UPDATE ZITEM SET Z_OPT = \(version) WHERE Z_PK = 1")
        let coordinator = try folder.open(Self.model)
        defer { try? coordinator.close() }
        return try coordinator.inContext { context in
            let item = try context.all("Item", by: "name")[0]
            item.setValue("changed", forKey: "name")
            do {
                try context.save()
                #expect(try stored == ["changed", "two"])
                #expect(!context.hasChanges)
                item.setValue("again", forKey: "name")
                try context.save()
                #expect(try stored == ["again", "two"])
                context.delete(item)
                try context.save()
                #expect(try stored == ["two"])
                return nil
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain)
                #expect(context.hasChanges)
                #expect(try stored == ["one", "two"])
                return error
            }
        }
    }

    @Test(
        "A row of any integer version can be saved",
        arguments: ["0", "-1", "-9223372036854775808", "9223372036854775806", "4294967296"])
    func versions(_ version: String) throws { #expect(try save(version: version) == nil) }

    @Test(
        "A change of a row whose version is not an integer is refused",
        arguments: ["NULL", "'x'", "1.5", "x'01'", "9e99"])
    func invalidVersions(_ version: String) throws {
        let refusal = try #require(try save(version: version))
        #expect(refusal.localizedDescription.contains("Z_OPT"), "\(refusal.localizedDescription)")
    }

    @Test(
        "The deletion of a row whose version is not an integer is refused", arguments: ["NULL", "'x'", "1.5"])
    func deletionWithAnInvalidVersion(_ version: String) throws {
        try make("UPDATE ZITEM SET Z_OPT = \(version) WHERE Z_PK = 1")
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            context.delete(try context.all("Item", by: "name")[0])
            let refusal = try error { try context.save() }
            #expect(refusal.localizedDescription.contains("Z_OPT"), "\(refusal.localizedDescription)")
            #expect(context.hasChanges)
        }
        try coordinator.close()
        #expect(try stored == ["one", "two"])
    }

    // MARK: Metadata

    private static let several = [
        "INSERT INTO Z_METADATA SELECT 7, 'AAAA-7', Z_PLIST FROM Z_METADATA",
        "INSERT INTO Z_METADATA SELECT -1, 'AAAA-7', Z_PLIST FROM Z_METADATA",
        """
        CREATE TABLE copy AS SELECT * FROM Z_METADATA; DROP TABLE Z_METADATA; ALTER TABLE copy RENAME TO Z_METADATA;
        INSERT INTO Z_METADATA SELECT Z_VERSION, 'AAAA-7', Z_PLIST FROM Z_METADATA
        """,
        """
        CREATE TABLE copy AS SELECT * FROM Z_METADATA; DROP TABLE Z_METADATA; ALTER TABLE copy RENAME TO Z_METADATA;
        INSERT INTO Z_METADATA SELECT NULL, 'AAAA-7', Z_PLIST FROM Z_METADATA
        """,
        """
        CREATE TABLE copy AS SELECT * FROM Z_METADATA; DROP TABLE Z_METADATA; ALTER TABLE copy RENAME TO Z_METADATA;
        INSERT INTO Z_METADATA SELECT 'x', 'AAAA-7', Z_PLIST FROM Z_METADATA
        """,
        """
        CREATE TABLE copy AS SELECT NULL Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA; DROP TABLE Z_METADATA;
        ALTER TABLE copy RENAME TO Z_METADATA
        """,
    ]

    @Test(
        "One of several rows of metadata is used for reading and writing, and the others stay",
        arguments: several)
    func severalRowsOfMetadata(_ sql: String) throws {
        try make(sql)
        let count = try folder.value("SELECT count(*) FROM Z_METADATA")
        let coordinator = try folder.open(Self.model)
        let store = try #require(coordinator.persistentStores.first)
        let identifier = try #require(store.identifier)
        #expect(
            try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: folder.file)[
                NSStoreUUIDKey] as? String == identifier)
        let others = try folder.rows("SELECT * FROM Z_METADATA WHERE Z_UUID != ?", [identifier])
        coordinator.setMetadata(["key": "value"], for: store)
        try coordinator.inContext { try $0.save() }
        try coordinator.close()
        let reopened = try folder.open(Self.model)
        #expect(reopened.persistentStores.first?.identifier == identifier)
        #expect(reopened.persistentStores.first?.metadata["key"] as? String == "value")
        try reopened.close()
        #expect(try folder.value("SELECT count(*) FROM Z_METADATA") == count)
        #expect(try folder.rows("SELECT * FROM Z_METADATA WHERE Z_UUID != ?", [identifier]) == others)
    }

    // MARK: Keys

    @Test(
        "An entity whose key counter is stored twice assigns no key twice",
        arguments: [
            "INSERT INTO Z_PRIMARYKEY SELECT Z_ENT, Z_NAME, Z_SUPER, 0 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'",
            "INSERT INTO Z_PRIMARYKEY SELECT Z_ENT, Z_NAME, Z_SUPER, 1000 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'",
            "INSERT INTO Z_PRIMARYKEY SELECT Z_ENT, Z_NAME, Z_SUPER, NULL FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'",
            "INSERT INTO Z_PRIMARYKEY SELECT Z_ENT, Z_NAME, Z_SUPER, 'x' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'",
        ])
    func duplicateKeyCounters(_ sql: String) throws {
        try make(
            """
            CREATE TABLE copy AS SELECT * FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY; ALTER TABLE copy RENAME TO Z_PRIMARYKEY;
            \(sql)
            """)
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { one in
            try coordinator.inContext { two in
                let first = try one.insert("Item", ["name": "three"])
                let second = try two.insert("Item", ["name": "four"])
                do {
                    try one.obtainPermanentIDs(for: [first])
                    try two.obtainPermanentIDs(for: [second])
                    #expect(first.objectID != second.objectID)
                    try two.save()
                    try one.save()
                    #expect(try one.all("Item").count == 4)
                } catch let error as NSError {
                    #expect(error.domain == NSCocoaErrorDomain)
                    #expect(try stored == ["one", "two"])
                }
            }
        }
        try coordinator.close()
    }

    @Test(
        "A save with damaged keys of the history is complete or refused",
        arguments: [
            "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16001", "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16002",
            "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16003",
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT > 16000",
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 16002",
            "UPDATE Z_PRIMARYKEY SET Z_ENT = 16001 WHERE Z_ENT = 16003",
        ])
    func keysOfHistory(_ sql: String) throws {
        let options = [NSPersistentHistoryTrackingKey: true]
        try make("", options: options)
        try folder.execute(
            "CREATE TABLE copy AS SELECT * FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY; ALTER TABLE copy RENAME TO Z_PRIMARYKEY; \(sql)"
        )
        let changes = try folder.value("SELECT count(*) FROM ACHANGE")
        let coordinator: NSPersistentStoreCoordinator
        do {
            coordinator = try folder.open(Self.model, options)
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain)
            return
        }
        try coordinator.inContext { context in
            context.transactionAuthor = "a new author"
            try context.insert("Item", ["name": "three"])
            do {
                try context.save()
                #expect(try stored == ["one", "two", "three"])
                #expect(try folder.value("SELECT count(*) FROM ACHANGE") != changes)
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain)
                #expect(context.hasChanges)
                #expect(try stored == ["one", "two"])
                #expect(try folder.value("SELECT count(*) FROM ACHANGE") == changes)
            }
        }
        try coordinator.close()
        #expect(
            try folder.value(
                "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
                == 0.databaseValue)
    }

    // MARK: Copies of the model

    @Test(
        "A store with a damaged copy of its model works with its model",
        arguments: [
            "UPDATE Z_MODELCACHE SET Z_CONTENT = 'text'", "UPDATE Z_MODELCACHE SET Z_CONTENT = 42",
            "UPDATE Z_MODELCACHE SET Z_CONTENT = NULL", "INSERT INTO Z_MODELCACHE VALUES (x'00')",
            "INSERT INTO Z_MODELCACHE (rowid, Z_CONTENT) VALUES (0, x'00')",
            "ALTER TABLE Z_MODELCACHE RENAME TO other; CREATE VIEW Z_MODELCACHE AS SELECT zeroblob(1000000000) Z_CONTENT",
            "ALTER TABLE Z_MODELCACHE RENAME TO other; CREATE VIEW Z_MODELCACHE AS SELECT * FROM no_such_table",
            """
            ALTER TABLE Z_MODELCACHE RENAME TO other; CREATE VIEW Z_MODELCACHE AS
            WITH RECURSIVE n(Z_CONTENT) AS (SELECT x'00' UNION ALL SELECT Z_CONTENT FROM n) SELECT Z_CONTENT FROM n
            """,
        ])
    func hostileCopies(_ sql: String) throws {
        try make(sql)
        do {
            _ = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                ofType: NSSQLiteStoreType, at: folder.file)
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain, "\(error)")
        }
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.all("Item", by: "name")[0].setValue("changed", forKey: "name")
            try context.save()
        }
        try coordinator.close()
        #expect(try stored == ["changed", "two"])
    }
}
