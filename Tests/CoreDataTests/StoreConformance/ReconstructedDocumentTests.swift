import CoreData
import Foundation
import TestSupport
import Testing

/// XML and binary stores whose model is not at hand: one is made from their objects, and they are read with it.
@Suite struct ReconstructedDocumentTests {
    private static let kinds = StoreKind.documents

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

    private func reconstructed(_ store: ConformanceStore) throws -> NSManagedObjectModel {
        try NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
            ofType: store.kind.type.rawValue, at: store.url)
    }

    /// An XML store of these objects, in a folder that is removed with it.
    private func document(_ objects: String, entities: [String] = []) throws -> ConformanceStore {
        let store = try ConformanceStore(.xml)
        let hashes = entities.map { "<key>\($0)</key><data>AAAA</data>" }.joined()
        try Data(
            """
            <?xml version="1.0" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
            <database><databaseInfo><version>134481920</version><UUID>6F1ED002-AB55-4A9C-8F0C-000000000001</UUID>
            <nextObjectID>200</nextObjectID><metadata><plist version="1.0"><dict>
            <key>NSStoreModelVersionHashes</key><dict>\(hashes)</dict></dict></plist></metadata></databaseInfo>
            \(objects)</database>
            """.utf8
        ).write(to: store.url)
        return store
    }

    private func link(_ name: String, _ destination: String, _ ids: String, _ type: String = "0/0") -> String
    {
        "<relationship name=\"\(name)\" type=\"\(type)\" destination=\"\(destination)\" idrefs=\"\(ids)\"></relationship>"
    }

    private func object(_ type: String, _ id: Int, _ content: String = "") -> String {
        "<object type=\"\(type)\" id=\"z\(id)\">\(content)</object>"
    }

    // MARK: What the objects show

    @Test("A model is made from the objects of an XML store")
    func modelOfAnXMLStore() throws {
        let store = try filled(.xml)
        let before = try Data(contentsOf: store.url)
        let model = try reconstructed(store)
        #expect(model.isReconstructed)
        #expect(
            model.entities.compactMap(\.name).sorted() == ["Chore", "Manager", "Person", "Skill", "Team"])
        let person = try #require(model.entitiesByName["Person"])
        // Attributes without a value are not in the file.
        #expect(
            person.attributesByName.mapValues(\.attributeType) == [
                "name": .stringAttributeType, "age": .integer32AttributeType, "rating": .doubleAttributeType,
                "active": .booleanAttributeType,
            ])
        let chores = try #require(person.relationshipsByName["chores"])
        #expect(chores.destinationEntity?.name == "Chore" && chores.isToMany && chores.isOrdered)
        #expect(person.relationshipsByName["team"]?.maxCount == 1)
        #expect(chores.inverseRelationship == nil)
        // People who have a skill are managers, too.
        let manager = try #require(model.entitiesByName["Manager"])
        #expect(manager.superentity === person && manager.attributesByName.keys.contains("bonus"))
        let coordinator = try store.open(model)
        try coordinator.inContext { context in
            #expect(try context.people() == ["Ada", "Alan", "Grace"])
            #expect(try context.people("team.name == 'Enigma'", by: "-age") == ["Alan", "Ada"])
            let ada = try context.person("Ada")
            #expect(ada.destinationNames("chores", "title") == ["sweep", "cook", "wash"])
            #expect(ada.value(forKey: "rating") as? Double == 4.5)
            let skill = try #require(try context.all("Skill", by: "name").first)
            #expect(skill.destinationNames("people").sorted() == ["Ada", "Alan", "Grace"])
        }
        try coordinator.close()
        #expect(try Data(contentsOf: store.url) == before)
    }

    @Test("A model is made from the objects of a binary store")
    func modelOfABinaryStore() throws {
        let store = try filled(.binary)
        let before = try Data(contentsOf: store.url)
        let model = try reconstructed(store)
        #expect(
            model.entities.compactMap(\.name).sorted() == [
                "Chore", "Manager", "ManagerOrPerson", "Person", "Skill", "Team",
            ])
        let person = try #require(model.entitiesByName["Person"])
        #expect(person.superentity?.name == "ManagerOrPerson" && person.superentity?.isAbstract == true)
        // In the order of their names: active, age, joined, name, photo, rating, site, tags, uuid, wage.
        #expect(
            person.attributesByName.mapValues(\.attributeType) == [
                "attribute01": .integer64AttributeType, "attribute02": .integer64AttributeType,
                "attribute03": .stringAttributeType, "attribute04": .stringAttributeType,
                "attribute05": .stringAttributeType, "attribute06": .doubleAttributeType,
                "attribute07": .stringAttributeType, "attribute08": .stringAttributeType,
                "attribute09": .stringAttributeType, "attribute10": .stringAttributeType,
            ])
        #expect(model.entitiesByName["Manager"]?.attributesByName.count == 11)
        #expect(person.relationshipsByName["team"]?.isToMany == false)
        #expect(person.relationshipsByName["chores"]?.isToMany == true)
        let people = model.entitiesByName["Skill"]?.relationshipsByName["people"]
        #expect(people?.destinationEntity?.name == "ManagerOrPerson")
        let coordinator = try store.open(model)
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(format: "team.attribute1 == 'Enigma' AND attribute02 == 36")
            let found = try context.fetch(request)
            #expect(found.map { $0.value(forKey: "attribute04") as? String } == ["Ada"])
            #expect(found.first?.destinationNames("chores", "attribute1") == ["sweep", "cook", "wash"])
            let skill = try #require(try context.all("Skill", by: "attribute1").first)
            #expect((skill.value(forKey: "people") as? NSOrderedSet)?.count == 3)
        }
        try coordinator.close()
        #expect(try Data(contentsOf: store.url) == before)
    }

    @Test("A document store opened with a reconstructed model is read-only", arguments: kinds)
    func storeIsReadOnly(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let before = try Data(contentsOf: store.url)
        let coordinator = try store.open(try reconstructed(store))
        let opened = coordinator.persistentStores[0]
        #expect(opened.isReadOnly)
        try coordinator.inContext { context in
            let team = try context.only("Team")
            team.setValue("Colossus", forKey: kind == .xml ? "name" : "attribute1")
            let refusal = try error { try context.save() }
            #expect(refusal.code == 134030 && refusal.localizedDescription.contains("no model"))
            context.rollback()
            try context.insert("Team")
            #expect(try error { try context.save() }.code == 134030)
            context.rollback()
            opened.metadata["Author"] = "Jane"
            #expect(try error { try context.save() }.code == 134030)
        }
        // No store is made with such a model.
        let other = store.folder.url.appendingPathComponent("Other")
        for type in [kind.type, .sqlite] {
            let refusal = try error { try coordinator.addPersistentStore(type: type, at: other) }
            #expect(refusal.code == 134080, "\(refusal)")
            #expect(!FileManager.default.fileExists(atPath: other.path))
        }
        try coordinator.close()
        #expect(try Data(contentsOf: store.url) == before)
        // With its own model it is as it was.
        let again = try store.open()
        #expect(!again.persistentStores[0].isReadOnly)
        #expect(try again.inContext { try $0.people() } == ["Ada", "Alan", "Grace"])
        try again.close()
    }

    @Test("Attributes of every type are read with a reconstructed model")
    func everyTypeIsRead() throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: NSString("kept"), requiringSecureCoding: true)
        let values = [
            ("int16", "-5"), ("int32", "70000"), ("int64", "5000000000"), ("bool", "1"), ("double", "0.1"),
            ("float", "0.5"), ("date", "1.5"), ("decimal", "12345.6789"), ("string", "a \\u2600 b"),
            ("uri", "https://example.org"), ("uuid", "11111111-2222-3333-4444-555555555555"),
            ("binary", "AQI="),
            ("transformable", archive.base64EncodedString()),
        ]
        let attributes = values.map { "<attribute name=\"a\($0)\" type=\"\($0)\">\($1)</attribute>" }.joined()
        let store = try document(
            object("THING", 1, attributes + "<attribute name=\"hash\" type=\"string\">x</attribute>"),
            entities: ["Thing", "Unused"])
        let coordinator = try store.open(try reconstructed(store))
        #expect(
            coordinator.managedObjectModel.entitiesByName["Thing"]?.attributesByName["atransformable"]?
                .attributeType == .transformableAttributeType)
        #expect(coordinator.managedObjectModel.entitiesByName["Unused"]?.properties.isEmpty == true)
        try coordinator.inContext { context in
            let thing = try context.only("Thing")
            func value<Value>(_ key: String, _ type: Value.Type) -> Value? {
                thing.value(forKey: key) as? Value
            }
            #expect(value("aint16", Int.self) == -5 && value("aint64", Int.self) == 5_000_000_000)
            #expect(value("abool", Bool.self) == true && value("adouble", Double.self) == 0.1)
            #expect(value("adate", Date.self) == Date(timeIntervalSinceReferenceDate: 1.5))
            #expect(value("adecimal", NSDecimalNumber.self) == NSDecimalNumber(string: "12345.6789"))
            #expect(value("astring", String.self) == "a & b" && value("abinary", Data.self) == Data([1, 2]))
            #expect(value("auuid", UUID.self)?.uuidString == "11111111-2222-3333-4444-555555555555")
            #expect(value("auri", URL.self)?.host == "example.org")
            #expect(value("atransformable", NSString.self) == "kept")
            // Every managed object has a property `hash`.
            #expect(value("Hash", String.self) == "x")
        }
        try coordinator.close()
    }

    // MARK: Superentities

    /// Objects that lead to objects of the entity `T` by the names of others.
    @Test("Destinations of relationships determine superentities")
    func relationshipsGiveSuperentities() throws {
        let name = "<attribute name=\"name\" type=\"string\">n</attribute>"
        let store = try document(
            object("T", 1, name) + object("U", 2, name) + object("LOW", 3, name)
                + object("OWNER", 4, link("a", "LOW", "z1") + link("b", "TOP", "z1 z2 z3"))
                + object("OWNER", 5, link("a", "LOW", "z3") + link("b", "TOP", "")),
            entities: ["T", "U", "Low", "Top", "Owner"])
        let model = try reconstructed(store)
        let parents = model.entitiesByName.compactMapValues { $0.superentity?.name }
        #expect(parents == ["T": "Low", "Low": "Top", "U": "Top"])
        // What an entity inherits it does not declare again.
        #expect(model.entitiesByName["T"]?.attributesByName.keys.sorted() == ["name"])
        let coordinator = try store.open(model)
        try coordinator.inContext { context in
            #expect(try context.all("Top").count == 3)
            #expect(
                try context.all("Low").map { $0.entity.name }.sorted { $0 ?? "" < $1 ?? "" } == ["Low", "T"])
            let owner = try #require(
                try context.all("Owner", where: NSPredicate(format: "b.@count == 3")).first)
            #expect(owner.destinationNames("b") == ["n", "n", "n"])
        }
        try coordinator.close()
    }

    /// Two entities above one, without a sign of which is the upper one: one of them is taken for it.
    @Test("Superentities without a known order are put in some order")
    func unorderedSuperentities() throws {
        let store = try document(
            object("T", 1) + object("P", 2) + object("Q", 3)
                + object("O", 4, link("p", "P", "z1 z2") + link("q", "Q", "z1 z3") + link("r", "R", "z2")))
        let model = try reconstructed(store)
        let t = try #require(model.entitiesByName["T"])
        for name in ["P", "Q", "R"] {
            #expect(t.isKindOf(entity: try #require(model.entitiesByName[name])), "\(name)")
        }
        let coordinator = try store.open(model)
        #expect(try coordinator.inContext { try $0.all("T").count } == 1)
        try coordinator.close()
    }

    // MARK: What no model can have

    private static let attribute = "<attribute name=\"a\" type=\"string\">x</attribute>"

    @Test(
        "Objects that contradict each other give no model and name the reason",
        arguments: [
            (
                "<object type=\"A\" id=\"z1\"><attribute name=\"a\" type=\"colour\">x</attribute></object>",
                "'colour'"
            ),
            ("<object type=\"A\" id=\"z1\"><attribute name=\"a\">x</attribute></object>", "type ''"),
            (
                "<object type=\"A\" id=\"z1\">\(attribute)</object><object type=\"A\" id=\"z2\"><attribute name=\"A\" type=\"bool\">1</attribute></object>",
                "'a' of entity 'A' is String and Boolean"
            ),
            (
                "<object type=\"A\" id=\"z1\">\(attribute)<relationship name=\"a\" type=\"0/1\" destination=\"A\"/></object>",
                "an attribute and a relationship 'a'"
            ),
            (
                "<object type=\"A\" id=\"z1\"><relationship name=\"r\" type=\"0/1\" destination=\"A\"/><relationship name=\"r\" type=\"0/0\" destination=\"A\"/></object>",
                "'r'"
            ),
            (
                "<object type=\"A\" id=\"z1\"><relationship name=\"r\" type=\"one\" destination=\"A\"/></object>",
                "type 'one'"
            ),
            (
                "<object type=\"A\" id=\"z1\"><relationship name=\"r\" type=\"5/2\" destination=\"A\"/></object>",
                "5"
            ),
            (
                "<object type=\"A\" id=\"z1\"><attribute name=\"a.b\" type=\"string\">x</attribute></object>",
                "a.b"
            ),
            ("<object type=\"\" id=\"z1\"/>", "no name"),
            (
                "<object type=\"A\" id=\"z1\"><relationship name=\"r\" type=\"0/1\" destination=\"B\" idrefs=\"z1\"/></object><object type=\"B\" id=\"z2\"><relationship name=\"r\" type=\"0/1\" destination=\"A\" idrefs=\"z2\"/></object>",
                "inherit from itself"
            ),
            (
                "<object type=\"A\" id=\"z1\">\(attribute)</object><object type=\"B\" id=\"z2\"><attribute name=\"a\" type=\"bool\">1</attribute></object><object type=\"O\" id=\"z3\"><relationship name=\"r\" type=\"0/0\" destination=\"A\" idrefs=\"z1 z2\"/></object>",
                "entity 'B' has another property 'a'"
            ),
        ])
    func contradictoryObjects(_ objects: String, _ reason: String) throws {
        let store = try document(objects)
        let refusal = try error { _ = try reconstructed(store) }
        #expect(refusal.code == 134080 && refusal.localizedDescription.contains(reason), "\(refusal)")
        #expect(refusal.localizedDescription.contains(store.url.path))
    }

    @Test("A model that would be too large is refused")
    func oversizedModels() throws {
        let entities = (1...501).map { object("E\($0)", $0) }.joined()
        #expect(
            try error { _ = try reconstructed(document(entities)) }.localizedDescription.contains(
                "more than 500 entities"))
        let attributes = (1...5001).map { "<attribute name=\"a\($0)\" type=\"bool\">1</attribute>" }
            .joined()
        #expect(
            try error { _ = try reconstructed(document(object("A", 1, attributes))) }.localizedDescription
                .contains("more than 5000 properties"))
        // Few of its own and many inherited.
        let wide = (1...600).map { "<attribute name=\"a\($0)\" type=\"bool\">1</attribute>" }.joined()
        let subentityNames = (2...100).map { object("H\($0)", $0) }.joined()
        let all = link("r", "TOP", (1...100).map { "z\($0)" }.joined(separator: " "))
        #expect(
            try error {
                _ = try reconstructed(
                    document(object("TOP", 1, wide) + subentityNames + object("O", 101, all)))
            }
            .localizedDescription.contains("more than 50000 properties"))
        // Each entity above the next one.
        let deep = (1...150).map {
            object("E\($0)", $0, $0 > 1 ? link("r\($0)", "E\($0)", "z\($0 - 1)") : "")
        }
        #expect(
            try error { _ = try reconstructed(document(deep.joined())) }.localizedDescription.contains(
                "too many superentities"))
    }

    @Test("Other stores and files give no reconstructed model")
    func otherStores() throws {
        let store = try filled(.xml)
        func code(_ type: String, _ url: URL) throws -> Int {
            try error {
                _ = try NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
                    ofType: type, at: url)
            }.code
        }
        #expect(try code(NSBinaryStoreType, store.url) == 134010)
        #expect(try code(NSInMemoryStoreType, store.url) == 134000)
        #expect(try code(NSXMLStoreType, store.folder.url.appendingPathComponent("none")) == 260)
        #expect(try code(NSXMLStoreType, store.folder.url) == 134080)
    }

    @Test("A document with changed bytes gives an error or is read", arguments: kinds)
    func changedBytes(_ kind: StoreKind) throws {
        let store = try filled(kind)
        let bytes = Array(try Data(contentsOf: store.url))
        var numbers = SeededNumbers(seed: 23)
        var outcomes = (read: 0, refused: 0)
        for round in 0..<150 {
            var changed = bytes
            if round % 10 == 0 {
                changed.removeLast(Int.random(in: 1..<bytes.count, using: &numbers))
            } else {
                for _ in 0...(round % 3) {
                    changed[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(
                        in: 0...255, using: &numbers)
                }
            }
            try Data(changed).write(to: store.url)
            do {
                let coordinator = try store.open(try reconstructed(store))
                try coordinator.inContext { context in
                    for entity in coordinator.managedObjectModel.entities where entity.superentity == nil {
                        _ = try context.all(entity.name ?? "")
                    }
                }
                try coordinator.close()
                outcomes.read += 1
            } catch { outcomes.refused += 1 }
        }
        #expect(outcomes.refused > 0 && outcomes.read > 0, "\(outcomes)")
    }
}
