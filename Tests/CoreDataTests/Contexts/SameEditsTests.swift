import CoreData
import Foundation
import GRDB
import TestSupport
import Testing

/// The same random edits, made in a context of the coordinator and in a grandchild of one that saves upwards step by
/// step, find the same at every step and leave the same rows.
@Suite struct SameEditsTests {
    @Test("The same random edits in a context and in a grandchild leave the same rows", arguments: 0..<6)
    func editsLeaveTheSameStore(_ walk: Int) throws {
        let environment = ProcessInfo.processInfo.environment
        let seed = Fuzzing.seed(UInt64(walk), givenBy: "EDITS_SEED")
        let steps = environment["EDITS_STEPS"].flatMap(Int.init) ?? Fuzzing.rounds(150)
        do {
            var edits = try SameEdits(seed: seed)
            try edits.run(steps: steps)
        } catch {
            Issue.record("EDITS_SEED=\(seed): \(error)")
        }
    }
}

/// Objects of one stack, by number, edited at the end of a chain of contexts.
private final class EditedStack {
    let stack: TestStack
    let chain: [NSManagedObjectContext]
    var objects: [Int: NSManagedObject] = [:]
    var context: NSManagedObjectContext { chain[chain.count - 1] }

    init(depth: Int) throws {
        stack = try TestStack(Graph.model())
        var chain = [stack.context()]
        for _ in 0..<depth { chain.append(ContextFamily.child(of: chain[chain.count - 1])) }
        self.chain = chain
    }

    /// Every table with its rows, but for what is random. Versions are left out: adding a member that a relationship has
    /// already, but has not loaded, counts as a change.
    func rows() throws -> [String: [String]] {
        let queue = try DatabaseQueue(path: stack.file.path)
        return try queue.read { database in
            let tables = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            var rows: [String: [String]] = [:]
            for table in tables where !["Z_METADATA", "Z_MODELCACHE"].contains(table) {
                rows[table] = try GRDB.Row.fetchAll(
                    database, sql: "SELECT * FROM \"\(table)\" ORDER BY 1, 2"
                ).map { row in
                    row.filter { $0.0 != "Z_OPT" }.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
                }
            }
            return rows
        }
    }
}

private struct SameEdits {
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private let plain: EditedStack
    private let nested: EditedStack
    private var random: SeededGenerator
    private var log: [String] = []
    private var lastID = 0

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        plain = try EditedStack(depth: 0)
        nested = try EditedStack(depth: 2)
    }

    mutating func run(steps: Int) throws {
        for step in 1...steps {
            do {
                switch Int.random(in: 0..<20, using: &random) {
                case 0, 1: try save()
                case 2: try saveGrandchild()
                case 3: refresh()
                default: try edit()
                }
                try compareWhatIsLoaded()
                try compareFetches()
            } catch {
                throw Difference(
                    description: "step \(step): \(error)\n" + log.suffix(40).joined(separator: "\n"))
            }
        }
        try save()
    }

    // MARK: Edits

    private mutating func edit() throws {
        let alive = plain.objects.keys.sorted()
        guard alive.count > 4, let id = alive.randomElement(using: &random) else { return try insert() }
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: if alive.count < 24 { try insert() } else { try delete(id) }
        case 2: try delete(id)
        case 3, 4:
            let number = Int.random(in: 0..<5, using: &random)
            try both("\(id).number = \(number)") { stack in
                stack.objects[id]?.setValue(number, forKey: "number")
                stack.objects[id]?.setValue(number == 0 ? nil : "t\(number)", forKey: "name")
            }
        default: try relate(id)
        }
    }

    /// Does something on both sides, each as one event.
    private mutating func both(_ what: String, _ body: (EditedStack) throws -> Void) throws {
        log.append(what)
        for stack in [plain, nested] { try stack.context.event { _ throws in try body(stack) } }
    }

    private mutating func insert() throws {
        lastID += 1
        let id = lastID
        let entity = ["Node", "Node", "Leaf", "Tag", "Badge", "Step"].randomElement(using: &random) ?? "Node"
        try both("insert \(entity) \(id)") { stack in
            stack.objects[id] = try stack.context.insert(
                entity, ["uid": id, "name": "n\(id)", "mark": "m\(id)"])
        }
    }

    private mutating func delete(_ id: Int) throws {
        try both("delete \(id)") { stack in
            stack.objects[id].map(stack.context.delete)
            stack.context.processPendingChanges()
            stack.objects = stack.objects.filter { !$1.isDeleted && $1.managedObjectContext != nil }
        }
        guard plain.objects.keys == nested.objects.keys else {
            throw Difference(
                description: "left are \(plain.objects.keys.sorted()) and \(nested.objects.keys.sorted())")
        }
    }

    private mutating func relate(_ id: Int) throws {
        guard let owner = plain.objects[id],
            let link = GraphReference.links[owner.entity.name ?? ""]?.filter({ $0.inverse != nil })
                .randomElement(using: &random)
        else { return }
        let candidates = plain.objects.filter { $0.value.entity.isKind(of: link.destination) }.keys.sorted()
        let some = Array(
            candidates.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
        let adds = random.oneIn(2)
        try both("\(id).\(link.name) \(adds ? "+" : "=") \(some)") { stack in
            guard let owner = stack.objects[id] else { return }
            let objects = some.compactMap { stack.objects[$0] }
            if !link.isToMany {
                owner.setValue(objects.first, forKey: link.name)
            } else if adds {
                ToManyRelationship(of: owner, named: link.name).add(objects)
            } else {
                owner.setValue(
                    link.isOrdered ? NSOrderedSet(array: objects) as Any : NSSet(array: objects) as Any,
                    forKey: link.name)
            }
        }
    }

    private mutating func refresh() {
        log.append("refresh")
        for stack in [plain, nested] {
            stack.context.performAndWait { stack.context.refreshAllObjects() }
        }
    }

    // MARK: Saves

    /// Saves at the end of the chain only.
    private mutating func saveGrandchild() throws {
        log.append("save the grandchild")
        try nested.context.saveAndWait()
    }

    private mutating func save() throws {
        log.append("save")
        try plain.context.saveAndWait()
        try nested.context.saveAndWait()
        try compareFetches()
        try nested.chain[1].saveAndWait()
        try compareFetches()
        // The store has nothing of it yet.
        try compareDictionaries()
        try nested.chain[0].saveAndWait()
        try compareFetches()
        try compareDictionaries()
        let (one, other) = (try plain.rows(), try nested.rows())
        for table in Set(one.keys).union(other.keys).sorted() where one[table] != other[table] {
            throw Difference(
                description: "\(table):\n\((one[table] ?? []).joined(separator: "\n"))\nand\n"
                    + (other[table] ?? []).joined(separator: "\n"))
        }
    }

    // MARK: Comparing

    private static let conditions: [(String, String)] = [
        ("Node", "number < 3 OR name BEGINSWITH 't'"), ("Node", "parent.number > 1"),
        ("Node", "ANY tags.number > 1"), ("Node", "children.@count > 0"), ("Leaf", "root != nil"),
        ("Tag", "nodes.@count > rankedBy.@count"), ("Badge", "node.name != nil"),
        ("Step", "node.partner.number < 4"), ("Node", "TRUEPREDICATE"),
    ]

    private mutating func compareFetches() throws {
        let (entity, format) = Self.conditions.randomElement(using: &random) ?? ("Node", "TRUEPREDICATE")
        let limit = random.oneIn(2) ? 0 : Int.random(in: 1...5, using: &random)
        let offset = random.oneIn(2) ? 0 : Int.random(in: 1...3, using: &random)
        func found(_ stack: EditedStack) throws -> String {
            try stack.context.event { context throws in
                let request = NSFetchRequest<NSManagedObject>(entityName: entity)
                request.predicate = NSPredicate(format: format)
                request.sortDescriptors = [
                    NSSortDescriptor(key: "name", ascending: true),
                    NSSortDescriptor(key: "uid", ascending: false),
                ]
                request.fetchLimit = limit
                request.fetchOffset = offset
                let objects = try context.fetch(request)
                let count = try context.count(for: request)
                return "\(count): " + objects.map(describe).joined(separator: ", ")
            }
        }
        let (one, other) = (try found(plain), try found(nested))
        guard one == other else {
            throw Difference(
                description: "\(entity) \(format), limit \(limit), offset \(offset):\n\(one)\nand\n\(other)")
        }
    }

    /// Compares all objects that both sides have in memory, and of these the relationships that both have loaded.
    private func compareWhatIsLoaded() throws {
        func numbers(_ stack: EditedStack) -> [ObjectIdentifier: Int] {
            Dictionary(uniqueKeysWithValues: stack.objects.map { (ObjectIdentifier($1), $0) })
        }
        let numbers = (numbers(plain), numbers(nested))
        for (id, object) in plain.objects.sorted(by: { $0.key < $1.key }) {
            guard let other = nested.objects[id] else { continue }
            let links = (GraphReference.links[object.entity.name ?? ""] ?? []).filter { link in
                !link.isToMany
                    || ![(plain, object), (nested, other)].contains { stack, object in
                        stack.context.performAndWait { object.hasFault(forRelationshipNamed: link.name) }
                    }
            }
            func shown(
                _ stack: EditedStack, _ object: NSManagedObject, _ numbers: [ObjectIdentifier: Int]
            ) -> [String]? {
                stack.context.performAndWait {
                    guard !object.isFault else { return nil }
                    func number(_ value: Any) -> String {
                        let object = value as? NSManagedObject
                        return object.map { "\(numbers[ObjectIdentifier($0)] ?? -1)" } ?? "-"
                    }
                    let keys = ["uid", "name", "number"]
                    return keys.map { "\(object.value(forKey: $0) ?? "nil")" }
                        + links.map { link in
                            let value = object.value(forKey: link.name)
                            let set = (value as? NSSet)?.allObjects.map(number).sorted()
                            let list = (value as? NSOrderedSet)?.array.map(number)
                            return "\(link.name) \(set ?? list ?? [number(value as Any)])"
                        }
                }
            }
            guard let one = shown(plain, object, numbers.0), let two = shown(nested, other, numbers.1) else {
                continue
            }
            guard one == two else { throw Difference(description: "\(id): \(one)\nand\n\(two)") }
        }
    }

    /// An object with all that it shows, related objects by their numbers.
    private func describe(_ object: NSManagedObject) -> String {
        func uid(_ object: Any?) -> String { "\((object as? NSManagedObject)?.value(forKey: "uid") ?? "-")" }
        let links = (GraphReference.links[object.entity.name ?? ""] ?? []).map { link in
            let value = object.value(forKey: link.name)
            let set = (value as? NSSet)?.allObjects.map(uid).sorted().joined(separator: " ")
            let list = (value as? NSOrderedSet)?.array.map(uid).joined(separator: " ")
            return "\(link.name) \(set ?? list ?? uid(value))"
        }
        return "\(uid(object)) \(object.value(forKey: "name") ?? "nil") \(links)"
    }

    /// What is stored on one side and unsaved in parents on the other, or stored on both.
    private func compareDictionaries() throws {
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(format: "count:(uid)")
        count.resultType = .integer64
        let requests: [(inout FetchShape) -> Void] = [
            { $0.properties = ["uid", "name", "number", "parent.name"] },
            {
                $0.properties = ["number", count]
                $0.groupBy = ["number"]
                $0.order = "number"
            },
            {
                $0.properties = ["name"]
                $0.isDistinct = true
                $0.order = "name"
            },
        ]
        for change in requests {
            var shape = FetchShape()
            change(&shape)
            func found(_ stack: EditedStack) throws -> [NSDictionary] {
                try stack.context.event { try $0.fetch(shape.request) }
            }
            let (one, other) = (try found(plain), try found(nested))
            guard one == other else { throw Difference(description: "\(one)\nand\n\(other)") }
        }
    }
}

/// The parts of a request for dictionaries of nodes.
private struct FetchShape {
    var properties: [Any] = []
    var groupBy: [Any]?
    var order = "uid"
    var isDistinct = false

    var request: NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Node")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        request.propertiesToGroupBy = groupBy
        request.returnsDistinctResults = isDistinct
        request.sortDescriptors = [NSSortDescriptor(key: order, ascending: true)]
        return request
    }
}

extension NSEntityDescription {
    fileprivate func isKind(of name: String) -> Bool {
        managedObjectModel.entitiesByName[name].map { isKindOf(entity: $0) } ?? false
    }
}
