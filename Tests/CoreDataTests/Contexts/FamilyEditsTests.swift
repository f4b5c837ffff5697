import CoreData
import Foundation
import TestSupport
import Testing

/// Random edits in all contexts of a family, which save when they like: the root's relationships agree at both ends at every
/// step, whatever its children knew when they changed them, and in the end all contexts show what is stored.
@Suite struct FamilyEditsTests {
    @Test(
        "Both ends of every relationship agree after random edits in a family of contexts", arguments: 0..<6)
    func relationshipEndsAgree(_ walk: Int) throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = Fuzzing.seed(UInt64(walk), givenBy: "FAMILY_SEED")
        let steps = environment["FAMILY_STEPS"].flatMap(Int.init) ?? Fuzzing.rounds(200)
        do {
            var edits = try FamilyEdits(seed: seed)
            try edits.run(steps: steps)
        } catch {
            Issue.record("FAMILY_SEED=\(seed): \(error)")
        }
    }
}

private struct FamilyEdits {
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private let family: ContextFamily
    private var contexts: [NSManagedObjectContext] { [family.root, family.child, family.grandchild] }
    private var random: SeededGenerator
    private var log: [String] = []
    private var lastID = 0

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        family = try ContextFamily(Graph.model())
        for context in contexts {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.retainsRegisteredObjects = true
        }
    }

    mutating func run(steps: Int) throws {
        for step in 1...steps {
            do {
                let level = Int.random(in: 0..<3, using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0, 1: try save(level)
                case 2: refresh(level)
                default: try edit(level)
                }
                try checkEnds(family.root)
                if random.oneIn(25) { try compareAll() }
            } catch {
                throw Difference(
                    description: "step \(step): \(error)\n" + log.suffix(30).joined(separator: "\n"))
            }
        }
        try compareAll()
    }

    private mutating func save(_ level: Int) throws {
        log.append("save \(level)")
        try contexts[level].saveAndWait()
    }

    private mutating func refresh(_ level: Int) {
        log.append("refresh \(level)")
        let context = contexts[level]
        context.performAndWait { context.refreshAllObjects() }
    }

    private static let entities = ["Node", "Tag", "Badge", "Step"]

    private static func objects(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try entities.flatMap { try context.all($0, by: "uid") }
    }

    private mutating func edit(_ level: Int) throws {
        let context = contexts[level]
        var random = random
        var log = log
        var lastID = lastID
        defer { (self.random, self.log, self.lastID) = (random, log, lastID) }
        try context.event { context throws in
            let objects = try Self.objects(context)
            guard objects.count > 5, let object = objects.randomElement(using: &random),
                !(objects.count < 16 && random.oneIn(4))
            else {
                lastID += 1
                let entity =
                    ["Node", "Leaf", "Tag", "Badge", "Step"].randomElement(using: &random) ?? "Node"
                log.append("\(level): insert \(entity) \(lastID)")
                try context.insert(entity, ["uid": lastID, "name": "n\(lastID)"])
                return
            }
            if random.oneIn(10) {
                log.append("\(level): delete \(uid(object))")
                context.delete(object)
                return
            }
            guard
                let link = GraphReference.links[object.entity.name ?? ""]?.filter({ $0.inverse != nil })
                    .randomElement(using: &random)
            else { return }
            let candidates = objects.filter { candidate in
                candidate.entity.name == link.destination
                    || link.destination == "Node" && candidate.entity.name == "Leaf"
            }
            let some = Array(
                candidates.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
            log.append("\(level): \(uid(object)).\(link.name) = \(some.map(uid))")
            if !link.isToMany {
                object.setValue(some.first, forKey: link.name)
            } else {
                object.setValue(
                    link.isOrdered ? NSOrderedSet(array: some) as Any : NSSet(array: some) as Any,
                    forKey: link.name)
            }
        }
    }

    // MARK: Checks

    private func uid(_ object: NSManagedObject) -> Int { object.value(forKey: "uid") as? Int ?? -1 }

    private func destinations(_ object: NSManagedObject, _ key: String) -> [NSManagedObject] {
        let value = object.value(forKey: key)
        let list = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? [value as Any]
        return list.compactMap { $0 as? NSManagedObject }
    }

    /// Whatever leads to an object is led to by it, and is there.
    private func checkEnds(_ context: NSManagedObjectContext) throws {
        try context.event { context throws in
            context.processPendingChanges()
            for object in try Self.objects(context) {
                for link in GraphReference.links[object.entity.name ?? ""] ?? [] {
                    for destination in destinations(object, link.name) {
                        guard !destination.isDeleted, destination.managedObjectContext === context else {
                            throw Difference(
                                description: "\(uid(object)).\(link.name) leads to a deleted object")
                        }
                        if let inverse = link.inverse, !destinations(destination, inverse).contains(object) {
                            throw Difference(
                                description:
                                    "\(uid(object)).\(link.name) leads to \(uid(destination)), and not back")
                        }
                    }
                }
            }
        }
    }

    /// Saves everything; all contexts show what is stored then.
    private mutating func compareAll() throws {
        for level in [2, 1, 0] { try save(level) }
        let stored = try family.stack.inContext { try describe($0) }
        for (level, context) in contexts.enumerated() {
            let shown = try context.event { context throws in
                context.refreshAllObjects()
                return try describe(context)
            }
            guard shown == stored else {
                throw Difference(
                    description: "context \(level) shows\n\(shown.joined(separator: "\n"))\nstored:\n"
                        + stored.joined(separator: "\n"))
            }
            try checkEnds(context)
        }
    }

    private func describe(_ context: NSManagedObjectContext) throws -> [String] {
        try Self.objects(context).map { object in
            let links = (GraphReference.links[object.entity.name ?? ""] ?? []).map { link in
                let numbers = destinations(object, link.name).map(uid)
                return "\(link.name) \(link.isOrdered ? numbers : numbers.sorted())"
            }
            return "\(uid(object)) \(object.value(forKey: "name") ?? "nil") \(links)"
        }
    }
}
