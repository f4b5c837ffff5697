import CoreData
import Testing

/// Long lists cost unsaved objects one step each: these tests would take minutes if each object went through the list.
@Suite struct LongListTests {
    private static let count = 10_000

    private static func model() -> NSManagedObjectModel {
        NSManagedObjectModel(
            of: NSEntityDescription(
                "Item", attribute("number", .integer64), attribute("uuid", .uuid), attribute("url", .uri)))
    }

    /// As many unsaved objects, of which every tenth has one of the given values.
    private func filled(_ context: NSManagedObjectContext, _ key: String, _ values: [Any])
        -> [NSManagedObject]
    {
        (0..<Self.count).map { index in
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(index, forKey: "number")
            item.setValue(values[index], forKey: key)
            return item
        }
    }

    private func found(_ format: String, _ arguments: [Any], _ context: NSManagedObjectContext) throws
        -> [Int]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return try context.fetch(request).compactMap { $0.value(forKey: "number") as? Int }
    }

    @Test("A long list of UUIDs finds its unsaved objects", arguments: ["uuid IN %@", "%@ CONTAINS uuid"])
    func ofUUIDs(_ format: String) throws {
        try TestStack(Self.model()).inContext { context throws in
            let uuids = (0..<Self.count).map { _ in UUID() }
            _ = filled(context, "uuid", uuids)
            let every = stride(from: 0, to: Self.count, by: 10)
            let list = every.map { uuids[$0] } + (0..<100_000).map { _ in UUID() }
            #expect(try found(format, [list], context) == Array(every))
            // A text may be written in small letters.
            let texts = every.map { uuids[$0].uuidString.lowercased() } + list.map(\.uuidString)
            #expect(try found(format, [texts], context) == Array(every))
        }
    }

    @Test("A long list of URLs finds its unsaved objects", arguments: ["url IN %@", "%@ CONTAINS url"])
    func ofURLs(_ format: String) throws {
        try TestStack(Self.model()).inContext { context throws in
            let texts = (0..<Self.count).map { "https://example.org/\($0)" }
            let urls = try texts.map { try #require(URL(string: $0)) }
            _ = filled(context, "url", urls)
            let every = stride(from: 0, to: Self.count, by: 10)
            let others = (0..<100_000).map { "https://example.net/\($0)" }
            #expect(try found(format, [every.map { texts[$0] } + others], context) == Array(every))
        }
    }

    /// Identities of new objects change when they are saved, so that none can be kept permanently.
    @Test("A long list of objects finds its members before and after their save")
    func ofObjectsWithNewOnes() throws {
        try TestStack(Self.model()).inContext { context throws in
            let items = filled(context, "number", Array(0..<Self.count))
            let some = stride(from: 0, to: Self.count, by: 2)
            let list = some.map { items[$0] }
            let condition = NSPredicate(format: "SELF IN %@", list)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = condition
            #expect(try context.fetch(request) == list)
            #expect(items.filter { condition.evaluate(with: $0) } == list)
            try context.save()
            // Under their new identities they are the same objects.
            #expect(items.filter { condition.evaluate(with: $0) } == list)
            #expect(try context.fetch(request) == list)
            let new = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            for item in items { item.setValue(1, forKey: "number") }
            request.predicate = NSPredicate(format: "SELF IN %@ AND number == 1", [new] + items)
            #expect(try context.fetch(request) == items)
        }
    }

    @Test("A long list of NaN contains a number only if the number is added")
    func ofNaN() throws {
        let list = Array(repeating: Double.nan, count: 100_000)
        #expect(!NSPredicate(format: "SELF IN %@", list).evaluate(with: 1))
        #expect(NSPredicate(format: "SELF IN %@", list + [1]).evaluate(with: 1))
    }
}
