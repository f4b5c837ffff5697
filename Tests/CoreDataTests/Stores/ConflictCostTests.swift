import CoreData
import Testing

/// What conflicts cost: requests for each entity, not for each object.
@Suite struct ConflictCostTests {
    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(OwnerModel.model())
    }

    private func make(_ count: Int) throws {
        try coordinator.inContext { context in
            for number in 0..<count {
                _ = try context.owner("o\(number)")
                try context.insert("Item", ["name": "i\(number)"])
            }
            try context.save()
        }
    }

    /// The objects of an entity, loaded.
    private func all(_ entity: String, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        let objects = try context.all(entity, by: "name")
        for object in objects { _ = object.value(forKey: "name") }
        return objects
    }

    private static let giving: [NSMergePolicy] = [
        .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback, .error,
    ]

    @Test("Changed rows in conflict are read with one request for each entity", arguments: giving)
    func changedRowsAreReadTogether(_ policy: NSMergePolicy) throws {
        try make(30)
        try coordinator.inContext { context in
            context.mergePolicy = policy
            for entity in ["Owner", "Item"] {
                for object in try all(entity, context) { object.setValue("mine", forKey: "name") }
            }
            try coordinator.inContext { context in
                for entity in ["Owner", "Item"] {
                    for object in try all(entity, context) { object.setValue("theirs", forKey: "name") }
                }
                try context.save()
            }
            try coordinator.expectReads(2) {
                if policy === NSMergePolicy.error {
                    #expect(try error { try context.save() }.code == 133020)
                } else {
                    try context.save()
                }
            }
        }
        let isMine = policy === NSMergePolicy.mergeByPropertyObjectTrump || policy === NSMergePolicy.overwrite
        #expect(
            try folder.rows("SELECT DISTINCT ZNAME FROM ZITEM").map { $0[0].description }
                == [isMine ? "\"mine\"" : "\"theirs\""])
    }

    @Test("Objects with conflict detection are compared in one read")
    func detectedRowsAreReadTogether() throws {
        try make(30)
        try coordinator.inContext { context in
            for owner in try all("Owner", context) { context.detectConflicts(for: owner) }
            try context.insert("Item")
            try coordinator.expectReads(1) { try context.save() }
        }
    }

    /// What the rules of deletions reach in the rows that others have linked is read together.
    @Test("Deletions that win a conflict read their references together")
    func deletionsReadTheirReferencesTogether() throws {
        var counts: [Int] = []
        for count in [3, 30] {
            let folder = try StoreFolder()
            let coordinator = try folder.open(OwnerModel.model())
            try coordinator.inContext { context in
                for number in 0..<count {
                    _ = try context.owner("o\(number)")
                    try context.insert("Item", ["name": "i\(number)"])
                }
                try context.save()
            }
            try coordinator.inContext { context in
                context.mergePolicy = NSMergePolicy.overwrite
                let items = try all("Item", context)
                for owner in try all("Owner", context) { context.delete(owner) }
                context.processPendingChanges()
                try coordinator.inContext { context in
                    for (item, owner) in zip(try all("Item", context), try all("Owner", context)) {
                        item.setValue(owner, forKey: "owner")
                    }
                    try context.save()
                }
                counts.append(try coordinator.reads { try context.save() })
                #expect(items.allSatisfy { $0.one("owner") == nil })
            }
            #expect(try folder.value("SELECT COUNT(*) FROM ZOWNER").description == "0")
            #expect(
                try folder.value("SELECT COUNT(*) FROM ZITEM WHERE ZOWNER IS NULL").description == "\(count)")
        }
        #expect(counts[0] == counts[1])
    }

    /// Objects that come back look for what else is gone, together.
    @Test("Objects restored by a conflict read their references together")
    func restoredObjectsReadTheirReferencesTogether() throws {
        var counts: [Int] = []
        for count in [3, 30] {
            let folder = try StoreFolder()
            let coordinator = try folder.open(OwnerModel.model())
            try coordinator.inContext { context in
                for number in 0..<count { _ = try context.owner("o\(number)", items: "i\(number)") }
                try context.save()
            }
            try coordinator.inContext { context in
                context.mergePolicy = NSMergePolicy.overwrite
                for item in try all("Item", context) {
                    item.setValue("mine", forKey: "name")
                    _ = item.one("owner")?.value(forKey: "name")
                }
                try coordinator.inContext { context in
                    for item in try all("Item", context) { context.delete(item) }
                    try context.save()
                }
                counts.append(try coordinator.reads { try context.save() })
            }
            #expect(
                try folder.value("SELECT COUNT(*) FROM ZITEM WHERE ZOWNER IS NOT NULL").description
                    == "\(count)")
        }
        #expect(counts[0] == counts[1])
    }
}
