import CoreData
import CoreDataSQLite
import Testing

/// A batch request whose condition the database cannot decide: rows decide it, inside of the request's transaction.
@Suite struct DecidedBatchTests {
    /// With a journal there is one connection: what a request reads is read by the one that writes.
    static let journalModes = ["WAL", "DELETE"]

    /// A shop's products in a store of a poor database.
    private struct Products {
        let folder: StoreFolder
        let coordinator: NSPersistentStoreCoordinator

        init(_ journalMode: String) throws {
            folder = try StoreFolder()
            var options = BatchModel.tracking
            options[NSSQLitePragmasOption] = ["journal_mode": journalMode]
            coordinator = try folder.open(BatchModel.model(), options)
            try coordinator.inContext { context throws in
                let north = try context.insert("Shop", ["name": "North Gate"])
                let south = try context.insert("Shop", ["name": "South Gate"])
                for (number, name) in ["Hammer", "hammock", "Nail", "Ham"].enumerated() {
                    try context.insert(
                        "Product",
                        [
                            "code": "p\(number)", "name": name, "stock": number,
                            "shop": number < 2 ? north : south,
                        ])
                }
                try context.insert("Tool", ["code": "t", "name": "Sledgehammer", "stock": 9, "shop": north])
                try context.save()
            }
            try #require(coordinator.persistentStores.first as? SQLiteStore).becomePoor()
        }

        func names() throws -> [String] { try values("name") }
        func stocks() throws -> [Int] { try values("stock") }

        private func values<Value>(_ key: String) throws -> [Value] {
            try coordinator.inContext { context throws -> [Value] in
                let values: [Value?] = try context.values(key, of: "Product", by: "code")
                return values.compactMap(\.self)
            }
        }

        func found(_ condition: String) -> NSFetchRequest<any NSFetchRequestResult> {
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Product")
            request.predicate = NSPredicate(format: condition)
            return request
        }
    }

    @Test("A batch deletion deletes what rows decide", arguments: journalModes)
    func deletion(_ journalMode: String) throws {
        let products = try Products(journalMode)
        try products.coordinator.inContext { context throws in
            let request = NSBatchDeleteRequest(
                fetchRequest: products.found("name CONTAINS[c] 'hamm' AND stock < 9"))
            request.resultType = .resultTypeCount
            #expect(try context.result(of: request) as? Int == 2)
            #expect(try context.historyWords().last == ["delete Product", "delete Product"])
        }
        #expect(try products.names() == ["Nail", "Ham", "Sledgehammer"])
    }

    @Test("A batch deletion with an order that only rows have keeps to its limit", arguments: journalModes)
    func limitedDeletion(_ journalMode: String) throws {
        let products = try Products(journalMode)
        let found = products.found("name CONTAINS[c] 'ham'")
        found.sortDescriptors = [
            NSSortDescriptor(key: "name", ascending: true, selector: Selector("caseInsensitiveCompare:"))
        ]
        found.fetchLimit = 2
        try products.coordinator.inContext {
            _ = try $0.execute(NSBatchDeleteRequest(fetchRequest: found))
        }
        #expect(try products.names() == ["hammock", "Nail", "Sledgehammer"])
    }

    @Test("A batch update follows relationships in its own transaction", arguments: journalModes)
    func update(_ journalMode: String) throws {
        let products = try Products(journalMode)
        try products.coordinator.inContext { context throws in
            let request = NSBatchUpdateRequest(entityName: "Product")
            request.predicate = NSPredicate(format: "shop.name CONTAINS 'North'")
            request.propertiesToUpdate = ["stock": 20, "name": NSExpression(forKeyPath: "code")]
            request.resultType = .updatedObjectsCountResultType
            #expect(try context.result(of: request) as? Int == 3)
            #expect(
                try context.historyWords().last?.sorted() == [
                    "update Product name stock", "update Product name stock", "update Tool name stock",
                ])
        }
        #expect(try products.names() == ["p0", "p1", "Nail", "Ham", "t"])
        #expect(try products.stocks() == [20, 20, 2, 3, 20])
    }

    @Test("A batch update without subentities leaves their objects as they are")
    func updateWithoutSubentities() throws {
        let products = try Products("WAL")
        try products.coordinator.inContext { context throws in
            let request = NSBatchUpdateRequest(entityName: "Product")
            request.includesSubentities = false
            request.predicate = NSPredicate(format: "name CONTAINS[c] 'hammer'")
            request.propertiesToUpdate = ["stock": 20]
            _ = try context.execute(request)
        }
        #expect(try products.stocks() == [20, 1, 2, 3, 9])
    }

    @Test("A condition that no row meets changes nothing")
    func nothingIsFound() throws {
        let products = try Products("WAL")
        try products.coordinator.inContext { context throws in
            let request = NSBatchUpdateRequest(entityName: "Product")
            request.predicate = NSPredicate(format: "name CONTAINS[c] 'saw'")
            request.propertiesToUpdate = ["stock": 20]
            request.resultType = .updatedObjectsCountResultType
            #expect(try context.result(of: request) as? Int == 0)
        }
        #expect(try products.stocks() == [0, 1, 2, 3, 9])
    }

    @Test("A value that the database cannot compute is an error, and changes nothing")
    func valueIsNotComputed() throws {
        let products = try Products("WAL")
        try products.coordinator.inContext { context throws in
            let request = NSBatchUpdateRequest(entityName: "Product")
            request.propertiesToUpdate = ["stock": NSExpression(format: "stock + 1")]
            let refusal = try error { _ = try context.execute(request) }
            #expect(refusal.domain == NSCocoaErrorDomain && refusal.code == 134060)
        }
        #expect(try products.stocks() == [0, 1, 2, 3, 9])
    }
}
