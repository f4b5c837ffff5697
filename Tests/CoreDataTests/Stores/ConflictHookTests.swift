import CoreData
import Testing

/// The hooks that objects get when a merge policy chose their values.
@Suite(.onEveryStore) struct ConflictHookTests {
    private let diary: HookStack

    init() throws { diary = try HookStack() }

    @Test(
        "An object whose conflict was resolved awakes once from its snapshot",
        arguments: [
            (NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, 50),
            (.mergeByPropertyStoreTrumpMergePolicyType, 40), (.overwriteMergePolicyType, 50),
            (.rollbackMergePolicyType, 40),
        ])
    func resolvedObjectAwakes(_ type: NSMergePolicyType, _ number: Int) throws {
        let (entry, other) = (try diary.savedEntry("a"), try diary.savedEntry("b"))
        try diary.stack.inContext { context in
            try #require(
                try context.fetch(NSFetchRequest<Entry>(entityName: "Entry")).first { $0.title == "a" }
            )
            .number = 40
            try context.save()
        }
        try diary.event { context in
            context.mergePolicy = NSMergePolicy(merge: type)
            entry.number = 50
            other.number = 60
            _ = diary.hooks.take()
            try context.save()
            // Once, and only the object that had the conflict.
            #expect(diary.hooks.take().filter { $0.hasPrefix("awake") } == ["awake(64) a"])
            #expect(entry.number == number && other.number == 60 && !context.hasChanges)
        }
        #expect(try diary.stored("a", \.number) == number)
    }

    @Test("A save refused for a conflict calls no awake and no didSave")
    func failedSaveAwakesNothing() throws {
        let entry = try diary.savedEntry("a")
        try diary.stack.inContext { context in
            try #require(try context.fetch(NSFetchRequest<Entry>(entityName: "Entry")).first).number = 40
            try context.save()
        }
        try diary.event { context in
            entry.number = 50
            _ = diary.hooks.take()
            #expect(try error { try context.save() }.code == 133020)
            #expect(diary.hooks.take().filter { $0.hasPrefix("awake") || $0.hasPrefix("didSave") } == [])
            #expect(entry.number == 50 && entry.isUpdated)
            // As the error says, the row is read again before the next try.
            context.refresh(entry, mergeChanges: true)
            try context.save()
        }
        #expect(try diary.stored("a", \.number) == 50)
    }
}
