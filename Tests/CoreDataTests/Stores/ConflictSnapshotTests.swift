import CoreData
import Testing

/// What the snapshots of a conflict have.
@Suite(.onEveryStore) struct ConflictSnapshotTests {
    @Test("Snapshots of a conflict have attributes and to-one relationships only")
    func snapshotsHaveAttributesAndToOnes() throws {
        let stack = try TestStack(OwnerModel.model())
        try stack.inContext { context in
            _ = try context.owner("old", items: "a", "b")
            try context.save()
        }
        for name in ["Owner", "Item"] {
            try stack.inContext { context in
                let object = try #require(try context.all(name, by: "name").first)
                _ = object.value(forKey: "name")
                try stack.inContext { other in
                    try #require(try other.all(name, by: "name").first)
                        .setValue("0 theirs", forKey: "name")
                    try other.save()
                }
                object.setValue("mine", forKey: "name")
                let refusal = try error { try context.save() }
                let conflicts =
                    refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict] ?? []
                try #require(conflicts.count == 1)
                let keys = name == "Owner" ? ["name"] : ["name", "owner"]
                #expect(conflicts[0].objectSnapshot?.keys.sorted() == keys)
                #expect(conflicts[0].cachedSnapshot?.keys.sorted() == keys)
            }
        }
    }

    /// The key's own text, which programs have as a string.
    @Test("The key of conflicts in an error is conflictList")
    func conflictsKey() {
        #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList")
    }
}
