import CoreData
import CoreSpotlight
import Foundation
import Testing

/// The delegate that indexes a store, seen as a program sees it.
struct SpotlightDelegateTests {
    /// A delegate as programs write them.
    private final class BookDelegate: NSCoreDataCoreSpotlightDelegate, @unchecked Sendable {
        override func domainIdentifier() -> String { "org.example.books" }
        override func indexName() -> String? { "books/1" }

        override func attributeSet(for object: NSManagedObject) -> CSSearchableItemAttributeSet? {
            guard object.entity.name == "Book", object.value(forKey: "isHidden") as? Bool != true else {
                return nil
            }
            let set = CSSearchableItemAttributeSet(itemContentType: "public.text")
            set.title = object.value(forKey: "title") as? String
            set.keywords = ["Lesestoff", "Papier"]
            return set
        }
    }

    private final class Stack {
        let folder: URL
        let description: NSPersistentStoreDescription
        let coordinator: NSPersistentStoreCoordinator
        let context = NSManagedObjectContext(.privateQueue)

        init(history: Bool = true) throws {
            folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("Spotlight-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            description = NSPersistentStoreDescription(url: folder.appendingPathComponent("Store.db"))
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
            try coordinator.addPersistentStore(
                type: .sqlite, at: folder.appendingPathComponent("Store.db"),
                options: [NSPersistentHistoryTrackingKey: history])
            context.persistentStoreCoordinator = coordinator
        }

        deinit {
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
            try? FileManager.default.removeItem(at: folder)
        }

        private static func model() -> NSManagedObjectModel {
            let book = NSEntityDescription()
            book.name = "Book"
            book.managedObjectClassName = "NSManagedObject"
            let title = NSAttributeDescription()
            title.name = "title"
            title.type = .string
            title.isIndexedBySpotlight = true
            let isHidden = NSAttributeDescription()
            isHidden.name = "isHidden"
            isHidden.type = .boolean
            book.properties = [title, isHidden]
            for property in book.properties { property.isOptional = true }
            book.coreSpotlightDisplayNameExpression = NSExpression(forKeyPath: "title")
            let model = NSManagedObjectModel()
            model.entities = [book]
            return model
        }

        /// Saves a book, and returns the URI of its ID.
        @discardableResult
        func add(_ title: String, isHidden: Bool = false) throws -> String {
            try context.performAndWait {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(title, forKey: "title")
                book.setValue(isHidden, forKey: "isHidden")
                try context.save()
                return book.objectID.uriRepresentation().absoluteString
            }
        }
    }

    private func find(_ query: CSSearchQuery) async throws -> [CSSearchableItem] {
        final class Found: @unchecked Sendable { var items: [CSSearchableItem] = [] }
        let found = Found()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            query.foundItemsHandler = { found.items += $0 }
            query.completionHandler = { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
            query.start()
        }
        #expect(query.foundItemCount == found.items.count)
        return found.items
    }

    /// The identifiers of items of one group: other tests run at the same time.
    private func identifiers(_ query: CSSearchQuery, in domain: String) async throws -> [String] {
        try await find(query).filter { $0.domainIdentifier == domain }.map(\.uniqueIdentifier)
    }

    @Test("Objects are found by their texts, by the URIs of their IDs")
    func objects() async throws {
        let stack = try Stack()
        let castle = try stack.add("Das Schloß")
        let delegate = NSCoreDataCoreSpotlightDelegate(
            forStoreWith: stack.description, coordinator: stack.coordinator)
        let domain = try #require(stack.coordinator.persistentStores.first?.identifier)
        #expect(delegate.domainIdentifier() == domain && delegate.indexName() == nil)
        #expect(!delegate.isIndexingEnabled)
        delegate.startSpotlightIndexing()
        #expect(delegate.isIndexingEnabled)
        #expect(try await identifiers(CSUserQuery(userQueryString: "schlo"), in: domain) == [castle])
        let second = try stack.add("Schloß Gripsholm")
        #expect(
            Set(try await identifiers(CSUserQuery(userQueryString: "schloss"), in: domain)) == [
                castle, second,
            ])
        let named = try await find(CSSearchQuery(queryString: "displayName == \"gripsholm\"cd"))
        #expect(
            named.filter { $0.domainIdentifier == domain }.map(\.attributeSet.displayName) == [
                "Schloß Gripsholm"
            ])
        delegate.stopSpotlightIndexing()
        #expect(!delegate.isIndexingEnabled)
    }

    @Test("A subclass decides what is indexed, under which name and in which group")
    func subclass() async throws {
        let stack = try Stack()
        let castle = try stack.add("Das Schloß")
        try stack.add("Das geheime Schloß", isHidden: true)
        let delegate = BookDelegate(forStoreWith: stack.description, coordinator: stack.coordinator)
        delegate.startSpotlightIndexing()
        defer { delegate.stopSpotlightIndexing() }
        let domain = "org.example.books"
        #expect(try await identifiers(CSUserQuery(userQueryString: "schloss"), in: domain) == [castle])
        #expect(try await identifiers(CSUserQuery(userQueryString: "papier"), in: domain) == [castle])
        #expect(
            try await identifiers(CSSearchQuery(queryString: "keywords == \"lese*\"cd"), in: domain) == [
                castle
            ])
        #expect(try await identifiers(CSSearchQuery(queryString: "title == \"papier\""), in: domain).isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: stack.folder.path)
        #expect(names.contains("Store.db-search-spotlight_20books_2f1"))
        try await delegate.deleteSpotlightIndex()
        try stack.coordinator.destroyPersistentStore(
            at: stack.folder.appendingPathComponent("Store.db"), type: .sqlite)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: stack.folder.path).allSatisfy {
                !$0.contains("search")
            })
    }

    @Test("A notification and a message report how far the index has come", .timeLimit(.minutes(40)))
    func notification() async throws {
        let stack = try Stack()
        try stack.add("war")
        let delegate = NSCoreDataCoreSpotlightDelegate(
            forStoreWith: stack.description, coordinator: stack.coordinator)
        let (updates, continuation) = AsyncStream.makeStream(of: Bool.self)
        let observer = NotificationCenter.default.addObserver(
            forName: NSCoreDataCoreSpotlightDelegate.indexDidUpdateNotification, object: delegate, queue: nil
        ) { notification in
            let message = NSCoreDataCoreSpotlightDelegate.IndexDidUpdateMessage.makeMessage(notification)
            continuation.yield(message?.historyToken != nil && message?.storeUUID.isEmpty == false)
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        delegate.startSpotlightIndexing()
        for await isComplete in updates {
            #expect(isComplete)
            break
        }
        delegate.stopSpotlightIndexing()
    }

    @Test("A store without history is not indexed")
    func noHistory() throws {
        let stack = try Stack(history: false)
        let delegate = NSCoreDataCoreSpotlightDelegate(
            forStoreWith: stack.description, coordinator: stack.coordinator)
        delegate.startSpotlightIndexing()
        #expect(!delegate.isIndexingEnabled)
    }

    @Test("Items that a program adds are found until it removes them")
    func addedItems() async throws {
        let index = CSSearchableIndex(name: "items")
        func item(_ identifier: String, _ title: String) -> CSSearchableItem {
            let set = CSSearchableItemAttributeSet(itemContentType: "public.text")
            set.title = title
            return CSSearchableItem(
                uniqueIdentifier: identifier, domainIdentifier: "items.a", attributeSet: set)
        }
        try await index.indexSearchableItems([
            item("1", "Zauberberg"), item("2", "Zauber"), item("3", "Berg"),
        ])
        func found(_ query: String) async throws -> [String] {
            try await identifiers(CSSearchQuery(queryString: query), in: "items.a").sorted()
        }
        #expect(try await found("title == \"zauber*\"") == ["1", "2"])
        #expect(try await found("title == \"zauber*\" && title != \"zauber\"") == ["1"])
        #expect(try await found("** == \"berg\" || (title == 'zauber' && !(title == \"x\"))") == ["2", "3"])
        let most = Array(repeating: "title == \"x\"", count: 255) + ["title == \"berg\""]
        #expect(try await found(most.joined(separator: " || ")) == ["3"])
        try await index.indexSearchableItems([item("2", "Tal")])
        #expect(try await found("title == \"zauber*\"") == ["1"])
        index.deleteSearchableItems(withIdentifiers: ["1"])
        #expect(try await found("title == \"zauber*\"").isEmpty)
        index.deleteSearchableItems(withDomainIdentifiers: ["items"])
        #expect(try await found("title == \"tal\"").isEmpty)
    }

    @Test(
        "A string that is not a query is an error, and so is one that only excludes",
        arguments: [
            "", "title", "title == ", "title = \"x\"", "nothing == \"x\"", "!(title == \"x\")",
            "(title == \"x\"",
            String(repeating: "(", count: 10_000), "title == \"\"", "title == \"x\" &&",
        ])
    func invalidQueries(_ query: String) async {
        await #expect {
            _ = try await find(CSSearchQuery(queryString: query))
        } throws: { error in
            (error as? CSSearchQueryError)?.code == .invalidQuery
        }
    }

    @Test("A query of more than 256 comparisons is an error that says so", arguments: [257, 100_000])
    func longQuery(_ count: Int) async {
        let query = Array(repeating: "title == \"x\"", count: count).joined(separator: " || ")
        await #expect {
            _ = try await find(CSSearchQuery(queryString: query))
        } throws: { error in
            (error as? CSSearchQueryError)?.code == .invalidQuery
                && error.localizedDescription.contains("256")
        }
    }

    @Test("A cancelled query ends with an error that says so")
    func cancelled() async {
        let query = CSUserQuery(userQueryString: "x")
        query.cancel()
        await #expect {
            _ = try await find(query)
        } throws: { error in
            (error as? CSSearchQueryError)?.code == .cancelled
        }
    }
}
