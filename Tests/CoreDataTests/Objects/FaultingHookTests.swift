import CoreData
import Testing

/// What an object has, and may do, in the hooks at the end of its values and of its life.
@Suite struct FaultingHookTests {
    private let diary: HookStack

    init() throws { diary = try HookStack() }

    @Test("Transient values exist in willTurnIntoFault and no longer in didTurnIntoFault")
    func transientValuesInFaultingHooks() throws {
        let entry = try diary.savedEntry("a")
        diary.event { _ in
            entry.mark = "m"
            entry.level = 50
        }
        let hooks = diary.hooks
        hooks.onWillTurnIntoFault = { hooks.note("\($0[primitive: Entry.markKey] ?? "-")") }
        hooks.onDidTurnIntoFault = { hooks.note("\($0.primitiveValue(forKey: "mark") ?? "-")") }
        _ = hooks.take()
        diary.event { $0.refresh(entry, mergeChanges: false) }
        // A read there loads the object again, which programs should avoid.
        let noted = hooks.take().filter { $0 != "awakeFromFetch a" }
        #expect(noted == ["willTurnIntoFault a", "m", "didTurnIntoFault", "-"])
        hooks.onWillTurnIntoFault = nil
        hooks.onDidTurnIntoFault = nil
    }

    /// An object that has left its context does not read its row.
    @Test("An object without a context does not call shouldHandleInaccessibleFault")
    func objectWithoutAContext() throws {
        final class Asked: NSManagedObjectContext, @unchecked Sendable {
            var count = 0
            override func shouldHandleInaccessibleFault(
                _ fault: NSManagedObject, for oid: NSManagedObjectID,
                triggeredByProperty property: NSPropertyDescription?
            ) -> Bool {
                count += 1
                return true
            }
        }
        let id = try diary.savedEntry("a").objectID
        let context = Asked(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = diary.stack.coordinator
        try context.performAndWait {
            let entry = try context.existingObject(with: id)
            context.delete(entry)
            try context.save()
            #expect(entry.managedObjectContext == nil)
            _ = entry.value(forKey: "number")
            #expect(context.count == 0)
        }
    }
}
