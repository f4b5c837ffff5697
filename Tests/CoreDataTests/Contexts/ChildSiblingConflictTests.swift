import CoreData
import Testing

/// A child saves after another child of its parent has saved, and before that is merged: it shows then what the parent has.
@Suite(.onEveryStore) struct ChildSiblingConflictTests {
    private let stack: TestStack
    private let root: NSManagedObjectContext
    private let child: NSManagedObjectContext
    private let sibling: NSManagedObjectContext

    /// Owners whose items go with them; parts that lead to an item, and favourites without inverse.
    private static func model() -> NSManagedObjectModel {
        let owner = NSEntityDescription("Owner", attribute("name", .string))
        let item = NSEntityDescription(
            "Item", attribute("name", .string), Library.transient("mark", .string))
        let part = NSEntityDescription("Part", attribute("name", .string))
        pair(
            owner.relate("items", to: item, many: true, rule: .cascadeDeleteRule),
            item.relate("owner", to: owner))
        pair(item.relate("parts", to: part, many: true), part.relate("item", to: item))
        part.relate("favourite", to: item)
        return NSManagedObjectModel(of: owner, item, part)
    }

    init() throws {
        stack = try TestStack(Self.model())
        root = stack.context()
        child = ContextFamily.child(of: root)
        sibling = ContextFamily.child(of: root)
        for context in [child, sibling] {
            context.performAndWait { context.retainsRegisteredObjects = true }
        }
        try root.event { root throws in
            try root.insert("Owner", ["name": "owner"])
            let item = try root.insert("Item", ["name": "item"])
            try root.insert("Part", ["name": "part", "item": item])
            try root.save()
        }
    }

    /// Has the sibling change something and save.
    private func rival(_ body: (NSManagedObjectContext) throws -> Void) throws -> NotificationLog {
        let log = NotificationLog(.NSManagedObjectContextDidSave, from: sibling)
        try sibling.event { sibling throws in
            try body(sibling)
            try sibling.save()
        }
        return log
    }

    private func merge(_ log: NotificationLog) throws {
        let notification = try #require(log.all.last)
        try child.event { $0.mergeChanges(fromContextDidSave: notification) }
    }

    /// So does the link of a new part of the child's own.
    @Test("A cascading deletion clears a relationship of the child's new object")
    func newRelationshipGoesWithADeletion() throws {
        let (owner, part) = try child.event { child throws in
            let owner = try child.only("Owner")
            #expect(owner.many("items").isEmpty)
            return (owner, try child.insert("Part", ["name": "new", "item": try child.only("Item")]))
        }
        let saved = try rival { sibling in
            try sibling.only("Item").setValue(try sibling.only("Owner"), forKey: "owner")
        }
        try child.event { child throws in
            child.delete(owner)
            try child.save()
            #expect(part.one("item") == nil && part.managedObjectContext === child && !child.hasChanges)
        }
        try merge(saved)
        try child.event { _ in #expect(part.one("item") == nil && part.value(forKey: "name") != nil) }
        try root.event { root throws in
            try root.save()
            #expect(try root.all("Part").map { $0.one("item") } == [nil, nil])
        }
    }

    /// The sibling's item is deleted with the owner by a rule that only the parent can apply; so is the
    /// link of its part.
    @Test("A child's deletion cascades to an object that a sibling added to the owner")
    func siblingsMemberGoesWithADeletion() throws {
        let (owner, item, part) = try child.event { child throws in
            let found = (try child.only("Owner"), try child.only("Item"), try child.only("Part"))
            #expect(found.2.value(forKey: "item") as? NSManagedObject === found.1)
            #expect((found.0.value(forKey: "items") as? NSSet)?.count == 0)
            return found
        }
        let saved = try rival { sibling in
            try sibling.only("Item").setValue(try sibling.only("Owner"), forKey: "owner")
        }
        let log = NotificationLog(.NSManagedObjectContextDidSave, from: child)
        try child.event { child throws in
            child.delete(owner)
            try child.save()
            #expect(log.all.last?.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject> == [owner, item])
            #expect(item.managedObjectContext == nil && item.value(forKey: "name") as? String == "item")
            #expect(part.value(forKey: "item") == nil)
            #expect(!child.hasChanges)
        }
        try merge(saved)
        try child.event { child throws in
            #expect(try child.all("Item").isEmpty && !child.hasChanges)
        }
        try root.event { root throws in
            #expect(root.deletedObjects.count == 2)
            try root.save()
        }
        try stack.inContext { context throws in
            #expect(try context.all("Item").isEmpty && context.all("Owner").isEmpty)
            #expect(try context.only("Part").value(forKey: "item") == nil)
        }
    }

    /// The parent no longer has the item, and there is no conflict, since the link is not a change of the
    /// item.
    @Test("A child's relationship to an object that a sibling deleted becomes nil")
    func relationshipToASiblingsDeletion() throws {
        let (item, part) = try child.event { (try $0.only("Item"), try $0.only("Part")) }
        let saved = try rival { $0.delete(try $0.only("Item")) }
        try child.event { child throws in
            part.setValue(item, forKey: "favourite")
            part.setValue("mine", forKey: "name")
            try child.save()
            #expect(part.value(forKey: "favourite") == nil && !child.hasChanges)
        }
        try merge(saved)
        try child.event { child throws in
            #expect(part.value(forKey: "favourite") == nil && part.value(forKey: "item") == nil)
            #expect(part.value(forKey: "name") as? String == "mine" && child.deletedObjects == [item])
        }
        try root.saveAndWait()
        try stack.inContext { context throws in
            let part = try context.only("Part")
            #expect(part.value(forKey: "favourite") == nil && part.value(forKey: "name") as? String == "mine")
        }
    }

    /// A change that no store keeps does not restore a deleted object.
    @Test(
        "A transient change does not restore an object that a sibling deleted",
        arguments: [NSMergePolicy.error, .mergeByPropertyObjectTrump, .overwrite])
    func transientChangeRestoresNothing(_ policy: NSMergePolicy) throws {
        let item = try child.event { try $0.only("Item") }
        let saved = try rival { $0.delete(try $0.only("Item")) }
        try child.event { child throws in
            child.mergePolicy = policy
            item.setValue("mine", forKey: "mark")
            try child.save()
        }
        try root.event { root throws in
            #expect(root.insertedObjects.isEmpty && root.deletedObjects.count == 1)
        }
        try merge(saved)
        try child.event { child throws in
            #expect(child.deletedObjects == [item] && child.insertedObjects.isEmpty)
            #expect(try child.all("Item").isEmpty)
        }
    }
}
