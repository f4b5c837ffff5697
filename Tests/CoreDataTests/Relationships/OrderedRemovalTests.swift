import CoreData
import Testing

/// Many members leave an ordered relationship at once.
@Suite(.onEveryStore) struct OrderedRemovalTests {
    private let stack: TestStack
    private let context: NSManagedObjectContext
    private let owner: NSManagedObject
    private static let names = (0..<40).map { "item \(100 + $0)" }

    init() throws {
        stack = try TestStack(OwnerModel.model(ordered: true))
        let context = stack.context()
        self.context = context
        owner = try context.performAndWait {
            let owner = try context.insert("Owner", ["name": "owner"])
            for name in Self.names { try context.insert("Item", ["name": name, "owner": owner]) }
            let items = try context.all("Item", by: "name")
            owner.setValue(NSOrderedSet(array: items), forKey: "items")
            try context.save()
            context.undoManager = UndoManager()
            return owner
        }
    }

    private func event<Value>(_ body: (NSManagedObjectContext) throws -> Value) rethrows -> Value {
        try context.performAndWait { try body(context) }
    }

    private func stored() throws -> [String]? {
        try stack.inContext { try $0.names(of: "owner", "Owner", "items") }
    }

    @Test("Removing many members keeps the order of the others")
    func othersKeepTheirOrder() throws {
        let kept = Self.names.enumerated().filter { $0.offset % 3 == 0 }.map(\.element)
        let left = try event { context in
            let items = owner.mutableOrderedSetValue(forKey: "items")
            let leaving = owner.list("items").filter {
                !kept.contains($0.value(forKey: "name") as? String ?? "")
            }
            items.removeObjects(in: leaving)
            #expect(owner.names("items") == kept && items.count == kept.count)
            #expect((items.object(at: 1) as? NSManagedObject)?.value(forKey: "name") as? String == kept[1])
            #expect(leaving.allSatisfy { $0.one("owner") == nil })
            try context.save()
            return leaving
        }
        #expect(try stored() == kept)
        event { _ in #expect(left.count == Self.names.count - kept.count) }
    }

    @Test("Undo restores all removed members in their order")
    func undoRestoresTheOrder() throws {
        let items = event { _ in owner.list("items") }
        event { _ in owner.setValue(NSOrderedSet(), forKey: "items") }
        event { context in
            #expect(owner.names("items").isEmpty && items.allSatisfy { $0.one("owner") == nil })
            context.undo()
            #expect(owner.list("items") == items && items.allSatisfy { $0.one("owner") === owner })
            context.redo()
            #expect(owner.names("items").isEmpty)
            context.undo()
        }
        try event { try $0.save() }
        #expect(try stored() == Self.names)
    }

    @Test("Deleting the owner clears the inverse of its members, and undo restores it")
    func membersLoseTheirOwner() throws {
        let items = event { _ in owner.list("items") }
        event { $0.delete(owner) }
        event { context in
            #expect(items.allSatisfy { $0.one("owner") == nil })
            context.undo()
            #expect(owner.list("items") == items && items.allSatisfy { $0.one("owner") === owner })
        }
        event { $0.delete(owner) }
        try event { try $0.save() }
        #expect(try stored() == nil)
        let orphans = try stack.inContext { try $0.all("Item").filter { $0.one("owner") == nil }.count }
        #expect(orphans == Self.names.count)
    }
}
