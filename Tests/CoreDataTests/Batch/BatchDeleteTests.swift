import CoreData
import GRDB
import Testing

/// Rows deleted without objects.
struct BatchDeleteTests {
    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(BatchModel.model(), BatchModel.tracking)
        try coordinator.inContext { context throws in
            let tags = try (0..<3).map { try context.insert("Tag", ["name": "tag \($0)"]) }
            for position in 0..<2 {
                let shop = try context.insert("Shop", ["name": "shop \(position)"])
                for number in 0..<3 {
                    let product = try context.insert(
                        number == 2 ? "Tool" : "Product",
                        ["name": "product \(position)\(number)", "price": Double(number), "shop": shop])
                    product.setValue(Set(tags), forKey: "tags")
                    if number == 0 { shop.setValue(product, forKey: "best") }
                }
            }
            try context.save()
        }
    }

    private func request(
        _ entity: String, _ condition: String? = nil, limit: Int = 0
    ) -> NSBatchDeleteRequest {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        fetch.predicate = condition.map { NSPredicate(format: $0) }
        fetch.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        fetch.fetchLimit = limit
        let request = NSBatchDeleteRequest(fetchRequest: fetch)
        request.resultType = .resultTypeCount
        return request
    }

    private func count(_ table: String) throws -> Int {
        Int.fromDatabaseValue(try folder.value("SELECT count(*) FROM \(table)")) ?? -1
    }

    /// The many-to-many table of products and tags.
    private var links: Int {
        get throws {
            let name = try #require(
                try folder.schema().keys.first { $0.hasPrefix("Z_") && $0.hasSuffix("TAGS") })
            return try count(name)
        }
    }

    @Test("A batch deletion cascades, nullifies and removes join rows")
    func deleteRulesAreFollowed() throws {
        try coordinator.inContext { context throws in
            #expect(try context.result(of: request("Shop", "name == 'shop 0'")) as? Int == 4)
            #expect(
                try context.values("name", of: "Product", by: "name") == [
                    "product 10", "product 11", "product 12",
                ])
            #expect(try links == 9)
            #expect(
                try context.all("Tag", by: "name").map {
                    ($0.value(forKey: "products") as? Set<NSManagedObject>)?.count
                } == [3, 3, 3])
        }
    }

    @Test("A batch deletion clears to-one references and updates derived counts")
    func toOneReferences() throws {
        try coordinator.inContext { context throws in
            let shops = try context.all("Shop", by: "name")
            #expect(shops[0].value(forKey: "best") != nil)
            #expect(
                try context.result(of: request("Product", "price == 0 AND shop.name == 'shop 0'")) as? Int
                    == 1)
            context.refreshAllObjects()
            #expect(shops[0].value(forKey: "best") == nil)
            #expect(shops[1].value(forKey: "best") != nil)
            #expect(shops.map { $0.value(forKey: "productCount") as? Int } == [2, 3])
        }
        #expect(
            try folder.rows("SELECT Z_OPT FROM ZSHOP ORDER BY ZNAME").map { $0[0] }
                == [2, 1].map(\.databaseValue))
    }

    @Test("A batch deletion deletes the objects that its limit and order select")
    func limitAndOrder() throws {
        try coordinator.inContext { context throws in
            let first = request("Product", nil, limit: 2)
            first.resultType = .resultTypeObjectIDs
            let collectedKeys = try context.all("Product", by: "name").prefix(2).map(\.objectID)
            #expect(try context.result(of: first) as? [NSManagedObjectID] == collectedKeys)
            #expect(try count("ZPRODUCT") == 4)
        }
    }

    @Test("A batch deletion by IDs deletes these objects")
    func deletionByIDs() throws {
        try coordinator.inContext { context throws in
            let ids = try context.all("Product", by: "name").suffix(2).map(\.objectID)
            #expect(Set(ids.map(\.entity.name)) == ["Product", "Tool"])
            let request = NSBatchDeleteRequest(objectIDs: ids)
            #expect((try context.execute(request) as? NSBatchDeleteResult)?.result as? Bool == true)
            #expect(try count("ZPRODUCT") == 4)
            #expect(
                (try context.execute(NSBatchDeleteRequest(objectIDs: [])) as? NSBatchDeleteResult)?.result
                    as? Bool == true)
            #expect(try count("ZPRODUCT") == 4)
        }
    }

    @Test("A batch deletion by IDs of unrelated entities is refused")
    func unrelatedIDsAreRefused() throws {
        try coordinator.inContext { context throws in
            let ids = [try context.all("Product")[0].objectID, try context.all("Shop")[0].objectID]
            #expect(try error { try context.execute(NSBatchDeleteRequest(objectIDs: ids)) }.code == 134060)
        }
        #expect(try count("ZSHOP") == 2 && count("ZPRODUCT") == 6)
    }

    @Test("A deny rule makes the whole batch deletion fail")
    func denyFailsTheRequest() throws {
        try coordinator.inContext { context throws in
            let product = try context.all("Product", by: "name")[4]
            try context.insert("Crate", ["number": 1, "product": product])
            try context.save()
            let error = try error { try context.execute(request("Shop")) }
            #expect(error.code == 1600)
            #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "crates")
            #expect(try count("ZSHOP") == 2 && count("ZPRODUCT") == 6)
            #expect(try context.result(of: request("Shop", "name == 'shop 0'")) as? Int == 4)
        }
    }

    @Test("A batch deletion of many rows is one transaction")
    func manyRows() throws {
        try coordinator.inContext { context throws in
            let rows = (0..<1300).map { ["name": "many \($0)", "price": 50.0] as [String: Any] }
            _ = try context.execute(NSBatchInsertRequest(entityName: "Product", objects: rows))
            #expect(try context.result(of: request("Product", "price == 50")) as? Int == 1300)
            #expect(try context.historyWords().last == Array(repeating: "delete Product", count: 1300))
            #expect(try count("ZPRODUCT") == 6)
        }
    }

    @Test("A batch deletion deletes the files of external data")
    func filesAreDeleted() throws {
        try coordinator.inContext { context throws in
            let picture = Data(repeating: 1, count: 300 << 10)
            // Without history, which may need the data.
            _ = try context.execute(
                NSBatchInsertRequest(entityName: "Product", objects: [["name": "x", "picture": picture]]))
            let files = folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
            #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).count == 1)
            _ = try context.execute(request("Product", "name == 'x'"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).isEmpty)
        }
    }

    @Test("A batch deletion keeps the fetch request it was made with")
    func requestIsCopied() throws {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Shop")
        let request = NSBatchDeleteRequest(fetchRequest: fetch)
        fetch.fetchLimit = 1
        request.fetchRequest.fetchLimit = 1
        #expect(request.fetchRequest.fetchLimit == 0)
        #expect((request.copy() as? NSBatchDeleteRequest)?.fetchRequest.entityName == "Shop")
        #expect(request.requestType == .batchDeleteRequestType)
    }
}
