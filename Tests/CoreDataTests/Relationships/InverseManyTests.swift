import CoreData
import Foundation
import Testing

/// Both ends of a relationship change together, at once: ends that lead to many objects.
@Suite(.onEveryStore) struct InverseManyTests {
    private static let model = Graph.model()
    private let stack: TestStack

    init() throws { stack = try TestStack(Self.model) }

    private func make(
        _ context: NSManagedObjectContext, _ entity: String, _ names: String...
    ) throws -> [NSManagedObject] {
        try names.map { try context.insert(entity, ["name": $0]) }
    }

    @Test("Setting a to-many relationship sets its members' owner")
    func setAssignsTheOwner() throws {
        try stack.inContext { context in
            let nodes = try make(context, "Node", "a", "b", "x", "y", "z")
            nodes[0].setValue(Set([nodes[2], nodes[3]]), forKey: "children")
            #expect(nodes[2].one("parent") === nodes[0] && nodes[3].one("parent") === nodes[0])
            // Those who are left out have no owner; a member that another owner had leaves it.
            nodes[1].setValue(Set([nodes[3], nodes[4]]), forKey: "children")
            #expect(nodes[0].many("children") == [nodes[2]])
            nodes[0].setValue(Set<NSManagedObject>(), forKey: "children")
            #expect(nodes[2].one("parent") == nil && nodes[3].one("parent") === nodes[1])
            nodes[1].setValue(nil, forKey: "children")
            #expect(nodes[3].one("parent") == nil && nodes[4].one("parent") == nil)
        }
    }

    @Test("Both ends of a many-to-many relationship change together")
    func manyToManyEnds() throws {
        try stack.inContext { context in
            let nodes = try make(context, "Node", "a", "b")
            let tags = try make(context, "Tag", "x", "y")
            nodes[0].setValue(Set(tags), forKey: "tags")
            nodes[1].setValue(Set([tags[1]]), forKey: "tags")
            #expect(tags[0].names("nodes") == ["a"] && tags[1].names("nodes") == ["a", "b"])
            tags[1].mutableSetValue(forKey: "nodes").remove(nodes[0])
            #expect(nodes[0].names("tags") == ["x"])
            try context.save()
        }
        try stack.inContext { context in
            let y = try #require(try context.named("y", "Tag"))
            #expect(y.names("nodes") == ["b"])
            let a = try #require(try context.named("a", "Node"))
            #expect(a.names("tags") == ["x"])
            y.mutableSetValue(forKey: "nodes").add(a)
            #expect(a.names("tags") == ["x", "y"])
            try context.save()
        }
        try stack.inContext { context throws in
            #expect(try context.names(of: "a", "Node", "tags") == ["x", "y"])
        }
    }

    @Test("A stored reference that is added again can be removed")
    func existingReferenceIsAddedAndRemoved() throws {
        try stack.inContext { context in
            let nodes = try make(context, "Node", "a", "b", "c")
            let tags = try make(context, "Tag", "x", "y")
            nodes[0].setValue(Set(tags), forKey: "tags")
            nodes[2].setValue(nodes[0], forKey: "parent")
            nodes[0].setValue(Set([nodes[1]]), forKey: "friends")
            try context.save()
        }
        // Nothing is loaded here when a link is made that there is.
        try stack.inContext { context in
            let a = try #require(try context.named("a", "Node"))
            let x = try #require(try context.named("x", "Tag"))
            let c = try #require(try context.named("c", "Node"))
            let b = try #require(try context.named("b", "Node"))
            x.mutableSetValue(forKey: "nodes").add(a)
            a.mutableSetValue(forKey: "children").add(c)
            b.mutableSetValue(forKey: "friends").add(a)
            #expect(!context.hasChanges)
            #expect(a.hasFault(forRelationshipNamed: "children"))
            x.mutableSetValue(forKey: "nodes").remove(a)
            c.setValue(b, forKey: "parent")
            a.mutableSetValue(forKey: "friends").remove(b)
            #expect(a.hasPersistentChangedValues && x.hasPersistentChangedValues)
            #expect(a.names("tags") == ["y"] && x.names("nodes") == [])
            #expect(a.names("children") == [] && b.names("children") == ["c"])
            #expect(a.names("friends") == [] && b.names("friends") == [])
            try context.save()
        }
        try stack.inContext { context in
            let a = try #require(try context.named("a", "Node"))
            #expect(a.names("tags") == ["y"] && a.names("children") == [] && a.names("friends") == [])
            #expect(try context.names(of: "x", "Tag", "nodes") == [])
            #expect(try context.names(of: "b", "Node", "children") == ["c"])
        }
    }

    @Test("A member that was moved away can be added to its former owner again")
    func memberIsTakenBack() throws {
        try stack.inContext { context in
            let nodes = try make(context, "Node", "a", "b", "c")
            nodes[2].setValue(nodes[0], forKey: "parent")
            try context.save()
        }
        try stack.inContext { context in
            let nodes = try context.all("Node", by: "name")
            nodes[2].setValue(nodes[1], forKey: "parent")
            context.refresh(nodes[0], mergeChanges: false)
            nodes[0].mutableSetValue(forKey: "children").add(nodes[2])
            #expect(nodes[2].one("parent") === nodes[0])
            #expect(nodes[0].names("children") == ["c"] && nodes[1].names("children") == [])
            try context.save()
        }
        try stack.inContext { context throws in
            #expect(try context.names(of: "a", "Node", "children") == ["c"])
        }
    }

    @Test("Undoing the addition of an existing member keeps it")
    func undoKeepsAnExistingReference() throws {
        try stack.inContext { context in
            let node = try make(context, "Node", "a", "b")
            node[0].setValue(Set(try make(context, "Tag", "x")), forKey: "tags")
            node[1].setValue(node[0], forKey: "parent")
            try context.save()
        }
        try stack.inContext { context in
            let undo = UndoManager()
            context.undoManager = undo
            let (a, b) = (
                try #require(try context.named("a", "Node")), try #require(try context.named("b", "Node"))
            )
            let x = try #require(try context.named("x", "Tag"))
            a.mutableSetValue(forKey: "tags").add(x)
            a.mutableSetValue(forKey: "children").add(b)
            a.setValue("c", forKey: "name")
            context.processPendingChanges()
            undo.undo()
            #expect(a.value(forKey: "name") as? String == "a")
            #expect(a.names("tags") == ["x"] && a.names("children") == ["b"])
            #expect(!a.hasPersistentChangedValues)
        }
    }

    @Test("A to-many relationship that is its own inverse is mutual")
    func friendsAreMutual() throws {
        try stack.inContext { context in
            let nodes = try make(context, "Node", "a", "b", "c")
            nodes[0].setValue(Set([nodes[1], nodes[2]]), forKey: "friends")
            #expect(nodes[1].many("friends") == [nodes[0]] && nodes[2].many("friends") == [nodes[0]])
            nodes[1].mutableSetValue(forKey: "friends").add(nodes[2])
            nodes[2].mutableSetValue(forKey: "friends").remove(nodes[0])
            try context.save()
        }
        try stack.inContext { context in
            let friends = try ["a", "b", "c"].map { try context.names(of: $0, "Node", "friends") }
            #expect(friends == [["b"], ["a", "c"], ["b"]])
        }
    }

    @Test("An object may be a member of its own relationship")
    func objectMayBeItsOwnFriend() throws {
        try stack.inContext { context in
            let node = try make(context, "Node", "a")[0]
            node.mutableSetValue(forKey: "friends").add(node)
            #expect(node.many("friends") == [node])
            try context.save()
            node.mutableSetValue(forKey: "friends").remove(node)
            #expect(node.many("friends").isEmpty)
            try context.save()
        }
        try stack.inContext { context throws in #expect(try context.only("Node").many("friends").isEmpty) }
    }

    // MARK: Ordered

    @Test("An ordered relationship keeps its order, and additions by the inverse come last")
    func orderedMembersKeepTheirOrder() throws {
        try stack.inContext { context in
            let node = try make(context, "Node", "a")[0]
            let steps = try make(context, "Step", "1", "2", "3", "4")
            node.setValue(NSOrderedSet(array: [steps[2], steps[0], steps[1]]), forKey: "steps")
            #expect(node.names("steps") == ["3", "1", "2"])
            #expect(steps.map { $0.one("node") } == [node, node, node, nil])
            // From the other end an object comes last.
            steps[3].setValue(node, forKey: "node")
            #expect(node.names("steps") == ["3", "1", "2", "4"])
            steps[0].setValue(nil, forKey: "node")
            #expect(node.names("steps") == ["3", "2", "4"])
            try context.save()
        }
        try stack.inContext { context in
            let node = try context.only("Node")
            #expect(node.names("steps") == ["3", "2", "4"])
            let one = try #require(try context.named("1", "Step"))
            node.mutableOrderedSetValue(forKey: "steps").insert(one, at: 1)
            #expect(one.one("node") === node)
            try context.save()
        }
        try stack.inContext { context throws in
            #expect(try context.only("Node").names("steps") == ["3", "1", "2", "4"])
        }
    }

    @Test("A member moved by its inverse comes last at its new owner")
    func movedMemberComesLast() throws {
        try stack.inContext { context in
            let nodes = try make(context, "Node", "a", "b")
            let steps = try make(context, "Step", "1", "2", "3")
            nodes[0].setValue(NSOrderedSet(array: [steps[0], steps[1]]), forKey: "steps")
            nodes[1].setValue(NSOrderedSet(array: [steps[2]]), forKey: "steps")
            try context.save()
            steps[0].setValue(nodes[1], forKey: "node")
            #expect(nodes[0].names("steps") == ["2"] && nodes[1].names("steps") == ["3", "1"])
            try context.save()
        }
        try stack.inContext { context throws in
            #expect(try context.names(of: "a", "Node", "steps") == ["2"])
            #expect(try context.names(of: "b", "Node", "steps") == ["3", "1"])
        }
    }

    @Test("An ordered many-to-many relationship has an order for each owner")
    func orderedManyToMany() throws {
        try stack.inContext { context in
            let nodes = try make(context, "Node", "a", "b")
            let tags = try make(context, "Tag", "x", "y", "z")
            nodes[0].setValue(NSOrderedSet(array: [tags[2], tags[0]]), forKey: "ranking")
            nodes[1].setValue(NSOrderedSet(array: [tags[0], tags[1], tags[2]]), forKey: "ranking")
            #expect(tags[0].names("rankedBy") == ["a", "b"] && tags[1].names("rankedBy") == ["b"])
            try context.save()
            tags[1].mutableSetValue(forKey: "rankedBy").add(nodes[0])
            #expect(nodes[0].names("ranking") == ["z", "x", "y"])
            nodes[1].mutableOrderedSetValue(forKey: "ranking").exchangeObject(at: 0, withObjectAt: 2)
            #expect(tags[0].names("rankedBy") == ["a", "b"])
            try context.save()
        }
        try stack.inContext { context throws in
            #expect(try context.names(of: "a", "Node", "ranking") == ["z", "x", "y"])
            #expect(try context.names(of: "b", "Node", "ranking") == ["z", "y", "x"])
        }
    }

    /// A setter of one's own: primitive values, announced.
    @Test("Members set by announced primitive accessors get their owner")
    func announcedPrimitiveMembers() throws {
        try stack.inContext { context in
            let nodes = try make(context, "Node", "a", "x", "y")
            nodes[1].setValue(nodes[0], forKey: "parent")
            try context.save()
            nodes[0].willChangeValue(forKey: "children")
            nodes[0].setPrimitiveValue(NSSet(object: nodes[2]), forKey: "children")
            nodes[0].didChangeValue(forKey: "children")
            #expect(nodes[1].one("parent") == nil && nodes[2].one("parent") === nodes[0])
            try context.save()
            context.refresh(nodes[0], mergeChanges: false)
            #expect(nodes[0].many("children") == [nodes[2]])
        }
        #expect(try stack.inContext { try $0.names(of: "a", "Node", "children") } == ["y"])
    }
}
