import CoreData
import Testing

/// Unsaved links of relationships without inverse to an object that another context has deleted, without a merge before the save:
/// the object at the other end has no changes here that a save would compare.
@Suite(.onEveryStore) struct OneWayRelationshipTests {
    private static let keys = ["favourite", "bookmarks"]

    /// Runs a block with two nodes, of which one, perhaps a new one, leads to the other by a link that was not saved, and another
    /// context has deleted that.
    private func withNodes(
        _ key: String, _ policy: NSMergePolicy, inserting: Bool = false,
        _ body: (NSManagedObjectContext, _ node: NSManagedObject, _ gone: NSManagedObject) throws -> Void
    ) throws {
        let stack = try TestStack(Graph.model())
        try stack.inContext { context in
            for uid in 1...2 { try context.insert("Node", ["uid": uid]) }
            try context.save()
        }
        try stack.inContext { context in
            context.mergePolicy = policy
            let nodes = try context.all("Node", by: "uid")
            let node = inserting ? try context.insert("Node", ["uid": 3]) : nodes[0]
            _ = nodes.map { ($0.value(forKey: "uid"), $0.one("favourite"), $0.many("bookmarks")) }
            node.setValue(key == "favourite" ? nodes[1] : NSSet(object: nodes[1]), forKey: key)
            try stack.inContext { context in
                context.delete(try #require(try context.all("Node", by: "uid").last))
                try context.save()
            }
            try body(context, node, nodes[1])
        }
        try stack.inContext { context in
            for node in try context.all("Node") {
                #expect(node.one("favourite") == nil && node.many("bookmarks").isEmpty)
            }
        }
    }

    @Test(
        "The error policy refuses a one-way reference to an object deleted elsewhere", arguments: keys,
        [true, false])
    func saveFails(_ key: String, inserting: Bool) throws {
        try withNodes(key, .error, inserting: inserting) { context, node, gone in
            let refusal = try error { try context.save() }
            #expect(refusal.code == 1550)
            #expect(refusal.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [gone])
            #expect(node.value(forKey: key) != nil && context.hasChanges)
        }
    }

    @Test(
        "The other policies clear a one-way reference to an object deleted elsewhere",
        arguments: [
            NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
        ],
        keys)
    func referenceEnds(_ policy: NSMergePolicy, _ key: String) throws {
        for inserting in [true, false] {
            try withNodes(key, policy, inserting: inserting) { context, node, _ in
                try context.save()
                #expect(node.one("favourite") == nil && node.many("bookmarks").isEmpty)
                #expect(!context.hasChanges && node.managedObjectContext === context)
            }
        }
    }

    /// Two new objects may lead to each other.
    @Test("New objects with one-way references to each other are saved", arguments: keys)
    func newObjectsReferToEachOther(_ key: String) throws {
        try withNodes(key, .error) { context, node, _ in
            let other = try context.insert("Node", ["uid": 4])
            let another = try context.insert("Node", ["uid": 5])
            for (one, two) in [(other, another), (another, other)] {
                one.setValue(key == "favourite" ? two : NSSet(object: two), forKey: key)
            }
            node.setValue(nil, forKey: "favourite")
            node.setValue(NSSet(), forKey: "bookmarks")
            try context.save()
            #expect(!context.hasChanges && other.value(forKey: key) != nil)
            for node in [other, another] { context.delete(node) }
            try context.save()
        }
    }
}
