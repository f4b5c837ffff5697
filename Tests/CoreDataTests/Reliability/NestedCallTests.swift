import Synchronization
import Testing

import CoreData
@testable import CoreDataSQLite

/// Nested calls: they work, or they throw an error that gives the reason; they neither trap nor deadlock.
@Suite(.timeLimit(.minutes(40))) struct NestedCallTests {
    private static let model: NSManagedObjectModel = {
        let value = transformable("value", "NestedFetch")
        value.preservesValueInHistoryOnDeletion = true
        return NSManagedObjectModel(of: NSEntityDescription("Item", attribute("name", .string), value))
    }()

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    // MARK: The coordinator's queue

    @Test(
        "A coordinator's performAndWait nests through contexts and other coordinators"
    )
    func coordinators() throws {
        let one = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let two = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let context = one.context()
        #expect(one.performAndWait { one.performAndWait { 1 } } == 1)
        let deep = one.performAndWait {
            context.performAndWait {
                two.performAndWait {
                    one.performAndWait { context.performAndWait { two.performAndWait { 2 } } }
                }
            }
        }
        #expect(deep == 2)
        #expect(throws: CancellationError.self) {
            try one.performAndWait { try one.performAndWait { throw CancellationError() } }
        }
    }

    @Test("A coordinator's performAndWait works inside of blocks that run later")
    func laterBlocks() async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let main = NSManagedObjectContext(.mainQueue)
        main.persistentStoreCoordinator = coordinator
        let first = await coordinator.perform { coordinator.performAndWait { 1 } }
        #expect(first == 1)
        let second = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
            coordinator.perform {
                // The main queue runs on another thread, for which the coordinator's waits.
                main.performAndWait { coordinator.performAndWait { continuation.resume(returning: 2) } }
            }
        }
        #expect(second == 2)
    }

    @Test("Blocks of several threads run one after the other")
    func threads() async {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        let flag = Flag()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    await coordinator.perform {
                        let isAlone = !flag.isInside.exchange(true, ordering: .sequentiallyConsistent)
                        return coordinator.performAndWait {
                            flag.isInside.store(false, ordering: .sequentiallyConsistent)
                            return isAlone
                        }
                    }
                }
            }
            for await isAlone in group { #expect(isAlone) }
        }
    }

    // MARK: Handlers of batch requests

    private func options(_ mode: String) -> [AnyHashable: Any] {
        [NSSQLitePragmasOption: ["journal_mode": mode], NSPersistentHistoryTrackingKey: true]
    }

    /// Inserts a row by a handler that does something else as well.
    private func insert(_ context: NSManagedObjectContext, while body: @escaping () -> Void) throws {
        var isDone = false
        _ = try context.execute(
            NSBatchInsertRequest(entityName: "Item") { (row: NSMutableDictionary) in
                guard !isDone else { return true }
                isDone = true
                row["name"] = "from the batch"
                body()
                return false
            })
    }

    @Test(
        "A batch handler can read the store with a write-ahead log and gets an error without one",
        arguments: ["WAL", "DELETE", "MEMORY"])
    func readsInHandlers(_ mode: String) throws {
        let coordinator =
            mode == "MEMORY"
            ? NSPersistentStoreCoordinator(managedObjectModel: Self.model)
            : try folder.open(Self.model, options(mode))
        if mode == "MEMORY" {
            try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: "/dev/null"))
        }
        let context = coordinator.context()
        try context.performAndWait {
            try context.insert("Item", ["name": "saved"])
            try context.save()
            for other in [coordinator.context(), context] {
                var result: Result<Int, any Error>?
                try insert(context) {
                    result = Result {
                        try other.performAndWait {
                            try other.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item"))
                        }
                    }
                }
                let found = try #require(result)
                if mode == "WAL" {
                    #expect(try found.get() == (other === context ? 2 : 1))
                } else {
                    let refusal = try error { _ = try found.get() }
                    #expect(refusal.code == CocoaError.Code.persistentStoreOperation.rawValue)
                    #expect(
                        refusal.localizedDescription.contains(
                            "called from inside a read or write of the store"))
                }
            }
            #expect(try context.all("Item").count == 3)
        }
    }

    @Test(
        "A batch handler cannot save, run a batch or remove the store, and its request succeeds",
        arguments: ["WAL", "DELETE"])
    func writesInHandlers(_ mode: String) throws {
        let coordinator = try folder.open(Self.model, options(mode))
        let context = coordinator.context()
        let other = coordinator.context()
        let store = try #require(coordinator.persistentStores.first)
        try context.performAndWait {
            try other.performAndWait { _ = try other.insert("Item", ["name": "other"]) }
            var refusals: [NSError] = []
            try insert(context) {
                let attempts: [() throws -> Void] = [
                    { try other.performAndWait { try other.save() } },
                    { try self.insert(context) {} },
                    { try coordinator.remove(store) },
                ]
                for attempt in attempts {
                    do { try attempt() } catch { refusals.append(error as NSError) }
                }
            }
            #expect(refusals.map(\.code) == [134070, 134070, 134070])
            #expect(try context.all("Item").map { $0.value(forKey: "name") as? String } == ["from the batch"])
            try other.performAndWait { try other.save() }
            #expect(try context.all("Item").count == 2)
        }
        try coordinator.remove(store)
    }

    @Test("A batch handler can read a pinned generation and cannot pin a new one")
    func generationsInHandlers() throws {
        let coordinator = try folder.open(Self.model, options("WAL"))
        let context = coordinator.context()
        let pinned = coordinator.context()
        let unpinned = coordinator.context()
        try context.performAndWait {
            try context.insert("Item", ["name": "saved"])
            try context.save()
            try pinned.performAndWait {
                try pinned.setQueryGenerationFrom(.current)
                #expect(try pinned.all("Item").count == 1)
            }
            try unpinned.performAndWait { try unpinned.setQueryGenerationFrom(.current) }
            var counts: [Int?] = []
            try insert(context) {
                for other in [pinned, unpinned] {
                    counts.append(try? other.performAndWait { try other.all("Item").count })
                }
            }
            #expect(counts == [1, nil])
        }
    }

    // MARK: Connections that read

    @Test("A read inside of a read gets a connection beyond the limit")
    func readsInReads() throws {
        try folder.make(Self.model)
        let coordinator = try folder.open(Self.model, [NSPersistentStoreConnectionPoolMaxSizeKey: 1])
        let store = try #require(coordinator.persistentStores.first as? SQLiteStore)
        let main = coordinator.context()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        let count = try store.read("test") { _ in
            #expect(store.isInUseByCaller)
            // By way of another queue, too.
            return try main.performAndWait {
                try store.read("test") { _ in try main.count(for: request) }
            }
        }
        #expect(count == 0 && !store.isInUseByCaller)
        #expect(throws: (any Error).self) { try store.read("test") { _ in try coordinator.remove(store) } }
        try coordinator.remove(store)
    }

    // One after the other: the transformer has one context for all.
    @Test(
        "A value transformer can read the store whose value it decodes", .serialized,
        arguments: ["WAL", "DELETE"])
    func transformers(_ mode: String) throws {
        var options = options(mode)
        options[NSPersistentStoreConnectionPoolMaxSizeKey] = 1
        let coordinator = try folder.open(Self.model, options)
        let context = coordinator.context()
        ValueTransformer.setValueTransformer(NestedFetchTransformer(), forName: .init("NestedFetch"))
        try context.performAndWait {
            for name in ["deleted", "kept"] {
                try context.insert("Item", ["name": name, "value": NSString(string: name)])
                try context.save()
            }
            context.delete(try context.all("Item", where: NSPredicate(format: "name = 'deleted'"))[0])
            try context.save()
            let kept = try context.only("Item")
            NestedFetchTransformer.context.withLock { $0 = coordinator.context() }
            defer { NestedFetchTransformer.context.withLock { $0 = nil } }
            context.refresh(kept, mergeChanges: false)
            #expect(kept.value(forKey: "value") as? String == "kept 1")
            let changes = try context.transactions().flatMap { $0.changes ?? [] }
            let deletion = try #require(changes.first { $0.changeType == .delete })
            #expect(deletion.tombstone?["value"] as? String == "deleted 1")
            #expect(deletion.tombstone?["value"] as? String == "deleted 1")
        }
    }
}

private final class Flag: Sendable {
    let isInside = Atomic<Bool>(false)
}

/// Decodes a text, and adds how many objects another context finds in the store.
private final class NestedFetchTransformer: ValueTransformer {
    static let context = Mutex<NSManagedObjectContext?>(nil)

    override class func allowsReverseTransformation() -> Bool { true }
    override class func transformedValueClass() -> AnyClass { NSData.self }

    override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data($0.utf8) } }

    override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard let context = Self.context.withLock({ $0 }) else { return NSString(string: text) }
        let count = context.performAndWait {
            try? context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item"))
        }
        return NSString(string: "\(text) \(count.map(String.init) ?? "error")")
    }
}
