import CoreData
import CoreSpotlight
import Foundation
import Testing

/// A delegate that is the option `NSCoreDataCoreSpotlightExporter` of its store.
struct SpotlightExporterTests {
    private final class TitleDelegate: NSCoreDataCoreSpotlightDelegate, @unchecked Sendable {
        let domain = UUID().uuidString
        override func domainIdentifier() -> String { domain }
        override func indexName() -> String? { "titles" }
    }

    /// A file for a store, and its description with a history.
    private final class Place {
        let folder: URL
        let description: NSPersistentStoreDescription

        init() throws {
            folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("Spotlight-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            description = NSPersistentStoreDescription(url: folder.appendingPathComponent("Store.db"))
            description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// A delegate made with a model, which is an option of the store from now on.
        func addExporter(_ model: NSManagedObjectModel = model()) -> TitleDelegate {
            let delegate = TitleDelegate(forStoreWith: description, model: model)
            description.setOption(delegate, forKey: NSCoreDataCoreSpotlightExporter)
            return delegate
        }

        /// A coordinator with the store.
        func open(_ model: NSManagedObjectModel = model()) throws -> NSPersistentStoreCoordinator {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            var failure: (any Error)?
            coordinator.addPersistentStore(with: description) { _, error in failure = error }
            if let failure { throw failure }
            return coordinator
        }

        /// Books with a title, and, in a later version, with a note.
        static func model(_ version: Int = 1) -> NSManagedObjectModel {
            let book = NSEntityDescription()
            book.name = "Book"
            book.managedObjectClassName = "NSManagedObject"
            book.properties = (version == 1 ? ["title"] : ["title", "note"]).map { name in
                let attribute = NSAttributeDescription()
                attribute.name = name
                attribute.type = .string
                attribute.isOptional = true
                attribute.isIndexedBySpotlight = name == "title"
                return attribute
            }
            let model = NSManagedObjectModel()
            model.entities = [book]
            return model
        }
    }

    private func close(_ coordinator: NSPersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    private func save(_ title: String, in coordinator: NSPersistentStoreCoordinator) throws {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue(title, forKey: "title")
            try context.save()
        }
    }

    /// The titles that a word finds, of one delegate: other tests run at the same time.
    private func titles(_ word: String, _ delegate: TitleDelegate) async throws -> [String] {
        final class Found: @unchecked Sendable { var items: [CSSearchableItem] = [] }
        let found = Found()
        let query = CSUserQuery(userQueryString: word)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            query.foundItemsHandler = { found.items += $0 }
            query.completionHandler = { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
            query.start()
        }
        return found.items.filter { $0.domainIdentifier == delegate.domain }
            .compactMap(\.attributeSet.textContent).sorted()
    }

    @Test("A store is indexed from the time it is added with an exporter")
    func added() async throws {
        let place = try Place()
        let model = Place.model()
        let delegate = place.addExporter(model)
        #expect(!delegate.isIndexingEnabled)
        let coordinator = try place.open(model)
        let store = try #require(coordinator.persistentStores.first)
        #expect(delegate.isIndexingEnabled && store.coreSpotlightExporter === delegate)
        try save("Das Schloß", in: coordinator)
        #expect(try await titles("schloss", delegate) == ["Das Schloß"])
        delegate.stopSpotlightIndexing()
        try close(coordinator)
    }

    @Test("A store that is added again is indexed again by its exporter")
    func addedAgain() async throws {
        let place = try Place()
        let delegate = place.addExporter()
        let first = try place.open()
        try save("Das Schloß", in: first)
        try close(first)
        let (tokens, continuation) = AsyncStream.makeStream(of: NSPersistentHistoryToken.self)
        let observer = NotificationCenter.default.addObserver(
            forName: NSCoreDataCoreSpotlightDelegate.indexDidUpdateNotification, object: delegate, queue: nil
        ) { notification in
            let token = notification.userInfo?[NSPersistentHistoryTokenKey]
            if let token = token as? NSPersistentHistoryToken { continuation.yield(token) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let second = try place.open()
        try save("Schloß Gripsholm", in: second)
        // The index takes the change without a search.
        let token = try #require(second.currentPersistentHistoryToken(fromStores: nil))
        for await indexed in tokens where indexed == token { break }
        #expect(try await titles("schloss", delegate) == ["Das Schloß", "Schloß Gripsholm"])
        delegate.stopSpotlightIndexing()
        try close(second)
    }

    @Test("A store that is migrated when it is added is indexed once, as it is then")
    func migrated() async throws {
        let place = try Place()
        let first = try place.open()
        try save("Das Schloß", in: first)
        try close(first)
        let delegate = place.addExporter(Place.model(2))
        let second = try place.open(Place.model(2))
        #expect(try await titles("schloss", delegate) == ["Das Schloß"])
        delegate.stopSpotlightIndexing()
        try close(second)
    }

    @Test("A delegate made with another model than the coordinator's indexes nothing")
    func otherModel() throws {
        let place = try Place()
        let delegate = place.addExporter(Place.model(2))
        let coordinator = try place.open()
        #expect(!delegate.isIndexingEnabled && coordinator.persistentStores.count == 1)
        try close(coordinator)
    }

    @Test("An exporter that is not a delegate is an error, and no file is made")
    func notADelegate() throws {
        let place = try Place()
        place.description.setOption("delegate" as NSString, forKey: NSCoreDataCoreSpotlightExporter)
        let error = try #require(throws: CocoaError.self) { try place.open() }
        #expect(error.code == .persistentStoreInvalidType)
        #expect(error.localizedDescription.contains("NSCoreDataCoreSpotlightExporter"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path).isEmpty)
    }

    @Test("A store that is migrated to another place is indexed there by the exporter of its options")
    func movedStore() async throws {
        let place = try Place()
        let delegate = place.addExporter()
        let coordinator = try place.open()
        try save("Das Schloß", in: coordinator)
        let old = try #require(coordinator.persistentStores.first)
        let new = try coordinator.migratePersistentStore(
            old, to: place.folder.appendingPathComponent("Other.db"), options: place.description.options,
            type: .sqlite)
        #expect(delegate.isIndexingEnabled && new.coreSpotlightExporter === delegate)
        try save("Schloß Gripsholm", in: coordinator)
        #expect(try await titles("schloss", delegate) == ["Das Schloß", "Schloß Gripsholm"])
        delegate.stopSpotlightIndexing()
        try close(coordinator)
    }

    @Test("A coordinator, a description and its exporter are released together, while the store is indexed")
    func released() throws {
        weak var coordinator: NSPersistentStoreCoordinator?
        weak var description: NSPersistentStoreDescription?
        weak var delegate: TitleDelegate?
        do {
            let place = try Place()
            let made = place.addExporter()
            let opened = try place.open()
            #expect(made.isIndexingEnabled)
            (coordinator, description, delegate) = (opened, place.description, made)
            try close(opened)
        }
        // A step that is running may have the last reference.
        let end = Date(timeIntervalSinceNow: 300)
        while coordinator != nil || description != nil || delegate != nil, Date() < end { usleep(1_000) }
        #expect(coordinator == nil && description == nil && delegate == nil)
    }
}
