import CoreData
import StoreTools
import TestSupport
import Testing

@Suite struct DumpTests {
    @Test("A dump has every type of value exactly")
    func everyTypeOfValueIsExact() throws {
        let zoo = try ZooStore()
        let dump = try zoo.dump()
        guard case .object(let members) = try JSONValue(parsing: dump.text),
            case .array(let entities)? = members["entities"]
        else {
            Issue.record("no dump: \(dump.text)")
            return
        }
        #expect(members["format"] == .string("coredata-dump") && members["version"] == .number("1"))
        #expect(
            members["metadata"]
                == .object([
                    "edition": .string("first"),
                    "seen": .object(["$date": .string("2001-01-01T00:00:01.5Z")]),
                ]))
        var objects: [String: [JSONValue]] = [:]
        for case .object(let entity) in entities {
            guard case .string(let name)? = entity["name"], case .array(let list)? = entity["objects"] else {
                continue
            }
            objects[name] = list
        }
        #expect(objects.mapValues(\.count) == ["Box": 2, "Item": 2, "Special": 1, "Tag": 3])
        let items = (objects["Item"] ?? []) + (objects["Special"] ?? [])
        let first = try #require(
            items.compactMap { value -> [String: JSONValue]? in
                guard case .object(let members) = value, members["uuid"] != .null else { return nil }
                return members
            }.first)
        #expect(first["int16"] == .number("-32768") && first["int32"] == .number("2147483647"))
        #expect(first["int64"] == .number("9223372036854775807") && first["flag"] == .bool(true))
        #expect(first["real"] == .number("0.1") && first["single"] == .number("0.10000000149011612"))
        #expect(first["date"] == .string("2000-12-31T23:59:59.876543211Z"))
        #expect(first["price"] == .string("12345.6789"))
        #expect(first["text"] == .string("a \"quoted\"\n\u{1} text, 🦁 e\u{301}"))
        #expect(first["link"] == .string("https://example.org/a?b=c"))
        #expect(first["uuid"] == .string("11111111-2222-3333-4444-555555555555"))
        #expect(first["bytes"] == .string("AAEC/w=="))
        #expect(first["external"] == .string(Data(repeating: 7, count: 300).base64EncodedString()))
        #expect(first["place"] == .object(["x": .number("1.5"), "y": .string("north")]))
        #expect(first["count"] == .number("7"))
        // The other end contains the members.
        #expect(first["lidOf"] == .null)
    }

    @Test("A dump makes a store with the same objects, order and relationships")
    func aDumpMakesTheSameStoreAgain() throws {
        let zoo = try ZooStore()
        let dump = try zoo.dump()
        #expect(dump.text.contains("\"opaque\":\"YnBsaXN0MDD/\""))
        let copy = zoo.folder.appending(path: "Copy.sqlite")
        #expect(try DumpImport(dump.url).make(copy, model: nil).count == 8)
        #expect(try zoo.dump(OpenStore(copy, model: nil), to: "second.json").text == dump.text)
        #expect(try StoreCheck(copy).findings() == [])
        #expect(
            try zoo.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'", in: copy) == 3.databaseValue
        )
        // Order, and what a to-many relationship without inverse has, seen through the framework itself.
        let container = try NSPersistentContainer(storeAt: copy, isReadOnly: true)
        container.loadPersistentStores { #expect($1 == nil) }
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Box")
            request.predicate = NSPredicate(format: "label == %@", "große Kiste")
            let box = try #require(try context.fetch(request).first)
            let items = try #require(box.value(forKey: "items") as? NSOrderedSet)
            #expect(
                items.map { ($0 as? NSManagedObject)?.value(forKey: "text") as? String }
                    == ["third", "a \"quoted\"\n\u{1} text, 🦁 e\u{301}", ""])
            let notes = (items[0] as? NSManagedObject)?.value(forKey: "notes") as? Set<NSManagedObject>
            #expect(Set((notes ?? []).compactMap { $0.value(forKey: "name") as? String }) == ["red", "blue"])
            let friends = (items[0] as? NSManagedObject)?.value(forKey: "friends") as? Set<NSManagedObject>
            #expect(friends?.count == 1)
            // New objects get unused keys.
            let lid = box.value(forKey: "lid") as? NSManagedObject
            #expect(lid?.value(forKey: "bytes") as? Data == Data() && lid?.value(forKey: "count") == nil)
        }
    }

    @Test("An import adds objects after those of the store")
    func objectsAreAddedBehindThoseThatAreThere() throws {
        let zoo = try ZooStore()
        let text = try zoo.dump().text.replacing("\"name\":\"red\"", with: "\"name\":\"dark red\"")
            .replacing("\"name\":\"green\"", with: "\"name\":\"dark green\"")
            .replacing("\"name\":\"blue\"", with: "\"name\":null")
        let file = try zoo.write(text, "more.json")
        let outcome = try DumpImport(file).add(to: zoo.url, model: nil)
        #expect(outcome.count == 8 && outcome.notices == [] && outcome.skippedRows == [])
        #expect(try StoreCheck(zoo.url).findings() == [])
        #expect(
            try StoreReport(zoo.url).entities.map { "\($0.name) \($0.count)" }
                == ["Box 4", "Item 4", "Special 2", "Tag 6"])
        let query = try StoreQuery(
            zoo.open(), entity: "Tag", predicate: "name == 'dark red'", properties: ["tagged", "name"])
        var found: [StoreQuery.Match] = []
        try query.forEachBatch { found += $0 }
        #expect(found.map(\.reference) == [ObjectReference(entity: "Tag", key: found[0].reference.key)])
        #expect(found[0].reference.key > 3)
        guard case .array(let tagged)? = found[0].values["tagged"] else {
            Issue.record("no list")
            return
        }
        #expect(
            tagged.count == 3 && tagged.allSatisfy { !["Item/1", "Item/2", "Item/3"].contains($0.plainText) })
    }

    @Test("An import into a store with a history is recorded in it")
    func anImportIsInTheHistory() throws {
        let zoo = try ZooStore()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Zoo.model())
        try coordinator.remove(
            try coordinator.addPersistentStore(
                type: .sqlite, at: zoo.url, options: [NSPersistentHistoryTrackingKey: true]))
        let more = try zoo.write(
            """
            {"format": "coredata-dump", "version": 1,
             "entities": [{"name": "Box", "objects": [{"objectID": "Box/1", "label": "new"}]}]}
            """, "more.json")
        #expect(try DumpImport(more).add(to: zoo.url, model: nil).count == 1)
        #expect(try zoo.value("SELECT ZENTITYPK FROM ACHANGE") == 3.databaseValue)
        #expect(try zoo.value("SELECT count(*) FROM ATRANSACTION") == 1.databaseValue)
        #expect(try StoreReport(zoo.url).historyTransactionCount == 1)
    }

    @Test("A failed import leaves the store unchanged and makes no file")
    func aFailedImportChangesNothing() throws {
        let zoo = try ZooStore()
        // The constraint on the names of tags is violated.
        let dump = try zoo.dump()
        #expect(throws: (any Error).self) { try DumpImport(dump.url).add(to: zoo.url, model: nil) }
        #expect(try zoo.dump(to: "after.json").text == dump.text)
        #expect(try zoo.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Box'") == 2.databaseValue)
        let place = zoo.folder.appending(path: "New.sqlite")
        let broken = try zoo.write(
            dump.text.replacing("\"label\":\"empty\"", with: "\"label\":5"), "broken.json")
        #expect(throws: (any Error).self) { try DumpImport(broken).make(place, model: nil) }
        let names = try FileManager.default.contentsOfDirectory(atPath: zoo.folder.path)
        #expect(!names.contains { $0.contains("New.sqlite") }, "\(names)")
    }

    /// SQLite would take what is in it for the new store's own.
    @Test("An import refuses a leftover log of another store", arguments: ["-wal", "-shm", "-journal"])
    func aLogOfAnotherStoreIsInTheWay(_ suffix: String) throws {
        let zoo = try ZooStore()
        let dump = try zoo.dump()
        let place = zoo.folder.appending(path: "New.sqlite")
        let log = try zoo.write("what is left", "New.sqlite\(suffix)")
        #expect {
            try DumpImport(dump.url).make(place, model: nil)
        } throws: {
            $0.localizedDescription.contains("New.sqlite\(suffix)")
        }
        #expect(!FileManager.default.fileExists(atPath: place.path))
        #expect(try Data(contentsOf: log) == Data("what is left".utf8))
        try FileManager.default.removeItem(at: log)
        #expect(try DumpImport(dump.url).make(place, model: nil).count == 8)
        let names = try FileManager.default.contentsOfDirectory(atPath: zoo.folder.path)
        #expect(!names.contains { $0.hasPrefix(".New") }, "\(names)")
    }

    @Test(
        "A member that must come before the objects of a dump is refused by name",
        arguments: [
            (#"{"entities": [], "format": "coredata-dump", "version": 1}"#, "'format'"),
            (#"{"format": "coredata-dump", "entities": [], "version": 1}"#, "'version'"),
            (
                #"{"format": "coredata-dump", "version": 1, "entities": [], "metadata": {"a": 1}}"#,
                "'metadata'"
            ),
        ])
    func membersAfterTheObjects(_ text: String, _ name: String) throws {
        let zoo = try ZooStore()
        let file = try zoo.write(text, "sorted.json")
        #expect {
            try DumpImport(file).make(zoo.folder.appending(path: "New.sqlite"), model: Zoo.model())
        } throws: {
            let message = $0.localizedDescription
            return message.contains(name) && message.contains("before 'entities'")
        }
    }

    @Test("A dump notes history, foreign tables and rows that it leaves out")
    func omissionsAreNoted() throws {
        let zoo = try ZooStore()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Zoo.model())
        let store = try coordinator.addPersistentStore(
            type: .sqlite, at: zoo.url, options: [NSPersistentHistoryTrackingKey: true])
        #expect(try StoreDump(zoo.open()).write { _ in } == [])
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue(
                "x", forKey: "name")
            try context.save()
        }
        try coordinator.remove(store)
        try zoo.sql("CREATE TABLE ZZEBRA (a); CREATE TABLE EMPTY (a); INSERT INTO ZZEBRA VALUES (1)")
        let notices = try StoreDump(zoo.open()).write { _ in }
        #expect(notices.count == 2 && notices[0].contains("has 1 transaction."), "\(notices)")
        #expect(notices.last?.hasSuffix(": ZZEBRA.") == true)
        try zoo.sql("UPDATE ZITEM SET Z_ENT = 77 WHERE Z_PK = (SELECT MIN(Z_PK) FROM ZITEM)")
        let more = try StoreDump(zoo.open()).write { _ in }
        #expect(more.count == 3 && more[2].hasSuffix("of none of its entities are not part of the dump: 1."))
        // In a table of one entity the number is not read.
        var lines: [String] = []
        try zoo.sql("UPDATE ZTAG SET Z_ENT = 77 WHERE Z_PK = 1")
        #expect(try StoreDump(zoo.open()).write { lines.append("\($0)") } == more)
        #expect(lines.joined().contains("\"Tag\""))
    }

    @Test("A model reconstructed from tables is not part of the dump")
    func aModelThatWasMadeFromTablesIsNotDumped() throws {
        let zoo = try ZooStore()
        try zoo.sql("DROP TABLE Z_MODELCACHE")
        let source = try zoo.open()
        #expect(source.notices.count == 1)
        var text = ""
        _ = try StoreDump(source).write { text += $0 }
        try source.close()
        #expect(!text.contains("\"model\""))
        let file = try zoo.write(text, "dump.json")
        #expect {
            try DumpImport(file).make(zoo.folder.appending(path: "New.sqlite"), model: nil)
        } throws: {
            $0.localizedDescription.contains("--model")
        }
        #expect(try OpenStore(zoo.url, model: Zoo.model()).notices == [])
    }

    /// They would come back as other values.
    @Test(
        "A value of the wrong type is neither dumped, exported nor listed",
        arguments: [
            ("ZTEXT = x'4142'", "text"), ("ZTEXT = CAST(x'61FF62' AS TEXT)", "text"),
            ("ZDATE = 'today'", "date"),
            ("ZINT32 = 'many'", "int32"), ("ZLINK = x'00'", "link"),
        ])
    func valuesOfOtherTypesAreNotDumped(_ change: String, _ property: String) throws {
        let zoo = try ZooStore()
        try zoo.sql("UPDATE ZITEM SET \(change) WHERE ZUUID NOT NULL")
        let source = try zoo.open()
        #expect {
            _ = try StoreDump(source).write { _ in }
        } throws: {
            $0.localizedDescription.hasPrefix("Item/1, '\(property)' (column Z")
        }
        // Nor reported in any other way.
        for format in StoreExport.Format.allCases {
            #expect(throws: StoreToolError.self) {
                try StoreExport(source, format: format).write("Item") { _ in }
            }
        }
        #expect(throws: StoreToolError.self) {
            try StoreListing(source, entities: ["Item"]).forEachObject { _, _, _ in }
        }
        #expect {
            try StoreQuery(source, entity: "Item").forEachBatch { _ in }
        } throws: {
            $0.localizedDescription.hasPrefix("Item/1, '\(property)'")
        }
        // What is asked for is all that counts.
        var count = 0
        try StoreQuery(source, entity: "Item", properties: ["int16"]).forEachBatch { count += $0.count }
        try StoreQuery(source, entity: "Special").forEachBatch { count += $0.count }
        #expect(count == 4)
    }

    @Test("An import does not write through a dangling symbolic link")
    func danglingSymbolicLink() throws {
        let zoo = try ZooStore()
        let dump = try zoo.dump()
        let place = zoo.folder.appending(path: "New.sqlite")
        let target = zoo.folder.appending(path: "Nowhere.sqlite")
        try FileManager.default.createSymbolicLink(at: place, withDestinationURL: target)
        #expect(throws: StoreToolError.self) { try DumpImport(dump.url).make(place, model: nil) }
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    @Test(
        "An import refuses what does not fit the model, and names it",
        arguments: [
            (#""flag":true"#, #""flag":"yes""#, "Item/1, 'flag': a number is expected, not a string"),
            (#""int16":-32768"#, #""int16":1.5"#, "'1.5' is not a whole number"),
            (#""price":"12345.6789""#, #""price":"12,5""#, "a decimal number is expected"),
            (#""uuid":"1111"#, #""uuid":"x1111"#, "a UUID is expected"),
            (#""bytes":"AAEC"#, #""bytes":"*""#, ""),
            (#""text":"third""#, #""txt":"third""#, "no stored property named 'txt'"),
            (#""text":"third""#, #""lidOf":"Box/1""#, "occurs twice"),
            (#""box":"Box/1""#, #""box":"Tag/1""#, "'box': Tag/1 is not a Box"),
            (#""name":"red""#, #""name":5"#, "a string is expected, not a number"),
            (#""x":1.5"#, #""z":1.5"#, "there is no element named 'z'"),
            (#"{"objectID":"Tag/1""#, #"{"objectID":"Tag/2""#, "constraint"),
            (#"{"objectID":"Tag/1""#, #"{"objectID":"Tag/9223372036854775807""#, "the key is too large"),
            (#"{"objectID":"Tag/1""#, #"{"objectID":"Box/1""#, "stands among the objects of Tag"),
            (#"{"name":"Tag","objects""#, #"{"name":"Tug","objects""#, "stands among the objects of Tug"),
            (#""format":"coredata-dump""#, #""format":"x""#, "it is not a dump"),
            (#""version":1"#, #""version":2"#, "version"),
            (#""model":"#, #""model":"AAAA","more":"#, "a dump has no member 'more'"),
        ])
    func unsuitableValuesAreNamed(_ old: String, _ new: String, _ message: String) throws {
        let zoo = try ZooStore()
        let text = try zoo.dump().text
        #expect(text.contains(old))
        let file = try zoo.write(text.replacing(old, with: new, maxReplacements: 1), "changed.json")
        #expect {
            try DumpImport(file).make(zoo.folder.appending(path: "New.sqlite"), model: nil)
        } throws: {
            message.isEmpty || $0.localizedDescription.contains(message)
        }
    }

    @Test("A cut or changed dump is refused or makes a sound store")
    func cutAndFlippedDumpsAreErrorsOrStores() throws {
        let zoo = try ZooStore()
        let bytes = Array(try zoo.dump().text.utf8)
        // Behind the archive of the model, of which the corpus of models has tests of its own.
        let start = try #require(bytes.firstRange(of: Array("\"metadata\"".utf8))).lowerBound
        var numbers = SeededNumbers(seed: 11)
        var refused = 0
        for round in 0..<60 {
            var changed = bytes
            if round % 3 == 0 {
                changed.removeLast(Int.random(in: 1..<(bytes.count - start), using: &numbers))
            } else {
                changed[Int.random(in: start..<bytes.count, using: &numbers)] = UInt8.random(
                    in: 0...255, using: &numbers)
            }
            let file = zoo.folder.appending(path: "fuzzed.json")
            try Data(changed).write(to: file)
            let place = zoo.folder.appending(path: "Fuzzed-\(round).sqlite")
            do {
                _ = try DumpImport(file).make(place, model: nil)
                #expect(!(try StoreCheck(place).findings().contains { $0.severity == .error }))
            } catch {
                refused += 1
                #expect(!FileManager.default.fileExists(atPath: place.path))
            }
        }
        #expect(refused > 25)
    }

    @Test("An import computes derived values anew")
    func derivedValuesAreComputedAgain() throws {
        let zoo = try ZooStore(derived: true)
        let dump = try zoo.dump()
        #expect(dump.text.contains(#""shout":"GROSSE KISTE""#) && dump.text.contains(#""size":3"#))
        let wrong = try zoo.write(
            dump.text.replacing(#""size":3"#, with: #""size":99"#).replacing("GROSSE", with: "KLEINE"),
            "wrong.json")
        let copy = zoo.folder.appending(path: "Copy.sqlite")
        _ = try DumpImport(wrong).make(copy, model: nil)
        #expect(try zoo.dump(OpenStore(copy, model: nil), to: "second.json").text == dump.text)
    }
}
