import CoreData
import CoreSpotlight
import Foundation
import Testing

/// What a delegate indexes of a store, and what becomes of it: sentences of the documentation, as a program sees them.
struct SpotlightStoreTests {
    /// A delegate whose items have a word of its own, and that hides some objects.
    private final class WordDelegate: NSCoreDataCoreSpotlightDelegate, @unchecked Sendable {
        private let lock = NSLock()
        private var kept = "first"
        var word: String {
            get { lock.withLock { kept } }
            set { lock.withLock { kept = newValue } }
        }

        let domain = UUID().uuidString
        override func domainIdentifier() -> String { domain }
        override func indexName() -> String? { "words" }

        override func attributeSet(for object: NSManagedObject) -> CSSearchableItemAttributeSet? {
            guard object.value(forKey: "title") as? String != "hidden" else { return nil }
            let set = CSSearchableItemAttributeSet(itemContentType: "public.text")
            set.title = object.value(forKey: "title") as? String
            set.keywords = [word]
            return set
        }
    }

    private final class Stack {
        let folder: URL
        let description: NSPersistentStoreDescription
        let coordinator: NSPersistentStoreCoordinator
        let context = NSManagedObjectContext(.privateQueue)
        private let type: NSPersistentStore.StoreType

        init(_ type: NSPersistentStore.StoreType = .sqlite) throws {
            self.type = type
            folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("Spotlight-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let url = folder.appendingPathComponent("Store.db")
            description = NSPersistentStoreDescription(url: url)
            description.type = type.rawValue
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
            try coordinator.addPersistentStore(type: type, at: url, options: Self.options(type))
            context.persistentStoreCoordinator = coordinator
        }

        deinit {
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
            try? FileManager.default.removeItem(at: folder)
        }

        private static func options(_ type: NSPersistentStore.StoreType) -> [AnyHashable: Any]? {
            type == .sqlite ? [NSPersistentHistoryTrackingKey: true] : nil
        }

        /// A book with a title that is indexed, and a tag whose title is not.
        private static func model() -> NSManagedObjectModel {
            let entities = ["Book", "Tag"].map { name in
                let entity = NSEntityDescription()
                entity.name = name
                entity.managedObjectClassName = "NSManagedObject"
                let title = NSAttributeDescription()
                title.name = "title"
                title.type = .string
                title.isOptional = true
                title.isIndexedBySpotlight = name == "Book"
                entity.properties = [title]
                return entity
            }
            let model = NSManagedObjectModel()
            model.entities = entities
            return model
        }

        /// Another program with the store.
        func other() throws -> NSManagedObjectContext {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
            try coordinator.addPersistentStore(
                type: type, at: folder.appendingPathComponent("Store.db"), options: Self.options(type))
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            return context
        }

        func delegate() -> NSCoreDataCoreSpotlightDelegate {
            NSCoreDataCoreSpotlightDelegate(forStoreWith: description, coordinator: coordinator)
        }
    }

    /// Saves an object, and returns the URI of its ID.
    @discardableResult
    private func add(
        _ title: String, to context: NSManagedObjectContext, as entity: String = "Book"
    ) throws -> String {
        try context.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            object.setValue(title, forKey: "title")
            try context.save()
            return object.objectID.uriRepresentation().absoluteString
        }
    }

    /// What a query reports: the items of each part.
    private func parts(_ query: CSSearchQuery) async throws -> [[CSSearchableItem]] {
        final class Found: @unchecked Sendable { var parts: [[CSSearchableItem]] = [] }
        let found = Found()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            query.foundItemsHandler = { found.parts.append($0) }
            query.completionHandler = { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
            query.start()
        }
        return found.parts
    }

    /// The identifiers of the items of one group that have some words, in order: other tests run at the same time.
    private func found(_ words: String, in domain: String) async throws -> [String] {
        try await parts(CSUserQuery(userQueryString: words)).joined()
            .filter { $0.domainIdentifier == domain }.map(\.uniqueIdentifier)
    }

    @Test(
        "Objects of each type of store are found, as they are saved, changed and deleted",
        arguments: [NSPersistentStore.StoreType.sqlite, .inMemory, .xml, .binary])
    func types(_ type: NSPersistentStore.StoreType) async throws {
        let stack = try Stack(type)
        let castle = try add("Das Schloß", to: stack.context)
        let delegate = stack.delegate()
        delegate.startSpotlightIndexing()
        #expect(delegate.isIndexingEnabled)
        let domain = delegate.domainIdentifier()
        #expect(!domain.isEmpty && domain == stack.coordinator.persistentStores.first?.identifier)
        #expect(try await found("schlo", in: domain) == [castle])
        let second = try add("Schloß Gripsholm", to: stack.context)
        #expect(Set(try await found("schloss", in: domain)) == [castle, second])
        // The identifier of an item leads to its object.
        let id = try #require(stack.coordinator.managedObjectID(for: second))
        let context = stack.context
        try context.performAndWait {
            let object = context.object(with: id)
            #expect(object.value(forKey: "title") as? String == "Schloß Gripsholm")
            object.setValue("Gripsholm", forKey: "title")
            try context.save()
        }
        #expect(try await found("schloss", in: domain) == [castle])
        #expect(try await found("gripsholm", in: domain) == [second])
        try context.performAndWait {
            context.delete(context.object(with: id))
            try context.save()
        }
        #expect(try await found("gripsholm", in: domain) == [])
        delegate.stopSpotlightIndexing()
    }

    @Test("Objects of an entity without a flag or a display name are not indexed, nor those without a set")
    func entities() async throws {
        let stack = try Stack()
        let book = try add("war", to: stack.context)
        try add("war", to: stack.context, as: "Tag")
        let hidden = try add("hidden", to: stack.context)
        let delegate = WordDelegate(forStoreWith: stack.description, coordinator: stack.coordinator)
        delegate.startSpotlightIndexing()
        #expect(try await found("first", in: delegate.domain) == [book])
        // One that gets a set later is found then.
        let context = stack.context
        try context.performAndWait {
            let id = try #require(stack.coordinator.managedObjectID(for: hidden))
            context.object(with: id).setValue("shown", forKey: "title")
            try context.save()
        }
        #expect(Set(try await found("first", in: delegate.domain)) == [book, hidden])
        delegate.stopSpotlightIndexing()
    }

    @Test("The index follows batch requests and other programs")
    func otherChanges() async throws {
        let stack = try Stack()
        try add("war", to: stack.context)
        let delegate = stack.delegate()
        delegate.startSpotlightIndexing()
        let domain = delegate.domainIdentifier()
        #expect(try await found("war", in: domain).count == 1)
        let context = stack.context
        try context.performAndWait {
            _ = try context.execute(
                NSBatchInsertRequest(
                    entityName: "Book", objects: [["title": "war II"], ["title": "war III"]]))
        }
        #expect(try await found("war", in: domain).count == 3)
        let other = try stack.other()
        try add("war IV", to: other)
        #expect(try await found("war", in: domain).count == 4)
        try other.performAndWait {
            let all = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            _ = try other.execute(NSBatchDeleteRequest(fetchRequest: all))
        }
        #expect(try await found("war", in: domain) == [])
        delegate.stopSpotlightIndexing()
    }

    @Test(
        "A delegate that returns other values finds by them once its index was deleted, or all is indexed anew"
    )
    func otherValues() async throws {
        let stack = try Stack()
        let book = try add("war", to: stack.context)
        let delegate = WordDelegate(forStoreWith: stack.description, coordinator: stack.coordinator)
        delegate.startSpotlightIndexing()
        #expect(try await found("first", in: delegate.domain) == [book])
        delegate.word = "second"
        #expect(try await found("second", in: delegate.domain) == [])
        try await delegate.deleteSpotlightIndex()
        #expect(try await found("second", in: delegate.domain) == [book])
        #expect(try await found("first", in: delegate.domain) == [])
        delegate.word = "third"
        var isAcknowledged = false
        delegate.searchableIndex(.default()) { isAcknowledged = true }
        #expect(isAcknowledged && delegate.isIndexingEnabled)
        #expect(try await found("third", in: delegate.domain) == [book])
        delegate.word = "fourth"
        delegate.searchableIndex(.default(), reindexSearchableItemsWithIdentifiers: [book]) {}
        #expect(try await found("fourth", in: delegate.domain) == [book])
        delegate.stopSpotlightIndexing()
    }

    @Test(
        "The file of a delegate's index has the store's mode, is one of its own, and is removed with the store"
    )
    func file() async throws {
        let stack = try Stack()
        try add("war", to: stack.context)
        let store = stack.folder.appendingPathComponent("Store.db")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: store.path)
        let plain = stack.delegate()
        let own = WordDelegate(forStoreWith: stack.description, coordinator: stack.coordinator)
        for delegate in [plain, own] { delegate.startSpotlightIndexing() }
        #expect(try await found("war", in: plain.domainIdentifier()).count == 1)
        #expect(try await found("first", in: own.domain).count == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: stack.folder.path).filter {
            $0.contains("-search-spotlight")
        }
        #expect(names.contains("Store.db-search-spotlight_20words"))
        #expect(names.count { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == 2)
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: stack.folder.path + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o640, "\(name)")
        }
        for delegate in [plain, own] { delegate.stopSpotlightIndexing() }
        try stack.coordinator.destroyPersistentStore(at: store, type: .sqlite)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: stack.folder.path).allSatisfy {
                !$0.contains("search")
            })
    }

    @Test("Items come a hundred at a time, the best first, and a handler may end the query")
    func portions() async throws {
        let index = CSSearchableIndex(name: "parts")
        let domain = "parts.\(UUID().uuidString)"
        let word = "w\(UUID().uuidString.replacingOccurrences(of: "-", with: ""))"
        func item(_ number: Int, _ title: String) -> CSSearchableItem {
            let set = CSSearchableItemAttributeSet(itemContentType: "public.text")
            set.title = title
            return CSSearchableItem(
                uniqueIdentifier: "\(domain) \(number)", domainIdentifier: domain, attributeSet: set)
        }
        try await index.indexSearchableItems(
            (0..<249).map { item($0, "\(word) among other words") } + [item(249, word)]
                + (250..<600).map { item($0, "nothing of the kind") })
        let found = try await parts(CSUserQuery(userQueryString: word))
        #expect(found.map(\.count) == [100, 100, 50])
        #expect(found.first?.first?.uniqueIdentifier == "\(domain) 249")
        let query = CSUserQuery(userQueryString: word)
        let error: (any Error)? = await withCheckedContinuation { continuation in
            query.foundItemsHandler = { _ in query.cancel() }
            query.completionHandler = { continuation.resume(returning: $0) }
            query.start()
        }
        #expect((error as? CSSearchQueryError)?.code == .cancelled && query.isCancelled)
        #expect(query.foundItemCount == 100)
        query.foundItemsHandler = nil
        query.completionHandler = nil
        index.deleteSearchableItems(withDomainIdentifiers: [domain])
        #expect(try await parts(CSUserQuery(userQueryString: word)).isEmpty)
    }

    @Test(
        "Indexes of one name have the same items, and completion handlers are called before the methods return"
    )
    func sharedItems() async throws {
        final class Calls: @unchecked Sendable { var count = 0 }
        let calls = Calls()
        let domain = UUID().uuidString
        let set = CSSearchableItemAttributeSet(itemContentType: "public.text")
        set.title = "shared \(domain)"
        let item = CSSearchableItem(uniqueIdentifier: domain, domainIdentifier: domain, attributeSet: set)
        let (first, second) = (CSSearchableIndex(name: "shared"), CSSearchableIndex(name: "shared"))
        first.indexSearchableItems([item]) { error in
            #expect(error == nil)
            calls.count += 1
        }
        #expect(calls.count == 1)
        #expect(try await found("shared", in: domain) == [domain])
        CSSearchableIndex(name: "another").deleteSearchableItems(withIdentifiers: [domain])
        #expect(try await found("shared", in: domain) == [domain])
        second.deleteSearchableItems(withIdentifiers: [domain]) { _ in calls.count += 1 }
        #expect(calls.count == 2)
        #expect(try await found("shared", in: domain) == [])
    }
}
