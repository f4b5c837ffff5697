import CoreData
import StoreTools
import TestSupport
import Testing

/// XML and binary stores.
@Suite struct DocumentTests {
    private static let types = [StoreFileType.xml, .binary]
    private let zoo: ZooStore

    init() throws { zoo = try ZooStore() }

    private func open(_ url: URL) throws -> OpenStore {
        try OpenStore(url, model: Zoo.model(plain: true))
    }

    @Test(
        "Objects of an XML or binary store are reported, queried and exported with exact values",
        arguments: types)
    func objectsHaveExactValues(_ type: StoreFileType) throws {
        let url = try zoo.document(type)
        let before = try Data(contentsOf: url)
        #expect(StoreFileType(url) == type)
        let report = try StoreReport(url)
        #expect(
            report.entities.map { "\($0.name) \($0.count)" } == ["Box 2", "Item 2", "Special 1", "Tag 3"])
        #expect(report.type == type.storeType && report.journalMode == nil && !report.hasModelCache)
        #expect(report.byteCount == before.count && UUID(uuidString: report.identifier) != nil)

        let source = try open(url)
        #expect(source.notices == [])
        let query = try StoreQuery(
            source, entity: "Item", predicate: "box.label BEGINSWITH 'g' AND flag == YES")
        var found: [StoreQuery.Match] = []
        try query.forEachBatch { found += $0 }
        let item = try #require(found.first?.values)
        #expect(found.count == 1 && item["int64"] == .number("9223372036854775807"))
        #expect(item["date"] == .string("2000-12-31T23:59:59.876543211Z"))
        #expect(item["price"] == .string("12345.6789") && item["real"] == .number("0.1"))
        #expect(item["text"] == .string("a \"quoted\"\n\u{1} text, 🦁 e\u{301}"))
        #expect(item["uuid"] == .string("11111111-2222-3333-4444-555555555555"))
        #expect(item["bytes"] == .string("AAEC/w==") && item["opaque"] == .string("YnBsaXN0MDD/"))
        #expect(item["external"] == .string(Data(repeating: 7, count: 300).base64EncodedString()))
        guard case .array(let friends)? = item["friends"] else {
            Issue.record("no friends")
            return
        }
        #expect(friends.count == 2)
        // The keys are those of the file.
        let key = try #require(found.first?.reference.key)
        if type == .xml {
            #expect(String(decoding: before, as: UTF8.self).contains("<object type=\"ITEM\" id=\"z\(key)\">"))
        }
        var order = ""
        try StoreExport(source, format: .csv).write("Box") { order += $0 }
        #expect(order.contains("große Kiste") && order.split(separator: "\n").count == 3)
        #expect(try Data(contentsOf: url) == before)
    }

    /// Order, many-to-many relationships and those without inverse come through every form.
    @Test("A dump of an XML or binary store makes the same objects", arguments: types)
    func aDumpOfADocumentMakesTheSameObjects(_ type: StoreFileType) throws {
        let url = try zoo.document(type)
        let source = try open(url)
        let dump = try zoo.dump(source, to: "document.json")
        let copy = zoo.folder.appending(path: "Copy.sqlite")
        let outcome = try DumpImport(dump.url).make(copy, model: nil)
        #expect(outcome.count == 8 && outcome.skippedRows == [])
        let other = try OpenStore(copy, model: nil)
        var differences: [StoreDifference] = []
        try StoreComparison(source, other).forEachDifference { differences.append($0) }
        #expect(differences.isEmpty, "\(differences)")
        #expect(try zoo.dump(other, to: "again.json").text == dump.text)
        #expect(try StoreCheck(copy).findings() == [])
        #expect(dump.text.contains("\"edition\":\"first\""))
        let box = try StoreQuery(other, entity: "Item", predicate: "box != nil", sorting: ["text"])
        #expect(try box.count() == 3)
        var notes: [JSONValue] = []
        try StoreQuery(other, entity: "Special", properties: ["notes"]).forEachBatch {
            notes += $0.compactMap { $0.values["notes"] }
        }
        guard case .array(let tags)? = notes.first else {
            Issue.record("no notes")
            return
        }
        #expect(notes.count == 1 && tags.count == 2)
    }

    @Test("Metadata of an XML or binary store are set, except the framework's own", arguments: types)
    func metadataAreSet(_ type: StoreFileType) throws {
        let url = try zoo.document(type)
        try StoreMetadata(url).change(setting: ["n": .number("3")], removing: ["seen"])
        #expect(try StoreMetadata(url).applicationValues().map(\.key) == ["edition", "n"])
        #expect(throws: StoreToolError.self) {
            try StoreMetadata(url).change(setting: ["NSStoreUUID": .string("x")], removing: [])
        }
        #expect(try StoreCheck(url, model: Zoo.model(plain: true)).findings() == [])
        #expect(try open(url).count == 8)
    }

    @Test("What an XML or binary store does not support is an error", arguments: types)
    func unsupportedOperations(_ type: StoreFileType) throws {
        let url = try zoo.document(type)
        // With a model that is made from the objects, it is only read.
        #expect(throws: StoreToolError.self) { try OpenStore(url, model: nil, isReadOnly: false) }
        try OpenStore(url, model: Zoo.model(plain: true), isReadOnly: false).close()
        // Not one of this model.
        #expect(throws: (any Error).self) { try OpenStore(url, model: Zoo.model()) }
        #expect(try ForeignTriggers.drop(from: url) == [])
        #expect(throws: StoreToolError.self) { try StoreSchemaReport.statements(of: url) }
        let schema = try StoreSchemaReport(open(url))
        #expect(schema.tables.isEmpty && schema.entities?.map(\.name) == ["Box", "Item", "Special", "Tag"])
        #expect(
            schema.entities?.first?.properties.map { "\($0.name) \($0.type)" }
                == ["items to-many Item", "label String", "lid to-one Item"])
        #expect(schema.entities?[2].parent == "Item")
    }

    /// The dump of a file makes the same objects again once the model is available.
    @Test("An XML store is read and dumped with a model made from its objects")
    func anXMLStoreIsReadWithoutItsModel() throws {
        let url = try zoo.document(.xml)
        let before = try Data(contentsOf: url)
        let source = try OpenStore(url, model: nil)
        #expect(source.model.isReconstructed && source.notices.count == 1)
        #expect(source.notices[0].contains("made from its objects") && source.notices[0].contains("--model"))
        #expect(try StoreReport(url).isModelReconstructed)
        let schema = try StoreSchemaReport(source)
        #expect(
            schema.isModelReconstructed && schema.entities?.map(\.name) == ["Box", "Item", "Special", "Tag"])
        #expect(
            schema.entities?.first?.properties.map { "\($0.name) \($0.type)" }
                == ["items to-many Item", "label String", "lid to-one Item"])
        // Links to items lead to special ones, too.
        #expect(schema.entities?[2].parent == "Item")
        #expect(
            schema.entities?[2].properties.map { "\($0.name) \($0.type)" }
                == ["extra String", "notes to-many Tag"])
        let query = try StoreQuery(
            source, entity: "Item", predicate: "box.label BEGINSWITH 'g' AND flag == YES")
        var found: [StoreQuery.Match] = []
        try query.forEachBatch { found += $0 }
        let item = try #require(found.first?.values)
        #expect(found.count == 1 && item["date"] == .string("2000-12-31T23:59:59.876543211Z"))
        #expect(item["uuid"] == .string("11111111-2222-3333-4444-555555555555"))
        // A destination of several owners.
        #expect(try StoreQuery(source, entity: "Item", predicate: "ANY tags.name == 'red'").count() == 3)
        #expect(try StoreQuery(source, entity: "Tag", predicate: "tagged.@count > 0").count() == 2)

        let dump = try zoo.dump(source, to: "told.json")
        #expect(dump.text.contains(#""isModelReconstructed":true,"reconstructedFrom":"objects""#))
        let copy = zoo.folder.appending(path: "Copy.sqlite")
        let outcome = try DumpImport(dump.url).make(copy, model: Zoo.model(plain: true))
        #expect(outcome.count == 8 && outcome.skippedRows == [], "\(outcome.skippedRows)")
        var differences: [StoreDifference] = []
        let original = try open(url)
        let made = try OpenStore(copy, model: nil)
        try StoreComparison(original, made).forEachDifference { differences.append($0) }
        #expect(differences.isEmpty, "\(differences)")
        #expect(try zoo.dump(made, to: "made.json").text == zoo.dump(original, to: "original.json").text)
        #expect(try Data(contentsOf: url) == before)
    }

    /// The file has values by their place only; everything else is there.
    @Test("A binary store is read without its model, and attributes have numbers for names")
    func aBinaryStoreIsReadWithoutItsModel() throws {
        let url = try zoo.document(.binary)
        let source = try OpenStore(url, model: nil)
        #expect(source.notices.count == 1 && source.notices[0].contains("without the names of attributes"))
        let schema = try StoreSchemaReport(source)
        #expect(
            schema.entities?.map { "\($0.name) \($0.parent ?? "")" } == [
                "Box ", "Item ItemOrSpecial", "ItemOrSpecial ", "Special ItemOrSpecial", "Tag ",
            ])
        #expect(
            schema.entities?.first?.properties.map { "\($0.name) \($0.type)" } == [
                "attribute1 String", "items to-many ItemOrSpecial", "lid to-one Item",
            ])
        let types = schema.entities?[1].properties.map(\.type) ?? []
        #expect(
            Set(types).isSuperset(of: ["Integer 64", "Date", "Decimal", "Double", "UUID", "URI", "Binary"]),
            "\(types)")
        var texts: [JSONValue?] = []
        try StoreQuery(source, entity: "Box", predicate: "lid != nil").forEachBatch {
            texts += $0.map { $0.values["attribute1"] }
        }
        #expect(texts == [.string("große Kiste")])
        #expect(try StoreQuery(source, entity: "Tag", predicate: "tagged.@count == 3").count() == 1)
        #expect(try StoreListing(source, entities: ["Item", "Special", "Box", "Tag"]).count() == 8)
        #expect(try zoo.dump(source).text.contains(#""attribute1":"große Kiste""#))
    }

    @Test("XML and binary stores are compared without their model", arguments: types)
    func aDocumentIsComparedWithoutItsModel(_ type: StoreFileType) throws {
        let url = try zoo.document(type)
        let other = zoo.folder.appending(path: "Other")
        let sources = [url, other]
        try FileManager.default.copyItem(at: url, to: other)
        func differences() throws -> [StoreDifference] {
            let stores = try sources.map { try OpenStore($0, model: nil) }
            var differences: [StoreDifference] = []
            try StoreComparison(stores[0], stores[1]).forEachDifference { differences.append($0) }
            return differences
        }
        #expect(try differences().isEmpty)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Zoo.model(plain: true))
        let store = try coordinator.addPersistentStore(
            ofType: type.storeType, configurationName: nil, at: other)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Box")
            request.predicate = NSPredicate(format: "label == 'empty'")
            try #require(try context.fetch(request).first).setValue("full", forKey: "label")
            try context.save()
        }
        try coordinator.remove(store)
        let found = try differences()
        guard case .changed(let object, _, let values)? = found.first else {
            Issue.record("no difference")
            return
        }
        #expect(found.count == 1 && object.entity == "Box" && values.count == 1)
        #expect(values.first?.old == .string("empty") && values.first?.new == .string("full"))
    }

    @Test("A model that an XML store does not support is refused, and no file is left")
    func modelsThatADocumentDoesNotTakeAreRefused() throws {
        let dump = try zoo.dump()
        let place = zoo.folder.appending(path: "New.xml")
        #expect(throws: (any Error).self) { try DumpImport(dump.url).make(place, model: nil, type: .xml) }
        let names = try FileManager.default.contentsOfDirectory(atPath: zoo.folder.path)
        #expect(!names.contains { $0.contains("New.xml") }, "\(names)")
    }

    // MARK: check

    private func found(_ url: URL, _ model: NSManagedObjectModel?) throws -> [String] {
        try StoreCheck(url, model: model).findings().map { finding in
            "\(finding.severity.rawValue) \(finding.code.rawValue) \(finding.entity ?? "").\(finding.property ?? "") "
                + "\(finding.count ?? 0)"
        }
    }

    @Test("The check of a sound XML or binary store has no findings with its model", arguments: types)
    func aSoundDocumentHasNoFindings(_ type: StoreFileType) throws {
        let url = try zoo.document(type)
        #expect(try found(url, Zoo.model(plain: true)) == [])
        #expect(try found(url, nil) == ["warning no-model . 0"])
        #expect(try found(url, Zoo.model()).contains { $0.hasPrefix("error model-mismatch") })
    }

    /// One kind of damage each, and what is to be found.
    @Test(
        "The check names each kind of damage of an XML store",
        arguments: [
            (
                "<attribute name=\"int16\" type=\"int16\">-32768<",
                "<attribute name=\"int16\" type=\"int16\">x<",
                ["error invalid-value Item.int16 1"]
            ),
            (
                "<attribute name=\"label\" type=\"string\">empty</attribute>", "",
                ["warning mandatory-value Box.label 1"]
            ),
            (
                "<attribute name=\"label\"", "<attribute name=\"lable\"",
                ["error unknown-property Box.lable 2", "warning mandatory-value Box.label 2"]
            ),
            (
                "<relationship name=\"lid\"", "<relationship name=\"led\"",
                [
                    "error unknown-property Box.led 2", "error inverse-mismatch Item.lidOf 1",
                ]
            ),
            ("<object type=\"TAG\"", "<object type=\"TUG\"", ["error unknown-entity TUG. 3"]),
            ("</databaseInfo>", "<more/></databaseInfo>", []),
            ("</database>", "", ["error damaged-file . 0"]),
        ])
    func damageOfAnXMLStoreIsNamed(_ old: String, _ new: String, _ expected: [String]) throws {
        let url = try zoo.document(.xml)
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        try #require(text.contains(old))
        try zoo.write(text.replacing(old, with: new), "Zoo.xml")
        #expect(Set(try found(url, Zoo.model(plain: true))) == Set(expected))
    }

    @Test("The check finds wrong references and keys of an XML store")
    func linksOfAnXMLStoreAreChecked() throws {
        let url = try zoo.document(.xml)
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        let lid = try #require(text.firstMatch(of: #/<relationship name="lid" [^>]*idrefs="(z[0-9]+)"/#))
        let box = try #require(text.firstMatch(of: #/<object type="BOX" id="(z[0-9]+)">/#)?.1)
        func check(_ id: String) throws -> [String] {
            let changed = lid.0.replacing("idrefs=\"\(lid.1)\"", with: "idrefs=\"\(id)\"")
            try zoo.write(text.replacing(lid.0, with: changed), "Zoo.xml")
            return try found(url, Zoo.model(plain: true))
        }
        let oneSided = "error inverse-mismatch Item.lidOf 1"
        #expect(try check("z999") == ["error dangling-reference Box.lid 1", oneSided])
        #expect(throws: (any Error).self) { try open(url) }
        #expect(try found(url, nil) == ["error dangling-reference Box.lid 1", "warning no-model . 0"])
        #expect(try check("x") == ["error dangling-reference Box.lid 1", oneSided])
        #expect(try check(String(box)) == ["error wrong-entity Box.lid 1", oneSided])
        #expect(
            try check("\(lid.1) \(lid.1)") == [
                "error invalid-value Box.lid 1", "warning duplicate-link Box.lid 1",
            ])
        // An object that is there twice, and a number that is above the highest.
        let first = try #require(text.firstRange(of: "    <object"))
        let end = try #require(text.firstRange(of: "</object>\n"))
        try zoo.write(
            text.replacing("</database>", with: text[first.lowerBound..<end.upperBound] + "</database>")
                .replacing(#/<nextObjectID>[0-9]+</#, with: "<nextObjectID>3<"), "Zoo.xml")
        let codes = Set(try StoreCheck(url, model: Zoo.model(plain: true)).findings().map(\.code))
        #expect(codes.isSuperset(of: [.invalidKey, .highestKey]))
    }

    /// Ends that do not agree are reported, as only one of them can be in a table.
    @Test("Ends of a relationship that disagree are a finding and a notice")
    func endsThatDisagree() throws {
        let url = try zoo.document(.xml)
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        let items = try #require(
            text.firstMatch(of: #/(<relationship name="items" [^>]*idrefs=")(z[0-9]+) /#))
        try zoo.write(text.replacing(items.0, with: items.1), "Zoo.xml")
        #expect(
            try found(url, Zoo.model(plain: true)) == ["error inverse-mismatch Item.box 1"]
                || found(url, Zoo.model(plain: true)) == ["error inverse-mismatch Special.box 1"])
        let source = try open(url)
        #expect(source.notices.count == 1 && source.notices[0].contains("Box.items"), "\(source.notices)")
        #expect(try StoreQuery(source, entity: "Item", predicate: "box != nil").count() == 3)
    }

    /// Both ends of a relationship to one are in their rows, as the file has them.
    @Test("Ends of a one-to-one relationship that disagree are a finding and a notice")
    func oneToOneEndsThatDisagree() throws {
        let url = try zoo.document(.xml)
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        let lid = try #require(text.firstMatch(of: #/<relationship name="lidof" [^>]*idrefs="z[0-9]+"/#))
        try zoo.write(text.replacing(lid.0, with: lid.0.replacing(#/ idrefs=.*/#, with: "")), "Zoo.xml")
        #expect(try found(url, Zoo.model(plain: true)) == ["error inverse-mismatch Box.lid 1"])
        let source = try open(url)
        #expect(
            source.notices == ["Box.lid and its inverse do not agree in 1 place; check lists them."])
        #expect(try StoreQuery(source, entity: "Box", predicate: "lid != nil").count() == 1)
        #expect(try StoreQuery(source, entity: "Item", predicate: "lidOf != nil").count() == 0)
    }

    /// One direction of a link of a relationship that is its own inverse.
    @Test("A one-sided link of a relationship that is its own inverse is a notice")
    func aOneSidedLinkOfASelfInverseRelationship() throws {
        let url = try zoo.document(.xml)
        let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
        let friends = try #require(
            text.firstMatch(of: #/<relationship name="friends" [^>]*idrefs="z[0-9]+ z[0-9]+"/#))
        try zoo.write(
            text.replacing(friends.0, with: friends.0.replacing(#/ z[0-9]+"/#, with: "\"")), "Zoo.xml")
        #expect(
            try open(url).notices == [
                "Item.friends and its inverse do not agree in 1 place; check lists them."
            ])
    }

    @Test("A broken XML or binary store gives findings or an error", arguments: types)
    func brokenDocumentsAreFindingsOrErrors(_ type: StoreFileType) throws {
        let url = try zoo.document(type)
        let bytes = Array(try Data(contentsOf: url))
        var numbers = SeededNumbers(seed: 17)
        var noticed = 0
        for round in 0..<60 {
            var changed = bytes
            if round % 3 == 0 {
                changed.removeLast(Int.random(in: 1..<bytes.count, using: &numbers))
            } else {
                for _ in 0..<3 {
                    changed[Int.random(in: 0..<bytes.count, using: &numbers)] = UInt8.random(
                        in: 0...255, using: &numbers)
                }
            }
            try Data(changed).write(to: url)
            do {
                let isBroken = try StoreCheck(url, model: Zoo.model(plain: true)).findings().contains {
                    $0.severity == .error
                }
                if isBroken { noticed += 1 }
                _ = try? StoreReport(url)
                _ = try StoreDump(open(url)).write { _ in }
                #expect(!isBroken)
            } catch { noticed += 1 }
        }
        #expect(noticed > 20)
    }
}

extension OpenStore {
    /// How many objects there are.
    fileprivate var count: Int {
        get throws { try StoreListing(self, entities: entities.map(\.name)).count() }
    }
}
