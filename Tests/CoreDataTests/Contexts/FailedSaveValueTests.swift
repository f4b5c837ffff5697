import CoreData
import Testing

/// The values of new objects while their save fails and succeeds, and what observers get of it.
@Suite struct FailedSaveValueTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func coordinator() throws -> NSPersistentStoreCoordinator {
        let item = NSEntityDescription(
            "Item", attribute("name", .string), attribute("size", .double), attribute("count", .integer64))
        item.uniquenessConstraints = [["name"]]
        return try folder.open(NSManagedObjectModel(of: item))
    }

    @Test("New objects keep all values, also none, when their save fails, and can be saved then")
    func valuesAfterFailure() throws {
        let coordinator = try coordinator()
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "taken"])
            try context.save()
        }
        try coordinator.inContext { context in
            let first = try context.insert(
                "Item", ["name": "a long name of the first", "size": 1.5, "count": 7])
            let second = try context.insert("Item", ["name": "taken"])
            #expect(throws: (any Error).self) { try context.save() }
            #expect(first.value(forKey: "name") as? String == "a long name of the first")
            #expect(first.value(forKey: "size") as? Double == 1.5)
            #expect(first.value(forKey: "count") as? Int64 == 7)
            #expect(second.value(forKey: "size") == nil && second.value(forKey: "count") == nil)
            #expect(context.insertedObjects == [first, second] && first.objectID.isTemporaryID)
            #expect(Set(first.changedValues().keys).isSuperset(of: ["name", "size", "count"]))
            second.setValue("free", forKey: "name")
            try context.save()
            #expect(!first.objectID.isTemporaryID && first.value(forKey: "count") as? Int64 == 7)
            #expect(second.value(forKey: "name") as? String == "free")
        }
        let names = try self.coordinator().inContext { try $0.names("Item") }
        #expect(names == ["a long name of the first", "free", "taken"])
    }

    @Test(
        "The IDs of a save are those of its objects when it was saved, whatever an observer does with these")
    func idsOfSave() throws {
        let coordinator = try coordinator()
        try coordinator.inContext { context in
            nonisolated(unsafe) let item = try context.insert("Item", ["name": "a"])
            try context.save()
            let id = item.objectID
            let log = NotificationLog(.NSManagedObjectContextDidSaveObjectIDs, from: context)
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: context, queue: nil
            ) { notification in
                let deleted = notification.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject>
                #expect(deleted == [item])
                // Gets a new identity.
                context.insert(item)
            }
            context.delete(item)
            try context.save()
            NotificationCenter.default.removeObserver(token)
            let ids = log.all.last?.userInfo?[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID>
            #expect(ids == [id] && item.objectID != id)
        }
    }
}
