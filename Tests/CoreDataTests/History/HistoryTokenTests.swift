import CoreData
import GRDB
import Testing

/// Tokens, several stores, and history that was deleted.
@Suite struct HistoryTokenTests {
    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(HistoryModel.model(), HistoryModel.tracking)
    }

    private func save(_ names: String...) throws {
        try coordinator.inContext { context in
            for name in names {
                try context.insert("Tag", ["name": name])
                try context.save()
            }
        }
    }

    @Test("An archived token equals the original and fetches the same history")
    func archived() throws {
        try save("a")
        let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
        #expect(read == token && read?.hash == token.hash)
        try save("b")
        let later = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
        #expect(later != token)
        try coordinator.inContext { context in
            let afterRead = try context.transactions(.fetchHistory(after: read))
            #expect(afterRead.map(\.transactionNumber) == [2])
            let afterToken = try context.transactions(.fetchHistory(after: token))
            #expect(afterToken.last?.token == later)
        }
    }

    @Test("A store without history has no token and no transactions")
    func withoutHistory() throws {
        let folder = try StoreFolder()
        let coordinator = try folder.open(HistoryModel.model())
        #expect(coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
        let found = try coordinator.inContext { try $0.transactions() }
        #expect(found.isEmpty)
    }

    @Test("Tokens and history of several stores are combined")
    func severalStores() throws {
        let plain = NSManagedObjectModel(
            of: NSEntityDescription("Tag", attribute("name", .string)),
            NSEntityDescription("Author", attribute("name", .string)))
        plain.setEntities([plain.entitiesByName["Tag"]].compactMap(\.self), forConfigurationName: "Tags")
        plain.setEntities(
            [plain.entitiesByName["Author"]].compactMap(\.self), forConfigurationName: "Authors")
        let folder = try StoreFolder()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: plain)
        for name in ["Tags", "Authors"] {
            try coordinator.addPersistentStore(
                type: .sqlite, configuration: name, at: folder.url.appendingPathComponent(name),
                options: HistoryModel.tracking)
        }
        let stores = coordinator.persistentStores
        try coordinator.inContext { context in
            try context.insert("Tag")
            try context.insert("Author")
            try context.save()
            let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
            try context.insert("Author")
            try context.save()
            #expect(
                try context.transactions().map(\.storeID)
                    == [stores[0].identifier, stores[1].identifier, stores[1].identifier])
            #expect(
                try context.transactions(.fetchHistory(after: token)).map(\.storeID) == [stores[1].identifier]
            )
            let request = NSPersistentHistoryChangeRequest.fetchHistory(
                after: nil as NSPersistentHistoryToken?)
            request.affectedStores = [stores[0]]
            #expect(try context.transactions(request).count == 1)
            // A token of one store does not touch the other.
            let ofFirst = coordinator.currentPersistentHistoryToken(fromStores: [stores[0]])
            #expect(try context.transactions(.fetchHistory(after: ofFirst)).count == 2)
            _ = try context.execute(.deleteHistory(before: ofFirst) as NSPersistentHistoryChangeRequest)
            #expect(try context.transactions().count == 3)
        }
    }

    @Test("A token of deleted history has expired, and transaction numbers continue")
    func deletedHistory() throws {
        try save("a", "b", "c", "d")
        try coordinator.inContext { context in
            let all = try context.transactions()
            let request = NSPersistentHistoryChangeRequest.deleteHistory(before: all[2])
            request.resultType = .count
            let result = try context.execute(request) as? NSPersistentHistoryResult
            #expect(result?.result as? Int == 2)
            #expect(try context.transactions().map(\.transactionNumber) == [3, 4])
            #expect(try folder.value("SELECT COUNT(*) FROM ACHANGE") == 2.databaseValue)
            #expect(try context.transactions(.fetchHistory(after: all[2])).count == 1)
            for deleted in all.prefix(2) {
                let expired = try error { _ = try context.transactions(.fetchHistory(after: deleted)) }
                #expect(expired.code == NSPersistentHistoryTokenExpiredError && expired.code == 134301)
            }
            // Everything after a date is not a question of what is there.
            #expect(try context.transactions(.fetchHistory(after: Date.distantPast)).count == 2)

            let status = try context.execute(
                NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
            #expect((status as? NSPersistentHistoryResult)?.result as? Bool == true)
            #expect(try context.transactions().isEmpty)
            let gone = try error { _ = try context.transactions(.fetchHistory(after: all[3])) }
            #expect(gone.code == 134301)
        }
        // Numbers go on.
        try save("e")
        let found = try coordinator.inContext { try $0.transactions() }
        #expect(found.map(\.transactionNumber) == [5])
    }

    @Test("A token of another store has expired")
    func tokenOfAnotherStore() throws {
        try save("a")
        let other = try StoreFolder().open(HistoryModel.model(), HistoryModel.tracking)
        try other.inContext { context in
            let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
            let refusal = try error { _ = try context.transactions(.fetchHistory(after: token)) }
            #expect(refusal.code == 134301)
        }
    }
}
