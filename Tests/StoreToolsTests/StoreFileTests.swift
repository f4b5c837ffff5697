import CoreData
import GRDB
import StoreTools
import Testing

@Suite struct StoreFileTests {
    @Test("A report counts the objects of each entity without subentities")
    func reportCountsEachEntityItself() throws {
        let zoo = try ZooStore()
        let report = try StoreReport(zoo.url)
        #expect(
            report.entities.map { "\($0.name) \($0.count)" } == ["Box 2", "Item 2", "Special 1", "Tag 3"])
        #expect(report.type == "SQLite" && report.hasModelCache && report.journalMode == "wal")
        #expect(report.historyTransactionCount == nil && report.frameworkVersion != nil)
    }

    @Test("A report counts files of external data, but not records of pending changes")
    func reportCountsFilesOfExternalDataAlone() throws {
        let zoo = try ZooStore()
        let before = try StoreReport(zoo.url).externalFileCount
        let folder = zoo.folder.appending(path: ".Zoo_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = UUID().uuidString
        try Data([1]).write(to: folder.appending(path: name))
        // What a save writes down while it changes files.
        try Data([1]).write(to: folder.appending(path: ".\(name).changes"))
        #expect(try StoreReport(zoo.url).externalFileCount == before + 1)
    }

    @Test("A file of external data is read piece by piece, also after another file has taken its name")
    func externalFileIsReadPieceByPiece() throws {
        let zoo = try ZooStore()
        let folder = zoo.folder.appending(path: ".Zoo_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = UUID().uuidString
        let place = folder.appending(path: name)
        try Data([1, 2, 3]).write(to: place)
        let store = try zoo.open()
        defer { try? store.close() }
        let file = try store.externalFile(named: name)
        #expect(file.byteCount == 3)
        try FileManager.default.removeItem(at: place)
        try Data([9]).write(to: place)
        #expect(try file.read(at: 0, count: 2) == Data([1, 2]))
        #expect(try file.read(at: 2, count: 9) == Data([3]))
        #expect(throws: (any Error).self) { try store.externalFile(named: UUID().uuidString) }
    }

    @Test("Of tables that belong to no entity, a dump leaves out and names those that are not SQLite's own")
    func tablesOfTheDatabaseAreNotNamed() throws {
        let zoo = try ZooStore()
        try zoo.sql("CREATE TABLE others (k INTEGER PRIMARY KEY AUTOINCREMENT)")
        try zoo.sql("INSERT INTO others DEFAULT VALUES")
        let store = try zoo.open()
        defer { try? store.close() }
        // SQLite counts the keys in a table of its own.
        #expect(try zoo.value("SELECT seq FROM sqlite_sequence") == 1.databaseValue)
        let notices = try StoreDump(store).write { _ in }
        #expect(notices == ["Tables that belong to no entity are not part of the dump: others."])
    }

    @Test("Metadata are set and removed, except the framework's own")
    func metadataAreSetAndRemoved() throws {
        let zoo = try ZooStore()
        let metadata = StoreMetadata(zoo.url)
        try metadata.change(
            setting: ["a": .string("é"), "n": .number("3"), "d": .object(["$data": .string("AQI=")])],
            removing: ["seen"])
        let values = try metadata.applicationValues()
        #expect(values.map(\.key) == ["a", "d", "edition", "n"])
        #expect(values.map(\.value)[1] == .object(["$data": .string("AQI=")]))
        let stored = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: zoo.url)
        #expect(stored["d"] as? Data == Data([1, 2]) && stored["n"] as? Int == 3)
        #expect(try StoreCheck(zoo.url).findings() == [])
        for (set, removed) in [
            (["NSStoreUUID": JSONValue.string("x")], [String]()), (["NSStoreType": .string("x")], []),
            ([:], ["nothing"]), ([:], ["NSStoreModelVersionHashes"]), (["a": .null], []),
            (["a": .object(["$data": .string("*")])], []),
        ] { #expect(throws: StoreToolError.self) { try metadata.change(setting: set, removing: removed) } }
        #expect(try metadata.applicationValues().map(\.key) == ["a", "d", "edition", "n"])
    }

    @Test("Metadata as JSON keep their types and values")
    func metadataComeBackAsTheyWere() throws {
        let values: [String: Any] = [
            "large": NSNumber(value: UInt64.max), "small": NSNumber(value: Int64.min),
            "whole": NSNumber(value: 3.0), "huge": NSNumber(value: 1e30),
            "endless": NSNumber(value: Double.infinity),
            "flag": NSNumber(value: true), "one": NSNumber(value: 1), "data": Data([1, 2]),
            "date": Date(timeIntervalSinceReferenceDate: 1.5), "tag": ["$data": "AQI="],
            "tags": ["$$date": ["$date": "x"]], "two": ["$data": "a", "b": "c"],
        ]
        for (key, value) in values {
            let back = try PropertyListJSON.propertyList(
                JSONValue(parsing: text(PropertyListJSON.json(value))))
            #expect((back as? NSObject) == (value as? NSObject), "\(key): \(back)")
            #expect(
                "\(type(of: back))" == "\(type(of: value))" || back is NSNumber || back is [String: Any],
                "\(key)")
            guard let number = value as? NSNumber, let other = back as? NSNumber else { continue }
            #expect(String(cString: number.objCType) == String(cString: other.objCType), "\(key)")
        }
        for wrong in [
            "18446744073709551616", "-9223372036854775809", "1e999", #"{"$data": 5}"#, #"{"$real": "x"}"#,
        ] {
            #expect(throws: StoreToolError.self, "\(wrong)") {
                try PropertyListJSON.propertyList(JSONValue(parsing: wrong))
            }
        }
    }

    private func text(_ value: JSONValue) -> String {
        var json = JSONText()
        json.value(value)
        return json.text
    }

    @Test("Triggers with functions that Apple's framework lacks are dropped")
    func triggersThatAppleLacksAreDropped() throws {
        let zoo = try ZooStore(derived: true)
        let before = try zoo.value("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'")
        let names = try ForeignTriggers.names(in: zoo.url)
        #expect(!names.isEmpty && names.allSatisfy { $0.contains("_shout_") })
        #expect(try ForeignTriggers.drop(from: zoo.url) == names)
        #expect(try ForeignTriggers.drop(from: zoo.url) == [])
        let after = try zoo.value("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'")
        #expect(
            Int.fromDatabaseValue(after ?? .null)
                == Int.fromDatabaseValue(before ?? .null).map { $0 - names.count })
        #expect(try StoreCheck(zoo.url).findings() == [])
        #expect(try zoo.dump().text.contains(#""shout":"GROSSE KISTE""#))
    }

    @Test(
        "A trigger that only mentions such a function stays",
        arguments: [
            ("SELECT OpenCoreDataUppercase('a')", true), ("SELECT opencoredatauppercase /* why */ (1)", true),
            ("SELECT \"OpenCoreDataCanonical\"('it''s')", true),
            ("SELECT 1 -- it's\n, [OpenCoreDataLowercase](2)", true),
            ("SELECT 'OpenCoreDataUppercase(1)'", false), ("SELECT 'it''s OpenCoreDataUppercase(1)'", false),
            ("SELECT 1 -- OpenCoreDataUppercase(1)\n", false),
            ("SELECT 1 /* OpenCoreDataUppercase(1) */", false),
            ("SELECT ZNAME AS OpenCoreDataUppercase FROM ZTAG", false),
            ("SELECT \"OpenCoreDataUppercase\" FROM (SELECT 1 AS OpenCoreDataUppercase)", false),
            ("SELECT MyOpenCoreDataUppercaseToo(1)", false),
        ])
    func triggersThatOnlyMentionAFunctionStay(_ body: String, _ calls: Bool) throws {
        let zoo = try ZooStore()
        try zoo.sql("CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN \(body); END")
        #expect(try ForeignTriggers.drop(from: zoo.url) == (calls ? ["t"] : []))
        let left = try zoo.value("SELECT count(*) FROM sqlite_master WHERE name = 't'")
        #expect(left == (calls ? 0 : 1).databaseValue)
    }

    @Test("A schema report names the properties of each column")
    func schemaNamesThePropertiesOfColumns() throws {
        let zoo = try ZooStore()
        let report = try StoreSchemaReport(zoo.open())
        let item = try #require(report.tables.first { $0.name == "ZITEM" })
        #expect(item.entities.map(\.name) == ["Item", "Special"])
        let columns = Dictionary(item.columns.map { ($0.name, $0) }, uniquingKeysWith: { a, _ in a })
        #expect(columns["ZTEXT"]?.properties == ["Item.text"] && columns["ZTEXT"]?.type == "VARCHAR")
        #expect(columns["ZEXTRA"]?.properties == ["Special.extra"])
        #expect(
            columns["Z_FOK_BOX"]?.properties == ["order of Box.items"] && columns["Z_PK"]?.properties == [])
        let reported = Set(report.tables.flatMap(\.columns).flatMap(\.properties))
        #expect(
            reported.isSuperset(of: [
                "Item.tags", "Tag.tagged", "Special.notes", "Item.friends", "Item.place",
            ]))
        #expect(try StoreSchemaReport.statements(of: zoo.url).contains { $0.contains("CREATE TABLE ZBOX") })
    }

    @Test("An export writes CSV and JSON lines")
    func exportWritesAFileOfEachForm() throws {
        let zoo = try ZooStore()
        var text = ""
        try StoreExport(zoo.open(), format: .csv).write("Tag") { text += $0 }
        let lines = text.split(separator: "\n")
        #expect(lines.first == "objectID,name,tagged" && lines.count == 4)
        #expect(lines.contains { $0.hasSuffix(",blue,") })
        text = ""
        try StoreExport(zoo.open(), format: .csv).write("Item") { text += $0 }
        #expect(text.contains("\"a \"\"quoted\"\"\n\u{1} text, 🦁 e\u{301}\""))
        text = ""
        try StoreExport(zoo.open(), format: .jsonl).write("Special") { text += $0 }
        guard case .object(let members) = try JSONValue(parsing: text) else {
            Issue.record("\(text)")
            return
        }
        #expect(members["extra"] == .string("more") && members["friends"] != nil && members["notes"] != nil)
        #expect(throws: StoreToolError.self) {
            try StoreExport(zoo.open(), format: .csv).fileName(of: "../x")
        }
    }

    /// A store that is open, with a log that is not in the file yet.
    @Test("Reading a store changes no byte of its files")
    func readingChangesNoByte() throws {
        let zoo = try ZooStore()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Zoo.model())
        try coordinator.addPersistentStore(type: .sqlite, at: zoo.url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue(
                "new", forKey: "name")
            try context.save()
        }
        // As it is when it was copied, or its owner was killed: a log without its index.
        let copy = zoo.folder.appending(path: "copy")
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        for name in ["Zoo.sqlite", "Zoo.sqlite-wal"] {
            try FileManager.default.copyItem(
                at: zoo.folder.appending(path: name), to: copy.appending(path: name))
        }
        func contents() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: copy.path)
            return Dictionary(
                try names.map { ($0, try Data(contentsOf: copy.appending(path: $0))) },
                uniquingKeysWith: { a, _ in a })
        }
        let before = try contents()
        #expect(before["Zoo.sqlite-wal"]?.isEmpty == false)
        let url = copy.appending(path: "Zoo.sqlite")
        #expect(try StoreReport(url).entities.first { $0.name == "Tag" }?.count == 4)
        #expect(try StoreCheck(url).findings() == [])
        var text = ""
        let source = try OpenStore(url, model: nil)
        _ = try StoreDump(source).write { text += $0 }
        #expect(text.contains("\"name\":\"new\""))
        #expect(try StoreQuery(source, entity: "Tag", predicate: "name == 'new'").count() == 1)
        _ = try StoreSchemaReport(source)
        _ = try StoreMetadata(url).values()
        _ = try ForeignTriggers.names(in: url)
        try StoreExport(source, format: .csv).write("Item") { _ in }
        try StoreComparison(source, try zoo.open()).forEachDifference { _ in }
        try source.close()
        #expect(try contents() == before)
    }
}
