import CoreData
import Testing

/// Batch requests bypass contexts: there are no notifications, no validation and no undo.
@Suite struct BatchRuleTests {
    @Test("Batch requests post no notifications, change no objects and are not undoable")
    func contextsAreNotNotified() throws {
        let stack = try TestStack(OwnerModel.model())
        let context = stack.context()
        try context.performAndWait {
            _ = try context.owner("old", items: "a")
            try context.save()
            context.undoManager = UndoManager()
            let owner = try context.only("Owner")
            #expect(owner.value(forKey: "name") as? String == "old")
            let log = NotificationLog(
                .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
                .NSManagedObjectContextDidSaveObjectIDs, .NSManagedObjectContextObjectsDidChange,
                from: context)
            let update = NSBatchUpdateRequest(entityName: "Owner")
            update.propertiesToUpdate = ["name": "new"]
            try context.execute(update)
            try context.execute(
                NSBatchInsertRequest(entityName: "Item", objects: [["name": "b"], ["name": "c"]]))
            #expect(log.all.isEmpty)
            #expect(!context.hasChanges && context.undoManager?.canUndo == false)
            // Objects keep what they have until they are refreshed.
            #expect(owner.value(forKey: "name") as? String == "old")
            #expect(owner.many("items").count == 1)
            context.refresh(owner, mergeChanges: false)
            context.stalenessInterval = 0
            context.refresh(owner, mergeChanges: false)
            #expect(owner.value(forKey: "name") as? String == "new")
            #expect(try context.names("Item") == ["a", "b", "c"])
        }
    }

    @Test("A batch insertion does not validate")
    func validationIsSkipped() throws {
        let name = attribute("name", .string)
        name.setValidationPredicates(
            [NSPredicate(format: "length >= 3")], withValidationWarnings: ["too short"])
        let stack = try TestStack(NSManagedObjectModel(of: NSEntityDescription("Thing", name)))
        try stack.inContext { context in
            try context.execute(NSBatchInsertRequest(entityName: "Thing", objects: [["name": "ab"]]))
            #expect(try context.only("Thing").value(forKey: "name") as? String == "ab")
            let object = try context.insert("Thing", ["name": "cd"])
            #expect(try error { try context.save() }.code == 1550)
            context.delete(object)
        }
    }
}
