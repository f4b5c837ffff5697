import CoreData
import GRDB
import Testing

/// Rows changed without objects.
struct BatchUpdateTests {
    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(BatchModel.model(), BatchModel.tracking)
        try coordinator.inContext { context throws in
            let shop = try context.insert("Shop", ["name": "Corner"])
            for number in 0..<5 {
                try context.insert(
                    "Product",
                    [
                        "code": "p\(number)", "name": "Nail \(number)", "price": Double(number),
                        "stock": number,
                    ])
            }
            try context.insert("Tool", ["code": "t", "name": "Saw", "price": 10.0, "shop": shop])
            try context.save()
        }
    }

    private func request(_ values: [AnyHashable: Any], _ condition: String? = nil) -> NSBatchUpdateRequest {
        let request = NSBatchUpdateRequest(entityName: "Product")
        request.propertiesToUpdate = values
        request.predicate = condition.map { NSPredicate(format: $0) }
        request.resultType = .updatedObjectsCountResultType
        return request
    }

    @Test("A batch update writes constants and computed values")
    func constantsAndExpressions() throws {
        try coordinator.inContext { context throws in
            let changes: [AnyHashable: Any] = [
                "name": "Änderung", "price": NSExpression(format: "price * 2 + stock"), "isOld": true,
                "cost": NSDecimalNumber(string: "1.25"),
                "made": NSExpression(forConstantValue: Date(timeIntervalSinceReferenceDate: 5)),
            ]
            #expect(try context.result(of: request(changes, "price >= 3 AND price < 10")) as? Int == 2)
            let found = try context.all("Product", by: "code")
            #expect(found.map { $0.value(forKey: "price") as? Double } == [0, 1, 2, 9, 12, 10])
            #expect(found[4].value(forKey: "name") as? String == "Änderung")
            #expect(found[4].value(forKey: "canonicalName") as? String == "anderung")
            #expect(found[4].value(forKey: "isOld") as? Bool == true)
            #expect(found[4].value(forKey: "cost") as? NSDecimalNumber == NSDecimalNumber(string: "1.25"))
            #expect((found[4].value(forKey: "made") as? Date)?.timeIntervalSinceReferenceDate == 5)
            #expect(found[0].value(forKey: "isOld") == nil)
        }
        #expect(
            try folder.rows("SELECT Z_OPT FROM ZPRODUCT ORDER BY ZCODE").map { $0[0] }
                == [1, 1, 1, 2, 2, 1].map(\.databaseValue))
    }

    @Test("Expressions of a batch update read the values before the update")
    func expressionsReadOldValues() throws {
        try coordinator.inContext { context throws in
            let swap: [AnyHashable: Any] = [
                "price": NSExpression(format: "stock"), "stock": NSExpression(format: "price + 100"),
            ]
            #expect(try context.result(of: request(swap, "code BEGINSWITH 'p'")) as? Int == 5)
            let found = try context.all("Product", by: "code").prefix(5)
            #expect(found.map { $0.value(forKey: "price") as? Double } == [0, 1, 2, 3, 4])
            #expect(found.map { $0.value(forKey: "stock") as? Int } == [100, 101, 102, 103, 104])
        }
    }

    @Test("Expressions of a batch update follow relationships")
    func expressionsFollowRelationships() throws {
        try coordinator.inContext { context throws in
            #expect(
                try context.result(
                    of: request(["name": NSExpression(format: "shop.name")], "shop.name == 'Corner'"))
                    as? Int == 1)
            #expect(try context.only("Tool").value(forKey: "name") as? String == "Corner")
        }
    }

    @Test("A batch update sets relationships and nil")
    func relationshipsAndNulls() throws {
        try coordinator.inContext { context throws in
            let shop = try context.only("Shop")
            _ = try context.execute(request(["shop": shop, "price": NSNull()], "stock > 2"))
            context.refreshAllObjects()
            #expect((shop.value(forKey: "products") as? Set<NSManagedObject>)?.count == 3)
            #expect(shop.value(forKey: "productCount") as? Int == 3)
            #expect(try context.values("price", of: "Product", by: "code") == [0, 1, 2, nil, nil, 10])
            _ = try context.execute(request(["shop": NSNull()]))
            context.refreshAllObjects()
            #expect(shop.value(forKey: "productCount") as? Int == 0)
        }
    }

    @Test("A batch update includes subentities unless includesSubentities is false")
    func subentities() throws {
        try coordinator.inContext { context throws in
            let all = request(["stock": 50])
            #expect(try context.result(of: all) as? Int == 6)
            all.includesSubentities = false
            #expect(try context.result(of: all) as? Int == 5)
            let tools = NSBatchUpdateRequest(entity: try context.only("Tool").entity)
            tools.propertiesToUpdate = [try #require(tools.entity.attributesByName["weight"]): 2.5]
            tools.resultType = .updatedObjectIDsResultType
            let ids = try context.result(of: tools) as? [NSManagedObjectID]
            #expect(try ids == [context.only("Tool").objectID])
            context.refreshAllObjects()
            #expect(try context.only("Tool").value(forKey: "weight") as? Double == 2.5)
        }
    }

    @Test("A batch update with an invalid value is refused and names the property")
    func refusalsNameTheProperty() throws {
        try coordinator.inContext { context throws in
            func code(_ values: [AnyHashable: Any], _ word: String) throws -> Int {
                let error = try error { try context.execute(request(values)) }
                #expect(error.localizedDescription.contains(word), "\(error)")
                return error.code
            }
            #expect(try code(["colour": 1], "colour") == 134060)
            #expect(try code(["canonicalName": "x"], "canonicalName") == 134060)
            #expect(try code(["tags": NSSet()], "tags") == 134060)
            #expect(try code(["price": "much"], "price") == 1550)
            #expect(try code(["name": NSNull()], "name") == 1570)
            #expect(try code(["price": NSExpression(format: "name")], "price") == 134060)
            #expect(try code(["price": NSExpression(format: "sum:(price)")], "price") == 134060)
            #expect(try code(["price": NSExpression(format: "nothing + 1")], "nothing") == 134060)
            #expect(try code([:], "properties") == 134060)
            #expect(try code(["stock": NSExpression(format: "stock + 2147483647")], "stock") == 1550)
            #expect(try code(["name": NSExpression(format: "shop.name")], "name") == 1570)
            #expect(try code(["shop": NSExpression(format: "shop")], "shop") == 134060)
            #expect(try code(["code": "same"], "unique") == 133021)
            #expect(
                try context.values("code", of: "Product", by: "code") == ["p0", "p1", "p2", "p3", "p4", "t"])
        }
    }

    @Test("A batch update writes the changed properties to the history")
    func history() throws {
        try coordinator.inContext { context throws in
            context.transactionAuthor = "night shift"
            _ = try context.execute(request(["stock": 9, "shop": NSNull()], "stock > 2"))
            #expect(
                try context.historyWords().last == ["update Product shop stock", "update Product shop stock"])
        }
    }

    @Test("A context that changed a batch-updated object has a conflict")
    func conflictsWithContexts() throws {
        try coordinator.inContext { context throws in
            let product = try #require(try context.all("Product", by: "code").first)
            product.setValue("Mine", forKey: "name")
            _ = try context.execute(request(["name": "Theirs"]))
            #expect(try error { try context.save() }.code == 133020)
            context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            try context.save()
            #expect(product.value(forKey: "name") as? String == "Theirs")
        }
    }
}
