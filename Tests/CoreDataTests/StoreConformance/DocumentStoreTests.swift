import CoreData
import Foundation
import TestSupport
import Testing

/// Stores that are read and written as a whole.
struct DocumentStoreTests {
    private func filled(_ kind: StoreKind) throws -> ConformanceStore {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open()
        try coordinator.inContext { context in
            try ConformanceModel.fill(context)
            try context.save()
        }
        try coordinator.close()
        return store
    }

    // MARK: Text

    @Test("An XML store is written in the format of Apple's framework")
    func textOfAnXMLStore() throws {
        let store = try filled(.xml)
        let text = try String(contentsOf: store.url, encoding: .utf8)
        #expect(
            text.contains(
                "<!DOCTYPE database SYSTEM \"file:///System/Library/DTDs/CoreData.dtd\">\n\n<database>\n    <databaseInfo>"
            ))
        #expect(text.contains("<version>134481920</version>"))
        #expect(text.contains("<object type=\"MANAGER\" id=\"z"))
        #expect(text.contains("<attribute name=\"bonus\" type=\"int64\">7</attribute>"))
        #expect(text.contains("<attribute name=\"active\" type=\"bool\">1</attribute>"))
        #expect(text.contains("<attribute name=\"age\" type=\"int32\">85</attribute>"))
        #expect(
            text.contains("<relationship name=\"team\" type=\"0/1\" destination=\"TEAM\"></relationship>"))
        #expect(
            text.contains("<relationship name=\"members\" type=\"0/0\" destination=\"PERSON\" idrefs=\"z"))
        #expect(!text.contains(NSStoreTypeKey) && text.contains("<key>NSStoreModelVersionHashes</key>"))
        let raw = try RawXMLStore(Data(contentsOf: store.url))
        #expect(raw.objects.count == 9)
        #expect(Set(raw.order.map { Int($0.dropFirst()) ?? 0 }) == Set(102...110))
        #expect(raw.nextObjectID == "110")
    }

    @Test("A binary store is written in the format of Apple's framework")
    func headerOfABinaryStore() throws {
        let store = try filled(.binary)
        let data = try Data(contentsOf: store.url)
        #expect(data.prefix(16) == Data("CoreData".utf8) + Data([0, 0, 0, 1, 8, 4, 8, 0]))
        let raw = try RawBinaryStore(data)
        #expect(raw.nodes.count == 9 && raw.lastNumber == 9)
        #expect(raw.metadata[NSStoreTypeKey] as? String == "Binary")
        let ada = raw.nodes.values.first { $0.values.contains(.text("Ada")) }
        #expect(
            ada?.values == [.number(1), .number(36), nil, .text("Ada"), nil, .number(4), nil, nil, nil, nil])
        #expect(ada?.related["chores"]?.count == 3)
    }

    // MARK: Saving

    @Test("A save that cannot replace the file fails and changes nothing", arguments: StoreKind.documents)
    func saveThatCannotBeWritten(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let before = try Data(contentsOf: store.url)
        let coordinator = try store.open()
        try coordinator.inContext { context in
            let alan = try context.person("Alan")
            alan.setValue("changed", forKey: "name")
            alan.setValue(nil, forKey: "team")
            context.delete(try context.person("Grace"))
            // A folder in the place of the file cannot be replaced.
            try FileManager.default.removeItem(at: store.url)
            try FileManager.default.createDirectory(at: store.url, withIntermediateDirectories: false)
            let found = try error { try context.save() }
            #expect(found.code == 134030)
            #expect(context.hasChanges)
            #expect(try store.folder.names == [store.url.lastPathComponent])
            #expect(try coordinator.inContext { try $0.people() } == ["Ada", "Alan", "Grace"])
            #expect(
                try coordinator.inContext { try $0.only("Team").destinationNames("members").sorted() } == [
                    "Ada", "Alan",
                ])
            try FileManager.default.removeItem(at: store.url)
            try before.write(to: store.url)
            try context.save()
        }
        try coordinator.close()
        #expect(try store.open().inContext { try $0.people() } == ["Ada", "changed"])
    }

    @Test("A custom atomic store whose save fails keeps its nodes and saves later")
    func customStoreThatCannotSave() throws {
        let store = try ConformanceStore(.atomic)
        let coordinator = try store.open()
        let custom = try #require(coordinator.persistentStores[0] as? PropertyListStore)
        try coordinator.inContext { context in
            try ConformanceModel.fill(context)
            custom.failure = CocoaError(.fileWriteOutOfSpace) as NSError
            #expect(try error { try context.save() }.code == NSFileWriteOutOfSpaceError)
            #expect(custom.cacheNodes().isEmpty)
            try context.save()
            #expect(custom.cacheNodes().count == 9)
            context.delete(try context.person("Ada"))
            try context.save()
            #expect(custom.removedNodes == 4 && custom.cacheNodes().count == 5)
            let alan = try context.person("Alan").objectID
            let node = try #require(custom.cacheNode(for: alan))
            #expect(node.value(forKey: "name") as? String == "Alan")
            #expect(
                custom.objectID(for: alan.entity, withReferenceObject: custom.referenceObject(for: alan))
                    == alan)
            #expect(
                (node.value(forKey: "team") as? NSAtomicStoreCacheNode)?.value(forKey: "name") as? String
                    == "Enigma")
        }
    }

    @Test("A save refuses cache nodes and reference objects of other objects")
    func foreignNodesAreRefused() throws {
        let store = try ConformanceStore(.atomic)
        let coordinator = try store.open()
        let custom = try #require(coordinator.persistentStores[0] as? PropertyListStore)
        try coordinator.inContext { context in
            let first = try context.insert("Team", ["name": "first"])
            custom.reference = "same"
            try context.save()
            _ = try context.insert("Team", ["name": "second"])
            custom.nodeID = first.objectID
            custom.reference = nil
            let foreign = try error { try context.save() }
            #expect(foreign.code == 134060 && foreign.localizedDescription.contains("newCacheNode"))
            custom.nodeID = nil
            try context.save()
            custom.reference = "another"
            for _ in 0..<2 { _ = try context.insert("Team") }
            let twins = try error { try context.save() }
            #expect(twins.code == 134060 && twins.localizedDescription.contains("the ID of another object"))
            #expect(custom.cacheNodes().count == 2)
        }
        try coordinator.close()
        #expect(
            try store.open().inContext {
                try $0.all("Team", by: "name").map { $0.value(forKey: "name") as? String }
            }
                == ["first", "second"])
    }

    @Test("A save keeps the file's mode and a symbolic link to it", arguments: StoreKind.documents)
    func fileKeepsModeAndLink(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let link = store.folder.url.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: store.url)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: store.url.path)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ConformanceModel.make())
        try coordinator.addPersistentStore(type: kind.type, at: link)
        try coordinator.inContext { context in
            _ = try context.insert("Team")
            try context.save()
        }
        let mode =
            try FileManager.default.attributesOfItem(atPath: store.url.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == store.url.path)
        #expect(try store.open().inContext { try $0.all("Team").count } == 2)
    }

    @Test("Several stores in memory are separate")
    func severalStoresInMemory() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ConformanceModel.make())
        let first = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let second = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        #expect(first.identifier != second.identifier)
        try coordinator.inContext { context in
            let team = try context.insert("Team", ["name": "second"])
            context.assign(team, to: second)
            try context.save()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
            request.affectedStores = [first]
            #expect(try context.count(for: request) == 0)
            request.affectedStores = [second]
            #expect(try context.count(for: request) == 1)
        }
    }

    @Test("An empty file is opened as a new store")
    func emptyFileIsANewStore() throws {
        for kind in StoreKind.documents {
            let store = try ConformanceStore(kind)
            try Data().write(to: store.url)
            #expect(try store.open().inContext { try $0.people() } == [])
            #expect(try Data(contentsOf: store.url).count > 100)
        }
    }

    @Test("Metadata of every type is kept over several saves", arguments: StoreKind.documents)
    func metadataOfEveryKind(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        let coordinator = try store.open()
        let values: [String: Any] = [
            "text": "  a\n\n   b\r\nc\r \t<&>\"' ]]> \u{1F600}  ", "blank": " \n ", "empty": "",
            " key\n of <two> lines ": 1, "data": Data([0, 1, 255]), "real": 0.1, "truth": true,
            "date": Date(timeIntervalSinceReferenceDate: 1000), "least": Int64.min,
            "list": ["a", ["b": [1, 2.5, false]]] as [Any], "none": [Any](), "nothing": [String: Any](),
        ]
        for round in 0..<3 {
            let opened = round == 0 ? coordinator : try store.open()
            let first = opened.persistentStores[0]
            if round == 0 {
                opened.setMetadata(
                    opened.metadata(for: first).merging(values) { $1 }, for: first)
            }
            let metadata = opened.metadata(for: first)
            for (key, value) in values {
                #expect(
                    NSArray(array: [metadata[key] ?? NSNull()]) == NSArray(array: [value]),
                    "\(key): \(String(describing: metadata[key])) in round \(round)")
            }
            try opened.inContext { context in
                _ = try context.insert("Team")
                try context.save()
            }
            try opened.close()
        }
    }

    @Test(
        "Metadata that the format cannot hold fails the save and leaves the file",
        arguments: StoreKind.documents)
    func invalidMetadata(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let before = try Data(contentsOf: store.url)
        var deep: Any = 1
        for _ in 0..<(kind == .xml ? 100 : 600) { deep = [deep] }
        var values: [String: Any] = ["nothing": NSNull(), "deep": deep]
        if kind == .xml {
            values[NSStoreUUIDKey] = ""
            values["control"] = "a\u{1}b"
            values["noncharacter"] = "a\u{FFFF}"
            values["infinity"] = Double.infinity
        }
        for (key, value) in values {
            let coordinator = try store.open()
            let opened = coordinator.persistentStores[0]
            var metadata = coordinator.metadata(for: opened)
            metadata[key] = value
            coordinator.setMetadata(metadata, for: opened)
            try coordinator.inContext { context in
                _ = try context.insert("Team")
                #expect(try error { try context.save() }.code == 134030, "\(key)")
            }
            #expect(try Data(contentsOf: store.url) == before, "\(key)")
            let found = try error {
                try NSPersistentStoreCoordinator.setMetadata(metadata, type: kind.type, at: store.url)
            }
            #expect(found.code == 134030, "\(key)")
            #expect(try Data(contentsOf: store.url) == before, "\(key)")
            try coordinator.close()
        }
    }

    @Test("An XML store refuses a decimal that is not a number")
    func decimalThatIsNaN() throws {
        let store = try filled(.xml)
        let coordinator = try store.open()
        try coordinator.inContext { context in
            try context.person("Ada").setValue(NSDecimalNumber.notANumber, forKey: "wage")
            #expect(try error { try context.save() }.code == 134030)
        }
        try coordinator.close()
        #expect(try store.open().inContext { try $0.people() } == ["Ada", "Alan", "Grace"])
    }

    @Test("A migration to a store with duplicate reference objects is refused")
    func duplicateReferencesAreRefused() throws {
        let coordinator = try filled(.xml).open()
        let type = NSPersistentStore.StoreType(rawValue: "Twins \(UUID().uuidString)")
        NSPersistentStoreCoordinator.registerStoreClass(TwinStore.self, type: type)
        defer { NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: type.rawValue) }
        let target = try ConformanceStore(.atomic)
        let found = try error {
            try coordinator.migratePersistentStore(
                coordinator.persistentStores[0], to: target.url, type: type)
        }
        #expect(found.code == 134070 && found.localizedDescription.contains("same reference object"))
        #expect(try coordinator.inContext { try $0.people() } == ["Ada", "Alan", "Grace"])
    }

    // MARK: Bad files

    @Test("A pipe in place of the file is refused", arguments: StoreKind.documents)
    func otherKindsOfFiles(_ kind: StoreKind) throws {
        let store = try ConformanceStore(kind)
        #expect(mkfifo(store.url.path, 0o600) == 0)
        let pipe = try error { _ = try store.open() }
        #expect(pipe.code == 134080 && pipe.localizedDescription.contains("regular"))
        let reading = try error {
            _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: kind.type, at: store.url)
        }
        #expect(reading.code == 134080)
    }

    @Test("A file of another store type is refused")
    func filesOfOtherTypes() throws {
        let kinds: [StoreKind] = [.xml, .binary, .sqlite]
        for file in kinds {
            let store = try filled(file)
            for kind in StoreKind.documents where kind != file {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ConformanceModel.make())
                let found = try error { try coordinator.addPersistentStore(type: kind.type, at: store.url) }
                #expect(found.code == 134010, "\(file) as \(kind)")
            }
        }
    }

    @Test(
        "A truncated or changed file gives an error or a store, and stays unchanged",
        arguments: StoreKind.documents)
    func damagedFiles(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let bytes = try Data(contentsOf: store.url)
        var numbers = Fuzzing.numbers(seed: 20)
        var refusals = 0
        let rounds = Fuzzing.rounds(150)
        for round in 0..<rounds {
            var changed = bytes
            if round % 3 == 0 {
                changed = bytes.prefix(Int.random(in: 1..<bytes.count, using: &numbers))
            } else {
                for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                    changed[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(
                        in: 0...255, using: &numbers)
                }
            }
            try changed.write(to: store.url)
            do {
                let coordinator = try store.open()
                try coordinator.inContext { context in
                    for object in try context.all("Person") {
                        _ = object.value(forKey: "name")
                        _ = object.value(forKey: "team")
                        _ = object.destinationNames("chores", "title")
                    }
                }
                try coordinator.close()
            } catch {
                refusals += 1
                let code = (error as NSError).code
                #expect([NSFileReadCorruptFileError, 134010, 134020, 134100].contains(code), "\(error)")
            }
            #expect(try Data(contentsOf: store.url) == changed)
        }
        #expect(refusals > rounds / 3)
    }

    @Test(
        "Hostile XML is refused, and the file stays unchanged",
        arguments: [
            "<database>", "<database><object/></database>",
            "<database><databaseInfo><UUID>a</UUID><nextObjectID>9223372036854775806</nextObjectID></databaseInfo></database>",
            "<!DOCTYPE database [<!ENTITY a \"b\">]><database/>",
            "<?xml version=\"1.0\"?><other></other>",
            "<database><databaseInfo><UUID>a</UUID><nextObjectID>x</nextObjectID></databaseInfo></database>",
            "<database><databaseInfo><UUID>a</UUID><nextObjectID>1</nextObjectID></databaseInfo><object type=\"TEAM\" id=\"7\"></object></database>",
            "<database><databaseInfo><UUID>a</UUID><nextObjectID>1</nextObjectID></databaseInfo><object type=\"TEAM\" id=\"z1\"></object><object type=\"TEAM\" id=\"z1\"></object></database>",
            "<database><databaseInfo><UUID>a</UUID><nextObjectID>1</nextObjectID></databaseInfo><object type=\"TEAM\" id=\"z1\"><relationship name=\"members\" idrefs=\"z9\"/></object></database>",
            "<database><databaseInfo><UUID>a</UUID><nextObjectID>1</nextObjectID></databaseInfo><object type=\"PERSON\" id=\"z1\"><attribute name=\"age\" type=\"int32\">99999999999</attribute></object></database>",
            "<database><databaseInfo><UUID>a</UUID><nextObjectID>1</nextObjectID></databaseInfo><object type=\"UNKNOWN\" id=\"z1\"></object></database>",
            "<database><databaseInfo><UUID>a</UUID><nextObjectID>1</nextObjectID></databaseInfo></database><more/>",
            "<database><databaseInfo><UUID>a</UUID><nextObjectID>1</nextObjectID><metadata><plist><array/></plist></metadata></databaseInfo></database>",
        ])
    func hostileXML(_ text: String) throws {
        let store = try ConformanceStore(.xml)
        try Data(text.utf8).write(to: store.url)
        let found = try error { _ = try store.open() }
        #expect([NSFileReadCorruptFileError, 134010, 134020].contains(found.code), "\(found)")
        #expect(try String(contentsOf: store.url, encoding: .utf8) == text)
    }

    // MARK: Values

    @Test("An archive that cannot be decoded is kept by a save")
    func unknownArchiveIsKept() throws {
        let store = try ConformanceStore(.xml)
        let coordinator = try store.open()
        try coordinator.inContext { context in
            _ = try context.insert("Person", ["name": "x", "tags": ["a"] as NSArray])
            try context.save()
        }
        try coordinator.close()
        let archive = Data("no archive".utf8).base64EncodedString()
        var text = try String(contentsOf: store.url, encoding: .utf8)
        let range = try #require(text.firstRange(of: /<attribute name="tags" type="binary">[^<]*/))
        text.replaceSubrange(range, with: "<attribute name=\"tags\" type=\"binary\">\(archive)")
        try Data(text.utf8).write(to: store.url)
        let again = try store.open()
        try again.inContext { context in
            let person = try context.person("x")
            #expect(person.value(forKey: "tags") == nil)
            person.setValue(3, forKey: "age")
            try context.save()
        }
        #expect(try String(contentsOf: store.url, encoding: .utf8).contains(archive))
    }

    @Test("A document store evaluates predicates over relationships and subqueries in memory")
    func memoryPredicates() throws {
        let coordinator = try filled(.xml).open()
        try coordinator.inContext { context in
            #expect(try context.people("chores.@count == 3") == ["Ada"])
            #expect(try context.people("ANY skills.name == %@", ["ships"]) == ["Grace"])
            #expect(
                try context.people("SUBQUERY(skills, $s, $s.name == %@).@count > 0", ["mathematics"]).count
                    == 3)
            let team = try context.only("Team")
            #expect(try context.people("team == %@", [team]) == ["Ada", "Alan"])
            #expect(try context.people("team == %@", [team.objectID]) == ["Ada", "Alan"])
            #expect(try context.people("SELF IN %@", [[try context.person("Ada")]]) == ["Ada"])
            let subquery = try error {
                _ = try context.people("SUBQUERY(skills, $s, $s.nothing == 1).@count > 0")
            }
            #expect(subquery.code == 134060)
        }
    }
}

/// A store whose objects all have one reference object.
private final class TwinStore: NSAtomicStore, @unchecked Sendable {
    override func newReferenceObject(for managedObject: NSManagedObject) -> Any { "twin" }
    override func load() throws {}
    override func save() throws {}
}

/// The calls to incremental stores, and their times.
struct IncrementalStoreTests {
    private func filled() throws -> (NSPersistentStoreCoordinator, Service) {
        let store = try ConformanceStore(.incremental)
        let coordinator = try store.open()
        try coordinator.inContext { context in
            try ConformanceModel.fill(context)
            try context.save()
        }
        try coordinator.close()
        let again = try store.open()
        return (again, Service.at(store.url))
    }

    @Test("An incremental store loads each object and relationship once")
    func faultsAreLoadedOnce() throws {
        let (coordinator, service) = try filled()
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Skill")
            let skills = try context.fetch(request)
            #expect(service.loads == 0 && skills.allSatisfy(\.isFault))
            for skill in skills { _ = skill.value(forKey: "name") }
            #expect(service.loads == 2)
            #expect(service.relationshipLoads == 0)
            #expect(skills.map { $0.destinationNames("people").count }.sorted() == [1, 3])
            let count = service.relationshipLoads
            #expect(skills.map { $0.destinationNames("people").count }.sorted() == [1, 3])
            #expect(service.relationshipLoads == count)
        }
        // The row cache has them.
        let loads = service.loads
        try coordinator.inContext { context in
            for skill in try context.all("Skill") { _ = skill.value(forKey: "name") }
        }
        #expect(service.loads == loads)
    }

    @Test("A fetch of an entity with subentities from an incremental store loads no values")
    func fetchLoadsNothing() throws {
        let (coordinator, service) = try filled()
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let people = try context.fetch(request)
            #expect(people.map(\.entity.name) == ["Person", "Person", "Manager"])
            #expect(service.loads == 0 && people.allSatisfy(\.isFault))
        }
    }

    @Test("Conflicts that an incremental store reports fail the save")
    func conflictsReportedByTheStore() throws {
        let (coordinator, service) = try filled()
        try coordinator.inContext { context in
            context.mergePolicy = NSMergePolicy.overwrite
            let team = try context.insert("Team", ["name": "new"])
            let alan = try context.person("Alan")
            alan.setValue(1, forKey: "age")
            let before = service.saves
            service.conflicting = [team, alan]
            let found = try error { try context.save() }
            #expect(found.code == 133020 && found.domain == "Service")
            #expect(service.saves == before + 1)
            service.conflicting = []
            try context.save()
        }
    }

    @Test("An incremental store is notified of registered and unregistered objects")
    func registeredObjects() throws {
        let (coordinator, service) = try filled()
        let context = coordinator.context()
        try context.performAndWait {
            let skills = try context.all("Skill")
            #expect(skills.count == 2)
            #expect(service.registered.values.filter { $0 > 0 }.count == 2)
            withExtendedLifetime(skills) {}
        }
        #expect(service.registered.values.allSatisfy { $0 == 0 })
    }

    @Test("Errors of an incremental store are thrown by fetches and saves")
    func storeErrors() throws {
        let (coordinator, service) = try filled()
        try coordinator.inContext { context in
            service.failure = CocoaError(.coderReadCorrupt) as NSError
            #expect(try error { _ = try context.people() }.code == NSCoderReadCorruptError)
            try context.person("Alan").setValue(1, forKey: "age")
            service.failure = CocoaError(.fileWriteOutOfSpace) as NSError
            #expect(try error { try context.save() }.code == NSFileWriteOutOfSpaceError)
            #expect(context.hasChanges)
            try context.save()
            #expect(!context.hasChanges)
        }
    }

    @Test("Reference objects keep their type after their URI was read first")
    func referenceObjectsAsStrings() throws {
        let (coordinator, _) = try filled()
        let store = try #require(coordinator.persistentStores[0] as? NSIncrementalStore)
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Team"])
        let references: [Any] = [UUID(), "42", "007", NSNumber(value: 7), "+7", "text"]
        for reference in references {
            let text = "x-coredata://\(store.identifier ?? "")/Team/p\(reference)"
            let uri = try #require(URL(string: text))
            let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
            #expect(id.uriRepresentation() == uri)
            #expect(store.newObjectID(for: entity, referenceObject: reference) == id, "\(reference)")
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == id)
            #expect(type(of: store.referenceObject(for: id)) == type(of: reference), "\(reference)")
        }
        let ids = references.map { store.newObjectID(for: entity, referenceObject: $0) }
        #expect(Set(ids).count == references.count)
    }

    @Test("Reference objects have URIs that lead back to them")
    func referenceObjects() throws {
        let (coordinator, _) = try filled()
        let store = try #require(coordinator.persistentStores[0] as? NSIncrementalStore)
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Team"])
        let id = store.newObjectID(for: entity, referenceObject: "a b/c")
        #expect(id.uriRepresentation().absoluteString.hasSuffix("/Team/pa%20b/c"))
        #expect(coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()) == id)
        #expect(store.referenceObject(for: id) as? String == "a b/c")
        #expect(store.newObjectID(for: entity, referenceObject: "a b/c") == id)
        #expect(store.newObjectID(for: entity, referenceObject: "other") != id)
    }
}

/// The classes of types of stores.
struct StoreTypeTests {
    @Test("A store class can be registered and unregistered")
    func registeredTypes() throws {
        let types = NSPersistentStoreCoordinator.registeredStoreTypes
        #expect(Set(types.keys).isSuperset(of: ["SQLite", "XML", "Binary", "InMemory"]))
        let name = "Passing \(UUID().uuidString)"
        NSPersistentStoreCoordinator.registerStoreClass(PropertyListStore.self, forStoreType: name)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[name] != nil)
        NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: name)
        #expect(NSPersistentStoreCoordinator.registeredStoreTypes[name] == nil)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ConformanceModel.make())
        let found = try error {
            try coordinator.addPersistentStore(
                ofType: name, configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
        }
        #expect(found.code == 134000 && found.localizedDescription.contains(name))
    }

    @Test("Store types have the names of Apple's framework")
    func typeNames() {
        #expect(NSPersistentStore.StoreType.xml.rawValue == "XML")
        #expect(NSPersistentStore.StoreType.binary.rawValue == "Binary")
        #expect(NSPersistentStore.StoreType.inMemory.rawValue == "InMemory")
    }
}
