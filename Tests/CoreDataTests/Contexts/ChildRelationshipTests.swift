import CoreData
import Foundation
import Testing

/// Relationships of every shape that a child changes, where the parent has changed them too.
@Suite(.onEveryStore) struct ChildRelationshipTests {
    let family: ContextFamily
    private var root: NSManagedObjectContext { family.root }
    private var child: NSManagedObjectContext { family.child }

    /// Three nodes and three tags, each named by its number.
    init() throws {
        family = try ContextFamily(Graph.model())
        try family.root.event { root throws in
            for number in 1...3 {
                for entity in ["Node", "Tag"] {
                    _ = try root.insert(entity, ["uid": number, "name": "\(entity)\(number)"])
                }
            }
            try root.save()
        }
    }

    private func node(_ number: Int, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        try object("Node", number, context)
    }

    private func object(
        _ entity: String, _ number: Int, _ context: NSManagedObjectContext
    ) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: "uid == %d", number)
        return try #require(try context.fetch(request).first)
    }

    private func numbers(_ object: NSManagedObject, _ key: String) -> [Int] {
        let value = object.value(forKey: key)
        let list = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? [value as Any]
        let numbers = list.compactMap { ($0 as? NSManagedObject)?.value(forKey: "uid") as? Int }
        return value is NSOrderedSet ? numbers : numbers.sorted()
    }

    /// What the relationships of nodes lead to, in a context and, after the root has saved, in the store.
    private func expect(_ expected: [String: [Int]], _ context: NSManagedObjectContext) throws {
        for (path, numbers) in expected {
            let parts = path.split(separator: ".").map(String.init)
            let number = try #require(Int(parts[0].suffix(1)))
            let owner = try object(String(parts[0].dropLast()), number, context)
            #expect(self.numbers(owner, parts[1]) == numbers, "\(path)")
        }
    }

    private func expectEverywhere(_ expected: [String: [Int]]) throws {
        try root.event { root throws in
            try expect(expected, root)
            try root.save()
        }
        try family.stack.inContext { try expect(expected, $0) }
        try child.event { child throws in
            child.refreshAllObjects()
            try expect(expected, child)
        }
    }

    private func link(
        _ from: NSManagedObject, _ key: String, _ to: NSManagedObject?...
    ) {
        let objects = to.compactMap(\.self)
        switch from.entity.relationshipsByName[key] {
        case let relationship? where relationship.isOrdered:
            from.setValue(NSOrderedSet(array: objects), forKey: key)
        case let relationship? where relationship.isToMany:
            from.setValue(NSSet(array: objects), forKey: key)
        default: from.setValue(objects.first, forKey: key)
        }
    }

    @Test("A child's changes of a one-to-many relationship merge with the parent's")
    func oneToMany() throws {
        try child.event { child throws in
            link(try node(1, child), "children", try node(2, child), try node(3, child))
            try child.save()
        }
        try expectEverywhere(["Node1.children": [2, 3], "Node2.parent": [1], "Node3.parent": [1]])
        // The parent moves one, the child another.
        try child.event { child throws in
            link(try node(3, child), "parent", try node(2, child))
        }
        try root.event { root throws in link(try node(2, root), "parent", nil) }
        try child.saveAndWait()
        try expectEverywhere([
            "Node1.children": [], "Node2.children": [3], "Node2.parent": [], "Node3.parent": [2],
        ])
    }

    @Test("The child's owner of an object replaces the parent's owner")
    func childsOwnerWins() throws {
        try child.event { child throws in link(try node(3, child), "parent", try node(1, child)) }
        try root.event { root throws in link(try node(3, root), "parent", try node(2, root)) }
        try child.saveAndWait()
        try expectEverywhere(["Node1.children": [3], "Node2.children": [], "Node3.parent": [1]])
    }

    @Test("A child's one-to-one relationship replaces the parent's at both ends")
    func oneToOne() throws {
        try root.event { root throws in link(try node(1, root), "partner", try node(2, root)) }
        try child.event { child throws in
            #expect(numbers(try node(1, child), "partner") == [2])
            link(try node(3, child), "partner", try node(2, child))
            try child.save()
        }
        try expectEverywhere(["Node1.partner": [], "Node2.partner": [3], "Node3.partner": [2]])
        try child.event { child throws in link(try node(1, child), "partner", try node(3, child)) }
        try root.event { root throws in link(try node(1, root), "partner", try node(2, root)) }
        try child.saveAndWait()
        try expectEverywhere(["Node1.partner": [3], "Node2.partner": [], "Node3.partner": [1]])
    }

    @Test("Additions and removals of child and parent merge in a many-to-many relationship")
    func manyToMany() throws {
        try root.event { root throws in link(try node(1, root), "tags", try object("Tag", 1, root)) }
        try child.event { child throws in
            let node = try node(1, child)
            node.mutableSetValue(forKey: "tags").add(try object("Tag", 2, child))
            node.mutableSetValue(forKey: "tags").remove(try object("Tag", 1, child))
            link(try self.node(2, child), "friends", node)
        }
        try root.event { root throws in
            try node(1, root).mutableSetValue(forKey: "tags").add(try object("Tag", 3, root))
        }
        try child.saveAndWait()
        try expectEverywhere([
            "Node1.tags": [2, 3], "Tag1.nodes": [], "Tag2.nodes": [1], "Tag3.nodes": [1],
            "Node1.friends": [2], "Node2.friends": [1],
        ])
    }

    @Test("The child's order wins, and the parent's additions follow it")
    func orderedRelationships() throws {
        try root.event { root throws in
            link(
                try node(1, root), "ranking", try object("Tag", 1, root), try object("Tag", 2, root))
        }
        try child.event { child throws in
            #expect(numbers(try node(1, child), "ranking") == [1, 2])
            link(try node(1, child), "ranking", try object("Tag", 2, child), try object("Tag", 1, child))
        }
        // What only the parent has comes behind the child's order.
        try root.event { root throws in
            try node(1, root).mutableOrderedSetValue(forKey: "ranking").insert(
                try object("Tag", 3, root), at: 0)
        }
        try child.saveAndWait()
        try expectEverywhere(["Node1.ranking": [2, 1, 3], "Tag3.rankedBy": [1]])
    }

    @Test("Relationships without an inverse are saved through a child")
    func withoutInverse() throws {
        try child.event { child throws in
            link(try node(1, child), "favourite", try node(2, child))
            link(try node(1, child), "bookmarks", try node(2, child), try node(3, child))
            try child.save()
            try node(1, child).mutableSetValue(forKey: "bookmarks").remove(try node(3, child))
            try child.save()
        }
        try expectEverywhere(["Node1.favourite": [2], "Node1.bookmarks": [2]])
    }

    @Test("Relationships of new objects of a subentity are saved through two levels")
    func newObjectsAndSubentities() throws {
        try family.grandchild.event { leaf throws in
            let new = try leaf.insert("Leaf", ["uid": 4])
            link(new, "root", try object("Tag", 1, leaf))
            link(new, "parent", try node(1, leaf))
            link(try node(2, leaf), "favourite", new)
            try leaf.save()
        }
        try child.event { child throws in
            let favourite = try #require(try node(2, child).value(forKey: "favourite") as? NSManagedObject)
            #expect(favourite.entity.name == "Leaf" && favourite.objectID.isTemporaryID)
            #expect(numbers(favourite, "root") == [1])
            try child.save()
        }
        try root.event { root throws in
            try root.save()
        }
        try family.stack.inContext { context throws in
            #expect(try object("Leaf", 4, context).value(forKey: "root") != nil)
            #expect(numbers(try node(2, context), "favourite") == [4])
            #expect(numbers(try node(1, context), "children") == [4])
        }
        try family.grandchild.event { leaf throws in
            leaf.refreshAllObjects()
            #expect(numbers(try node(2, leaf), "favourite") == [4])
            #expect(numbers(try object("Tag", 1, leaf), "leaves") == [4])
        }
    }

    @Test("A child's relationship to an object that the parent deleted becomes empty")
    func destinationDeletedByTheParent() throws {
        try child.event { child throws in link(try node(1, child), "children", try node(2, child)) }
        try root.event { root throws in root.delete(try node(2, root)) }
        try child.event { child throws in
            let refusal = try error { try child.save() }
            #expect(refusal.code == 133020)
            child.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
            try child.save()
        }
        try expectEverywhere(["Node1.children": []])
    }
}
