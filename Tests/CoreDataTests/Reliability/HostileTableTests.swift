import CoreData
import GRDB
import Testing

/// Tables of a form that no framework makes: an error that says so, or a store that keeps what is saved in it.
@Suite struct HostileTableTests {
    static let model: NSManagedObjectModel = {
        let owner = NSEntityDescription("Owner", attribute("name", .string))
        let item = NSEntityDescription("Item", attribute("name", .string), attribute("size", .integer64))
        item.uniquenessConstraints = [["name"]]
        pair(owner.relate("items", to: item, many: true), item.relate("owner", to: owner))
        pair(owner.relate("likes", to: item, many: true), item.relate("likedBy", to: owner, many: true))
        return NSManagedObjectModel(of: owner, item)
    }()

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// Makes a store with an owner and two items, and runs plain SQL on it.
    private func make(_ sql: String, with functions: [DatabaseFunction] = []) throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            let owner = try context.insert("Owner", ["name": "owner"])
            for name in ["one", "two"] {
                let item = try context.insert("Item", ["name": name, "size": 1, "owner": owner])
                owner.mutableSetValue(forKey: "likes").add(item)
            }
            try context.save()
        }
        try coordinator.close()
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            for function in functions { database.add(function: function) }
            database.add(collation: DatabaseCollation("alien") { $0.compare($1) })
        }
        let queue = try DatabaseQueue(path: folder.file.path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    /// The statement that made a table, changed, run again with its rows in it.
    private func remaking(_ table: String, _ change: (String) -> String) throws -> String {
        let sql = try #require(try folder.schema()[table])
        return """
            ALTER TABLE \(table) RENAME TO old\(table); \(change(sql)); INSERT INTO \(table) SELECT * FROM old\(table);
            DROP TABLE old\(table)
            """
    }

    /// Uses a store in every way that writes to its tables. What was saved is there when it is opened anew; what was refused
    /// has changed nothing.
    ///
    /// - Returns: the sentence of the error, nil when all went well.
    private func use() throws -> String? {
        let before = try folder.rows("SELECT Z_PK, ZNAME, ZSIZE FROM ZITEM ORDER BY Z_PK")
        let coordinator: NSPersistentStoreCoordinator
        do {
            coordinator = try folder.open(Self.model)
        } catch let error as NSError {
            #expect(error.domain == NSCocoaErrorDomain, "\(error)")
            #expect(try folder.names == ["Store.sqlite"])
            return error.localizedDescription
        }
        let refusal: String? = try coordinator.inContext { context in
            do {
                let owner = try context.only("Owner")
                let items = try context.all(
                    "Item", by: "name", where: NSPredicate(format: "name != %@", "none"))
                #expect(items.map { $0.value(forKey: "name") as? String } == ["one", "two"])
                #expect((owner.value(forKey: "items") as? NSSet)?.count == 2)
                #expect((owner.value(forKey: "likes") as? NSSet)?.count == 2)
                items[0].setValue("changed", forKey: "name")
                context.delete(items[1])
                let new = try context.insert("Item", ["name": "new", "size": 2, "owner": owner])
                owner.mutableSetValue(forKey: "likes").add(new)
                try context.save()
                return nil
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain, "\(error)")
                return error.localizedDescription
            }
        }
        try coordinator.close()
        guard refusal == nil else {
            #expect(try folder.rows("SELECT Z_PK, ZNAME, ZSIZE FROM ZITEM ORDER BY Z_PK") == before)
            return refusal
        }
        let reopened = try folder.open(Self.model)
        try reopened.inContext { context in
            let owner = try context.only("Owner")
            let items = try context.all("Item", by: "size")
            #expect(items.map { $0.value(forKey: "name") as? String } == ["changed", "new"])
            #expect(owner.value(forKey: "items") as? Set<NSManagedObject> == Set(items))
            #expect(owner.value(forKey: "likes") as? Set<NSManagedObject> == Set(items))
        }
        try reopened.close()
        #expect(try folder.value("PRAGMA integrity_check") == "ok".databaseValue)
        return nil
    }

    @Test(
        "Tables without row IDs work",
        arguments: ["ZITEM", "ZOWNER", "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"])
    func tablesWithoutRowIDs(_ table: String) throws {
        try folder.make(Self.model)
        let remade = try remaking(table) { sql in
            let end = sql.lastIndex(of: ")") ?? sql.endIndex
            let key = sql.contains("PRIMARY KEY") ? "" : ", extra INTEGER DEFAULT 1, PRIMARY KEY (Z_CONTENT)"
            return "\(sql[..<end])\(key)) WITHOUT ROWID"
        }.replacing("INSERT INTO Z_MODELCACHE SELECT *", with: "INSERT INTO Z_MODELCACHE SELECT *, 1")
        try destroy()
        try make(remade)
        #expect(try use() == nil)
    }

    private func destroy() throws {
        for name in try folder.names {
            try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name))
        }
    }

    @Test(
        "An unknown collation is named or has no effect",
        arguments: [
            ("ZITEM", "ZNAME VARCHAR"), ("ZOWNER", "ZNAME VARCHAR"), ("Z_PRIMARYKEY", "Z_NAME VARCHAR"),
            ("Z_METADATA", "Z_UUID VARCHAR(255)"),
        ])
    func foreignCollations(_ table: String, _ column: String) throws {
        try folder.make(Self.model)
        let sql = try #require(try folder.schema()[table])
        #expect(sql.contains(column), "\(sql)")
        let remade = try remaking(table) { $0.replacing(column, with: "\(column) COLLATE alien") }
        try destroy()
        try make(remade)
        if let refusal = try use() { #expect(refusal.contains("alien"), "\(refusal)") }
    }

    @Test(
        "A generated column in place of a column of the format is refused and named",
        arguments: [
            ("ZITEM", "Z_OPT INTEGER", "Z_OPT INTEGER AS (1)"),
            ("ZITEM", "Z_ENT INTEGER", "Z_ENT INTEGER AS (1) STORED"),
            ("Z_PRIMARYKEY", "Z_MAX INTEGER", "Z_MAX INTEGER AS (7)"),
            ("Z_METADATA", "Z_PLIST BLOB", "Z_PLIST BLOB AS (x'00')"),
        ])
    func generatedColumns(_ table: String, _ column: String, _ generated: String) throws {
        try make("")
        let sql = try #require(try folder.schema()[table])
        #expect(sql.contains(column), "\(sql)")
        try folder.execute("DROP TABLE \(table); \(sql.replacing(column, with: generated))")
        let before = try folder.contents()
        let refusal = try error { try folder.open(Self.model).close() }
        let name = column.prefix { $0 != " " }
        #expect(
            refusal.localizedDescription.contains(name) || refusal.localizedDescription.contains(table),
            "\(refusal.localizedDescription)")
        #expect(try folder.contents() == before)
    }

    @Test("A generated column that exceeds SQLite's limit fails the save")
    func oversizedGeneratedColumn() throws {
        try make("ALTER TABLE ZITEM ADD COLUMN extra AS (hex(zeroblob(ZSIZE * 500000000)))")
        let refusal = try #require(try use())
        #expect(refusal.contains("too big"), "\(refusal)")
    }

    @Test("A partial index that calls an unknown function refuses saves")
    func indexWithAnUnknownCondition() throws {
        let function = DatabaseFunction("Unknown", argumentCount: 1, pure: true) { _ in 1 }
        try make("CREATE INDEX evil ON ZITEM (ZNAME) WHERE Unknown(ZNAME)", with: [function])
        let refusal = try #require(try use())
        #expect(refusal.contains("Unknown"), "\(refusal)")
    }

    @Test("A view with triggers in place of a table is refused", arguments: ["ZITEM", "ZOWNER", "Z_1LIKES"])
    func viewWithTriggers(_ table: String) throws {
        try make("")
        let tables = try folder.schema()
        let table =
            tables[table] == nil
            ? try #require(
                tables.keys.first { $0.hasPrefix("Z_") && $0.hasSuffix("LIKES") || $0.hasSuffix("LIKEDBY") })
            : table
        try folder.execute(
            """
            ALTER TABLE \(table) RENAME TO other; CREATE VIEW \(table) AS SELECT * FROM other;
            CREATE TRIGGER i INSTEAD OF INSERT ON \(table) BEGIN SELECT 1; END;
            CREATE TRIGGER u INSTEAD OF UPDATE ON \(table) BEGIN SELECT 1; END;
            CREATE TRIGGER d INSTEAD OF DELETE ON \(table) BEGIN SELECT 1; END
            """)
        let before = try folder.contents()
        let refusal = try error { try folder.open(Self.model).close() }
        #expect(refusal.code == 134020, "\(refusal)")
        #expect(try folder.contents() == before)
    }
}
