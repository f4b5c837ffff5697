import CoreData
import GRDB
import Testing

/// Rows written without objects.
struct BatchInsertTests {
    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(BatchModel.model(), BatchModel.tracking)
    }

    private func request(_ objects: [[String: Any]]) -> NSBatchInsertRequest {
        let request = NSBatchInsertRequest(entityName: "Product", objects: objects)
        request.resultType = .count
        return request
    }

    @Test("A batch insertion writes a row for each dictionary")
    func dictionariesBecomeRows() throws {
        let made = Date(timeIntervalSinceReferenceDate: 1000.5)
        try coordinator.inContext { context throws in
            let status = try context.execute(
                NSBatchInsertRequest(
                    entityName: "Product",
                    objects: [
                        [
                            "name": "Ära", "price": 1.5, "cost": NSDecimalNumber(string: "2.25"),
                            "made": made,
                            "isOld": true, "picture": Data([1, 2]),
                        ],
                        ["name": "Bolt", "stock": 7, "price": NSNull()],
                    ]))
            #expect((status as? NSBatchInsertResult)?.result as? Bool == true)
            #expect((status as? NSBatchInsertResult)?.resultType == .statusOnly)
            #expect(context.registeredObjects.isEmpty)

            let found = try context.all("Product", by: "name")
            #expect(found.map { $0.value(forKey: "name") as? String } == ["Bolt", "Ära"])
            #expect(found[1].value(forKey: "price") as? Double == 1.5)
            #expect(found[1].value(forKey: "cost") as? NSDecimalNumber == NSDecimalNumber(string: "2.25"))
            #expect(found[1].value(forKey: "made") as? Date == made)
            #expect(found[1].value(forKey: "isOld") as? Bool == true)
            #expect(found[1].value(forKey: "picture") as? Data == Data([1, 2]))
            #expect(found[1].value(forKey: "canonicalName") as? String == "ara")
            #expect(found[1].value(forKey: "stock") as? Int == 1)
            #expect(found[0].value(forKey: "stock") as? Int == 7)
            #expect(found[0].value(forKey: "price") == nil)
        }
    }

    @Test("A batch insertion calls its handler until it returns true")
    func handlers() throws {
        try coordinator.inContext { context throws in
            var next = 0
            let dictionaries = NSBatchInsertRequest(entityName: "Product") { (row: NSMutableDictionary) in
                guard next < 1201 else { return true }
                #expect(row.count == 0)
                row["name"] = "Nail \(next)"
                if next % 2 == 0 { row["stock"] = next }
                next += 1
                return false
            }
            dictionaries.resultType = .count
            #expect(try context.result(of: dictionaries) as? Int == 1201)
            #expect(
                try context.all("Product", where: NSPredicate(format: "stock == 1200")).map {
                    $0.value(forKey: "name") as? String
                } == ["Nail 1200"])
            #expect(try context.all("Product", where: NSPredicate(format: "stock == 1")).count == 600)

            var tools = 0
            let objects = NSBatchInsertRequest(entityName: "Tool") { (tool: NSManagedObject) in
                guard tools < 3 else { return true }
                tool.setValue("Saw \(tools)", forKey: "name")
                tool.setValue(Double(tools), forKey: "weight")
                tools += 1
                return false
            }
            objects.resultType = .objectIDs
            let ids = try #require(try context.result(of: objects) as? [NSManagedObjectID])
            #expect(
                ids.map { context.object(with: $0).value(forKey: "name") as? String } == [
                    "Saw 0", "Saw 1", "Saw 2",
                ])
            #expect(ids.allSatisfy { $0.entity.name == "Tool" && !$0.isTemporaryID })
        }
        #expect(
            try folder.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Product'") == 1204.databaseValue)
    }

    @Test("A batch insertion accepts saved objects for to-one relationships only")
    func toOneRelationships() throws {
        try coordinator.inContext { context throws in
            let shop = try context.insert("Shop", ["name": "Corner"])
            try context.save()
            #expect(
                try context.result(
                    of: request([["name": "Pen", "shop": shop], ["name": "Ink", "shop": shop.objectID]]))
                    as? Int == 2)
            context.refreshAllObjects()
            #expect((shop.value(forKey: "products") as? Set<NSManagedObject>)?.count == 2)
            #expect(shop.value(forKey: "productCount") as? Int == 2)

            let unsaved = try context.insert("Shop")
            #expect(
                try error { try context.execute(request([["name": "A", "shop": unsaved]])) }
                    .localizedDescription.contains("takes a saved object of entity 'Shop'"))
            #expect(
                try error { try context.execute(request([["name": "A", "tags": Set<NSManagedObject>()]])) }
                    .localizedDescription.contains("'tags'"))
        }
    }

    @Test(
        "An invalid row makes the whole batch insertion fail and is named",
        arguments: [
            (["name": "x", "colour": 1] as [String: any Sendable], 134060),
            (["name": "x", "canonicalName": "x"], 134060), (["name": 5], 1550),
            (["name": "x", "stock": 1 << 40], 1550),
            (["name": NSNull()], 1570), ([:], 1570),
        ])
    func invalidRowFailsTheRequest(_ bad: [String: any Sendable], _ code: Int) throws {
        try coordinator.inContext { context throws in
            let rows = (0..<700).map { ["name": "Good \($0)"] as [String: Any] } + [bad as [String: Any]]
            let error = try error { try context.execute(request(rows)) }
            #expect(error.code == code)
            #expect(error.localizedDescription.contains("Row 700 of the batch."))
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Product")) == 0)
        }
        #expect(try folder.rows("SELECT 1 FROM ACHANGE").isEmpty)
    }

    @Test("The merge policy decides about unique values that are stored")
    func mergePolicies() throws {
        try coordinator.inContext { context throws in
            _ = try context.execute(request([["code": "a", "name": "First", "price": 1.0]]))
            let again = request([["code": "b", "name": "Other"], ["code": "a", "name": "Second"]])
            context.mergePolicy = NSMergePolicy.error
            #expect(try context.result(of: again) as? Int == 1)
            #expect(try context.values("name", of: "Product", by: "code") == ["First", "Other"])

            context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            #expect(try context.result(of: again) as? Int == 0)
            #expect(try context.values("name", of: "Product", by: "code") == ["First", "Other"])

            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            #expect(try context.result(of: again) as? Int == 2)
            context.refreshAllObjects()
            #expect(try context.values("name", of: "Product", by: "code") == ["Second", "Other"])
            #expect(try context.values("price", of: "Product", by: "code") == [1.0, nil])
            #expect(try context.values("canonicalName", of: "Product", by: "code") == ["second", "other"])

            context.mergePolicy = NSMergePolicy.overwrite
            _ = try context.execute(request([["code": "a", "name": "Third"]]))
            context.refreshAllObjects()
            #expect(try context.values("name", of: "Product", by: "code") == ["Third", "Other"])
            #expect(try context.values("price", of: "Product", by: "code") == [Double?.none, nil])
        }
        #expect(try folder.rows("SELECT ZCODE FROM ZPRODUCT ORDER BY 1").count == 2)
    }

    @Test("Rows of one batch with equal unique values become one")
    func equalUniqueValuesInOneBatch() throws {
        try coordinator.inContext { context throws in
            let rows: [[String: Any]] = [
                ["code": "a", "name": "First", "price": 1.0], ["code": "a", "name": "Second"],
                ["name": "No code"],
                ["name": "None either"],
            ]
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            #expect(try context.result(of: request(rows)) as? Int == 4)
            let found = try context.all("Product", where: NSPredicate(format: "code == 'a'"))
            #expect(found.map { $0.value(forKey: "name") as? String } == ["Second"])
            #expect(found.map { $0.value(forKey: "price") as? Double } == [1.0])
        }
    }

    @Test("Several constraints apply to the values that are given")
    func severalConstraints() throws {
        let entity = NSEntityDescription(
            "Row", attribute("number", .integer64), attribute("kind", .string, defaultValue: "plain"),
            attribute("text", .string))
        entity.uniquenessConstraints = [["number"], ["kind", "text"]]
        let folder = try StoreFolder()
        try folder.open(NSManagedObjectModel(of: entity)).inContext { context throws in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            func insert(_ rows: [[String: Any]]) throws -> [NSManagedObjectID]? {
                let request = NSBatchInsertRequest(entityName: "Row", objects: rows)
                request.resultType = .objectIDs
                return try context.result(of: request) as? [NSManagedObjectID]
            }
            let ids = try insert([
                ["number": 1, "kind": "a", "text": "x"], ["number": 2, "kind": "b", "text": "x"],
            ])
            // Only what is given is written, so the default of `kind` meets nothing.
            #expect(
                try insert([
                    ["number": 3, "text": "z"], ["number": 2, "text": "y"], ["number": 1, "text": "y"],
                ])?.suffix(2) == ids?.reversed().suffix(2))
            #expect(try context.values("kind", of: "Row", by: "number") == ["a", "b", "plain"])
            #expect(try context.values("text", of: "Row", by: "number") == ["y", "y", "z"])
            #expect(
                try error {
                    _ = try insert([["number": 9, "kind": "a", "text": "y"], ["number": 2, "kind": "a"]])
                }.code == 133021)
        }
    }

    @Test("Values set by an initializer do not replace stored ones")
    func initializerValues() throws {
        let entity = NSEntityDescription.make(
            "Stamped", class: StampedRow.self, [attribute("code", .string), attribute("made", .string)])
        entity.uniquenessConstraints = [["code"]]
        let folder = try StoreFolder()
        try folder.open(NSManagedObjectModel(of: entity)).inContext { context throws in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.insert("Stamped", ["code": "a", "made": "long ago"])
            try context.save()
            var codes = ["a", "b"]
            try context.execute(
                NSBatchInsertRequest(entityName: "Stamped") { (object: NSManagedObject) in
                    guard let code = codes.popLast() else { return true }
                    object.setValue(code, forKey: "code")
                    return false
                })
        }
        #expect(
            try folder.rows("SELECT ZMADE FROM ZSTAMPED ORDER BY ZCODE").map { $0[0] }
                == ["long ago", "just now"].map(\.databaseValue))
    }

    @Test("A relationship whose key another row holds is refused")
    func relationshipsOfOtherRows() throws {
        try coordinator.inContext { context throws in
            let shop = try context.insert("Shop", ["name": "Corner"])
            try context.save()
            let error = try error { try context.execute(request([["name": "A", "bestOf": shop]])) }
            #expect(error.code == 134060 && error.localizedDescription.contains("'bestOf'"))
        }
    }

    @Test("A batch insertion is one transaction of its author")
    func history() throws {
        try coordinator.inContext { context throws in
            context.transactionAuthor = "importer"
            _ = try context.execute(request((0..<600).map { ["name": "\($0)"] }))
            #expect(try context.historyWords() == [Array(repeating: "insert Product", count: 600)])
        }
        #expect(
            try folder.value(
                "SELECT ZNAME FROM ATRANSACTIONSTRING JOIN ATRANSACTION ON ZAUTHORTS = ATRANSACTIONSTRING.Z_PK"
            )
                == "importer".databaseValue)
    }

    @Test("A batch insertion writes large data to files")
    func largeDataGoesToFiles() throws {
        let picture = Data(repeating: 7, count: 200 << 10)
        try coordinator.inContext { context throws in
            _ = try context.execute(request([["name": "Poster", "picture": picture]]))
            #expect(try context.only("Product").value(forKey: "picture") as? Data == picture)
        }
        #expect(try folder.value("SELECT length(ZPICTURE) FROM ZPRODUCT") == 38.databaseValue)
    }

    @Test("Batches are refused by other stores, for unknown entities and without an entity")
    func unsupportedBatches() throws {
        let memory = NSPersistentStoreCoordinator(
            managedObjectModel: NSManagedObjectModel(
                of: NSEntityDescription("Note", attribute("text", .string))))
        try memory.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        try memory.inContext { context throws in
            let error = try error {
                try context.execute(NSBatchInsertRequest(entityName: "Note", objects: [["text": "x"]]))
            }
            #expect(error.code == 134091)
        }
        try coordinator.inContext { context throws in
            #expect(
                try error { try context.execute(NSBatchInsertRequest(entityName: "Nothing", objects: [])) }
                    .code
                    == 134060)
            #expect(try error { try context.execute(NSBatchInsertRequest()) }.code == 134060)
        }
    }

    @Test("A batch insertion and its copies have their settings")
    func requestProperties() throws {
        let entity = try #require(coordinator.managedObjectModel.entitiesByName["Product"])
        let request = NSBatchInsertRequest(entity: entity, objects: [["name": "a"]])
        request.resultType = .objectIDs
        let copy = try #require(request.copy() as? NSBatchInsertRequest)
        #expect(copy.entity === entity && copy.entityName == "Product" && copy.resultType == .objectIDs)
        #expect(copy.objectsToInsert?.count == 1 && copy.dictionaryHandler == nil)
        #expect(copy.requestType == .batchInsertRequestType)
        copy.managedObjectHandler = { _ in true }
        #expect(copy.objectsToInsert == nil && copy.managedObjectHandler != nil)
    }
}

/// Sets a value when it is made.
final class StampedRow: NSManagedObject {
    required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        if context == nil { setValue("just now", forKey: "made") }
    }
}
