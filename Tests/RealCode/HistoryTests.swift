import CoreData
import Testing

/// What requests for history take and give.
@MainActor @Suite struct HistoryTests {
    private let folder: TemporaryFolder
    private let stack: CarStack

    private var url: URL { folder.url.appendingPathComponent("Cars.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
        stack = try CarStack(
            storeAt: folder.url.appendingPathComponent("Cars.sqlite"),
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
    }

    private func save(_ maker: String, author: String? = nil) throws -> NSPersistentHistoryToken {
        stack.context.transactionAuthor = author
        stack.insert("Car", ["maker": maker])
        try stack.context.save()
        return try #require(
            stack.container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil))
    }

    private var transactionRequest: NSFetchRequest<any NSFetchRequestResult> {
        get throws { try #require(NSPersistentHistoryTransaction.fetchRequest) }
    }

    private var changeRequest: NSFetchRequest<any NSFetchRequestResult> {
        get throws { try #require(NSPersistentHistoryChange.fetchRequest) }
    }

    private func result(_ request: NSPersistentHistoryChangeRequest) throws -> Any? {
        (try stack.context.execute(request) as? NSPersistentHistoryResult)?.result
    }

    private func transactions(_ format: String, _ argument: Any) throws -> [Int64] {
        let fetch = try transactionRequest
        fetch.predicate = NSPredicate(format: format, argumentArray: [argument])
        let found = try result(.fetchHistory(withFetch: fetch)) as? [NSPersistentHistoryTransaction]
        return try #require(found).map(\.transactionNumber)
    }

    private func delete(_ request: NSPersistentHistoryChangeRequest) throws { _ = try result(request) }

    private func isExpired(_ body: () throws -> Void) -> Bool {
        do { try body() } catch { return (error as NSError).code == NSPersistentHistoryTokenExpiredError }
        return false
    }

    @Test("A18, C23: Conditions of history requests can compare tokens")
    func tokensAreCompared() throws {
        let initial = try #require(
            stack.container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil))
        let tokens = try ["Fiat", "Seat", "Opel"].map { try save($0) }
        #expect(try transactions("token > %@", tokens[1]) == [3])
        #expect(try transactions("token >= %@", tokens[1]) == [2, 3])
        #expect(try transactions("token < %@", tokens[1]) == [1])
        #expect(try transactions("token <= %@", tokens[1]) == [1, 2])
        #expect(try transactions("token = %@", tokens[1]) == [2])
        #expect(try transactions("%@ < token", tokens[1]) == [3])
        #expect(try transactions("token IN %@", [tokens[0], tokens[2]]) == [1, 3])
        #expect(try transactions("token > %@", initial) == [1, 2, 3])
        #expect(isExpired { _ = try transactions("token = %@", initial) })
        try delete(.deleteHistory(before: tokens[1]))
        #expect(isExpired { _ = try transactions("token > %@", tokens[0]) })
    }

    @Test("R4: A token has expired when its own transaction was deleted")
    func tokensExpire() throws {
        let tokens = try ["Fiat", "Seat", "Opel"].map { try save($0) }
        try delete(.deleteHistory(before: tokens[2]))
        func after(_ token: NSPersistentHistoryToken) throws -> Int {
            try #require(
                result(.fetchHistory(after: token)) as? [NSPersistentHistoryTransaction]
            ).count
        }
        #expect(isExpired { _ = try after(tokens[0]) })
        #expect(isExpired { _ = try after(tokens[1]) })
        #expect(try after(tokens[2]) == 0)
        try delete(.deleteHistory(before: nil as NSPersistentHistoryToken?))
        #expect(isExpired { _ = try after(tokens[2]) })
    }

    @Test("A18, R6: Conditions on changes name entities")
    func entitiesAreCompared() throws {
        stack.insert("Owner", ["name": "Ada"])
        _ = try save("Fiat")
        let fetch = try changeRequest
        let car = try #require(stack.container.managedObjectModel.entitiesByName["Car"])
        fetch.predicate = NSPredicate(format: "changedEntity == %@", car)
        // Of a request for changes the result is these, unless something else is asked for.
        let request = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
        #expect(request.resultType == .changesOnly)
        let changes = try #require(result(request) as? [NSPersistentHistoryChange])
        #expect(changes.map(\.changedObjectID.entity.name) == ["Car"])
        request.resultType = .transactionsAndChanges
        #expect(try result(request) is [NSPersistentHistoryTransaction])
    }

    @Test("B5, C22: A deletion with conditions deletes the transactions that meet them, and no others")
    func deletionsTakeConditions() throws {
        for author in ["A", "B", "A"] { _ = try save("Fiat", author: author) }
        let last = try save("Seat", author: "A")
        let fetch = try transactionRequest
        fetch.predicate = NSPredicate(format: "author = %@", "A")
        let request = NSPersistentHistoryChangeRequest.deleteHistory(before: last)
        request.fetchRequest = fetch
        request.resultType = .count
        #expect(try result(request) as? Int == 2)
        let rest = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let transactions = try #require(result(rest) as? [NSPersistentHistoryTransaction])
        #expect(transactions.map(\.author) == ["B", "A"])
        #expect(transactions.map { $0.changes?.count } == [1, 1])
        request.fetchRequest = try changeRequest
        #expect(throws: NSError.self) { try result(request) }
    }

    @Test("R5: The count is that of transactions")
    func transactionsAreCounted() throws {
        stack.insert("Owner")
        _ = try save("Fiat")
        _ = try save("Seat")
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        request.resultType = .count
        #expect(try result(request) as? Int == 2)
    }

    @Test(
        "R8: Without the option, a store whose history was deleted is writable, and one with history is read-only"
    )
    func anEmptyHistoryIsWritable() throws {
        _ = try save("Fiat")
        let other = try CarStack(storeAt: url)
        #expect(other.container.persistentStoreCoordinator.persistentStores.first?.isReadOnly == true)
        try delete(.deleteHistory(before: nil as NSPersistentHistoryToken?))
        let third = try CarStack(storeAt: url)
        #expect(third.container.persistentStoreCoordinator.persistentStores.first?.isReadOnly == false)
        third.insert("Car")
        try third.context.save()
    }

    @Test("R9: A pure reordering is in the history, at both ends")
    func reorderingsAreInTheHistory() throws {
        let model = CarStack.model()
        model.entitiesByName["Owner"]?.relationshipsByName["cars"]?.isOrdered = true
        let ordered = try CarStack(
            storeAt: folder.url.appendingPathComponent("Ordered.sqlite"),
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)], model: model)
        let owner = ordered.insert("Owner")
        let cars = (1...3).map { ordered.insert("Car", ["number": $0]) }
        owner.setValue(NSOrderedSet(array: cars), forKey: "cars")
        try ordered.context.save()
        let coordinator = ordered.container.persistentStoreCoordinator
        let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
        owner.mutableOrderedSetValue(forKey: "cars").moveObjects(at: IndexSet(integer: 2), to: 0)
        try ordered.context.save()
        let result =
            try ordered.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
            as? NSPersistentHistoryResult
        let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
        let changes = try #require(transactions.first?.changes)
        let names = Dictionary(
            changes.map { ($0.changedObjectID, $0.updatedProperties?.map(\.name)) }, uniquingKeysWith: { $1 })
        #expect(names[owner.objectID] == ["cars"])
        #expect(names[cars[2].objectID] == ["owner"])
        #expect(names.count == 2)
    }

    @Test("R10: The history keeps no value of a deleted object that may be stored in a file")
    func tombstonesHaveNoExternalData() throws {
        let model = CarStack.model()
        let car = try #require(model.entitiesByName["Car"])
        let photo = NSAttributeDescription()
        photo.name = "photo"
        photo.attributeType = .binaryDataAttributeType
        photo.allowsExternalBinaryDataStorage = true
        car.properties.append(photo)
        for name in ["photo", "maker"] {
            car.attributesByName[name]?.preservesValueInHistoryOnDeletion = true
        }
        let stack = try CarStack(
            storeAt: folder.url.appendingPathComponent("Photos.sqlite"),
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)], model: model)
        for size in [10, 300_000] {
            stack.insert("Car", ["maker": "Fiat", "photo": Data(repeating: 1, count: size)])
        }
        try stack.context.save()
        for car in try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Car")) {
            stack.context.delete(car)
        }
        try stack.context.save()
        let fetch = try #require(NSPersistentHistoryChange.fetchRequest)
        fetch.predicate = NSPredicate(
            format: "changeType == %d", NSPersistentHistoryChangeType.delete.rawValue)
        let result =
            try stack.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch))
            as? NSPersistentHistoryResult
        let changes = try #require(result?.result as? [NSPersistentHistoryChange])
        let makers = changes.map { $0.tombstone?["maker"] as? String }
        #expect(makers == ["Fiat", "Fiat"])
        #expect(changes.allSatisfy { $0.tombstone?["photo"] == nil })
        let data = folder.url.appendingPathComponent(".Photos_SUPPORT/_EXTERNAL_DATA")
        #expect(try FileManager.default.contentsOfDirectory(atPath: data.path).isEmpty)
    }

    @Test(
        "C25: The entities of history have Apple's names, and are nil without a context until a store was loaded"
    )
    func entitiesOfHistory() async throws {
        #expect(try transactionRequest.entityName == "Transaction")
        #expect(try changeRequest.entityName == "Change")
        let context = stack.context
        #expect(NSPersistentHistoryTransaction.entityDescription(with: context)?.name == "Transaction")
        #expect(NSPersistentHistoryChange.entityDescription(with: context)?.name == "Change")
        _ = try save("Fiat")
        let named = NSFetchRequest<any NSFetchRequestResult>(entityName: "Change")
        let changes = try result(.fetchHistory(withFetch: named)) as? [NSPersistentHistoryChange]
        #expect(changes?.map(\.changeType) == [.insert])
        await #expect(processExitsWith: .success) {
            #expect(NSPersistentHistoryTransaction.entityDescription == nil)
            #expect(NSPersistentHistoryTransaction.fetchRequest == nil)
            #expect(NSPersistentHistoryChange.entityDescription == nil)
            #expect(NSPersistentHistoryChange.fetchRequest == nil)
            let entity = NSEntityDescription()
            entity.name = "Car"
            let model = NSManagedObjectModel()
            model.entities = [entity]
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(
                ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
            #expect(NSPersistentHistoryTransaction.fetchRequest?.entityName == "Transaction")
            #expect(NSPersistentHistoryChange.fetchRequest?.entityName == "Change")
        }
    }
}
