import CoreData
import Foundation
import Testing

/// An atomic store of a program's own, which keeps nothing.
private final class NotedStore: NSAtomicStore, @unchecked Sendable {
    override var type: String { "SearchedNotes" }
    override func load() throws {}
    override func save() throws {}
    override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

    override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }
}

/// An incremental store of a program's own, which finds nothing and keeps the predicates of fetches.
private final class AskedStore: NSIncrementalStore, @unchecked Sendable {
    private let lock = NSLock()
    private var predicates: [String] = []
    var asked: [String] { lock.withLock { predicates } }

    override var type: String { "SearchedService" }

    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: "asked"]
    }

    override func execute(
        _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
    ) throws -> Any {
        if let fetch = request as? NSFetchRequest<any NSFetchRequestResult> {
            lock.withLock { predicates.append(fetch.predicate?.description ?? "") }
        }
        return [Any]()
    }
}

/// Stores that programs write themselves.
struct OwnStoreTests {
    private func context(_ type: String) throws -> (NSManagedObjectContext, NSPersistentStore) {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SearchModel.model())
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("Own-\(UUID().uuidString)")
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return (context, store)
    }

    @Test("An atomic store of a program's own is searched as the others are, in memory")
    func atomicStore() throws {
        NSPersistentStoreCoordinator.registerStoreClass(NotedStore.self, forStoreType: "SearchedNotes")
        let (context, store) = try context("SearchedNotes")
        defer { try? context.persistentStoreCoordinator?.remove(store) }
        try context.save(["Das Schloß", "Schloß Gripsholm", "war"])
        try context.run { context throws in
            #expect(try context.titles("schloss") == ["Das Schloß", "Schloß Gripsholm"])
            let result = try context.search(context.request("schloss gripsholm"))
            #expect(result.titles == ["Schloß Gripsholm"] && result.isRanked)
            for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
                book.setValue("peace", forKey: "title")
            }
            try context.save()
            #expect(try context.titles("schloss") == [])
            #expect(try context.searchCounts("peace") == ["Book": 3])
        }
    }

    @Test(
        "An incremental store gets the predicate as it is, and a search of it is an error that names the type"
    )
    func incrementalStore() throws {
        NSPersistentStoreCoordinator.registerStoreClass(AskedStore.self, forStoreType: "SearchedService")
        let (context, store) = try context("SearchedService")
        defer { try? context.persistentStoreCoordinator?.remove(store) }
        try context.run { context throws in
            #expect(try context.titles("war") == [])
            let error = #expect(throws: NSError.self) { try context.search(context.request("war")) }
            #expect(error?.code == 134060)
            #expect(error?.localizedDescription.contains("SearchedService") ?? false)
        }
        let asked = try #require(store as? AskedStore).asked
        #expect(asked.contains { $0.contains("SEARCH(\"war\")") }, "\(asked)")
    }
}
