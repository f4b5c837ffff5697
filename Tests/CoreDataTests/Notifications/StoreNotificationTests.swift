import CoreData
import Testing

/// Which notifications report removed stores, and where a merge is reported.
@Suite struct StoreNotificationTests {
    @Test("The removal of a store is posted before it happens")
    func removalIsPostedBefore() throws {
        let folder = try StoreFolder()
        let coordinator = try folder.open(OwnerModel.model())
        let store = try #require(coordinator.persistentStores.first)
        let there = Counts()
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreCoordinatorWillRemoveStore, object: store, queue: nil
        ) { _ in there.add(coordinator.persistentStores.count) }
        defer { NotificationCenter.default.removeObserver(token) }
        try coordinator.remove(store)
        #expect(there.all == [1] && coordinator.persistentStores.isEmpty)
        #expect(
            Notification.Name.NSPersistentStoreCoordinatorWillRemoveStore.rawValue
                == "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
    }

    /// The observer may use the context's objects: it runs on the context's queue.
    @Test("A merge is posted on the context's queue")
    func mergeIsPostedOnTheQueue() throws {
        let diary = try HookStack()
        nonisolated(unsafe) let entry = try diary.savedEntry("a")
        diary.event { $0.automaticallyMergesChangesFromParent = true }
        let numbers = Counts()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidMergeChangesObjectIDs, object: diary.context, queue: nil
        ) { notification in
            numbers.add(
                (notification.userInfo?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID>)?.count ?? 0)
            numbers.add(entry.number)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let id = diary.event { _ in entry.objectID }
        try diary.stack.inContext { other in
            try other.existingObject(with: id).setValue(44, forKey: "number")
            try other.save()
        }
        diary.event { _ in #expect(entry.number == 44) }
        #expect(numbers.all == [1, 44])
    }

    private final class Counts: @unchecked Sendable {
        private let lock = NSLock()
        private var noted: [Int] = []
        var all: [Int] { lock.withLock { noted } }
        func add(_ number: Int) { lock.withLock { noted.append(number) } }
    }
}
