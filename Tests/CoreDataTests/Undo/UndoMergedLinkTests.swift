import CoreData
import Testing

/// Links that undo or redo would make to an object that another context has deleted, which was merged.
@Suite(.onEveryStore) struct UndoMergedLinkTests {
    private let stack: TestStack
    private let context: NSManagedObjectContext
    private let item: NSManagedObject

    /// An item with an owner, two tags and three ordered lines.
    init() throws {
        let owner = NSEntityDescription.make("Owner", [attribute("name", .string)])
        let item = NSEntityDescription.make("Item", [attribute("name", .string)])
        let tag = NSEntityDescription.make("Tag", [attribute("name", .string)])
        let line = NSEntityDescription.make("Line", [attribute("name", .string)])
        func join(
            _ one: NSRelationshipDescription, _ from: NSEntityDescription, _ to: NSEntityDescription,
            _ inverse: NSRelationshipDescription
        ) {
            one.joined(from: from, to: to, inverse: inverse)
            from.add(one)
            to.add(inverse)
        }
        join(.toMany("items"), owner, item, .toOne("owner"))
        join(.toMany("tags"), item, tag, .toMany("items"))
        join(.toMany("lines", ordered: true), item, line, .toOne("item"))
        stack = try TestStack(.of(owner, item, tag, line))
        let context = stack.context()
        self.context = context
        self.item = try context.performAndWait {
            let owner = try context.insert("Owner", ["name": "owner"])
            let item = try context.insert("Item", ["name": "item", "owner": owner])
            for name in ["one", "two"] {
                item.mutableSetValue(forKey: "tags").add(try context.insert("Tag", ["name": name]))
            }
            for name in ["a", "b", "c"] {
                item.mutableOrderedSetValue(forKey: "lines").add(try context.insert("Line", ["name": name]))
            }
            try context.save()
            context.undoManager = UndoManager()
            return item
        }
    }

    private func event<Value>(_ body: (NSManagedObjectContext) throws -> Value) rethrows -> Value {
        try context.performAndWait {
            let value = try body(context)
            context.processPendingChanges()
            return value
        }
    }

    private func deleteElsewhere(_ name: String, _ entity: String) throws {
        let saved = try stack.saved { $0.delete(try #require(try $0.named(name, entity))) }
        event { $0.mergeChanges(fromContextDidSave: saved) }
    }

    /// What the item has here; saves it, and expects that the store has the same.
    private func expectSaved(owner: String?, tags: [String], lines: [String]) throws {
        func expect(_ item: NSManagedObject) {
            #expect(item.one("owner")?.value(forKey: "name") as? String == owner)
            #expect(item.names("tags") == tags)
            #expect(item.names("lines") == lines)
        }
        try event { context in
            expect(item)
            try context.save()
            expect(item)
        }
        try stack.inContext { expect(try #require(try $0.named("item", "Item"))) }
    }

    @Test(
        "Undo does not restore a to-one link to an object that another context deleted",
        arguments: [true, false])
    func toOne(isSaved: Bool) throws {
        event { _ in item.setValue(nil, forKey: "owner") }
        if isSaved { try event { try $0.save() } }
        try deleteElsewhere("owner", "Owner")
        event { $0.undo() }
        try expectSaved(owner: nil, tags: ["one", "two"], lines: ["a", "b", "c"])
    }

    @Test(
        "Undo does not restore a many-to-many link to an object that another context deleted",
        arguments: [true, false])
    func manyToMany(isSaved: Bool) throws {
        event { _ in item.mutableSetValue(forKey: "tags").removeAllObjects() }
        if isSaved { try event { try $0.save() } }
        try deleteElsewhere("two", "Tag")
        event { $0.undo() }
        try expectSaved(owner: "owner", tags: ["one"], lines: ["a", "b", "c"])
    }

    @Test("Undo restores the order of the members that no other context deleted", arguments: [true, false])
    func ordered(isSaved: Bool) throws {
        try event { context in
            let lines = item.mutableOrderedSetValue(forKey: "lines")
            lines.remove(try #require(try context.named("b", "Line")))
            lines.exchangeObject(at: 0, withObjectAt: 1)
        }
        if isSaved { try event { try $0.save() } }
        try deleteElsewhere("b", "Line")
        event { $0.undo() }
        try expectSaved(owner: "owner", tags: ["one", "two"], lines: ["a", "c"])
    }

    @Test("Undo restores an order of which another context deleted a member")
    func orderAlone() throws {
        event { _ in item.mutableOrderedSetValue(forKey: "lines").exchangeObject(at: 0, withObjectAt: 2) }
        try deleteElsewhere("b", "Line")
        event { _ in #expect(item.names("lines") == ["c", "a"]) }
        event { $0.undo() }
        try expectSaved(owner: "owner", tags: ["one", "two"], lines: ["a", "c"])
    }

    @Test("Redo does not make a link to an object that another context deleted")
    func redone() throws {
        event { _ in item.setValue(nil, forKey: "owner") }
        let second = try event { context in
            let second = try context.insert("Owner", ["name": "second"])
            try context.save()
            return second
        }
        event { _ in item.setValue(second, forKey: "owner") }
        event { $0.undo() }
        try deleteElsewhere("second", "Owner")
        event { $0.redo() }
        try expectSaved(owner: nil, tags: ["one", "two"], lines: ["a", "b", "c"])
    }

    @Test(
        "Undoing a deletion does not link to objects that another context deleted", arguments: [true, false])
    func deletion(isSaved: Bool) throws {
        event { $0.delete(item) }
        if isSaved { try event { try $0.save() } }
        try deleteElsewhere("owner", "Owner")
        try deleteElsewhere("one", "Tag")
        try deleteElsewhere("b", "Line")
        event { $0.undo() }
        try expectSaved(owner: nil, tags: ["two"], lines: ["a", "c"])
    }
}
