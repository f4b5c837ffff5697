import CoreData
import Testing

/// Delete rules where deletions are undone and redone.
@Suite(.onEveryStore) struct UndoRuleTests {
    private let stack: TestStack
    private let context: NSManagedObjectContext
    private let owner: NSManagedObject
    private let item: NSManagedObject

    init() throws {
        stack = try TestStack(OwnerModel.model())
        let context = stack.context()
        self.context = context
        (owner, item) = try context.performAndWait {
            let owner = try context.owner("owner", items: "item")
            try context.save()
            context.undoManager = UndoManager()
            return (owner, try #require(try context.named("item", "Item")))
        }
    }

    private func event<Value>(_ body: (NSManagedObjectContext) throws -> Value) rethrows -> Value {
        try context.performAndWait { try body(context) }
    }

    /// Items with the names of their owners, as stored.
    private func stored() throws -> [String] {
        try stack.inContext { context in
            try context.all("Item", by: "name").map { item in
                "\(item.value(forKey: "name") ?? "-") \(item.one("owner")?.value(forKey: "name") ?? "-")"
            }
        }
    }

    @Test("Delete rules that wait for the save outlive the undo of another change")
    func pendingRulesOutliveAnUndo() throws {
        event { context in
            context.propagatesDeletesAtEndOfEvent = false
            context.delete(owner)
        }
        event { _ in item.setValue("other", forKey: "name") }
        event { $0.undo() }
        try event { context in
            #expect(owner.isDeleted && item.value(forKey: "name") as? String == "item")
            try context.save()
            #expect(item.one("owner") == nil)
        }
        #expect(try stored() == ["item -"])
    }

    @Test("Delete rules that wait for the save apply to a redone deletion")
    func pendingRulesApplyToARedoneDeletion() throws {
        event { context in
            context.propagatesDeletesAtEndOfEvent = false
            context.delete(owner)
        }
        event { $0.undo() }
        event { _ in #expect(!owner.isDeleted && item.one("owner") === owner) }
        event { $0.redo() }
        try event { context in
            #expect(owner.isDeleted)
            try context.save()
            #expect(item.one("owner") == nil)
        }
        #expect(try stored() == ["item -"])
    }

    @Test("Undoing a saved insertion applies delete rules to later relationships")
    func rulesApplyToAnUndoneInsertion() throws {
        let second = try event { context in
            let second = try context.insert("Owner", ["name": "second"])
            context.processPendingChanges()
            try context.save()
            context.undoManager?.disableUndoRegistration()
            item.setValue(second, forKey: "owner")
            context.processPendingChanges()
            context.undoManager?.enableUndoRegistration()
            try context.save()
            return second
        }
        #expect(try stored() == ["item second"])
        try event { context in
            context.undo()
            #expect(second.isDeleted && item.one("owner") == nil)
            try context.save()
        }
        #expect(try stored() == ["item -"])
    }

    @Test("A redone deletion can be undone again")
    func redoneDeletionIsUndone() throws {
        event { $0.delete(owner) }
        for _ in 0..<2 {
            event { $0.undo() }
            event { _ in #expect(!owner.isDeleted && owner.names("items") == ["item"]) }
            event { $0.redo() }
            event { _ in #expect(owner.isDeleted && item.one("owner") == nil) }
        }
        event { $0.undo() }
        try event { try $0.save() }
        #expect(try stored() == ["item owner"])
    }

    /// With No Action only the row shows what the object was linked to.
    @Test("Undo restores a relationship that was never read")
    func unreadRelationshipIsRestored() throws {
        let stack = try TestStack(OwnerModel.model(inverseRule: .noActionDeleteRule))
        try stack.inContext { context in
            _ = try context.owner("owner", items: "item")
            try context.save()
        }
        try stack.inContext { context in
            context.undoManager = UndoManager()
            let item = try context.only("Item")
            context.delete(item)
            try context.save()
            context.undo()
            #expect(item.isInserted && item.one("owner")?.value(forKey: "name") as? String == "owner")
            try context.save()
        }
        #expect(try stack.inContext { try $0.names(of: "owner", "Owner", "items") } == ["item"])
    }
}
