import CoreData
import Testing

/// Links of objects that the merge policies resolve as a whole, `rollback` and `overwrite`: afterwards the context shows what the
/// store has, at both ends.
@Suite struct WholeObjectPolicyTests {
    typealias Rival = ConflictTests.Rival
    typealias Objects = [Int: NSManagedObject]

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// The objects of a context by number, loaded.
    private static func objects(_ context: NSManagedObjectContext) throws -> Objects {
        var found: Objects = [:]
        for object in try Graph.roots.flatMap({ try context.all($0) }) {
            found[try #require(object.value(forKey: "uid") as? Int)] = object
        }
        return found
    }

    /// What all relationships of all objects lead to, by number of the object and name.
    private static func links(_ context: NSManagedObjectContext) throws -> [String: [Int]] {
        var links: [String: [Int]] = [:]
        for (uid, object) in try objects(context) {
            for (name, relationship) in object.entity.relationshipsByName {
                let numbers =
                    if relationship.isOrdered {
                        object.list(name)
                    } else if relationship.isToMany {
                        Array(object.many(name))
                    } else {
                        [object.one(name)].compactMap { $0 }
                    }
                let found = numbers.map { $0.value(forKey: "uid") as? Int ?? -1 }
                if !found.isEmpty {
                    links["\(uid).\(name)"] = relationship.isOrdered ? found : found.sorted()
                }
            }
        }
        return links
    }

    /// Makes objects, changes them in a context, then in a rival's, which is saved; saves the first one and runs a block. Before
    /// that and once the rival's save is merged, the context has to show what the store has.
    ///
    /// - Parameter numbers: those of the objects of each entity.
    private func conflict(
        _ rival: Rival, _ policy: NSMergePolicy, _ numbers: KeyValuePairs<String, [Int]>,
        make: (Objects) -> Void = { _ in },
        here: (NSManagedObjectContext, Objects) throws -> Void,
        there: (NSManagedObjectContext, Objects) throws -> Void,
        _ body: (NSManagedObjectContext, Objects) throws -> Void
    ) throws {
        let coordinator = try folder.open(Graph.model())
        let other = rival == .context ? coordinator : try folder.open(Graph.model())
        try coordinator.inContext { context in
            for (entity, numbers) in numbers {
                for uid in numbers { try context.insert(entity, ["uid": uid]) }
            }
            make(try Self.objects(context))
            try context.save()
        }
        let context = coordinator.context()
        context.performAndWait { context.undoManager = UndoManager() }
        let mine = try context.performAndWait {
            context.mergePolicy = policy
            let mine = try Self.objects(context)
            _ = try Self.links(context)
            try here(context, mine)
            return mine
        }
        let theirs = other.context()
        let saves = NotificationLog(.NSManagedObjectContextDidSaveObjectIDs, from: theirs)
        try theirs.performAndWait {
            try there(theirs, try Self.objects(theirs))
            try theirs.save()
        }
        try context.performAndWait {
            try context.save()
            let stored = try coordinator.inContext(Self.links)
            #expect(try Self.links(context) == stored && !context.hasChanges)
            try body(context, mine)
            for save in saves.all { context.mergeChanges(fromContextDidSave: save) }
            #expect(try Self.links(context) == stored)
            try context.save()
        }
    }

    private static func rename(_ numbers: Int...) -> (NSManagedObjectContext, Objects) -> Void {
        { _, objects in for number in numbers { objects[number]?.setValue("theirs", forKey: "name") } }
    }

    // MARK: Giving in

    /// Of the objects that a deletion cascades to, those that no other context has changed stay deleted.
    @Test("A reverted deletion has no members that its cascade deleted", arguments: Rival.allCases)
    func cascadedMembersStayDeleted(_ rival: Rival) throws {
        try conflict(
            rival, .rollback, ["Node": [1], "Step": [2, 3]],
            make: {
                $0[1]?.setValue(NSOrderedSet(array: [$0[2], $0[3]].compactMap { $0 }), forKey: "steps")
            },
            here: { context, objects in
                if let node = objects[1] { context.delete(node) }
            }, there: Self.rename(1)
        ) { context, objects in
            let node = try #require(objects[1])
            #expect(node.list("steps").isEmpty && !node.isDeleted)
            context.delete(node)
            context.processPendingChanges()
            context.undo()
            #expect(node.list("steps").isEmpty && !node.hasPersistentChangedValues)
        }
    }

    /// The rules of a deletion apply again to merged changes; once the deletion is discarded, that is not a
    /// change that undo reverts.
    @Test("Merging a reverted deletion leaves nothing to undo")
    func mergeLeavesNothingToUndo() throws {
        let coordinator = try folder.open(Graph.model())
        try coordinator.inContext { context in
            let node = try context.insert("Node", ["uid": 1])
            try context.insert("Step", ["uid": 2, "node": node])
            try context.save()
        }
        let context = coordinator.context()
        func event(_ body: () throws -> Void) throws {
            try context.performAndWait {
                try body()
                context.processPendingChanges()
            }
        }
        let node = try context.performAndWait {
            context.undoManager = UndoManager()
            context.mergePolicy = NSMergePolicy.rollback
            let node = try context.only("Node")
            _ = node.list("steps").map { $0.value(forKey: "uid") }
            return node
        }
        func rename(_ name: String) throws -> Notification {
            let other = coordinator.context()
            let saves = NotificationLog(.NSManagedObjectContextDidSaveObjectIDs, from: other)
            try other.performAndWait {
                try other.only("Node").setValue(name, forKey: "name")
                try other.save()
            }
            return try #require(saves.all.first)
        }
        try event { context.delete(node) }
        let first = try rename("first")
        try event { context.mergeChanges(fromContextDidSave: first) }
        _ = try rename("second")
        try event { try context.save() }
        context.performAndWait { context.undoManager?.removeAllActions() }
        try event {
            #expect(node.value(forKey: "name") as? String == "second" && node.list("steps").isEmpty)
            context.delete(node)
        }
        try event { context.undo() }
        try event { #expect(node.list("steps").isEmpty && !node.isDeleted && !node.hasChanges) }
    }

    /// The partner of one that gives in had left its former one for it, and that one gives in too.
    @Test("Two reverted objects get their former partners back", arguments: Rival.allCases)
    func formerPartnersAreRestored(_ rival: Rival) throws {
        try conflict(
            rival, .rollback, ["Node": [1, 2, 3]],
            make: { $0[1]?.setValue($0[2], forKey: "partner") },
            here: { _, objects in objects[3]?.setValue(objects[2], forKey: "partner") },
            there: Self.rename(1, 3)
        ) { _, objects in
            #expect(objects[1]?.one("partner") === objects[2] && objects[3]?.one("partner") == nil)
        }
    }

    // MARK: Insisting

    /// Setting what is there is no change to insist on.
    @Test("Setting an equal value does not overwrite a change made elsewhere", arguments: Rival.allCases)
    func equalValuesTakeTheOthersChange(_ rival: Rival) throws {
        try conflict(
            rival, .overwrite, ["Node": [1, 2, 3, 4]],
            make: {
                $0[1]?.setValue($0[2], forKey: "parent")
                $0[3]?.setValue($0[1], forKey: "parent")
            },
            here: { context, objects in
                objects[4]?.setValue(nil, forKey: "parent")
                context.processPendingChanges()
                objects[1]?.setValue(NSSet(array: [objects[1]].compactMap { $0 }), forKey: "children")
            },
            there: { _, objects in
                objects[4]?.setValue(NSSet(array: [1, 2, 4].compactMap { objects[$0] }), forKey: "children")
            }
        ) { _, objects in
            #expect(objects[4]?.one("parent") === objects[4] && objects[2]?.one("parent") == nil)
            #expect(objects[1]?.one("parent") === objects[1] && objects[3]?.one("parent") == nil)
        }
    }
}
