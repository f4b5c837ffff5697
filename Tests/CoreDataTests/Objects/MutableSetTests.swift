import CoreData
import Foundation
import Testing

/// The sets of `mutableSetValue(forKey:)` and `mutableOrderedSetValue(forKey:)`.
@Suite(.onEveryStore) struct MutableSetTests {
    let stack: TestStack
    let context: NSManagedObjectContext

    init() throws {
        stack = try TestStack(Graph.model())
        context = stack.context()
    }

    private func make(_ entity: String, _ name: String) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(name, forKey: "name")
        return object
    }

    private func names(_ objects: Any?) -> [String] {
        let list: [Any]
        switch objects {
        case let set as NSOrderedSet: list = set.array
        case let set as NSSet: list = set.allObjects
        case let array as [Any]: list = array
        default: return ["?"]
        }
        let names = list.map { ($0 as? NSManagedObject)?.value(forKey: "name") as? String ?? "-" }
        return objects is NSSet ? names.sorted() : names
    }

    @Test("A subscript reads and writes by key-value coding")
    func subscriptAccess() {
        context.performAndWait {
            let node = make("Node", "node")
            #expect(node["name"] as? String == "node")
            node["name"] = "other"
            #expect(node.value(forKey: "name") as? String == "other")
            node["name"] = nil
            #expect(node["name"] == nil)
            node["tags"] = [make("Tag", "a")] as Set<NSManagedObject>
            #expect(names(node["tags"]) == ["a"])
        }
    }

    // MARK: Unordered

    @Test("A mutable set is a live view of its relationship")
    func setIsAView() {
        context.performAndWait {
            let node = make("Node", "node")
            let tags = ["a", "b", "c"].map { make("Tag", $0) }
            let set = node.mutableSetValue(forKey: "tags")
            #expect(set.count == 0 && set.anyObject() == nil)
            set.add(tags[0])
            set.addObjects(from: [tags[1], tags[0]])
            #expect(names(node.value(forKey: "tags")) == ["a", "b"])
            #expect(names(tags[1].value(forKey: "nodes")) == ["node"])
            // A change from the other side shows.
            tags[2].mutableSetValue(forKey: "nodes").add(node)
            #expect(names(set) == ["a", "b", "c"] && set.count == 3)
            #expect(set.contains(tags[2]) && set.member(tags[2]) as? NSManagedObject === tags[2])
            set.remove(tags[0])
            #expect(names(node.value(forKey: "tags")) == ["b", "c"])
            #expect(names(tags[0].value(forKey: "nodes")) == [])
            set.minus([tags[1]])
            #expect(names(set) == ["c"])
            set.union([tags[0], tags[1]])
            #expect(names(set) == ["a", "b", "c"])
            set.intersect([tags[0]])
            #expect(names(set) == ["a"])
            set.setSet([tags[1], tags[2]])
            #expect(names(node.value(forKey: "tags")) == ["b", "c"])
            set.removeAllObjects()
            #expect(names(node.value(forKey: "tags")) == [])
        }
    }

    @Test("A mutable set can be iterated, compared, sorted, filtered and copied")
    func setReadsLikeAnNSSet() {
        context.performAndWait {
            let node = make("Node", "node")
            let tags = ["a", "b"].map { make("Tag", $0) }
            let set = node.mutableSetValue(forKey: "tags")
            set.addObjects(from: tags)
            var seen: Set<NSManagedObject> = []
            for case let tag as NSManagedObject in set { seen.insert(tag) }
            #expect(seen == Set(tags))
            #expect(Set(set.allObjects as? [NSManagedObject] ?? []) == Set(tags))
            #expect(set == NSSet(array: tags) && NSSet(array: tags) == set)
            #expect(set.isSubset(of: [tags[0], tags[1]]) && set.intersects([tags[0]]))
            let sorted = set.sortedArray(using: [NSSortDescriptor(key: "name", ascending: false)])
            #expect(names(sorted) == ["b", "a"])
            let found = set.filtered(using: NSPredicate(format: "name == 'b'"))
            #expect(found == [tags[1]])
            // Copies do not change any more.
            let copies = [set.copy(), set.mutableCopy(), NSSet(set: set)]
            set.removeAllObjects()
            for copy in copies { #expect((copy as? NSSet)?.count == 2) }
        }
    }

    @Test("Adding to a mutable set does not load its other members")
    func addingLoadsNothing() throws {
        try context.performAndWait {
            let node = make("Node", "node")
            for name in ["a", "b"] { node.mutableSetValue(forKey: "children").add(make("Node", name)) }
            try context.save()
            context.refresh(node, mergeChanges: false)
            let new = make("Node", "c")
            node.mutableSetValue(forKey: "children").add(new)
            #expect(node.hasFault(forRelationshipNamed: "children"))
            #expect(new.value(forKey: "parent") as? NSManagedObject === node)
            #expect(names(node.value(forKey: "children")) == ["a", "b", "c"])
        }
    }

    @Test("Removing from a mutable set that is not loaded removes the member")
    func removingFromAnUnloadedSet() throws {
        try context.performAndWait {
            let node = make("Node", "node")
            let (a, b) = (make("Node", "a"), make("Node", "b"))
            node.mutableSetValue(forKey: "children").addObjects(from: [a, b])
            try context.save()
            context.refreshAllObjects()
            node.mutableSetValue(forKey: "children").remove(a)
            #expect(a.value(forKey: "parent") == nil)
            try context.save()
            context.refreshAllObjects()
            #expect(names(node.value(forKey: "children")) == ["b"])
        }
    }

    // MARK: Ordered

    private func ordered(_ body: (NSMutableOrderedSet, [NSManagedObject], NSManagedObject) -> Void) {
        context.performAndWait {
            let node = make("Node", "node")
            let steps = ["a", "b", "c", "d", "e"].map { make("Step", $0) }
            let set = node.mutableOrderedSetValue(forKey: "steps")
            for step in steps.prefix(3) { set.add(step) }
            body(set, steps, node)
            // The relationship, the set and the other ends agree.
            let stored = node.value(forKey: "steps") as? NSOrderedSet
            #expect(stored?.array as? [NSManagedObject] == set.array as? [NSManagedObject])
            #expect(set.count == stored?.count)
            for step in steps {
                #expect((step.value(forKey: "node") as? NSManagedObject === node) == set.contains(step))
            }
        }
    }

    @Test("Mutable ordered sets append and insert at an index")
    func orderedSetsInsert() {
        ordered { set, steps, _ in
            #expect(names(set) == ["a", "b", "c"])
            set.insert(steps[3], at: 1)
            #expect(names(set) == ["a", "d", "b", "c"])
            set.addObjects(from: [steps[0], steps[4]])
            #expect(names(set) == ["a", "d", "b", "c", "e"])
        }
        ordered { set, steps, _ in
            set.insert([steps[3], steps[4]], at: [0, 2])
            #expect(names(set) == ["d", "a", "e", "b", "c"])
        }
        ordered { set, steps, _ in
            set.add(steps[0])
            #expect(names(set) == ["a", "b", "c"])
        }
    }

    @Test("Mutable ordered sets remove by index, object and range")
    func orderedSetsRemove() {
        ordered { set, steps, _ in
            set.removeObject(at: 1)
            #expect(names(set) == ["a", "c"])
            set.remove(steps[0])
            set.remove(steps[4])
            #expect(names(set) == ["c"])
            set.removeAllObjects()
            #expect(set.count == 0)
        }
        ordered { set, _, _ in
            set.removeObjects(at: [0, 2])
            #expect(names(set) == ["b"])
        }
        ordered { set, steps, _ in
            set.removeObjects(in: [steps[0], steps[2], steps[4]])
            #expect(names(set) == ["b"])
        }
        ordered { set, _, _ in
            set.removeObjects(in: NSRange(location: 0, length: 2))
            #expect(names(set) == ["c"])
        }
    }

    @Test("Mutable ordered sets replace, exchange, move and sort")
    func orderedSetsReplaceAndMove() {
        ordered { set, steps, _ in
            set.replaceObject(at: 1, with: steps[4])
            #expect(names(set) == ["a", "e", "c"])
            set[0] = steps[3]
            #expect(names(set) == ["d", "e", "c"])
            set.setObject(steps[0], at: 3)
            #expect(names(set) == ["d", "e", "c", "a"])
        }
        ordered { set, steps, _ in
            set.replaceObjects(at: [0, 1], with: [steps[3], steps[4]])
            #expect(names(set) == ["d", "e", "c"])
        }
        ordered { set, _, _ in
            set.exchangeObject(at: 0, withObjectAt: 2)
            #expect(names(set) == ["c", "b", "a"])
        }
        ordered { set, _, _ in
            set.moveObjects(at: [0], to: 2)
            #expect(names(set) == ["b", "c", "a"])
        }
        ordered { set, _, _ in
            set.sort(using: [NSSortDescriptor(key: "name", ascending: false)])
            #expect(names(set) == ["c", "b", "a"])
            set.sort { a, b in
                let (a, b) = (a as? NSManagedObject, b as? NSManagedObject)
                return (a?.value(forKey: "name") as? String ?? "").compare(
                    b?.value(forKey: "name") as? String ?? "")
            }
            #expect(names(set) == ["a", "b", "c"])
        }
    }

    @Test("Mutable ordered sets form unions, differences and intersections")
    func orderedSetsCombine() {
        ordered { set, steps, _ in
            set.union(NSOrderedSet(array: [steps[4], steps[0], steps[3]]))
            #expect(names(set) == ["a", "b", "c", "e", "d"])
            set.minus(NSOrderedSet(array: [steps[0]]))
            #expect(names(set) == ["b", "c", "e", "d"])
            set.intersect(NSOrderedSet(array: [steps[3], steps[1]]))
            #expect(names(set) == ["b", "d"])
            set.minusSet([steps[1]])
            set.unionSet([steps[2]])
            #expect(names(set) == ["d", "c"])
            set.intersectSet([steps[2]])
            #expect(names(set) == ["c"])
        }
    }

    @Test("A mutable ordered set can be indexed, iterated, compared and copied")
    func orderedSetsReadLikeAnNSOrderedSet() {
        ordered { set, steps, _ in
            #expect(names(set.array) == ["a", "b", "c"])
            #expect(set.firstObject as? NSManagedObject === steps[0])
            #expect(set.lastObject as? NSManagedObject === steps[2])
            #expect(set.object(at: 1) as? NSManagedObject === steps[1])
            #expect(set.index(of: steps[2]) == 2 && set.index(of: steps[4]) == NSNotFound)
            var seen: [NSManagedObject] = []
            for case let step as NSManagedObject in set { seen.append(step) }
            #expect(seen == Array(steps.prefix(3)))
            #expect(names(set.reversed.array) == ["c", "b", "a"])
            #expect(set.set == steps.prefix(3).reduce(into: Set<AnyHashable>()) { $0.insert($1) })
            #expect(set == NSOrderedSet(array: Array(steps.prefix(3))))
            #expect(set.isSubset(of: NSOrderedSet(array: steps)))
            #expect(names((set.copy() as? NSOrderedSet)?.array) == ["a", "b", "c"])
        }
    }

    @Test("A mutable ordered set shows changes made by other means")
    func orderedSetShowsOtherChanges() {
        ordered { set, steps, node in
            steps[1].setValue(nil, forKey: "node")
            #expect(names(set.array) == ["a", "c"])
            steps[4].setValue(node, forKey: "node")
            #expect(names(set.array) == ["a", "c", "e"])
            node.setValue(NSOrderedSet(array: [steps[4], steps[0]]), forKey: "steps")
            #expect(names(set.array) == ["e", "a"])
            context.delete(steps[0])
            context.processPendingChanges()
            #expect(names(set.array) == ["e"])
        }
    }

    @Test("A mutable ordered set works after its owner became a fault")
    func orderedSetAfterItsOwnerIsAFault() throws {
        try context.performAndWait {
            let node = make("Node", "node")
            let set = node.mutableOrderedSetValue(forKey: "steps")
            for name in ["a", "b"] { set.add(make("Step", name)) }
            try context.save()
            set.removeObject(at: 0)
            context.refresh(node, mergeChanges: false)
            #expect(set.count == 2)
            #expect(names(set.array) == ["a", "b"])
        }
    }

    @Test("The order of a mutable ordered set is saved")
    func orderIsStored() throws {
        try context.performAndWait {
            let node = make("Node", "node")
            let set = node.mutableOrderedSetValue(forKey: "steps")
            let ranking = node.mutableOrderedSetValue(forKey: "ranking")
            for name in ["a", "b", "c", "d"] {
                set.insert(make("Step", name), at: 0)
                ranking.insert(make("Tag", name), at: 0)
            }
            try context.save()
            set.moveObjects(at: [3], to: 1)
            ranking.exchangeObject(at: 0, withObjectAt: 3)
            try context.save()
        }
        try stack.inContext { other in
            let node = try #require(
                try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Node")).first)
            #expect(names(node.value(forKey: "steps")) == ["d", "a", "c", "b"])
            #expect(names(node.value(forKey: "ranking")) == ["a", "c", "b", "d"])
        }
    }

    @Test("A relationship has one mutable ordered set while it is in use")
    func oneOrderedSetWhileInUse() {
        context.performAndWait {
            let node = make("Node", "node")
            let set = node.mutableOrderedSetValue(forKey: "steps")
            #expect(node.mutableOrderedSetValue(forKey: "steps") === set)
            #expect(node.mutableOrderedSetValue(forKey: "ranking") !== set)
        }
        weak var weakSet: NSMutableOrderedSet?
        context.performAndWait {
            weakSet = make("Node", "other").mutableOrderedSetValue(forKey: "steps")
            #expect(weakSet != nil)
        }
        // The event is over.
        #expect(weakSet == nil)
    }

    // MARK: Wrong use

    @Test("Adding an object of another entity stops the process")
    func objectOfAnotherEntityStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let stack = try TestStack(Graph.model())
            let context = stack.context()
            context.performAndWait {
                let node = NSEntityDescription.insertNewObject(forEntityName: "Node", into: context)
                node.mutableSetValue(forKey: "tags").add(node)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Unacceptable type of value for to-many relationship"))
        #expect(text.contains("tags") && text.contains("Tag") && text.contains("Node"))
    }

    @Test("A mutable set of an ordered relationship stops the process")
    func wrongKindOfSetStops() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let stack = try TestStack(Graph.model())
            let context = stack.context()
            context.performAndWait {
                let node = NSEntityDescription.insertNewObject(forEntityName: "Node", into: context)
                _ = node.mutableSetValue(forKey: "steps")
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("'steps' of entity Node is not an unordered to-many relationship"))
    }
}
