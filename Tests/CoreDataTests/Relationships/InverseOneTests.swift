import CoreData
import Testing

/// Both ends of a relationship change together, at once: ends that lead to one object.
@Suite(.onEveryStore) struct InverseOneTests {
    private static let model = Graph.model()
    private let stack: TestStack

    init() throws { stack = try TestStack(Self.model) }

    private func nodes(_ context: NSManagedObjectContext, _ names: String...) throws -> [NSManagedObject] {
        try names.map { try context.insert("Node", ["name": $0]) }
    }

    @Test("Setting a to-one relationship adds the object to the inverse")
    func toOneAddsToTheInverse() throws {
        try stack.inContext { context in
            let nodes = try nodes(context, "a", "b", "child")
            nodes[2].setValue(nodes[0], forKey: "parent")
            #expect(nodes[0].many("children") == [nodes[2]])
            nodes[2].setValue(nodes[1], forKey: "parent")
            #expect(nodes[0].many("children").isEmpty && nodes[1].many("children") == [nodes[2]])
            nodes[2].setValue(nil, forKey: "parent")
            #expect(nodes[1].many("children").isEmpty && nodes[2].one("parent") == nil)
        }
    }

    @Test("Both ends of a changed relationship are stored")
    func bothEndsAreStored() throws {
        try stack.inContext { context in
            let nodes = try nodes(context, "a", "b", "child")
            nodes[2].setValue(nodes[0], forKey: "parent")
            try context.save()
        }
        try stack.inContext { context in
            let child = try #require(try context.named("child", "Node"))
            let b = try #require(try context.named("b", "Node"))
            let a = try #require(child.one("parent"))
            #expect(a.names("children") == ["child"])
            child.setValue(b, forKey: "parent")
            #expect(a.names("children") == [] && b.names("children") == ["child"])
            // All three have changed.
            #expect(context.updatedObjects == [a, b, child])
            try context.save()
        }
        try stack.inContext { context throws in
            #expect(try context.names(of: "a", "Node", "children") == [])
            #expect(try context.names(of: "b", "Node", "children") == ["child"])
        }
    }

    @Test("Setting a one-to-one relationship clears the former partners")
    func oneToOneReleasesFormerPartners() throws {
        try stack.inContext { context in
            let nodes = try nodes(context, "a", "b")
            let x = try context.insert("Badge", ["name": "x"])
            let y = try context.insert("Badge", ["name": "y"])
            nodes[0].setValue(x, forKey: "badge")
            nodes[1].setValue(y, forKey: "badge")
            #expect(x.one("node") === nodes[0] && y.one("node") === nodes[1])
            // b takes x: a has none, and y has no partner.
            nodes[1].setValue(x, forKey: "badge")
            #expect(nodes[0].one("badge") == nil && nodes[1].one("badge") === x)
            #expect(x.one("node") === nodes[1] && y.one("node") == nil)
            // The same from the other end.
            y.setValue(nodes[1], forKey: "node")
            #expect(nodes[1].one("badge") === y && x.one("node") == nil)
            try context.save()
        }
        try stack.inContext { context in
            let b = try #require(try context.named("b", "Node"))
            let y = try #require(try context.named("y", "Badge"))
            let x = try #require(try context.named("x", "Badge"))
            #expect(b.one("badge") === y && y.one("node") === b && x.one("node") == nil)
        }
    }

    @Test("A to-one relationship that is its own inverse is mutual")
    func selfInverseToOneIsMutual() throws {
        try stack.inContext { context in
            let nodes = try nodes(context, "a", "b", "c")
            nodes[0].setValue(nodes[1], forKey: "partner")
            #expect(nodes[1].one("partner") === nodes[0])
            nodes[2].setValue(nodes[0], forKey: "partner")
            #expect(nodes[0].one("partner") === nodes[2] && nodes[1].one("partner") == nil)
            nodes[0].setValue(nil, forKey: "partner")
            #expect(nodes[2].one("partner") == nil)
        }
    }

    @Test("An object may be its own partner")
    func objectMayBeItsOwnPartner() throws {
        try stack.inContext { context in
            let nodes = try nodes(context, "a", "b")
            nodes[0].setValue(nodes[0], forKey: "partner")
            #expect(nodes[0].one("partner") === nodes[0])
            try context.save()
            #expect(nodes[0].one("partner") === nodes[0])
            nodes[0].setValue(nodes[1], forKey: "partner")
            #expect(nodes[0].one("partner") === nodes[1] && nodes[1].one("partner") === nodes[0])
            try context.save()
        }
        try stack.inContext { context in
            let a = try #require(try context.named("a", "Node"))
            #expect(a.one("partner")?.one("partner") === a)
            #expect(a.one("partner")?.value(forKey: "name") as? String == "b")
        }
    }

    @Test("An object may be its own parent")
    func objectMayBeItsOwnParent() throws {
        try stack.inContext { context in
            let node = try nodes(context, "a")[0]
            node.setValue(node, forKey: "parent")
            #expect(node.many("children") == [node])
            try context.save()
        }
        try stack.inContext { context in
            let node = try context.only("Node")
            #expect(node.one("parent") === node && node.many("children") == [node])
        }
    }

    @Test("A relationship without an inverse leaves its destination unchanged")
    func withoutAnInverse() throws {
        try stack.inContext { context in
            let nodes = try nodes(context, "a", "b")
            try context.save()
            nodes[0].setValue(nodes[1], forKey: "favourite")
            nodes[0].setValue(Set([nodes[0], nodes[1]]), forKey: "bookmarks")
            #expect(nodes[1].one("favourite") == nil && nodes[1].many("bookmarks").isEmpty)
            #expect(context.updatedObjects == [nodes[0]])
            try context.save()
        }
        try stack.inContext { context in
            let a = try #require(try context.named("a", "Node"))
            #expect(a.one("favourite")?.value(forKey: "name") as? String == "b")
            #expect(a.names("bookmarks") == ["a", "b"])
            #expect(a.one("favourite")?.one("favourite") == nil)
        }
    }

    @Test("An object of a subentity takes part in inherited relationships")
    func subentityInheritsRelationships() throws {
        try stack.inContext { context in
            let node = try nodes(context, "a")[0]
            let leaf = try context.insert("Leaf", ["name": "leaf", "parent": node])
            #expect(node.many("children") == [leaf])
            let tag = try context.insert("Tag", ["name": "t"])
            leaf.setValue(tag, forKey: "root")
            #expect(tag.many("leaves") == [leaf])
            try context.save()
        }
        try stack.inContext { context in
            let child = try #require(try context.named("a", "Node")?.many("children").first)
            #expect(child.entity.name == "Leaf")
            #expect(child.one("root")?.names("leaves") == ["leaf"])
        }
    }

    // MARK: What is refused

    @Test("An object of another entity is refused as a destination")
    func objectOfAnotherEntityIsRefused() throws {
        try stack.inContext { context in
            let node = try nodes(context, "a")[0]
            let tag = try context.insert("Tag")
            let refusal = try error { try node.setValue(checking: tag, forKey: "parent") }
            #expect(refusal.code == 1550)
            #expect(refusal.userInfo[NSValidationKeyErrorKey] as? String == "parent")
            #expect(refusal.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === node)
            #expect(node.one("parent") == nil)
            // A leaf is a node, but a node is not a leaf.
            let leaf = try context.insert("Leaf")
            try node.setValue(checking: leaf, forKey: "parent")
            #expect(try error { try tag.setValue(checking: [node], forKey: "leaves") }.code == 1550)
        }
    }

    @Test("An object of another context is refused as a destination")
    func objectOfAnotherContextIsRefused() throws {
        let other = stack.context()
        let missingToken = try other.performAndWait { try other.insert("Node") }
        try stack.inContext { context in
            let node = try nodes(context, "a")[0]
            let refusal = try error { try node.setValue(checking: missingToken, forKey: "parent") }
            #expect(refusal.code == 1550)
            #expect(refusal.localizedDescription.contains("different contexts"))
            #expect(node.one("parent") == nil)
        }
    }
}
