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

    @Test("A conflict in the second store does not write the first store twice")
    func firstStoreIsWrittenOnce() throws {
        try conflict(.mergeByPropertyObjectTrump) { context, _ in
            try context.save()
            #expect(!context.hasChanges)
            #expect(try folder.value("SELECT COUNT(*) FROM ZONE") == 1.databaseValue)
            #expect(try second.value("SELECT ZNAME FROM ZTWO") == "mine".databaseValue)
        }
    }

    @Test("Changes written to the first store stay saved when the second store refuses")
    func firstStoreStaysSaved() throws {
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

    /// Resolves conflicts, and fails then.
    private final class Failing: NSMergePolicy, @unchecked Sendable {
        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            try super.resolve(optimisticLockingConflicts: list)
            throw CocoaError(.featureUnsupported)
        }
    }

    @Test("Resolved conflicts of the second store are reverted when it fails")
    func failedSecondStoreRevertsItsResolution() throws {
        try conflict(Failing(merge: .rollbackMergePolicyType)) { context, two in
            for _ in 0..<2 {
                let failure = try error { try context.save() }
                #expect(failure.code == CocoaError.Code.featureUnsupported.rawValue)
                #expect(context.insertedObjects.isEmpty && context.updatedObjects == [two])
                #expect(two.value(forKey: "name") as? String == "mine")
            }
            context.mergePolicy = NSMergePolicy.error
            #expect(try error { try context.save() }.code == 133020)
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZONE") == 1.databaseValue)
    }

    @Test("A failed save keeps conflict detection for objects of the second store")
    func secondStoreKeepsItsDetection() throws {
        try coordinator.inContext { context in
            try context.insert("Two", ["name": "watched"])
            try context.insert("Two", ["name": "old"])
            try context.save()
        }
        try coordinator.inContext { context in
            context.mergePolicy = Failing(merge: .overwriteMergePolicyType)
            let objects = try context.all("Two", by: "name")
            let (old, watched) = (objects[0], objects[1])
            _ = (old.value(forKey: "name"), watched.value(forKey: "name"))
            context.detectConflicts(for: watched)
            try coordinator.inContext { context in
                for two in try context.all("Two") { two.setValue("theirs", forKey: "name") }
                try context.save()
            }
            try context.insert("One", ["name": "new"])
            old.setValue("mine", forKey: "name")
            #expect(try error { try context.save() }.code == CocoaError.Code.featureUnsupported.rawValue)
            context.refresh(old, mergeChanges: true)
            context.mergePolicy = NSMergePolicy.error
            let refusal = try error { try context.save() }
            let conflicts = refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            #expect(conflicts?.map(\.sourceObject) == [watched])
        }
    }

    // MARK: A store that is not written to

    /// A coordinator whose second store is read-only and has one object, and a coordinator of that store alone.
    private func readOnlySecond(_ type: NSPersistentStore.StoreType = .sqlite) throws -> (
        both: NSPersistentStoreCoordinator, writing: NSPersistentStoreCoordinator
    ) {
        let file = second.url.appendingPathComponent("ReadOnly")
        let writing = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try writing.addPersistentStore(type: type, configuration: "Second", at: file)
        try writing.inContext { context in
            try context.insert("Two", ["name": "old"])
            try context.save()
        }
        let both = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        try both.addPersistentStore(
            type: .sqlite, configuration: "First", at: second.url.appendingPathComponent("Writable"))
        try both.addPersistentStore(
            type: type, configuration: "Second", at: file, options: [NSReadOnlyPersistentStoreOption: true])
        return (both, writing)
    }

    @Test(
        "Conflict detection works for an object of a read-only store",
        arguments: [NSPersistentStore.StoreType.sqlite, .xml, .binary])
    func detectionInAReadOnlyStore(_ type: NSPersistentStore.StoreType) throws {
        try readOnlySecond(type).both.inContext { context in
            context.detectConflicts(for: try context.only("Two"))
            try context.insert("One", ["name": "new"])
            try context.save()
            #expect(!context.hasChanges)
            // The comparison holds for one save.
            try context.insert("One", ["name": "another"])
            try context.save()
            #expect(try context.all("One").count == 2)
        }
    }

    @Test("A conflict in a read-only store is found before anything is written")
    func detectionBeforeWriting() throws {
        let (both, writing) = try readOnlySecond()
        try both.inContext { context in
            let two = try context.only("Two")
            #expect(two.value(forKey: "name") as? String == "old")
            try writing.inContext { context in
                try context.only("Two").setValue("theirs", forKey: "name")
                try context.save()
            }
            context.detectConflicts(for: two)
            let one = try context.insert("One", ["name": "new"])
            for _ in 0..<2 {
                let refusal = try error { try context.save() }
                #expect(refusal.code == 133020)
                let conflicts = refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
                #expect(conflicts?.map(\.sourceObject) == [two])
                #expect(conflicts?.first?.persistedSnapshot?["name"] as? String == "theirs")
                #expect(context.insertedObjects == [one])
            }
            try both.inContext { other throws in #expect(try other.all("One").isEmpty) }
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(two.value(forKey: "name") as? String == "theirs" && !context.hasChanges)
            try both.inContext { other throws in #expect(try other.all("One").count == 1) }
        }
    }

    @Test("Conflict detection finds an object deleted elsewhere")
    func detectionOfADeletedObject() throws {
        let (both, writing) = try readOnlySecond()
        try both.inContext { context in
            let two = try context.only("Two")
            _ = two.value(forKey: "name")
            try writing.inContext { context in
                context.delete(try context.only("Two"))
                try context.save()
            }
            context.detectConflicts(for: two)
            try context.insert("One", ["name": "new"])
            #expect(try error { try context.save() }.code == 133020)
            context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            try context.save()
            #expect(two.managedObjectContext == nil && !context.hasChanges)
        }
    }

    /// A conflict over an object of a store that has nothing to write does not come after others have written.
    @Test("Conflict detection in an unchanged store comes before other stores are written")
    func detectionInAWritableStore() throws {
        try coordinator.inContext { context in
            try context.insert("Two", ["name": "old"])
            try context.save()
            let two = try context.only("Two")
            try coordinator.inContext { other in
                try other.only("Two").setValue("theirs", forKey: "name")
                try other.save()
            }
            context.detectConflicts(for: two)
            let one = try context.insert("One", ["name": "new"])
            #expect(try error { try context.save() }.code == 133020)
            #expect(context.insertedObjects == [one])
            #expect(try folder.value("SELECT COUNT(*) FROM ZONE").description == "0")
        }
    }

    @Test("A save writes the metadata of a store that it does not change")
    func metadataOfAnUntouchedStore() throws {
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

    @Test("Unsaved objects belong to the store that they will be saved to")
    func unsavedObjectsHaveAStore() throws {
        try coordinator.inContext { context in
            try context.insert("One", ["name": "new"])
            for (store, count) in zip(coordinator.persistentStores, [1, 0]) {
                let request = NSFetchRequest<NSManagedObject>(entityName: "One")
                request.affectedStores = [store]
                #expect(try context.fetch(request).count == count)
                #expect(try context.count(for: request) == count)
            }
        }
    }
}

/// Several stores that hold the same entities.
@Suite struct AssignedStoreTests {
    private static let model: NSManagedObjectModel = {
        let owner = NSEntityDescription("Owner", attribute("name", .string))
        let item = NSEntityDescription("Item", attribute("name", .string))
        pair(owner.relate("items", to: item, many: true), item.relate("owner", to: owner))
        let model = NSManagedObjectModel(of: owner, item)
        model.setEntities([owner, item], forConfigurationName: "All")
        return model
    }()

    private let folders: [StoreFolder]
    private let coordinator: NSPersistentStoreCoordinator
    private let stores: [NSPersistentStore]

    init() throws {
        folders = [try StoreFolder(), try StoreFolder()]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
        stores = try folders.map { try coordinator.addPersistentStore(type: .sqlite, at: $0.file) }
        self.coordinator = coordinator
    }

    private func names(_ context: NSManagedObjectContext, _ stores: [NSPersistentStore]?) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.affectedStores = stores
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let names = try context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
        #expect(try context.count(for: request) == names.count)
        return names
    }

    @Test("An object is saved to the store that it is assigned to")
    func assignedStore() throws {
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "first"])
            let second = try context.insert("Item", ["name": "second"])
            context.assign(second, to: stores[0])
            context.assign(second, to: stores[1])
            for _ in 0..<2 {
                #expect(try names(context, nil) == ["first", "second"])
                #expect(try names(context, [stores[0]]) == ["first"])
                #expect(try names(context, [stores[1]]) == ["second"])
                #expect(try names(context, stores) == ["first", "second"])
                #expect(try names(context, []) == [])
                try context.save()
            }
            #expect(second.objectID.persistentStore === stores[1])
            let uri = second.objectID.uriRepresentation()
            #expect(uri.host == stores[1].identifier)
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == second.objectID)
            // Where it is already.
            context.assign(second, to: stores[1])
        }
        for (folder, name) in zip(folders, ["first", "second"]) {
            #expect(try folder.stored("ZNAME", in: "ZITEM") == ["text '\(name)'"])
        }
    }

    @Test("Permanent IDs belong to the assigned store")
    func permanentIDsOfTheAssignedStore() throws {
        try coordinator.inContext { context in
            let item = try context.insert("Item")
            context.assign(item, to: stores[1])
            try context.obtainPermanentIDs(for: [item])
            #expect(item.objectID.persistentStore === stores[1])
            try context.save()
        }
        #expect(try folders[1].value("SELECT COUNT(*) FROM ZITEM").description == "1")
    }

    @Test("Saving an object assigned to a read-only store fails with the store's path")
    func assignedReadOnlyStore() throws {
        stores[1].isReadOnly = true
        try coordinator.inContext { context in
            let item = try context.insert("Item")
            context.assign(item, to: stores[1])
            let refusal = try error { try context.save() }
            #expect(refusal.code == 134030)
            #expect(refusal.localizedDescription.contains(folders[1].file.path))
            context.assign(item, to: stores[0])
            try context.save()
            #expect(item.objectID.persistentStore === stores[0])
        }
    }

    @Test("Relationships between stores are refused")
    func relationshipsBetweenStores() throws {
        try coordinator.inContext { context in
            let owner = try context.insert("Owner")
            let item = try context.insert("Item", ["owner": owner])
            context.assign(item, to: stores[1])
            #expect(try error { try context.save() }.code == 133010)
            context.assign(owner, to: stores[1])
            try context.save()
        }
        #expect(try folders[1].value("SELECT ZOWNER FROM ZITEM").description == "1")
    }

    @Test("An object assigned to a store that is removed is saved to another store")
    func removedAssignedStore() throws {
        try coordinator.inContext { context in
            let item = try context.insert("Item")
            context.assign(item, to: stores[1])
            try coordinator.remove(stores[1])
            try context.save()
            #expect(item.objectID.persistentStore === stores[0])
        }
    }

    @Test(
        "Assigning a saved object, or a store of another coordinator, stops the process",
        arguments: ["saved", "stranger"])
    func invalidAssignmentStops(_ kind: String) async {
        await #expect(processExitsWith: .failure) { [kind = kind as String] in
            let test = try AssignedStoreTests()
            try test.coordinator.inContext { context in
                let item = try context.insert("Item")
                if kind == "saved" {
                    try context.save()
                    context.assign(item, to: test.stores[1])
                } else {
                    let other = try AssignedStoreTests()
                    context.assign(item, to: other.stores[0])
                }
            }
        }
    }

    @Test("A coordinator refuses a copy of a store that it has")
    func copyOfAnAddedStore() throws {
        try coordinator.inContext { context in
            try context.insert("Item")
            try context.save()
        }
        let copy = try StoreFolder()
        try coordinator.replacePersistentStore(
            at: copy.file, withPersistentStoreFrom: folders[0].file, type: .sqlite)
        let refusal = try error { try coordinator.addPersistentStore(type: .sqlite, at: copy.file) }
        #expect(refusal.code == 134081)
        #expect(refusal.localizedDescription.contains("same store twice"))
        #expect(coordinator.persistentStores == stores)
        #expect(try copy.names == ["Store.sqlite"])
    }
}
