import CoreData
import Foundation
import TestSupport
import Testing

/// Conditions with more than one sensible reading have the same one in a store and in memory.
@Suite struct AgreedConditionTests {
    struct Case: CustomTestStringConvertible, @unchecked Sendable {
        let entity: String
        let format: String
        var arguments: [Any] = []
        var testDescription: String { "\(entity): \(format)" }
    }

    static let cases: [Case] = [
        // An object that is missing on the way.
        Case(entity: "Person", format: "books.owner.@count == 1"),
        Case(entity: "Person", format: "read.owner.@count == 1"),
        Case(entity: "Person", format: "count:(read.owner) == read.@count"),
        Case(entity: "Person", format: "SUBQUERY(read.owner, $u, $u.name == nil).@count == 1"),
        Case(entity: "Person", format: "ANY read.owner.books.title == nil"),
        Case(entity: "Person", format: "ALL read.owner.books.title BEGINSWITH 'a'"),
        Case(entity: "Person", format: "NONE read.owner.tags.label == nil"),
        Case(entity: "Book", format: "ANY readers.boss.read.title != nil"),
        Case(entity: "Book", format: "readers.boss.tags.@count > 1"),
        Case(entity: "Book", format: "owner.friends.@sum.age == 0"),
        Case(entity: "Book", format: "sum:(owner.friends.age) == 0"),
        Case(entity: "Book", format: "NOT (title IN owner.books.title)"),
        Case(entity: "Book", format: "noindex:(owner) != nil"),
        // `nil` and what is no number.
        Case(entity: "Person", format: "nil IN {name, nick}"),
        Case(entity: "Person", format: "NOT (nil IN {name, nick})"),
        Case(entity: "Person", format: "NOT {name, nick} CONTAINS nil"),
        Case(entity: "Person", format: "min:(friends.wild) < 1"),
        Case(entity: "Person", format: "count:(friends.wild) == 1"),
        Case(entity: "Person", format: "NOT (wild IN %@)", arguments: [[Double.nan]]),
        Case(entity: "Person", format: "wild IN %@", arguments: [[Double.nan, .infinity]]),
        Case(entity: "Person", format: "NOT (1 / 0 > age)"),
        Case(entity: "Person", format: "NOT (age IN {1 / 0, 1})"),
        // Texts that stand for values.
        Case(entity: "Person", format: "link == %@", arguments: [URL(string: "https://a.example/") as Any]),
        Case(
            entity: "Person", format: "link ==[c] %@", arguments: [URL(string: "HTTPS://A.EXAMPLE/") as Any]),
        Case(
            entity: "Person", format: "link IN[c] %@", arguments: [[URL(string: "HTTPS://A.EXAMPLE/") as Any]]
        ),
        Case(entity: "Person", format: "entity.name == 'Writer'"),
        Case(entity: "Person", format: "NOT NOT NOT entity.name IN {'Writer', 'Book'}"),
        // Kinds of numbers.
        Case(entity: "Person", format: "TERNARY(money == nil, 0, money) / 2 < 1"),
        Case(entity: "Person", format: "money * 2 == 0.2"),
        Case(entity: "Person", format: "money * 1e300 > 1"),
        Case(entity: "Person", format: "(age / 2) * 2 != age"),
        Case(entity: "Person", format: "(born / 2) * 2 == born"),
        Case(entity: "Person", format: "modulus:by:(money, 0.3) > 0.05"),
        // Sums of nothing have the type of what is not there.
        Case(entity: "Person", format: "(books.@sum.price + 1) / 2 == 0.5"),
        Case(entity: "Person", format: "(boss.books.price.@sum + 7) / 2 == 3.5"),
        Case(entity: "Person", format: "(sum:(books.price) + 7) / 2 == 3.5"),
        Case(entity: "Person", format: "(books.@avg.price + 1) / 2 == 0.5"),
        Case(entity: "Person", format: "(books.@sum.pages + 1) / 2 == 0"),
        Case(entity: "Person", format: "(books.@avg.rating + 1) / 2 == 0"),
        Case(entity: "Person", format: "(SUBQUERY(books, $b, $b.pages > 1).@sum.price + 1) / 2 == 0.5"),
        Case(
            entity: "Book", format: "SUBQUERY(readers, $r, ($r.books.@sum.price + 1) / 2 == 0.5).@count > 0"),
        Case(entity: "Book", format: "(readers[0].books.@sum.price + 1) / 2 == 0.5"),
        // Elements of ordered relationships.
        Case(entity: "Book", format: "readers[FIRST].age > 0"),
        Case(entity: "Book", format: "readers[LAST] == owner"),
        Case(entity: "Book", format: "NOT (readers[LAST] == owner)"),
        Case(entity: "Book", format: "readers[1].name == nil"),
        Case(entity: "Book", format: "readers[-1] == nil AND readers[7] == nil"),
        Case(entity: "Book", format: "readers[0].boss.age >= readers[LAST].age"),
        Case(entity: "Book", format: "ANY readers[LAST].friends.age > 1"),
        Case(entity: "Book", format: "readers[0].books.@count > 0"),
        Case(entity: "Book", format: "readers[FIRST] IN readers AND NOT (readers[FIRST] IN owner.friends)"),
        Case(entity: "Book", format: "SUBQUERY(owner.books, $b, $b.readers[0] == owner).@count > 0"),
        Case(entity: "Book", format: "readers[1] == nil AND readers[SIZE] > 0"),
        // Collections made of collections.
        Case(entity: "Person", format: "ANY (books UNION read).pages > 1"),
        Case(entity: "Person", format: "(books UNION read).@count == 3"),
        Case(entity: "Person", format: "(friends UNION boss.friends).@count == 0"),
        Case(entity: "Person", format: "(friends INTERSECT reports)[SIZE] == 0"),
        Case(entity: "Person", format: "SELF IN (boss.friends UNION reports)"),
        Case(entity: "Person", format: "NOT (SELF IN (boss.friends MINUS friends))"),
        Case(entity: "Person", format: "NONE (boss.books MINUS read).title == nil"),
        Case(entity: "Person", format: "SUBQUERY(books MINUS read, $b, $b.pages > 1).@count > 0"),
        Case(entity: "Person", format: "(books UNION read).@sum.pages > 3"),
        Case(entity: "Person", format: "((books UNION read).@sum.price + 1) / 2 == 0.5"),
        Case(entity: "Person", format: "count:(books INTERSECT read) == 1"),
        Case(entity: "Person", format: "ALL (tags UNION books.tags).rank < 2"),
        Case(entity: "Person", format: "(read.owner UNION reports.reports MINUS friends).@count > 1"),
        Case(entity: "Book", format: "ANY (readers MINUS owner.friends) == owner.boss"),
        // Statistics.
        Case(entity: "Person", format: "median:(books.pages) > 1"),
        Case(entity: "Person", format: "(median:(books.pages) / 2) * 2 == median:(books.pages)"),
        Case(entity: "Person", format: "median:(read.price) * 3 == 0.3"),
        Case(entity: "Person", format: "median:(boss.books.rating) == nil"),
        Case(entity: "Person", format: "stddev:(books.pages) == 0"),
        Case(entity: "Person", format: "stddev:(books.owner.friends.score) > 1"),
        Case(entity: "Person", format: "median:((books UNION read).pages) > 1"),
    ]

    @Test(arguments: cases)
    func storeAndMemoryAgree(_ test: Case) throws {
        var numbers = SeededNumbers(seed: 7)
        for _ in 0..<6 {
            let town = RandomTown(&numbers)
            let stored = try TestStack(RandomTown.model())
            let pending = try TestStack(RandomTown.model())
            try stored.inContext { context in
                town.fill(context)
                try context.save()
            }
            let memory = try pending.inContext { context in
                town.fill(context)
                return try serials(test, context)
            }
            let store = try stored.inContext { try serials(test, $0) }
            #expect(store == memory)
        }
    }

    private func serials(_ test: Case, _ context: NSManagedObjectContext) throws -> [Int] {
        let request = NSFetchRequest<NSManagedObject>(entityName: test.entity)
        request.predicate = NSPredicate(format: test.format, argumentArray: test.arguments)
        return try context.fetch(request).compactMap { $0.value(forKey: "serial") as? Int }.sorted()
    }

    @Test(arguments: [
        "TERNARY(age == 3, boss, ANYKEY) == nil", "TERNARY(age == 3, boss, books) == nil",
        "entity == entity.name", "TERNARY(flag == 1, money, score) > 1", "min:(money, 0.5) > 0",
        "mode:(books.pages) == 1", "age BETWEEN %@", "friends[FIRST] == SELF", "read[0].title == nil",
        "SUBQUERY(books, $b, $b.pages > 1)[0] == nil", "(books UNION read)[LAST] == nil",
        "books.readers[0].age == 1", "(books UNION tags).@count > 1",
        "(books.title UNION read.title).@count > 0",
        "(books UNION {1, 2}).@count > 0", "ANY boss.friends[LAST].age == 1",
    ])
    func whatHasNoOneMeaningIsRefused(_ format: String) throws {
        try TestStack(RandomTown.model()).inContext { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(
                format: format, argumentArray: format.contains("%@") ? [Set([1, 5])] : [])
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.code == 134060)
        }
    }

    @Test func aDeepPredicateIsAnErrorOfTheRequest() throws {
        try TestStack(RandomTown.model()).inContext { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            let leaf = NSPredicate(format: "age == 1")
            request.predicate = (0..<60).reduce(leaf) { inner, index in
                let parts = [leaf, inner]
                return index.isMultiple(of: 2)
                    ? NSCompoundPredicate(andPredicateWithSubpredicates: parts)
                    : NSCompoundPredicate(orPredicateWithSubpredicates: parts)
            }
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.code == 134060 && error?.localizedDescription.contains("nested too deep") ?? false)
            // A chain is one level, however it was put together.
            request.predicate = (0..<20_000).reduce(leaf) { inner, _ in
                NSCompoundPredicate(andPredicateWithSubpredicates: [inner, leaf])
            }
            #expect(try context.fetch(request).isEmpty)
        }
    }

    @Test func countsOfDictionariesAreThoseOfTheResult() throws {
        try Shelf.stack().inContext { context throws in
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["isRead"]
            request.returnsDistinctResults = true
            #expect(try context.count(for: request) == 2)
            request.returnsDistinctResults = false
            request.propertiesToGroupBy = ["author.name"]
            request.propertiesToFetch = ["author.name"]
            #expect(try context.count(for: request) == 3)
            _ = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            #expect(try context.count(for: request) == 3)
        }
    }

    @Test func dictionariesOfTwoStoresAreOneResult() throws {
        let stack = try Shelf.stack()
        let other = stack.folder.appendingPathComponent("Other.sqlite")
        let second = try stack.coordinator.addPersistentStore(type: .sqlite, at: other)
        try stack.inContext { context throws in
            let book = Shelf.book("Aa", 5, nil, nil, context)
            context.assign(book, to: second)
            try context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["title"]
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            request.fetchLimit = 2
            #expect(try context.fetch(request).map { $0["title"] as? String } == ["Aa", "EMMA* WAR?"])
            let count = NSExpressionDescription()
            count.name = "count"
            count.expression = NSExpression(format: "count:(title)")
            count.expressionResultType = .integer64AttributeType
            request.propertiesToFetch = [count]
            request.sortDescriptors = nil
            #expect(throws: NSError.self) { try context.fetch(request) }
        }
    }
}
