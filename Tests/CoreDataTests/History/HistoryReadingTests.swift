import CoreData
import Testing

/// History read through requests.
@Suite struct HistoryReadingTests {
    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator
    private let isbn = UUID()

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(HistoryModel.model(), HistoryModel.tracking)
        let isbn = isbn
        try coordinator.inContext { context in
            context.name = "desk"
            context.transactionAuthor = "first"
            let book = try context.insert("Book", ["title": "One", "isbn": isbn, "pages": 7])
            let tag = try context.insert("Tag", ["name": "t"])
            try context.save()
            context.transactionAuthor = "second"
            context.name = nil
            book.setValue("Uno", forKey: "title")
            book.setValue(NSSet(object: tag), forKey: "tags")
            try context.save()
            context.transactionAuthor = nil
            context.delete(book)
            try context.save()
        }
    }

    private func result(_ type: NSPersistentHistoryResultType) throws -> Any? {
        try coordinator.inContext { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(
                after: nil as NSPersistentHistoryToken?)
            request.resultType = type
            let result = try context.execute(request) as? NSPersistentHistoryResult
            #expect(result?.resultType == type)
            return result?.result
        }
    }

    @Test("Transactions have authors, names, changes and tombstones")
    func transactionsAndChanges() throws {
        try coordinator.inContext { context in
            let found = try context.transactions()
            #expect(found.map(\.transactionNumber) == [1, 2, 3])
            #expect(found.map(\.author) == ["first", "second", nil])
            #expect(found.map(\.contextName) == ["desk", nil, nil])
            #expect(Set(found.map(\.processID)) == [ProcessInfo.processInfo.processName])
            #expect(found.allSatisfy { !$0.bundleID.isEmpty })
            #expect(Set(found.map(\.storeID)) == [coordinator.persistentStores[0].identifier])
            #expect(zip(found, found.dropFirst()).allSatisfy { $0.timestamp <= $1.timestamp })
            let changes = found.map { $0.changes ?? [] }
            #expect(changes.map { $0.map(\.changeType.rawValue) } == [[0, 0], [1, 1], [1, 2]])
            let book = try #require(changes[2].last)
            #expect(book.changedObjectID.entity.name == "Book")
            #expect(book.changedObjectID.uriRepresentation().lastPathComponent == "p1")
            #expect(book.tombstone?["isbn"] as? UUID == isbn)
            #expect(book.tombstone?["pages"] as? Int == 7)
            #expect(book.tombstone?["title"] as? String == "Uno")
            #expect(book.tombstone?.count == 3)
            #expect(book.updatedProperties == nil)
            let updates = changes[1].sorted {
                $0.changedObjectID.entity.name ?? "" < $1.changedObjectID.entity.name ?? ""
            }
            #expect(updates.map(\.updatedNames) == [["tags", "title"], ["books"]])
            #expect(updates.allSatisfy { $0.tombstone == nil && $0.transaction === found[1] })
            #expect(changes.flatMap { $0 }.map(\.changeID) == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test("Every result type of a history request has its result")
    func resultTypes() throws {
        #expect(try result(.statusOnly) as? Bool == true)
        #expect(try result(.count) as? Int == 3)
        #expect((try result(.objectIDs) as? [NSManagedObjectID])?.count == 2)
        let transactions = try result(.transactionsOnly) as? [NSPersistentHistoryTransaction]
        #expect(transactions?.count == 3)
        #expect(transactions?.allSatisfy { $0.changes == nil } == true)
        let changes = try result(.changesOnly) as? [NSPersistentHistoryChange]
        #expect(changes?.count == 6)
        #expect(changes?.allSatisfy { $0.transaction == nil } == true)
    }

    @Test("History is fetched after a token, a transaction or a date")
    func afterATokenATransactionAndADate() throws {
        try coordinator.inContext { context in
            let all = try context.transactions()
            #expect(
                try context.transactions(.fetchHistory(after: all[0].token)).map(\.author) == ["second", nil])
            #expect(try context.transactions(.fetchHistory(after: all[1])).map(\.transactionNumber) == [3])
            #expect(try context.transactions(.fetchHistory(after: all[2])).isEmpty)
            let date = all[0].timestamp
            #expect(
                try context.transactions(.fetchHistory(after: date)).count
                    == all.filter { $0.timestamp > date }.count)
            #expect(try context.transactions(.fetchHistory(after: Date.distantPast)).count == 3)
            #expect(try context.transactions(.fetchHistory(after: Date.distantFuture)).isEmpty)
        }
    }

    @Test("A fetch request filters, sorts and limits transactions")
    func conditionsOnTransactions() throws {
        try coordinator.inContext { context in
            let request = try #require(NSPersistentHistoryTransaction.fetchRequest)
            request.predicate = NSPredicate(format: "author != %@", "first")
            #expect(
                try context.transactions(.fetchHistory(withFetch: request)).map(\.transactionNumber) == [
                    2, 3,
                ])
            request.predicate = NSPredicate(format: "author == nil OR contextName == 'desk'")
            request.sortDescriptors = [NSSortDescriptor(key: "transactionNumber", ascending: false)]
            #expect(
                try context.transactions(.fetchHistory(withFetch: request)).map(\.transactionNumber) == [
                    3, 1,
                ])
            request.fetchLimit = 1
            request.fetchOffset = 1
            #expect(
                try context.transactions(.fetchHistory(withFetch: request)).map(\.transactionNumber) == [1])
            request.predicate = NSPredicate(format: "colour == 'red'")
            let refusal = try error { _ = try context.transactions(.fetchHistory(withFetch: request)) }
            #expect(refusal.code == 134091 && refusal.localizedDescription.contains("colour"))
        }
    }

    @Test("A fetch request filters changes")
    func conditionsOnChanges() throws {
        try coordinator.inContext { context in
            let request = try #require(NSPersistentHistoryChange.entityDescription(with: context)).fetch()
            request.predicate = NSPredicate(
                format: "changeType == %d", NSPersistentHistoryChangeType.update.rawValue)
            func transactions() throws -> [NSPersistentHistoryTransaction] {
                let fetch = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: request)
                fetch.resultType = .transactionsAndChanges
                return try context.transactions(fetch)
            }
            let found = try transactions()
            #expect(found.map(\.transactionNumber) == [2, 3])
            #expect(found.map { $0.changes?.count } == [2, 1])
            let id = try #require(found[1].changes?.first?.changedObjectID)
            request.predicate = NSPredicate(format: "changedObjectID == %@", id)
            let ofOne = try transactions()
            #expect(ofOne.map { $0.changes?.map(\.changeType.rawValue) } == [[0], [1], [1]])
        }
    }

    @Test("A history request with a fetch of objects is refused")
    func otherRequestsAreRefused() throws {
        try coordinator.inContext { context in
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            let refusal = try error { _ = try context.transactions(.fetchHistory(withFetch: request)) }
            #expect(refusal.localizedDescription.contains("Book"))
            let other = try error {
                _ = try context.execute(NSFetchRequest<NSManagedObject>(entityName: "Book"))
            }
            #expect(other.code == 134091)
        }
    }

    /// What another coordinator, as that of another process, has saved comes in by way of history.
    @Test("A context merges another coordinator's save by its history")
    func mergingHistory() throws {
        let context = coordinator.context()
        let other = try folder.open(HistoryModel.model(), HistoryModel.tracking)
        try context.performAndWait {
            let tag = try context.only("Tag")
            #expect(tag.value(forKey: "name") as? String == "t")
            let token = try #require(coordinator.currentPersistentHistoryToken(fromStores: nil))
            try other.inContext { context in
                try context.only("Tag").setValue("new", forKey: "name")
                try context.insert("Author", ["name": "Ada"])
                try context.save()
            }
            let transactions = try context.transactions(.fetchHistory(after: token))
            try #require(transactions.count == 1)
            let notification = transactions[0].objectIDNotification()
            #expect(notification.name == .NSManagedObjectContextDidSaveObjectIDs)
            let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: context)
            context.mergeChanges(fromContextDidSave: notification)
            #expect(tag.value(forKey: "name") as? String == "new")
            let inserted = log.contents(of: .NSManagedObjectContextObjectsDidChange, by: "name")
            #expect(inserted.map { $0[NSInsertedObjectsKey] } == [["Ada"]])
        }
    }

    @Test("A save with changes posts one remote change with its token")
    func notificationAfterASave() throws {
        let folder = try StoreFolder()
        let coordinator = try folder.open(
            HistoryModel.model(),
            [
                NSPersistentHistoryTrackingKey: true,
                NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
            ])
        let log = NotificationLog(.NSPersistentStoreRemoteChange, from: coordinator)
        try coordinator.inContext { context in
            try context.insert("Tag")
            try context.save()
            try context.save()
        }
        let posted = log.all
        try #require(posted.count == 1)
        #expect(posted[0].userInfo?[NSPersistentStoreURLKey] as? URL == folder.file)
        #expect(posted[0].userInfo?[NSStoreUUIDKey] as? String == coordinator.persistentStores[0].identifier)
        let token = posted[0].userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
        #expect(token == coordinator.currentPersistentHistoryToken(fromStores: nil))
    }
}

extension NSEntityDescription {
    /// A request for the entity.
    fileprivate func fetch() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = self
        return request
    }
}
