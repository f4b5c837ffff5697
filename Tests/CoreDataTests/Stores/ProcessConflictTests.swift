import CoreData
import Testing

/// Rows that another process changed or deleted since they were read.
@Suite struct ProcessConflictTests {
    private let folder: StoreFolder
    private let context: NSManagedObjectContext
    private let item: NSManagedObject

    init() throws {
        folder = try StoreFolder()
        let context = try folder.open(OwnerModel.model()).context()
        self.context = context
        item = try context.performAndWait {
            _ = try context.owner("o", items: "old")
            try context.save()
            return try context.only("Item")
        }
    }

    /// Has another process rename the item, or delete it.
    private func actElsewhere(_ newName: String?) async {
        await #expect(processExitsWith: .success) {
            [path = folder.file.path as String, newName = newName as String?] in
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: OwnerModel.model())
            try coordinator.addPersistentStore(type: .sqlite, at: URL(fileURLWithPath: path))
            try coordinator.inContext { context in
                let item = try context.only("Item")
                if let newName {
                    item.setValue(newName, forKey: "name")
                } else {
                    context.delete(item)
                }
                try context.save()
            }
            try coordinator.close()
        }
    }

    private func stored() throws -> [String] {
        try folder.rows("SELECT ZNAME FROM ZITEM").map { $0[0].description }
    }

    @Test("A row changed by another process is a conflict with both snapshots")
    func saveFailsWithTheConflict() async throws {
        await actElsewhere("theirs")
        try context.performAndWait {
            item.setValue("mine", forKey: "name")
            let refusal = try error { try context.save() }
            #expect(refusal.code == 133020)
            let conflict = try #require(
                (refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.first)
            #expect(conflict.sourceObject === item)
            #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
            #expect(conflict.cachedSnapshot?["name"] as? String == "old")
            #expect(conflict.persistedSnapshot?["name"] as? String == "theirs")
            context.refresh(item, mergeChanges: true)
            try context.save()
        }
        #expect(try stored() == ["\"mine\""])
    }

    @Test(
        "Merge policies resolve a row changed by another process",
        arguments: [
            (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, "theirs"),
            (.mergeByPropertyObjectTrumpMergePolicyType, "mine"), (.overwriteMergePolicyType, "mine"),
            (.rollbackMergePolicyType, "theirs"),
        ])
    func policiesResolveIt(_ type: NSMergePolicyType, _ name: String) async throws {
        await actElsewhere("theirs")
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy(merge: type)
            item.setValue("mine", forKey: "name")
            try context.save()
            #expect(item.value(forKey: "name") as? String == name && !context.hasChanges)
        }
        #expect(try stored() == ["\"\(name)\""])
    }

    @Test(
        "A row deleted by another process is a conflict that policies resolve",
        arguments: [
            (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, []),
            (.mergeByPropertyObjectTrumpMergePolicyType, ["\"mine\""]),
        ])
    func deletedByTheProcess(_ type: NSMergePolicyType, _ names: [String]) async throws {
        await actElsewhere(nil)
        try context.performAndWait {
            item.setValue("mine", forKey: "name")
            let refusal = try error { try context.save() }
            #expect(refusal.code == 133020)
            context.mergePolicy = NSMergePolicy(merge: type)
            try context.save()
            #expect(!context.hasChanges && (item.managedObjectContext == nil) == names.isEmpty)
        }
        #expect(try stored() == names)
    }
}
