import CoreData
import Testing

/// Objects that hold each other in a chain, as long as a table is.
@Suite struct ReleasedChainTests {
    private static let count = 20_000

    private static func model() -> NSManagedObjectModel {
        let node = NSEntityDescription("Node", attribute("number", .integer64, defaultValue: 0))
        node.relate("next", to: node)
        return NSManagedObjectModel(of: node)
    }

    private let stack: TestStack

    init() throws {
        stack = try TestStack(Self.model(), type: .inMemory)
        try stack.inContext { context in
            var last: NSManagedObject?
            for number in (0..<Self.count).reversed() {
                let node = try context.insert("Node", ["number": number])
                node.setValue(last, forKey: "next")
                last = node
            }
            try context.save()
        }
    }

    /// The first node, with all others loaded behind it and no other references to them.
    private func head(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        let head = try #require(
            try context.all("Node", where: NSPredicate(format: "number == 0")).first)
        var (node, length) = (head, 1)
        while let next = node.one("next") { (node, length) = (next, length + 1) }
        #expect(length == Self.count && context.registeredObjects.count == Self.count)
        return head
    }

    @Test("Releasing the first object of a long chain releases all of them")
    func chainIsReleased() throws {
        try stack.inContext { context in
            var first: NSManagedObject? = try head(context)
            #expect(first != nil)
            first = nil
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test("Refreshing the first object of a long chain releases the others")
    func chainIsReleasedByAFault() throws {
        try stack.inContext { context in
            let first = try head(context)
            context.refresh(first, mergeChanges: false)
            #expect(context.registeredObjects == [first])
        }
    }

    @Test("A long chain of objects without a context is released")
    func chainWithoutAContext() throws {
        let entity = try #require(stack.coordinator.managedObjectModel.entitiesByName["Node"])
        weak var end: NSManagedObject?
        var last: NSManagedObject?
        for number in 0..<Self.count {
            let node = NSManagedObject(entity: entity, insertInto: nil)
            if number == 0 { end = node }
            node.setValue(last, forKey: "next")
            last = node
        }
        #expect(end != nil)
        last = nil
        #expect(end == nil)
    }
}
