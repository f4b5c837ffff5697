import CoreData
import Testing

/// The regular expressions of a fetch share one bound, however many rows it looks at.
@Suite(.onEveryStore) struct MatchBudgetFetchTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string)))
    private static let length = 30

    private func stack(rows: Int, saved: Bool = true) throws -> (
        stack: TestStack, context: NSManagedObjectContext
    ) {
        let stack = try TestStack(Self.model)
        let context = stack.context()
        try context.performAndWait {
            for _ in 0..<rows {
                try context.insert("Item", ["name": String(repeating: "a", count: Self.length) + "c"])
            }
            if saved { try context.save() }
        }
        return (stack, context)
    }

    /// A condition whose steps for a row double with each round.
    private func condition(_ round: Int) -> NSPredicate {
        NSPredicate(format: "name MATCHES %@", "a{\(Self.length - round)}(a+)+b")
    }

    /// Whether something that finds no objects ends.
    private func ends(_ body: () throws -> Int) throws -> Bool {
        do {
            let count = try body()
            #expect(count == 0)
            return true
        } catch {
            let text = "\((error as NSError).userInfo) \(error.localizedDescription)"
            try #require(text.contains("takes too long"), "\(text)")
            return false
        }
    }

    private func fetches(_ round: Int, _ context: NSManagedObjectContext) throws -> Bool {
        try context.performAndWait {
            try ends { try context.all("Item", where: condition(round)).count }
        }
    }

    /// The first round that ends for one row and not for many.
    private func firstRound(_ one: NSManagedObjectContext, _ many: NSManagedObjectContext) throws -> Int? {
        try (14..<29).first { round in
            let isQuick = try fetches(round, one)
            return try isQuick && !fetches(round, many)
        }
    }

    @Test(
        "A regular expression that is cheap enough for one row is refused for sixty rows",
        arguments: [true, false])
    func fetching(_ saved: Bool) throws {
        let one = try stack(rows: 1, saved: saved)
        let many = try stack(rows: 60, saved: saved)
        defer { withExtendedLifetime((one, many)) {} }
        #expect(try firstRound(one.context, many.context) != nil)
    }

    @Test("Counts and child fetches have the same limit for regular expressions")
    func counting() throws {
        let one = try stack(rows: 1)
        let many = try stack(rows: 60)
        defer { withExtendedLifetime((one, many)) {} }
        let round = try #require(try firstRound(one.context, many.context))
        func counts(_ context: NSManagedObjectContext) throws -> Bool {
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.predicate = condition(round)
                return try ends { try context.count(for: request) }
            }
        }
        #expect(try counts(one.context))
        #expect(try !counts(many.context))
        for (context, isQuick) in [(one.context, true), (many.context, false)] {
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = context
            #expect(try fetches(round, child) == isQuick)
        }
    }
}
