import CoreData
import Testing

/// What a context posts around a save, in which order, with what.
@Suite struct SaveNotificationTests {
    private let diary: HookStack
    private var context: NSManagedObjectContext { diary.context }

    init() throws { diary = try HookStack() }

    private func log() -> NotificationLog {
        NotificationLog(
            .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
            .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSaveObjectIDs, from: context)
    }

    @Test("Notification names and keys are Apple's")
    func appleNames() {
        let names: [Notification.Name] = [
            .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
            .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSaveObjectIDs,
            .NSManagedObjectContextDidMergeChangesObjectIDs,
        ]
        #expect(
            names.map(\.rawValue) == [
                "NSManagedObjectContextWillSaveNotification", "NSManagedObjectContextDidSaveNotification",
                "NSManagedObjectContextObjectsDidChangeNotification",
                "NSManagedObjectContextDidSaveObjectIDsNotification",
                "NSManagedObjectContextDidMergeChangesObjectIDsNotification",
            ])
        #expect(
            [
                NSManagedObjectContext.willSaveObjectsNotification,
                NSManagedObjectContext.didSaveObjectsNotification,
                NSManagedObjectContext.didChangeObjectsNotification,
                NSManagedObjectContext.didSaveObjectIDsNotification,
                NSManagedObjectContext.didMergeChangesObjectIDsNotification,
            ] == names)
        let keys: [(NSManagedObjectContext.NotificationKey, String)] = [
            (.insertedObjects, NSInsertedObjectsKey), (.updatedObjects, NSUpdatedObjectsKey),
            (.deletedObjects, NSDeletedObjectsKey), (.refreshedObjects, NSRefreshedObjectsKey),
            (.invalidatedObjects, NSInvalidatedObjectsKey),
            (.invalidatedAllObjects, NSInvalidatedAllObjectsKey),
            (.insertedObjectIDs, NSInsertedObjectIDsKey), (.updatedObjectIDs, NSUpdatedObjectIDsKey),
            (.deletedObjectIDs, NSDeletedObjectIDsKey), (.refreshedObjectIDs, NSRefreshedObjectIDsKey),
            (.invalidatedObjectIDs, NSInvalidatedObjectIDsKey),
        ]
        for (key, string) in keys { #expect(key.rawValue == string) }
    }

    @Test("A save posts its notifications in order, around the hooks")
    func orderOfNotifications() throws {
        let log = log()
        diary.hooks.onWillSave = { [hooks = diary.hooks] _ in hooks.note("\(log.names.count) before willSave")
        }
        diary.hooks.onDidSave = { [hooks = diary.hooks] _ in hooks.note("\(log.names.count) before didSave") }
        try diary.event { context in
            let entry = Entry(context: context)
            entry.title = "a"
            try context.save()
        }
        #expect(
            log.names == [
                .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextWillSave,
                .NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
            ])
        #expect(
            diary.hooks.take() == [
                "awakeFromInsert", "willSave a", "2 before willSave", "didSave a", "2 before didSave",
            ])
        diary.hooks.onWillSave = nil
        diary.hooks.onDidSave = nil
        #expect(log.all.allSatisfy { $0.object as? NSManagedObjectContext === context })
        #expect(log.all[1].userInfo == nil)
    }

    @Test("Notifications have the inserted, updated and deleted objects and IDs")
    func objectsInNotifications() throws {
        let updated = try diary.savedEntry("updated")
        let deleted = try diary.savedEntry("deleted")
        _ = try diary.savedEntry("untouched")
        let log = log()
        let (inserted, deletedID) = try diary.event { context in
            let inserted = Entry(context: context)
            inserted.title = "inserted"
            updated.number = 9
            let id = deleted.objectID
            context.delete(deleted)
            try context.save()
            return (inserted, id)
        }
        try diary.event { _ in
            let all: [String: Set<String>] = [
                "inserted": ["inserted"], "updated": ["updated"], "deleted": ["deleted"],
            ]
            #expect(log.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title") == [all])
            #expect(log.contents(of: .NSManagedObjectContextDidSave, by: "title") == [all])
            let ids = try #require(log.all.last?.userInfo)
            #expect(log.names.last == .NSManagedObjectContextDidSaveObjectIDs)
            #expect(ids[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [inserted.objectID])
            #expect(!inserted.objectID.isTemporaryID)
            #expect(ids[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [updated.objectID])
            #expect(ids[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [deletedID])
            #expect(ids.count == 3)
        }
    }

    @Test("A notification has no key for an empty set")
    func emptySetsHaveNoKey() throws {
        let entry = try diary.savedEntry("a")
        let log = log()
        try diary.event { context in
            entry.number = 4
            try context.save()
        }
        for notification in log.all where notification.name != .NSManagedObjectContextWillSave {
            #expect(notification.userInfo?.count == 1, "\(notification.name)")
        }
        diary.event { _ in
            #expect(log.contents(of: .NSManagedObjectContextDidSave, by: "title") == [["updated": ["a"]]])
        }
    }

    @Test("A save without changes posts that the context saved, and nothing else")
    func aSaveWithoutChangesIsPosted() throws {
        _ = try diary.savedEntry("a")
        let log = log()
        try diary.event { try $0.save() }
        #expect(log.names == [.NSManagedObjectContextDidSave])
        #expect(log.all.first?.userInfo?.isEmpty ?? true)
    }

    @Test("A failed save posts that it will save and not that it did")
    func failedSave() throws {
        let stack = try TestStack(OwnerModel.model(optionalOwner: false))
        let context = stack.context()
        let log = NotificationLog(
            .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
            .NSManagedObjectContextDidSaveObjectIDs, from: context)
        try context.performAndWait {
            try context.insert("Item")
            #expect(try error { try context.save() }.code == 1570)
        }
        #expect(log.names == [.NSManagedObjectContextWillSave])
    }

    @Test("Changes by an observer of willSave are saved")
    func changesBeforeTheSave() throws {
        let context = context
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextWillSave, object: context, queue: nil
        ) { _ in
            for case let entry as Entry in context.insertedObjects { entry.number = 77 }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        _ = diary.hooks.take()
        _ = try diary.savedEntry("a")
        // What the observer changed is nothing that willSave() has changed.
        #expect(diary.hooks.take().filter { $0 == "willSave a" }.count == 1)
        #expect(try diary.stored("a", \.number) == 77)
        diary.event { #expect(!$0.hasChanges) }
    }

    /// As an observer that saves after every change would: within a save that is an error, after it a save.
    @Test("A save inside of a save fails")
    func saveInsideASave() throws {
        let context = context
        let errors = NotedErrors()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { _ in errors.note { try context.save() } }
        defer { NotificationCenter.default.removeObserver(token) }
        diary.hooks.onWillSave = { entry in if entry.number != 50 { entry.number = 50 } }
        diary.event { context in Entry(context: context).title = "a" }
        #expect(errors.codes == [132001])
        #expect(try diary.stored("a", \.number) == 50)
        diary.event { #expect(!$0.hasChanges) }
    }

    private final class NotedErrors: @unchecked Sendable {
        private(set) var codes: [Int] = []

        func note(_ body: () throws -> Void) {
            do { try body() } catch { codes.append((error as NSError).code) }
        }
    }

    // MARK: Events

    @Test("The changes of an event are posted once")
    func eventPostsOnce() throws {
        let entry = try diary.savedEntry("a")
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: context)
        diary.event { context in
            entry.number = 4
            entry.title = "b"
            context.performAndWait { entry.number = 5 }
            #expect(log.all.isEmpty)
            context.processPendingChanges()
            #expect(log.all.count == 1)
            context.processPendingChanges()
        }
        #expect(log.all.count == 1)
        diary.event { _ in _ = entry.number }
        #expect(log.all.count == 1)
    }

    @Test("A fetch posts the changes before it")
    func fetchPostsChanges() throws {
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: context)
        try diary.event { context throws in
            Entry(context: context).title = "a"
            #expect(try context.all("Entry").count == 1)
            #expect(log.all.count == 1)
        }
    }

    @Test("A changed relationship posts both of its ends")
    func bothEndsArePosted() throws {
        let parent = try diary.savedEntry("parent")
        let child = try diary.savedEntry("child", parent: parent)
        let log = NotificationLog(.NSManagedObjectContextObjectsDidChange, from: context)
        diary.event { _ in child.parent = nil }
        diary.event { context in
            #expect(
                log.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title")
                    == [["updated": ["child", "parent"]]])
            log.clear()
            context.rollback()
            log.clear()
            context.delete(parent)
        }
        // The child is deleted with its parent.
        diary.event { _ in
            #expect(
                log.contents(of: .NSManagedObjectContextObjectsDidChange, by: "title")
                    == [["deleted": ["child", "parent"]]])
        }
    }
}
