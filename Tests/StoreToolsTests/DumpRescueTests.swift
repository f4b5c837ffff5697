import CoreData
import GRDB
import StoreTools
import Testing

/// What is saved of dumps that do not fit together, and what objects get where there are others already.
@Suite struct DumpRescueTests {
    private let zoo: ZooStore
    private let copy: URL

    init() throws {
        zoo = try ZooStore()
        copy = zoo.folder.appending(path: "Copy.sqlite")
    }

    private func make(_ text: String, model: NSManagedObjectModel? = nil) throws -> DumpImport.Outcome {
        try DumpImport(zoo.write(text, "changed.json")).make(copy, model: model)
    }

    /// A dump of objects of `Zoo`, without model.
    private func text(_ entities: String...) -> String {
        """
        {"format": "coredata-dump", "version": 1, "entities": [\(entities.joined(separator: ",\n"))]}
        """
    }

    private func rows(_ sql: String, in file: URL? = nil) throws -> [[Int64?]] {
        let queue = try DatabaseQueue(path: (file ?? copy).path)
        defer { try? queue.close() }
        return try queue.read { database in
            try GRDB.Row.fetchAll(database, sql: sql).map { row in
                row.databaseValues.map { Int64.fromDatabaseValue($0) }
            }
        }
    }

    @Test(
        "An import leaves out dangling references and reports them",
        arguments: [
            (
                #""box":"Box/1""#, #""box":"Box/77""#,
                ["Item.box: it leads to an object that does not exist", "Box/77"]
            ),
            (
                #""lid":"Item/2""#, #""lid":"Special/2""#,
                ["Box.lid: it leads to an object of another entity", "lidOf"]
            ),
            (
                #""lid":"Item/2""#, #""lid":null"#,
                ["Item.lidOf: the inverse does not lead back (1: Item/2 to Box/1)"]
            ),
            (#""lidOf":"Box/1""#, #""lidOf":null"#, ["Box.lid: the inverse does not lead back"]),
            (
                #""tags":["Tag/"#, #""tags":["Tag/7"#,
                ["Item.tags: the list has an object that does not exist", "Tag/7"]
            ),
            (
                #""notes":["Tag/"#, #""notes":["Tag/7"#,
                ["Special.notes: the list has an object that does not exist"]
            ),
            (#""items":["#, #""items":["Item/1","Item/99","#, ["twice", "Item/99"]),
            (
                #"{"objectID":"Tag/1""#, #"{"objectID":"Tag/9""#,
                ["the list has an object that does not exist"]
            ),
        ])
    func danglingReferencesAreLeftOut(_ old: String, _ new: String, _ messages: [String]) throws {
        let dump = try zoo.dump().text
        try #require(dump.contains(old))
        let outcome = try make(dump.replacing(old, with: new, maxReplacements: 1))
        #expect(outcome.count == 8 && !outcome.skippedRows.isEmpty)
        let reported = outcome.skippedRows.joined(separator: "\n")
        for message in messages { #expect(reported.contains(message), "\(reported)") }
        #expect(outcome.skippedRows.allSatisfy { $0.hasSuffix("; left out.") })
        #expect(try StoreCheck(copy).findings() == [])
    }

    @Test("An import reports thousands of dangling references in one line", arguments: [false, true])
    func manyDanglingReferences(_ adds: Bool) throws {
        let items = (1...2500).map { "{\"objectID\": \"Item/\($0)\", \"box\": \"Box/\($0 + 90)\"}" }
        let text = text("{\"name\": \"Item\", \"objects\": [\(items.joined(separator: ",\n"))]}")
        let file = try zoo.write(text, "many.json")
        let outcome =
            try adds
            ? DumpImport(file).add(to: zoo.url, model: nil) : DumpImport(file).make(copy, model: Zoo.model())
        #expect(outcome.count == 2500)
        #expect(
            outcome.skippedRows == [
                """
                Item.box: it leads to an object that does not exist (2500: Item/1 to Box/91, Item/2 to Box/92, \
                Item/3 to Box/93, …); left out.
                """
            ])
        let left = try rows("SELECT count(*) FROM ZITEM WHERE ZBOX NOT NULL", in: adds ? zoo.url : copy)
        #expect(left == [[adds ? 3 : 0]])
    }

    /// A damaged store comes back as far as it is sound.
    @Test("A dump of a damaged store makes a sound store")
    func aDamagedStoreComesThroughItsDump() throws {
        try zoo.sql("UPDATE ZITEM SET ZBOX = 99 WHERE ZEXTRA = 'more'")
        try zoo.sql(
            "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT -5, Z_ENT, 1, 'lost' FROM ZTAG LIMIT 1")
        try zoo.sql(
            "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 0, Z_ENT, 1, 'none' FROM ZTAG LIMIT 1")
        let findings = try StoreCheck(zoo.url).findings()
        #expect(Set(findings.map(\.code)) == [.danglingReference, .invalidKey])
        #expect(findings.first { $0.code == .invalidKey }?.count == 2)
        let outcome = try make(try zoo.dump().text)
        #expect(outcome.count == 10 && outcome.skippedRows.count == 1, "\(outcome.skippedRows)")
        #expect(outcome.skippedRows.first?.contains("Special.box") == true)
        #expect(try StoreCheck(copy).findings() == [])
        #expect(try rows("SELECT Z_PK FROM ZTAG ORDER BY Z_PK") == [[1], [2], [3], [4], [5]])
        #expect(try rows("SELECT count(*) FROM ZTAG WHERE ZNAME IN ('lost', 'none') AND Z_PK > 3") == [[2]])
    }

    @Test("An import replaces keys below one wherever they are used")
    func keysBelowOneAreReplacedWhereverTheyStand() throws {
        let outcome = try make(
            text(
                #"{"name": "Item", "objects": [{"objectID": "Item/1", "box": "Box/-3", "tags": ["Tag/0"]}]}"#,
                #"""
                {"name": "Box", "objects": [{"objectID": "Box/-3", "label": "a", "lid": "Item/0"},
                {"objectID": "Box/8", "label": "b"}, {"objectID": "Box/0", "label": "c", "items": ["Item/1"]}]}
                """#,
                #"{"name": "Tag", "objects": [{"objectID": "Tag/0", "name": "t", "tagged": ["Item/0", "Item/1"]}]}"#,
                #"{"name": "Special", "objects": [{"objectID": "Special/0", "notes": ["Tag/0"]}]}"#,
                #"{"name": "Item", "objects": [{"objectID": "Item/-9223372036854775808", "lidOf": "Box/-7"}]}"#
            ),
            model: Zoo.model())
        #expect(outcome.count == 7)
        let reported = outcome.skippedRows.joined(separator: "\n")
        // Special/0 is not an Item, though their keys are of one table.
        #expect(
            reported.contains(
                "Box.lid: it leads to an object of another entity than the one given (1: Box/-3 to Item/0)"),
            "\(reported)")
        #expect(reported.contains("Item.lidOf: it leads to an object that does not exist"), "\(reported)")
        #expect(reported.contains("Box.items: the list has an object that does not lead back"), "\(reported)")
        #expect(try rows("SELECT Z_PK FROM ZBOX ORDER BY Z_PK") == [[8], [9], [10]])
        #expect(try rows("SELECT b.ZLABEL = 'a' FROM ZITEM i JOIN ZBOX b ON b.Z_PK = i.ZBOX") == [[1]])
        #expect(try rows("SELECT Z_PK FROM ZITEM ORDER BY Z_PK") == [[1], [2], [3]])
        // The lists of boxes contain the order, and the list of Box/-3 is missing.
        #expect(try StoreCheck(copy).findings().map(\.code) == [.missingOrder])
    }

    @Test("An import into a store with objects assigns the next keys")
    func keysAreDenseInAStoreThatHasObjects() throws {
        let large = Int64.max
        let file = try zoo.write(
            text(
                """
                {"name": "Item", "objects": [{"objectID": "Item/\(large)", "box": "Box/\(large - 7)", \
                "friends": ["Special/4000000000"]}, {"objectID": "Item/-2"}]}
                """,
                #"{"name": "Special", "objects": [{"objectID": "Special/4000000000", "extra": "x"}]}"#,
                #"{"name": "Box", "objects": [{"objectID": "Box/\#(large - 7)", "label": "large", "lid": null}]}"#
            ),
            "more.json")
        let outcome = try DumpImport(file).add(to: zoo.url, model: nil)
        #expect(outcome.count == 4 && outcome.skippedRows == [])
        #expect(try rows("SELECT Z_PK FROM ZITEM ORDER BY Z_PK", in: zoo.url) == (1...6).map { [$0] })
        #expect(try rows("SELECT ZBOX FROM ZITEM WHERE Z_PK = 4", in: zoo.url) == [[3]])
        #expect(
            try rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME IN ('Item', 'Box')", in: zoo.url) == [
                [6], [3],
            ]
                || rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME IN ('Item', 'Box')", in: zoo.url) == [
                    [3], [6],
                ])
        #expect(try StoreCheck(zoo.url).findings().allSatisfy { $0.code == .missingOrder })
        var friends: [JSONValue?] = []
        try StoreQuery(zoo.open(), entity: "Special", predicate: "extra == 'x'").forEachBatch {
            friends += $0.map { $0.values["friends"] }
        }
        #expect(friends == [.array([.string("Item/4")])])
        // Names in messages are those of the dump, not those of the store.
        let stray = try zoo.write(
            text(#"{"name": "Item", "objects": [{"objectID": "Item/70", "box": "Box/71"}]}"#), "stray.json")
        #expect(
            try DumpImport(stray).add(to: zoo.url, model: nil).skippedRows == [
                "Item.box: it leads to an object that does not exist (1: Item/70 to Box/71); left out."
            ])
    }

    /// However many objects, links and orders there are.
    @Test("An import into a store is one transaction of its history")
    func anImportIsOneTransaction() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Zoo.model())
        try coordinator.remove(
            try coordinator.addPersistentStore(
                type: .sqlite, at: zoo.url, options: [NSPersistentHistoryTrackingKey: true]))
        let items = (1...600).map {
            "{\"objectID\": \"Item/\($0)\", \"box\": \"Box/1\", \"tags\": [\"Tag/\($0 % 2 + 1)\"]}"
        }
        let members = (1...600).reversed().map { "\"Item/\($0)\"" }.joined(separator: ", ")
        let file = try zoo.write(
            text(
                "{\"name\": \"Item\", \"objects\": [\(items.joined(separator: ",\n"))]}",
                #"{"name": "Tag", "objects": [{"objectID": "Tag/1", "name": "x"}, {"objectID": "Tag/2", "name": "y"}]}"#,
                "{\"name\": \"Box\", \"objects\": [{\"objectID\": \"Box/1\", \"label\": \"l\", \"items\": [\(members)]}]}"
            ),
            "more.json")
        let outcome = try DumpImport(file).add(to: zoo.url, model: nil)
        #expect(outcome.count == 603 && outcome.skippedRows == [])
        #expect(try rows("SELECT count(*) FROM ATRANSACTION", in: zoo.url) == [[1]])
        #expect(
            try rows("SELECT count(*), count(DISTINCT ZTRANSACTIONID) FROM ACHANGE", in: zoo.url) == [
                [603, 1]
            ])
        #expect(try StoreCheck(zoo.url).findings().allSatisfy { $0.code == .missingOrder })
        let sql = "SELECT Z_PK FROM ZITEM WHERE ZBOX = 3 ORDER BY Z_FOK_BOX LIMIT 2"
        #expect(try rows(sql, in: zoo.url) == [[603], [602]])
    }

    /// Wherever the store keeps it.
    @Test(
        "An import stores large external data in every type of store",
        arguments: [nil, StoreFileType.xml, .binary])
    func largeExternalDataCome(_ type: StoreFileType?) throws {
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let file = try zoo.write(
            text(
                #"{"name": "Item", "objects": [{"objectID": "Item/1", "external": "\#(data.base64EncodedString())"}]}"#
            ),
            "large.json")
        let (url, model) = (type == nil ? copy : zoo.folder.appending(path: "Large"), Zoo.model(plain: true))
        #expect(try DumpImport(file).make(url, model: model, type: type ?? .sqlite).count == 1)
        let source = try OpenStore(url, model: Zoo.model(plain: true))
        var found: [JSONValue] = []
        try StoreListing(source, entities: ["Item"]).forEachObject { found += [$2["external"] ?? .null] }
        #expect(found == [.string(data.base64EncodedString())])
        try source.close()
        #expect(try StoreCheck(url, model: Zoo.model(plain: true)).findings() == [])
        let names = try FileManager.default.contentsOfDirectory(atPath: zoo.folder.path)
        #expect(!names.contains { $0.contains("draft") }, "\(names)")
    }

    // MARK: Reconstructed models

    @Test("Names of a reconstructed model are matched ignoring case, those of other dumps exactly")
    func namesOfAReconstructedModelAreMatchedWithoutCapitals() throws {
        let plain = zoo.folder.appending(path: "Plain.sqlite")
        let text = try zoo.dump().text.replacing(#/"place":({[^}]*}|null),/#, with: "")
        _ = try DumpImport(zoo.write(text, "plain.json")).make(plain, model: Zoo.model(plain: true))
        let whole = try OpenStore(plain, model: nil)
        let wanted = try zoo.dump(whole, to: "wanted.json").text
        try whole.close()
        try zoo.change(plain, "DROP TABLE Z_MODELCACHE")
        let source = try OpenStore(plain, model: nil)
        #expect(try StoreSchemaReport(source).isModelReconstructed)
        #expect(try StoreReport(plain).isModelReconstructed)
        var reported = ""
        // Of ordered relationships with an inverse, the tables do not contain the names.
        #expect(
            try StoreDump(source).write { reported += $0 } == [
                "Orders of unknown relationships are not part of the dump: ZITEM.Z_FOK_BOX."
            ])
        let dump = (url: try zoo.write(reported, "reconstructed.json"), text: reported)
        try source.close()
        #expect(dump.text.contains(#""isModelReconstructed":true"#) && dump.text.contains(#""lidof""#))
        let outcome = try DumpImport(dump.url).make(copy, model: Zoo.model(plain: true))
        #expect(outcome.count == 8 && outcome.skippedRows == [], "\(outcome.skippedRows)")
        let again = try zoo.dump(OpenStore(copy, model: nil), to: "again.json").text
        func objects(_ text: String) -> [Substring] { Array(text.split(separator: "\n").dropFirst()) }
        #expect(objects(wanted).count > 8 && objects(again).count == objects(wanted).count)
        for (made, line) in zip(objects(again), objects(wanted)) where !line.contains("\"Box/1\",\"items\"") {
            #expect(made == line)
        }
        // Names of other dumps are as they are.
        let exact = dump.text.replacing(#""isModelReconstructed":true,"#, with: "")
        let file = try zoo.write(exact, "exact.json")
        #expect(throws: StoreToolError.self) {
            try DumpImport(file).make(
                zoo.folder.appending(path: "Exact.sqlite"), model: Zoo.model(plain: true))
        }
    }

    @Test("A name that several properties share without case is refused")
    func namesThatSeveralHaveAreNotMatched() throws {
        let file = try zoo.write(
            #"""
            {"format": "coredata-dump", "version": 1, "isModelReconstructed": true, "entities": [
            {"name": "Pair", "objects": [{"objectID": "Pair/1", "NAME": "x"}]}]}
            """#, "pair.json")
        let entity = NSEntityDescription()
        entity.name = "Pair"
        entity.properties = ["name", "nAme"].map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        #expect(throws: (any Error).self) { try DumpImport(file).make(copy, model: model) }
    }
}
