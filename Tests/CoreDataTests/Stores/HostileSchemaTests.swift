import CoreData
import GRDB
import Testing

/// Files of strangers: what their schema may do to those who open them.
@Suite struct HostileSchemaTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

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

    /// The error of opening; the file is the same afterwards.
    private func refusal() throws -> NSError {
        let before = try folder.contents()
        let refusal = try error { try folder.open(Self.model).close() }
        #expect(refusal.domain == NSCocoaErrorDomain)
        #expect(try folder.contents() == before)
        return refusal
    }

    /// The error of a save to a store that opens; the file is the same afterwards.
    private func saveRefusal() throws -> NSError {
        let coordinator = try folder.open(Self.model)
        let names = {
            try coordinator.inContext { try $0.all("Item").map { $0.value(forKey: "name") as? String } }
        }
        #expect(try names() == ["kept"])
        let refusal = try coordinator.inContext { context in
            try context.only("Item").setValue("changed", forKey: "name")
            let refusal = try error { try context.save() }
            #expect(context.hasChanges)
            return refusal
        }
        #expect(refusal.domain == NSCocoaErrorDomain)
        #expect(try names() == ["kept"])
        try coordinator.close()
        #expect(try folder.value("SELECT ZNAME FROM ZITEM") == "kept".databaseValue)
        return refusal
    }

    // MARK: Things that are no tables

    @Test(
        "A view or a virtual table in place of an entity's table is refused",
        arguments: [
            "CREATE VIEW ZITEM AS SELECT * FROM other",
            "CREATE VIEW ZITEM AS WITH RECURSIVE n(Z_PK) AS (SELECT 1 UNION ALL SELECT Z_PK + 1 FROM n) SELECT Z_PK, 1 Z_ENT, 1 Z_OPT, 'x' ZNAME FROM n",
            "CREATE VIRTUAL TABLE ZITEM USING fts5 (Z_PK, Z_ENT, Z_OPT, ZNAME)",
            "CREATE VIRTUAL TABLE ZITEM USING rtree (Z_PK, Z_ENT, Z_OPT, ZNAME, z)",
        ])
    func entityWithoutATable(_ sql: String) throws {
        try make("ALTER TABLE ZITEM RENAME TO other; \(sql)")
        let refusal = try refusal()
        #expect(refusal.code == 134020)
        #expect(refusal.localizedDescription.contains("no table ZITEM"))
    }

    @Test("A generated column in place of an attribute's column is refused")
    func generatedColumnIsRefused() throws {
        try make(
            """
            DROP TABLE ZITEM;
            CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME AS (hex(Z_PK)))
            """)
        let refusal = try refusal()
        #expect(refusal.code == 134020)
        #expect(refusal.localizedDescription.contains("no column ZNAME"))
    }

    /// The collations of sort descriptors depend on the locale; a file that names them would be read wrongly.
    @Test(
        "A schema that names a collation of the framework's connections is refused",
        arguments: [
            "CREATE INDEX byName ON ZITEM (ZNAME COLLATE %)",
            "CREATE TABLE extra (name TEXT COLLATE \"%\")",
            "CREATE TRIGGER extra AFTER UPDATE ON ZITEM BEGIN SELECT 'a' = 'b' COLLATE [%]; END",
        ])
    func foreignCollationIsRefused(_ sql: String) throws {
        try make("")
        try folder.withDatabase { database in
            let name = "openCoreDataOrderLocalized"
            database.add(collation: DatabaseCollation(name) { $0.compare($1) })
            try database.execute(sql: sql.replacing("%", with: name))
        }
        let refusal = try refusal()
        #expect(refusal.code == 134020)
        #expect(refusal.localizedDescription.contains("collation"))
    }

    @Test("A view in place of a table of the format is refused", arguments: ["Z_METADATA", "Z_PRIMARYKEY"])
    func viewInPlaceOfAFormatTable(_ table: String) throws {
        try make("ALTER TABLE \(table) RENAME TO other; CREATE VIEW \(table) AS SELECT * FROM other")
        #expect(try refusal().localizedDescription.contains(table))
    }

    @Test(
        "A table named like a table-valued function gives an error or a working store",
        arguments: ["pragma_table_info", "pragma_page_count", "json_each"])
    func tableNamedLikeAFunction(_ name: String) throws {
        try make("CREATE TABLE \(name) (name, value, arg, cid, type, \"notnull\", dflt_value, pk)")
        // Whatever it is good for: an error, or a store that works.
        do {
            let coordinator = try folder.open(Self.model)
            _ = try? coordinator.inContext { context in
                try context.all("Item", where: NSPredicate(format: "name IN %@", ["kept"]))
            }
            try coordinator.close()
        } catch {
            #expect((error as NSError).domain == NSCocoaErrorDomain)
        }
    }

    @Test("A schema that is not SQL is refused as corrupt")
    func invalidSchemaIsRefused() throws {
        try make(
            "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = 'CREATE TABLE ZITEM (' WHERE name = 'ZITEM'"
        )
        #expect(try refusal().code == NSFileReadCorruptFileError)
    }

    // MARK: Triggers

    @Test(
        "A save is refused if a trigger calls a function that is not allowed",
        arguments: [
            ("load_extension('/tmp/evil.so')", "load_extension"),
            ("fts3_tokenizer('simple', x'0102030405060708')", "fts3_tokenizer"),
            ("OpenCoreDataTextMatch(1, 'a', 'b', 0)", "OpenCoreDataTextMatch"),
            ("NoSuchFunction(1)", "NoSuchFunction"),
        ])
    func triggersCallNoOtherFunctions(_ call: String, _ name: String) throws {
        try make("CREATE TRIGGER evil AFTER UPDATE ON ZITEM BEGIN SELECT \(call); END")
        let refusal = try saveRefusal()
        #expect(refusal.code == 134030)
        #expect(refusal.localizedDescription.contains("read-only"))
        #expect(refusal.localizedDescription.contains(name))
        #expect(refusal.localizedDescription.contains("ZITEM"))
    }

    @Test(
        "A save is refused if an index, a check or a view calls an unknown function",
        arguments: [
            "CREATE INDEX evil ON ZITEM (NoSuchFunction(ZNAME))",
            "CREATE TABLE evil (x CHECK (NoSuchFunction(x))); CREATE TRIGGER t AFTER UPDATE ON ZITEM BEGIN INSERT INTO evil VALUES (1); END",
            "CREATE VIEW evil AS SELECT NoSuchFunction(1) x; CREATE TRIGGER t AFTER UPDATE ON ZITEM BEGIN SELECT x FROM evil; END",
        ])
    func schemaCallsNoOtherFunctions(_ sql: String) throws {
        try make("CREATE TABLE spare (x)")
        // Without the function SQLite refuses to make some of these; so another connection has it.
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            database.add(
                function: DatabaseFunction("NoSuchFunction", argumentCount: 1, pure: true) { _ in 1 })
        }
        let queue = try DatabaseQueue(path: folder.file.path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
        let refusal = try saveRefusal()
        #expect(refusal.code == 134030, "\(refusal.localizedDescription)")
        #expect(refusal.localizedDescription.contains("NoSuchFunction"))
    }

    @Test("A save is refused if a trigger uses a virtual table of an unsafe module")
    func unsafeVirtualTableInATrigger() throws {
        try make(
            """
            CREATE TABLE log (x);
            CREATE TRIGGER evil AFTER UPDATE ON ZITEM BEGIN INSERT INTO log SELECT name FROM dbstat; END
            """)
        #expect(try saveRefusal().localizedDescription.contains("dbstat"))
    }

    @Test(
        "A trigger that does not end is stopped and its save fails",
        arguments: [
            "INSERT INTO log WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
            "UPDATE ZITEM SET Z_OPT = (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT max(x) FROM n)",
        ])
    func endlessTriggerIsStopped(_ body: String) throws {
        try make("CREATE TABLE log (x); CREATE TRIGGER evil AFTER UPDATE ON ZITEM BEGIN \(body); END")
        let refusal = try saveRefusal()
        #expect(refusal.code == 134030)
        #expect(refusal.localizedDescription.contains("trigger"))
        #expect(try folder.value("SELECT COUNT(*) FROM log").description == "0")
    }

    @Test("Triggers that multiply are stopped")
    func multiplyingTriggersAreStopped() throws {
        let tables = (0..<12).map { "CREATE TABLE t\($0) (x)" }
        let triggers = (0..<11).map { index in
            let inserts = (0..<10).map { "INSERT INTO t\(index + 1) VALUES (\($0));" }.joined(separator: " ")
            return "CREATE TRIGGER m\(index) AFTER INSERT ON t\(index) BEGIN \(inserts) END"
        }
        try make(
            (tables + triggers + [
                "CREATE TRIGGER m AFTER UPDATE ON ZITEM BEGIN INSERT INTO t0 VALUES (1); END"
            ])
            .joined(separator: ";\n"))
        #expect(try saveRefusal().localizedDescription.contains("trigger"))
    }

    @Test("A trigger that would fire itself runs without recursion")
    func triggerThatFiresItself() throws {
        try make(
            """
            CREATE TABLE log (x);
            CREATE TRIGGER evil AFTER INSERT ON log BEGIN INSERT INTO log VALUES (NEW.x + 1); END;
            CREATE TRIGGER start AFTER UPDATE ON ZITEM BEGIN INSERT INTO log VALUES (1); END
            """)
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.only("Item").setValue("changed", forKey: "name")
            try context.save()
        }
        try coordinator.close()
        #expect(try folder.value("SELECT COUNT(*) FROM log").description == "2")
    }

    @Test("A long save with triggers that end is not stopped")
    func longTriggersThatEndAreNotStopped() throws {
        try make(
            """
            CREATE TABLE log (x);
            CREATE TRIGGER count AFTER INSERT ON ZITEM BEGIN
            INSERT INTO log WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100000)
            SELECT count(*) FROM n; END
            """)
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            for _ in 0..<60 { try context.insert("Item") }
            try context.save()
        }
        try coordinator.close()
        #expect(try folder.value("SELECT SUM(x) FROM log").description == "6000000")
    }
}

/// Metadata that a stranger wrote.
@Suite struct HostileMetadataTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func refusal(_ list: Data) throws -> NSError {
        try? FileManager.default.removeItem(at: folder.file)
        try folder.make(Self.model)
        try folder.execute("UPDATE Z_METADATA SET Z_PLIST = ?", [list])
        let before = try folder.contents()
        let looking = try error {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: folder.file)
        }
        let opening = try error { try folder.open(Self.model).close() }
        #expect(looking.code == opening.code)
        #expect(try folder.contents() == before)
        return opening
    }

    /// A binary property list of these objects; the first one is the outermost.
    private func list(_ objects: [[UInt8]]) -> Data {
        var data = Data("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(data.count)
            data += object
        }
        let table = data.count
        func number(_ value: Int, _ width: Int) -> Data {
            Data((0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
        }
        for offset in offsets { data += number(offset, 4) }
        return data + Data([0, 0, 0, 0, 0, 0, 4, 4]) + number(objects.count, 8) + number(0, 8)
            + number(table, 8)
    }

    private func reference(_ index: Int) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: index >> ($0 * 8)) }
    }

    @Test("Metadata nested too deep is refused")
    func deeplyNestedMetadata() throws {
        let key: [UInt8] = [0x51, 0x61]
        var objects: [[UInt8]] = [[0xD1] + reference(1) + reference(2), key]
        for index in 2..<100_000 { objects.append([0xA1] + reference(index + 1)) }
        objects.append([0xA0])
        let refusal = try refusal(list(objects))
        #expect(refusal.code == 134080)
        #expect(refusal.localizedDescription.contains("nested"))
    }

    @Test("Metadata that contains itself is refused")
    func metadataThatContainsItself() throws {
        let refusal = try refusal(list([[0xD1] + reference(1) + reference(0), [0x51, 0x61]]))
        #expect(refusal.code == 134080)
        #expect(refusal.localizedDescription.contains("contains itself"))
    }

    @Test("Metadata that expands to too many objects is refused")
    func metadataWithTooManyObjects() throws {
        var objects: [[UInt8]] = [[0xD1] + reference(1) + reference(2), [0x51, 0x61]]
        for index in 2..<32 { objects.append([0xA2] + reference(index + 1) + reference(index + 1)) }
        objects.append([0xA0])
        #expect(try refusal(list(objects)).localizedDescription.contains("objects"))
    }

    @Test("Metadata that is too large is refused with its size")
    func metadataThatIsTooLarge() throws {
        let refusal = try refusal(Data(count: 17 << 20))
        #expect(refusal.code == 134080)
        #expect(refusal.localizedDescription.contains("17825792"))
    }

    @Test("Metadata that is not a property list of a dictionary is refused")
    func invalidMetadata() throws {
        #expect(try refusal(list([[0xA0]])).localizedDescription.contains("dictionary"))
        #expect(try refusal(Data("<plist version=\"1.0\"><dict/></plist>".utf8)).code == 134080)
        #expect(try refusal(list([[0xD1] + reference(1) + reference(1), [0x80, 1]])).code == 134080)
        try folder.execute("UPDATE Z_METADATA SET Z_UUID = NULL")
        #expect(try error { try folder.open(Self.model).close() }.code == 134080)
    }
}
