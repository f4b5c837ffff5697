import CoreData
import Foundation
import Testing

/// Merging into ordered relationships that have unsaved changes.
@Suite(.onEveryStore) struct OrderedMergeTests {
    let stack: TestStack
    let mine: NSManagedObjectContext
    let theirs: NSManagedObjectContext

    /// A node that ranks the tags 1, 2 and 3, and the tags 4 and 5.
    init() throws {
        stack = try TestStack(Graph.model())
        mine = stack.context()
        theirs = stack.context()
        try stack.inContext { context throws in
            let node = try context.insert("Node", ["uid": 1])
            let tags = try (1...5).map { try context.insert("Tag", ["uid": $0]) }
            node.setValue(NSOrderedSet(array: Array(tags.prefix(3))), forKey: "ranking")
            try context.save()
        }
    }

    private func ranking(_ context: NSManagedObjectContext) throws -> NSMutableOrderedSet {
        try context.only("Node").mutableOrderedSetValue(forKey: "ranking")
    }

    private func numbers(_ set: NSOrderedSet) -> [Int] {
        set.compactMap { ($0 as? NSManagedObject)?.value(forKey: "uid") as? Int }
    }

    private func tag(_ number: Int, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        try context.all("Tag", by: "uid")[number - 1]
    }

    /// Edits on both sides, of which theirs is saved and merged.
    private func merge(
        _ mineBefore: (NSMutableOrderedSet) throws -> Void, _ theirsThen: (NSMutableOrderedSet) throws -> Void
    ) throws -> [Int] {
        let node = try mine.event { mine throws in
            try mineBefore(try ranking(mine))
            return try mine.only("Node")
        }
        let log = NotificationLog(.NSManagedObjectContextDidSave, from: theirs)
        try theirs.event { theirs throws in
            try theirsThen(try ranking(theirs))
            try theirs.save()
        }
        let notification = try #require(log.all.first)
        return try mine.event { mine throws in
            mine.mergeChanges(fromContextDidSave: notification)
            let shown = numbers(try #require(node.value(forKey: "ranking") as? NSOrderedSet))
            mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try mine.save()
            let stored = try stack.inContext { context throws in numbers(try ranking(context)) }
            #expect(stored == shown)
            return shown
        }
    }

    @Test("Merged additions of others follow the own order")
    func othersAdditionsComeLast() throws {
        let merged = try merge({ $0.exchangeObject(at: 0, withObjectAt: 2) }) {
            $0.insert(try tag(4, theirs), at: 0)
        }
        #expect(merged == [3, 2, 1, 4])
    }

    @Test("Merged removals of others leave the rest in the own order")
    func othersRemovals() throws {
        let merged = try merge({ $0.exchangeObject(at: 0, withObjectAt: 2) }) { $0.removeObject(at: 1) }
        #expect(merged == [3, 1])
    }

    @Test("Own additions and removals are kept")
    func ownChangesAreKept() throws {
        let merged = try merge({
            $0.removeObject(at: 0)
            $0.insert(try tag(5, mine), at: 0)
        }) { $0.add(try tag(4, theirs)) }
        #expect(merged == [5, 2, 3, 4])
    }

    @Test("A member that both contexts added is there once")
    func commonAddition() throws {
        let merged = try merge({ $0.insert(try tag(4, mine), at: 0) }) { $0.add(try tag(4, theirs)) }
        #expect(merged == [4, 1, 2, 3])
    }
}
