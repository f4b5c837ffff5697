import CoreData
import Foundation
import TestSupport
import Testing

/// Conditions with more than one sensible reading have the same one in a store and in memory.
@Suite struct ConditionAgreementTests {
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
        // `nil` and NaN.
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
        Case(entity: "Person", format: "money * 2 == 0.2"),
        Case(entity: "Person", format: "money * 1e300 > 1"),
        Case(entity: "Person", format: "(money * 1e-100) * 1e-100 < 1"),
        Case(entity: "Person", format: "(age / 2) * 2 != age"),
        Case(entity: "Person", format: "(born / 2) * 2 == born"),
        Case(entity: "Person", format: "modulus:by:(money, 0.3) > 0.05"),
        Case(entity: "Person", format: "CAST(-1 * wild, 'NSString') BEGINSWITH '-'"),
        Case(entity: "Person", format: "CAST(wild, 'NSString') CONTAINS CAST(-1 * wild, 'NSString')"),
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
        // Collections that are picked from a missing object's.
        Case(entity: "Person", format: "(SUBQUERY(boss.books, $b, $b.pages > 1) UNION read).@count > 0"),
        Case(entity: "Person", format: "ANY (books MINUS SUBQUERY(boss.books, $b, TRUEPREDICATE)).pages > 0"),
        Case(entity: "Book", format: "NOT (owner IN SUBQUERY(owner.boss.friends, $f, $f.age > 0))"),
        Case(entity: "Person", format: "SUBQUERY(boss.books, $b, $b.pages > 1)[SIZE] == 0"),
        Case(entity: "Person", format: "ALL SUBQUERY(boss.books, $b, $b.pages > 1).title != nil"),
        // Collections of values.
        Case(entity: "Person", format: "ANY (books.title UNION read.title) BEGINSWITH 'a'"),
        Case(entity: "Person", format: "(books.title UNION read.title).@count > 1"),
        Case(entity: "Person", format: "name IN (friends.name MINUS {'a', 'ab'})"),
        Case(entity: "Person", format: "NOT (name IN (boss.friends.name MINUS reports.name))"),
        Case(entity: "Person", format: "ALL (books.pages INTERSECT read.pages) > 0"),
        Case(entity: "Person", format: "(books.pages UNION {1, 2, 3}).@sum > 6"),
        Case(entity: "Person", format: "({0, 1} MINUS friends.age)[SIZE] == 2"),
        Case(entity: "Person", format: "(friends.score MINUS {1, 0.5}).@max > 1"),
        Case(entity: "Person", format: "max:(books.price UNION read.price) > 1"),
        Case(entity: "Person", format: "((books.price UNION read.price).@sum + 1) / 2 == 0.5"),
        Case(
            entity: "Person", format: "(friends.name MINUS %@).@count == friends.name.@count",
            arguments: [(0..<100).map { "\($0)" } + ["a", "ab", "a\u{0}b"]]),
        Case(
            entity: "Person", format: "(friends.born UNION %@).@count > 2",
            arguments: [[Date(timeIntervalSinceReferenceDate: 0)]]),
        Case(
            entity: "Person", format: "friends.code CONTAINS code OR ANY (friends.code INTERSECT %@) == code",
            arguments: [[UUID(uuidString: "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF") as Any]]),
        Case(
            entity: "Person",
            format: "SUBQUERY(friends, $f, $f.name IN (reports.name UNION {'a'})).@count > 0"),
        // What is there most often.
        Case(entity: "Person", format: "ANY mode:(friends.age) > 1"),
        Case(entity: "Person", format: "1 IN mode:(books.tags.rank)"),
        Case(entity: "Person", format: "NOT (1 IN mode:(boss.books.pages))"),
        Case(entity: "Person", format: "ALL mode:(books.rating) == 0.5"),
        Case(entity: "Person", format: "mode:(friends.money) CONTAINS money"),
        Case(entity: "Person", format: "age IN mode:(SUBQUERY(friends, $f, $f.age > 0).age)"),
        // Objects of a kind.
        Case(entity: "Person", format: "CAST(SELF, 'Writer') != nil"),
        Case(entity: "Person", format: "NOT (CAST(SELF, 'Writer') == nil)"),
        Case(entity: "Person", format: "CAST(SELF, 'Writer').pen BEGINSWITH 'pen'"),
        Case(entity: "Person", format: "CAST(boss, 'Writer').pen == nil AND boss != nil"),
        Case(entity: "Person", format: "CAST(boss, 'Writer').name == boss.name"),
        Case(entity: "Person", format: "CAST(boss, 'Writer').boss.name != nil"),
        Case(entity: "Person", format: "CAST(boss, 'Writer').books.@count == 0"),
        Case(entity: "Person", format: "(CAST(boss, 'Writer').books.@sum.price + 1) / 2 == 0.5"),
        Case(entity: "Person", format: "ANY CAST(boss, 'Writer').friends.age > 1"),
        Case(entity: "Person", format: "CAST(SELF, 'Person') == SELF"),
        Case(entity: "Writer", format: "CAST(SELF, 'Person').pen != nil"),
        Case(entity: "Person", format: "CAST(SELF, 'Tag') == nil"),
        Case(entity: "Person", format: "SUBQUERY(friends, $f, CAST($f, 'Writer').pen != nil).@count > 0"),
        Case(entity: "Person", format: "CAST(CAST(boss, 'Person'), 'Writer') IN friends"),
        Case(entity: "Book", format: "CAST(readers[0], 'Writer').pen != nil"),
        Case(entity: "Book", format: "CAST(owner, 'Writer') == owner"),
        // Indexes that are stored.
        Case(entity: "Book", format: "readers[pages].age != nil"),
        Case(entity: "Book", format: "readers[rating] == readers[FIRST]"),
        Case(entity: "Book", format: "readers[owner.age].name == nil"),
        Case(entity: "Book", format: "readers[price] == owner"),
        Case(entity: "Person", format: "SUBQUERY(books, $b, $b.readers[$b.pages] != nil).@count > 0"),
        // Statistics.
        Case(entity: "Person", format: "median:(books.pages) > 1"),
        Case(entity: "Person", format: "(median:(books.pages) / 2) * 2 == median:(books.pages)"),
        Case(entity: "Person", format: "median:(read.price) * 3 == 0.3"),
        Case(entity: "Person", format: "median:(boss.books.rating) == nil"),
        Case(entity: "Person", format: "stddev:(books.pages) == 0"),
        Case(entity: "Person", format: "stddev:(books.owner.friends.score) > 1"),
        Case(entity: "Person", format: "median:((books UNION read).pages) > 1"),
        // Integers that do not fit 64 bits with a sign are real numbers; others are not rounded to those.
        Case(entity: "Person", format: "raise:toPower:(wild, -1) > 1"),
        Case(entity: "Person", format: "wild ** money >= 1"),
        Case(entity: "Person", format: "wild == 18446744073709551615"),
        Case(entity: "Person", format: "NOT (wild < 18446744073709551615)"),
        Case(entity: "Person", format: "wild > 9223372036854775809"),
        Case(entity: "Person", format: "wild IN {18446744073709551615, 10000000000000000001}"),
        Case(entity: "Person", format: "wild BETWEEN {9223372036854775808, 10000000000000000001}"),
        Case(entity: "Person", format: "wild == %@", arguments: [UInt64.max]),
        Case(entity: "Person", format: "wild IN %@", arguments: [[UInt64.max, 1 << 63]]),
        Case(entity: "Person", format: "9223372036854775807 IN friends.wild"),
        Case(entity: "Person", format: "9007199254740993 IN friends.wild"),
        Case(entity: "Person", format: "big IN friends.wild"),
        Case(entity: "Person", format: "wild IN friends.big"),
        Case(entity: "Person", format: "wild IN SUBQUERY(friends, $f, $f.big != 0).big"),
        Case(entity: "Tag", format: "9223372036854775807 IN mode:(people.wild)"),
        Case(entity: "Person", format: "big < 9223372036854775808"),
        Case(entity: "Person", format: "big == 9223372036854775808"),
        Case(entity: "Person", format: "money == 10000000000000000001"),
        Case(entity: "Person", format: "money <= 10000000000000000001"),
        Case(entity: "Person", format: "money + 18446744073709551615 > 18446744073709551615"),
        Case(entity: "Person", format: "wild + 18446744073709551615 == 18446744073709551615"),
        Case(entity: "Person", format: "born == 9007199254740993"),
        Case(entity: "Person", format: "born < 9007199254740993"),
        Case(entity: "Person", format: "born IN {9007199254740993, 0}"),
        // Lists that contain a value are lists that it is in.
        Case(entity: "Person", format: "NOT ({name, 'a'} CONTAINS nick)"),
        Case(entity: "Person", format: "NOT ({age, 1} CONTAINS size)"),
        Case(entity: "Person", format: "NOT ({nil} CONTAINS age)"),
        Case(entity: "Person", format: "%@ CONTAINS[cd] name", arguments: [["A", "e"]]),
        Case(entity: "Person", format: "%@ CONTAINS code", arguments: [Pools.uuids.map(\.uuidString)]),
        Case(
            entity: "Person", format: "code IN %@",
            arguments: [Pools.uuids.map { $0.uuidString.lowercased() }]),
        Case(entity: "Person", format: "code IN {boss.code, '0b6c2a2e-11f0-4e0b-9c57-6c2c3b0c5a01'}"),
        Case(
            entity: "Person",
            format:
                "code BETWEEN {'00000000-0000-0000-0000-000000000000', '0B6C2A2E-11F0-4E0B-9C57-6C2C3B0C5A01'}"
        ),
        Case(entity: "Person", format: "link IN {boss.link, 'file:///tmp/a'}"),
        Case(entity: "Person", format: "link BETWEEN {'file', 'https://b'}"),
        Case(entity: "Person", format: "link < 'https'"),
        // Names of entities.
        Case(entity: "Person", format: "entity.name BEGINSWITH 'Wri'"),
        Case(entity: "Person", format: "entity.name ==[c] 'writer'"),
        Case(entity: "Person", format: "entity.name !=[cd] 'PERSON'"),
        Case(entity: "Person", format: "entity.name < 'Q'"),
        Case(entity: "Person", format: "'Q' <= entity.name"),
        Case(entity: "Person", format: "entity.name BETWEEN {'A', 'Q'}"),
        Case(entity: "Person", format: "entity.name IN[c] {'WRITER', 'x'}"),
        Case(entity: "Person", format: "entity.name IN 'Readers and Writers'"),
        Case(entity: "Person", format: "'Persons' CONTAINS entity.name"),
        Case(entity: "Person", format: "NOT (boss.entity.name LIKE 'W*')"),
        Case(entity: "Person", format: "NOT (boss.entity.name BEGINSWITH 'x')"),
        Case(entity: "Person", format: "boss.entity.name MATCHES 'P.*n'"),
        Case(entity: "Person", format: "ANY friends.entity.name ENDSWITH 'er'"),
        Case(entity: "Book", format: "SUBQUERY(readers, $r, $r.entity.name CONTAINS 'rit').@count > 0"),
    ]

    /// All conditions of a few towns: to make a town takes longer than to ask it.
    @Test("Ambiguous conditions find the same objects in a store and in memory")
    func storeAndMemoryAgree() throws {
        var numbers = SeededNumbers(seed: 7)
        for _ in 0..<6 {
            let town = RandomTown(&numbers)
            let stored = try TestStack(RandomTown.model())
            let pending = try TestStack(RandomTown.model())
            try stored.inContext { context in
                town.fill(context)
                try context.save()
            }
            try pending.inContext { memory in
                town.fill(memory)
                for test in Self.cases {
                    do {
                        let store = try stored.inContext { try serials(test, $0) }
                        #expect(try serials(test, memory) == store, "\(test.testDescription)")
                    } catch {
                        Issue.record("\(test.testDescription): \(error)")
                    }
                }
            }
        }
    }

    private func serials(_ test: Case, _ context: NSManagedObjectContext) throws -> [Int] {
        let request = NSFetchRequest<NSManagedObject>(entityName: test.entity)
        request.predicate = NSPredicate(format: test.format, argumentArray: test.arguments)
        return try context.fetch(request).compactMap { $0.value(forKey: "serial") as? Int }.sorted()
    }

    @Test(
        "Conditions of mixed or unordered values are refused",
        arguments: [
            "entity.name MATCHES '('", "entity.name == 5", "entity.name == name",
            "entity.name > boss.entity.name",
            "TERNARY(age == 3, boss, ANYKEY) == nil", "TERNARY(age == 3, boss, books) == nil",
            "entity == entity.name", "TERNARY(flag == 1, money, score) > 1", "min:(money, 0.5) > 0",
            "TERNARY(money == nil, 0, money) / 2 < 1", "max:(money, 0) > 1",
            "mode:(books.pages) == 1", "age BETWEEN %@", "friends[FIRST] == SELF", "read[0].title == nil",
            "SUBQUERY(books, $b, $b.pages > 1)[0] == nil", "(books UNION read)[LAST] == nil",
            "books.readers[0].age == 1", "(books UNION tags).@count > 1",
            "(books.title UNION read.pages).@count > 0", "(books.title UNION friends).@count > 0",
            "(books.title UNION {1}).@count > 0", "(books.title UNION {nil}).@count > 0",
            "(books.rating UNION {1}).@count > 0", "(books.title UNION name).@count > 0",
            "(books.title UNION {name}).@count > 0", "(books.title UNION read.title).length > 0",
            "(books.title UNION read.title) == 'a'", "(blob UNION blob).@count > 0",
            "SUBQUERY(books, $b, $b.pages > pages).self[FIRST] == nil", "mode:(books.title) CONTAINS 'a'",
            "mode:(age) CONTAINS 1", "count:(mode:(books.pages)) > 1", "CAST(SELF, 'Ghost') == nil",
            "CAST(books, 'Book') == nil", "CAST(name, 'Person') == nil", "CAST(boss, 'Writer').ghost == nil",
            "SUBQUERY(books, $b, $b.readers[$b.pages + 1] == nil).@count == 0",
            "(books UNION {1, 2}).@count > 0",
            "ANY boss.friends[LAST].age == 1",
        ])
    func ambiguousConditionsAreRefused(_ format: String) throws {
        try TestStack(RandomTown.model()).inContext { context throws in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = NSPredicate(
                format: format, argumentArray: format.contains("%@") ? [Set([1, 5])] : [])
            let error = #expect(throws: NSError.self) { try context.fetch(request) }
            #expect(error?.code == 134060)
        }
    }

    @Test("A predicate that is nested too deep is an error, and a long chain is not")
    func deepPredicateIsAnError() throws {
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

    @Test("A count of dictionaries is the number of distinct or grouped rows")
    func countIsThatOfTheDictionaries() throws {
        try SampleBooks.stack().inContext { context throws in
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

    @Test("Dictionaries of two stores are one sorted result, and an aggregate over both is an error")
    func dictionariesOfTwoStores() throws {
        let stack = try SampleBooks.stack()
        let other = stack.folder.appendingPathComponent("Other.sqlite")
        let second = try stack.coordinator.addPersistentStore(type: .sqlite, at: other)
        try stack.inContext { context throws in
            let book = SampleBooks.book("Aa", 5, nil, nil, context)
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
