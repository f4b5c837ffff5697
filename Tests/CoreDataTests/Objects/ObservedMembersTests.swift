import CocoaFoundation
import CoreData
import Foundation
import Testing

/// The notifications of observers when members of a to-many relationship are added and removed one by one.
@Suite(.onEveryStore) struct ObservedMembersTests {
    /// Notes the changes of one key: kind, places, what went, what came.
    private final class Reader: NSObject, KeyValueObserver, @unchecked Sendable {
        private var changes: [String] = []

        func observeValue(
            forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            func names(_ key: NSKeyValueChangeKey) -> String {
                let value = change?[key]
                let list =
                    (value as? Set<AnyHashable>)?.map(\.base) ?? (value as? [Any])
                    ?? (value as? NSOrderedSet)?.array ?? []
                return list.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }.sorted()
                    .joined(separator: ",")
            }
            let kind = (change?[.kindKey] as? NSNumber)?.intValue ?? 0
            let positions = (change?[.indexesKey] as? IndexSet).map { " at \(Array($0))" } ?? ""
            changes.append("\(kind)\(positions) -[\(names(.oldKey))] +[\(names(.newKey))]")
        }

        func take() -> [String] {
            defer { changes = [] }
            return changes
        }
    }

    private func observing(
        ordered: Bool, _ body: (NSManagedObject, [NSManagedObject], Reader) throws -> Void
    ) throws {
        let stack = try TestStack(OwnerModel.model(ordered: ordered))
        try stack.inContext { context in
            let owner = try context.insert("Owner", ["name": "owner"])
            let items = try ["a", "b", "c"].map { try context.insert("Item", ["name": $0]) }
            for item in items.prefix(2) { item.setValue(owner, forKey: "owner") }
            if ordered { owner.setValue(NSOrderedSet(array: Array(items.prefix(2))), forKey: "items") }
            try context.save()
            let reader = Reader()
            owner.addObserver(reader, forKeyPath: "items", options: [.old, .new], context: nil)
            try body(owner, items, reader)
            owner.removeObserver(reader, forKeyPath: "items")
        }
    }

    @Test("Observers of a to-many relationship are notified of the members added and removed")
    func membersOfASet() throws {
        try observing(ordered: false) { owner, items, reader in
            let set = owner.mutableSetValue(forKey: "items")
            set.add(items[2])
            set.remove(items[0])
            #expect(reader.take() == ["2 -[] +[c]", "3 -[a] +[]"])
            // By the other end, and as a whole.
            items[0].setValue(owner, forKey: "owner")
            items[1].setValue(nil, forKey: "owner")
            #expect(reader.take() == ["2 -[] +[a]", "3 -[b] +[]"])
            owner.setValue(NSSet(object: items[1]), forKey: "items")
            #expect(reader.take() == ["1 -[a,c] +[b]"])
        }
    }

    @Test("Observers of an ordered relationship are notified with indexes")
    func indexesOfAnOrderedSet() throws {
        try observing(ordered: true) { owner, items, reader in
            let set = owner.mutableOrderedSetValue(forKey: "items")
            set.insert(items[2], at: 1)
            set.remove(items[0])
            #expect(reader.take() == ["2 at [1] -[] +[c]", "3 at [0] -[a] +[]"])
            items[0].setValue(owner, forKey: "owner")
            #expect(reader.take() == ["2 at [2] -[] +[a]"])
            #expect(owner.names("items") == ["c", "b", "a"])
        }
    }

    @Test("Observers are notified of a set mutation that a custom setter announces")
    func ownSetterNotifies() throws {
        try observing(ordered: false) { owner, items, reader in
            let added: Set<AnyHashable> = [items[2]]
            owner.willChangeValue(forKey: "items", withSetMutation: .union, using: added)
            owner.setPrimitiveValue(NSSet(array: items), forKey: "items")
            owner.didChangeValue(forKey: "items", withSetMutation: .union, using: added)
            #expect(reader.take() == ["2 -[] +[c]"] && items[2].one("owner") === owner)
        }
    }
}
