import CoreData
import StoreTools
import TestSupport
import Testing

@Suite struct CheckTests {
    private func found(_ zoo: ZooStore) throws -> [String] {
        try StoreCheck(zoo.url).findings().map { finding in
            "\(finding.severity.rawValue) \(finding.code.rawValue) \(finding.entity ?? "").\(finding.property ?? "") "
                + "\(finding.count ?? 0)"
        }
    }

    @Test("The check of a sound store has no findings")
    func aSoundStoreHasNoFindings() throws {
        let zoo = try ZooStore()
        #expect(try found(zoo) == [])
        let derived = try ZooStore(derived: true)
        let findings = try found(derived)
        #expect(!findings.isEmpty && findings.allSatisfy { $0.hasPrefix("warning foreign-trigger") })
    }

    /// One kind of damage each, and what is to be found.
    @Test(
        "The check names each kind of damage with its entity, property and count",
        arguments: [
            ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Item'", ["warning highest-key Item. 0"]),
            ("UPDATE ZTAG SET Z_ENT = 77 WHERE Z_PK = 1", ["error unknown-entity Tag. 1"]),
            ("UPDATE ZTAG SET Z_ENT = NULL WHERE Z_PK = 1", ["error unknown-entity Tag. 1"]),
            ("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'", ["error entity-numbers Tag. 0"]),
            ("UPDATE Z_PRIMARYKEY SET Z_SUPER = 1 WHERE Z_NAME = 'Tag'", ["error entity-numbers Tag. 0"]),
            ("UPDATE ZITEM SET ZBOX = 99 WHERE ZEXTRA = 'more'", ["error dangling-reference Special.box 1"]),
            ("UPDATE ZBOX SET ZLID = NULL WHERE ZLID NOT NULL", ["error inverse-mismatch Item.lidOf 1"]),
            (
                "UPDATE ZITEM SET ZLIDOF = 2 WHERE ZLIDOF NOT NULL",
                [
                    "error inverse-mismatch Box.lid 1", "error inverse-mismatch Item.lidOf 1",
                ]
            ),
            ("UPDATE ZBOX SET Z2_LID = 3 WHERE ZLID NOT NULL", ["error wrong-entity Box.lid 1"]),
            (
                "UPDATE ZITEM SET Z_FOK_BOX = NULL WHERE ZEXTRA = 'more'",
                ["warning missing-order Box.items 1"]
            ),
            ("UPDATE ZITEM SET Z_FOK_BOX = 1024", ["warning duplicate-order Box.items 1"]),
            ("UPDATE ZITEM SET ZUUID = x'0102' WHERE ZUUID NOT NULL", ["error invalid-value Item.uuid 1"]),
            ("UPDATE ZITEM SET ZINT32 = 'many' WHERE ZUUID NOT NULL", ["error invalid-value Item.int32 1"]),
            ("UPDATE ZITEM SET ZTEXT = x'00' WHERE ZUUID NOT NULL", ["error invalid-value Item.text 1"]),
            (
                "UPDATE ZITEM SET ZTEXT = CAST(x'61FF62' AS TEXT) WHERE ZUUID NOT NULL",
                ["error invalid-value Item.text 1"]
            ),
            ("UPDATE ZBOX SET ZLABEL = NULL WHERE Z_PK = 1", ["warning mandatory-value Box.label 1"]),
            (
                """
                UPDATE ZITEM SET ZEXTERNAL = CAST(x'02' || '11111111-2222-3333-4444-555555555555' || x'00' AS BLOB)
                WHERE ZUUID NOT NULL
                """, ["error missing-file Item.external 1"]
            ),
            ("UPDATE Z_METADATA SET Z_PLIST = x'00'", ["error unreadable-metadata . 0"]),
            ("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00'", ["error unreadable-model . 0"]),
            ("DROP TABLE ZTAG", ["error missing-table . 0"]),
            ("DROP TABLE Z_PRIMARYKEY", ["error missing-table . 0"]),
            ("DROP TABLE Z_METADATA", ["error missing-table . 0"]),
            ("ALTER TABLE Z_PRIMARYKEY RENAME COLUMN Z_MAX TO Z_MOST", ["error missing-table . 0"]),
            ("DROP TABLE Z_MODELCACHE", ["warning no-model . 0"]),
            (
                "DROP TABLE Z_MODELCACHE; UPDATE ZTAG SET Z_ENT = 77 WHERE Z_PK = 1",
                ["error unknown-entity Tag. 1"]
            ),
            (
                "DROP TABLE Z_MODELCACHE; UPDATE ZITEM SET ZDATE = 'today' WHERE ZUUID NOT NULL",
                ["error invalid-value Item.date 1"]
            ),
            ("UPDATE ZITEM SET ZINT32 = 1.5 WHERE ZUUID NOT NULL", ["error invalid-value Item.int32 1"]),
            ("UPDATE ZITEM SET ZPRICE = '1abc' WHERE ZUUID NOT NULL", ["error invalid-value Item.price 1"]),
            // The text that Apple's framework writes for a decimal that is not a number; other words are damage.
            ("UPDATE ZITEM SET ZPRICE = 'NaN' WHERE ZUUID NOT NULL", []),
            ("UPDATE ZITEM SET ZPRICE = 'nan' WHERE ZUUID NOT NULL", ["error invalid-value Item.price 1"]),
            (
                "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) SELECT -1, Z_ENT, 1 FROM ZTAG LIMIT 1",
                ["error invalid-key Tag. 1"]
            ),
            (
                "CREATE TRIGGER t AFTER UPDATE ON ZTAG BEGIN SELECT Strange(); END",
                ["warning unsupported-feature . 0"]
            ),
        ])
    func damageIsNamed(_ damage: String, _ expected: [String]) throws {
        let zoo = try ZooStore()
        try zoo.sql(damage)
        let all = try found(zoo)
        // What is broken leaves other things behind that are not as they should be.
        let isBroken = expected.contains { $0.hasPrefix("error") }
        #expect(all.filter { !isBroken || $0.hasPrefix("error") } == expected, "\(all)")
    }

    /// A store with an R-tree and a history, without findings.
    private func placeStore(_ zoo: ZooStore) throws -> URL {
        let entity = NSEntityDescription()
        entity.name = "Place"
        let attributes = ["latitude", "longitude"].map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .doubleAttributeType
            return attribute
        }
        entity.properties = attributes
        entity.indexes = [
            NSFetchIndexDescription(
                name: "where",
                elements: attributes.map {
                    NSFetchIndexElementDescription(property: $0, collationType: .rTree)
                })
        ]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let url = zoo.folder.appending(path: "Places.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            type: .sqlite, at: url, options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            context.transactionAuthor = "test"
            for (latitude, longitude) in [(47.11, 8.2), (-180.0, -180.0), (0.0, 1.0e-7)] {
                let place = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
                place.setValue(latitude, forKey: "latitude")
                place.setValue(longitude, forKey: "longitude")
            }
            _ = NSEntityDescription.insertNewObject(forEntityName: "Place", into: context)
            try context.save()
        }
        try coordinator.remove(store)
        return url
    }

    @Test(
        "The check finds damage of spatial indexes and of the history",
        arguments: [
            ("DELETE FROM Z_RT_Place_where WHERE Z_PK = 1", ["spatial-index 1"]),
            ("INSERT INTO Z_RT_Place_where VALUES (9, 1, 1, 1, 1)", ["spatial-index 1"]),
            (
                "UPDATE Z_RT_Place_where SET ZLATITUDE_MIN = 10, ZLATITUDE_MAX = 10 WHERE Z_PK < 3",
                ["spatial-index 2"]
            ),
            ("UPDATE Z_RT_Place_where SET ZLATITUDE_MAX = 90 WHERE Z_PK = 1", ["spatial-index 1"]),
            ("DELETE FROM ATRANSACTION", ["history-transaction 4"]),
            ("UPDATE ACHANGE SET ZTRANSACTIONID = NULL WHERE Z_PK = 1", ["history-transaction 1"]),
            ("UPDATE ACHANGE SET ZENTITY = 40 WHERE Z_PK < 3", ["history-entity 2"]),
            ("DELETE FROM ATRANSACTIONSTRING WHERE ZNAME = 'test'", ["history-string 1"]),
            ("UPDATE ATRANSACTION SET ZPROCESSIDTS = 77", ["history-string 1"]),
        ])
    func indexesAndHistoryAreChecked(_ damage: String, _ expected: [String]) throws {
        let zoo = try ZooStore()
        let url = try placeStore(zoo)
        #expect(try StoreCheck(url).findings() == [])
        try zoo.change(url, damage)
        let findings = try StoreCheck(url).findings()
        #expect(findings.map { "\($0.code.rawValue) \($0.count ?? 0)" } == expected)
        #expect(findings.allSatisfy { $0.severity == .error })
    }

    @Test("A finding lists an object once")
    func anObjectIsNamedOnce() throws {
        let zoo = try ZooStore()
        try zoo.sql("UPDATE ZITEM SET Z_FOK_BOX = NULL")
        let findings = try StoreCheck(zoo.url).findings()
        #expect(findings.map(\.code) == [.missingOrder] && findings[0].count == 3)
        #expect(findings[0].objects == ["Box/1"])
    }

    @Test("A dangling row of a join table is a warning and not part of a dump")
    func danglingRowsOfJoinTables() throws {
        let zoo = try ZooStore()
        let name = try zoo.value(
            """
            SELECT t.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
            WHERE t.type = 'table' AND c.name LIKE 'Z\\__TAGS' ESCAPE '\\'
            """)
        let table = try #require(name.flatMap(String.fromDatabaseValue))
        try zoo.sql("DELETE FROM ZTAG WHERE ZNAME = 'green'")
        let findings = try StoreCheck(zoo.url).findings()
        #expect(findings.map(\.code) == [.danglingLink] && findings[0].severity == .warning)
        #expect(findings[0].message.contains(table) && findings[0].objects == ["Tag/2"])
        // A dangling link is not dumped either.
        #expect(try !zoo.dump().text.contains("Tag/2"))
    }

    /// Join tables of old stores have no key.
    @Test("A duplicate row of a join table is a warning")
    func duplicateRowsOfJoinTables() throws {
        let zoo = try ZooStore()
        let name = try zoo.value(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z\\__TAG%' ESCAPE '\\'")
        let table = try #require(name.flatMap(String.fromDatabaseValue))
        try zoo.sql(
            """
            CREATE TABLE old AS SELECT * FROM \(table); DROP TABLE \(table); ALTER TABLE old RENAME TO \(table);
            INSERT INTO \(table) SELECT * FROM \(table) LIMIT 2
            """)
        let findings = try StoreCheck(zoo.url).findings().filter { $0.code == .duplicateLink }
        #expect(findings.map(\.severity) == [.warning] && findings[0].count == 2)
    }

    @Test("The check with a model of other hashes finds a mismatch")
    func aModelOfAnotherStoreIsAMismatch() throws {
        let zoo = try ZooStore()
        let other = Zoo.model()
        other.entitiesByName["Tag"]?.properties[0].isOptional = false
        let findings = try StoreCheck(zoo.url, model: other).findings()
        #expect(findings.map(\.code) == [.modelMismatch] && findings[0].message.contains("Tag (changed)"))
    }

    @Test("An unused file of external data is a warning")
    func unusedFilesAreAWarning() throws {
        let zoo = try ZooStore()
        let folder = zoo.folder.appending(path: ".Zoo_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data([1]).write(to: folder.appending(path: "11111111-2222-3333-4444-555555555555"))
        let findings = try StoreCheck(zoo.url).findings()
        #expect(findings.map(\.code) == [.unusedFile] && findings[0].severity == .warning)
    }

    @Test("A file of external data that the history refers to is in use")
    func filesOfTheHistoryAreUsed() throws {
        let zoo = try ZooStore()
        let model = Zoo.model()
        model.entitiesByName["Item"]?.attributesByName["external"]?.preservesValueInHistoryOnDeletion = true
        let url = zoo.folder.appending(path: "Tracked.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            type: .sqlite, at: url, options: [NSPersistentHistoryTrackingKey: true])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let item = NSEntityDescription.insertNewObject(forEntityName: "Special", into: context)
            item.setValue(Data(count: 200_000), forKey: "external")
            try context.save()
            let other = NSEntityDescription.insertNewObject(forEntityName: "Special", into: context)
            try context.save()
            context.delete(other)
            try context.save()
        }
        try coordinator.remove(store)
        // As of a store whose history keeps what was in files, and of a row that is gone.
        try zoo.change(
            url,
            """
            UPDATE ACHANGE SET ZTOMBSTONE0 = (SELECT ZEXTERNAL FROM ZITEM WHERE ZEXTERNAL NOT NULL) \
            WHERE ZCHANGETYPE = 2;
            UPDATE ZITEM SET ZEXTERNAL = NULL
            """)
        let files = zoo.folder.appending(path: ".Tracked_SUPPORT/_EXTERNAL_DATA")
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).count == 1)
        #expect(try StoreCheck(url).findings() == [])
        try zoo.change(url, "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
        #expect(try StoreCheck(url).findings().map(\.code) == [.unusedFile])
    }

    @Test("A file that is not a store is an error")
    func otherFilesAreErrors() throws {
        let zoo = try ZooStore()
        let file = zoo.folder.appending(path: "file")
        for content in [Data(), Data("no database".utf8), Data(count: 5000)] {
            try content.write(to: file)
            #expect(throws: (any Error).self) { try StoreCheck(file).findings() }
            #expect(throws: (any Error).self) { try StoreReport(file) }
            #expect(throws: (any Error).self) { try OpenStore(file, model: nil) }
        }
    }

    @Test("A damaged database is a finding")
    func damagedDatabasesAreFindings() throws {
        let zoo = try ZooStore()
        let bytes = try Data(contentsOf: zoo.url)
        let root = try zoo.value("SELECT rootpage FROM sqlite_master WHERE name = 'ZTAG'")
        let page = try #require(root.flatMap(Int.fromDatabaseValue))
        let size = try #require(try zoo.value("PRAGMA page_size").flatMap(Int.fromDatabaseValue))
        var overwritten = bytes
        let range = (page - 1) * size..<page * size
        overwritten.replaceSubrange(range, with: Data(repeating: 0xAB, count: size))
        var head = bytes
        head.replaceSubrange(16..<100, with: Data(repeating: 0xAB, count: 84))
        let file = zoo.folder.appending(path: "Damaged.sqlite")
        for damaged in [
            bytes.prefix(bytes.count / 2), bytes.prefix(size), bytes.prefix(100), overwritten, head,
        ] {
            try Data(damaged).write(to: file)
            let findings = try StoreCheck(file).findings()
            #expect(Set(findings.map(\.code)) == [.damagedDatabase])
            #expect(findings.allSatisfy { $0.severity == .error && !$0.message.isEmpty })
        }
    }

    @Test("A broken store gives findings or an error, and its file stays as it is")
    func brokenStoresAreFindingsOrErrors() throws {
        let zoo = try ZooStore()
        let bytes = Array(try Data(contentsOf: zoo.url))
        var numbers = SeededNumbers(seed: 5)
        let file = zoo.folder.appending(path: "Broken.sqlite")
        var noticed = 0
        for round in 0..<80 {
            var changed = bytes
            if round % 4 == 0 {
                changed.removeLast(Int.random(in: 1..<bytes.count, using: &numbers))
            } else {
                for _ in 0..<20 {
                    changed[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(
                        in: 0...255, using: &numbers)
                }
            }
            try Data(changed).write(to: file)
            do {
                if try !StoreCheck(file).findings().isEmpty { noticed += 1 }
                _ = try? StoreReport(file)
                let source = try OpenStore(file, model: nil)
                _ = try StoreDump(source).write { _ in }
            } catch {
                noticed += 1
            }
            #expect(try Data(contentsOf: file) == Data(changed))
        }
        #expect(noticed > 30)
    }
}
