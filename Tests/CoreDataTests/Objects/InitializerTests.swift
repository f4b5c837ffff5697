import CoreData
import Foundation
import Testing

/// What the initializer of a class may do while a context makes an object for a row.
struct InitializerTests {
    @Test("An initializer can read the identity of its object, and the fetched object has its row's")
    func identityIsRead() throws {
        let entity = NSEntityDescription.make("Named", class: NamedRow.self, [attribute("name", .string)])
        let folder = try StoreFolder()
        try folder.open(NSManagedObjectModel(of: entity)).inContext { context throws in
            try context.insert("Named", ["name": "a"])
            try context.save()
            context.reset()
            let objects = try context.fetch(NSFetchRequest<NamedRow>(entityName: "Named"))
            #expect(objects.map { $0.value(forKey: "name") as? String } == ["a"])
            #expect(objects.allSatisfy { !$0.objectID.isTemporaryID && !$0.firstDescription.isEmpty })
        }
    }

    /// A context of so many rows, of which it has no objects, and their IDs.
    private func withRows(
        _ count: Int, _ body: (NSManagedObjectContext, [NSManagedObjectID]) throws -> Void
    ) throws {
        let entity = NSEntityDescription.make(
            "Curious", class: CuriousRow.self, [attribute("number", .integer64)])
        let owner = NSEntityDescription("Owner", attribute("number", .integer64))
        pair(owner.relate("rows", to: entity, many: true), entity.relate("owner", to: owner))
        let folder = try StoreFolder()
        try folder.open(NSManagedObjectModel(of: entity, owner)).inContext { context throws in
            // The first one has nearly all.
            let owners = try (0..<5).map { try context.insert("Owner", ["number": $0]) }
            for number in 1...count {
                try context.insert(
                    "Curious", ["number": number, "owner": owners[max(0, number - count + 4)]])
            }
            try context.save()
            let ids = try context.all("Curious", by: "number").map(\.objectID)
            context.reset()
            try body(context, ids)
        }
    }

    /// Fetches all rows and runs code while their objects are made.
    ///
    /// - Parameters:
    ///   - isPrefetch: whether the objects are prefetched members of owners.
    ///   - code: gets each object and how many were made.
    private func fetch(
        in context: NSManagedObjectContext, asMembers isPrefetch: Bool,
        _ code: @escaping (NSManagedObject, Int) -> Void
    ) throws -> [CuriousRow] {
        var made = 0
        CuriousRow.whenMade = {
            made += 1
            code($0, made)
        }
        defer { CuriousRow.whenMade = nil }
        guard isPrefetch else { return try context.fetch(NSFetchRequest<CuriousRow>(entityName: "Curious")) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
        request.relationshipKeyPathsForPrefetching = ["rows"]
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        return try context.fetch(request).flatMap { owner in
            let rows = owner.value(forKey: "rows") as? Set<CuriousRow> ?? []
            return rows.sorted {
                ($0.value(forKey: "number") as? Int64 ?? 0) < ($1.value(forKey: "number") as? Int64 ?? 0)
            }
        }
    }

    /// Each object once, of the context, with its row's value.
    private func expectAll(_ objects: [CuriousRow], _ context: NSManagedObjectContext) {
        #expect(objects.map { $0.value(forKey: "number") as? Int64 } == objects.indices.map { Int64($0 + 1) })
        #expect(Set(objects).count == objects.count)
        #expect(objects.allSatisfy { $0.managedObjectContext === context })
    }

    @Test("An initializer can use objects that the same fetch has made, and objects that it will make")
    func othersAreUsed() throws {
        // One after the other: they share the class.
        for isPrefetch in [false, true] {
            try usesOthers(isPrefetch)
            for staleness in [-1, 0.0] { try refreshesTheLast(isPrefetch, staleness) }
        }
        try resets()
    }

    private func usesOthers(_ isPrefetch: Bool) throws {
        try withRows(3000) { context, ids in
            // What reading the first objects finds, and an object that comes later in the fetch.
            var (early, numbers, first) = ([NSManagedObject](), [Int64](), [NSManagedObject]())
            let objects = try fetch(in: context, asMembers: isPrefetch) { _, made in
                guard made == 2500 else { return }
                for id in ids[..<3] {
                    let object = context.object(with: id)
                    first.append(object)
                    numbers.append(object.value(forKey: "number") as? Int64 ?? 0)
                    context.refresh(object, mergeChanges: false)
                }
                early.append(context.object(with: ids[2900]))
            }
            expectAll(objects, context)
            #expect(objects.count == 3000 && numbers == [1, 2, 3])
            #expect(isPrefetch || first == Array(objects[..<3]))
            #expect(
                early.count == 1 && (early[0].managedObjectContext == nil) != (early[0] === objects[2900]))
        }
    }

    /// The rows lie in blocks, whose memory must not go when the objects before release theirs.
    private func refreshesTheLast(_ isPrefetch: Bool, _ staleness: Double) throws {
        try withRows(300) { context, _ in
            context.stalenessInterval = staleness
            var last: NSManagedObject?
            let objects = try fetch(in: context, asMembers: isPrefetch) { object, _ in
                if let last { context.refresh(last, mergeChanges: false) }
                last = object
            }
            expectAll(objects, context)
            #expect(objects.count == 300)
        }
    }

    private func resets() throws {
        try withRows(3000) { context, ids in
            let objects = try fetch(in: context, asMembers: false) { _, made in
                if made == 2500 { context.reset() }
            }
            expectAll(objects, context)
            #expect(objects.count == 3000)
            #expect(context.object(with: ids[0]) === objects[0])
        }
    }
}

/// Runs code of the test when it is made.
final class CuriousRow: NSManagedObject {
    /// Of the one test that uses the class, which sets it and runs it on one thread.
    nonisolated(unsafe) static var whenMade: ((NSManagedObject) -> Void)?

    required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        if context == nil { Self.whenMade?(self) }
    }
}

/// Describes itself when it is made, as code that logs does.
final class NamedRow: NSManagedObject {
    var firstDescription = ""

    required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        firstDescription = "\(objectID)"
    }
}
