import CoreData
import Testing

/// One save that writes to two stores.
@Suite struct SeveralStoresTests {
    private let folder: StoreFolder
    private let second: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    private static let model: NSManagedObjectModel = {
        let one = NSEntityDescription("One", attribute("name", .string))
        let two = NSEntityDescription("Two", attribute("name", .string))
        let model = NSManagedObjectModel(of: one, two)
        model.setEntities([one], forConfigurationName: "First")
        model.setEntities([two], forConfigurationName: "Second")
        return model
    }()

    init() throws {
        folder = try StoreFolder()
        second = try StoreFolder()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try coordinator.addPersistentStore(type: .sqlite, configuration: "First", at: folder.file)
        try coordinator.addPersistentStore(type: .sqlite, configuration: "Second", at: second.file)
    }

    /// A context with a new object for the first store, and one of the second that another context changed since.
    private func conflict(
        _ policy: NSMergePolicy, _ body: (NSManagedObjectContext, NSManagedObject) throws -> Void
    ) throws {
        try coordinator.inContext { context in
            try context.insert("Two", ["name": "old"])
            try context.save()
        }
        try coordinator.inContext { context in
            context.mergePolicy = policy
            let two = try context.only("Two")
            _ = two.value(forKey: "name")
            try coordinator.inContext { context in
                try context.only("Two").setValue("theirs", forKey: "name")
                try context.save()
            }
            try context.insert("One", ["name": "new"])
            two.setValue("mine", forKey: "name")
            try body(context, two)
        }
    }

    @Test func aConflictInTheSecondDoesNotWriteTheFirstTwice() throws {
        try conflict(.mergeByPropertyObjectTrump) { context, _ in
            try context.save()
            #expect(!context.hasChanges)
            #expect(try folder.value("SELECT COUNT(*) FROM ZONE") == 1.databaseValue)
            #expect(try second.value("SELECT ZNAME FROM ZTWO") == "mine".databaseValue)
        }
    }

    @Test func whatTheFirstHasWrittenIsSavedWhenTheSecondRefuses() throws {
        try conflict(.error) { context, two in
            let refusal = try error { try context.save() }
            #expect(refusal.code == 133020)
            #expect(context.insertedObjects.isEmpty && context.updatedObjects == [two])
            context.mergePolicy = NSMergePolicy.overwrite
            try context.save()
            #expect(try folder.value("SELECT COUNT(*) FROM ZONE") == 1.databaseValue)
            #expect(try second.value("SELECT ZNAME FROM ZTWO") == "mine".databaseValue)
        }
    }

    @Test func metadataOfAStoreThatASaveDoesNotTouchIsWrittenWithIt() throws {
        try coordinator.inContext { context in
            let store = coordinator.persistentStores[1]
            var metadata = coordinator.metadata(for: store)
            metadata["application"] = "set"
            coordinator.setMetadata(metadata, for: store)
            try context.insert("One", ["name": "new"])
            try context.save()
        }
        let stored = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: second.file)
        #expect(stored["application"] as? String == "set")
    }
}
