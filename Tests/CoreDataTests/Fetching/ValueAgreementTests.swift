import CoreData
import Foundation
import TestSupport
import Testing

/// What conditions compute of certain values is the same in a store and in memory, whatever order the rows have.
@Suite struct ValueAgreementTests {
    /// The serials of the people that a condition finds: saved, and unsaved.
    private struct Found: Equatable, CustomStringConvertible {
        let saved: [Int]
        let unsaved: [Int]

        init(_ both: [Int]) { self.init(saved: both, unsaved: both) }

        init(saved: [Int], unsaved: [Int]) {
            self.saved = saved
            self.unsaved = unsaved
        }

        var description: String { "saved: \(saved), unsaved: \(unsaved)" }
    }

    private func found(
        _ format: String, with arguments: [Any] = [], _ fill: (NSManagedObjectContext) -> Void
    ) throws -> Found {
        func serials(isSaved: Bool) throws -> [Int] {
            try TestStack(RandomTown.model()).inContext { context throws in
                fill(context)
                if isSaved {
                    try context.save()
                    context.reset()
                }
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                request.predicate = NSPredicate(format: format, argumentArray: arguments)
                return try context.fetch(request).compactMap { $0.value(forKey: "serial") as? Int }.sorted()
            }
        }
        return Found(saved: try serials(isSaved: true), unsaved: try serials(isSaved: false))
    }

    @discardableResult
    private static func person(
        _ serial: Int, _ values: [String: Any], _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue(serial, forKey: "serial")
        for (key, value) in values { person.setValue(value, forKey: key) }
        return person
    }

    /// People whose books have the same values in different orders.
    private static func owners(_ orders: [[Double]], _ key: String) -> (NSManagedObjectContext) -> Void {
        { context in
            for (serial, values) in orders.enumerated() {
                let owner = person(serial, [:], context)
                for value in values {
                    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                    book.setValue(value, forKey: key)
                    book.setValue(owner, forKey: "owner")
                }
            }
        }
    }

    // MARK: Sums

    private static let tenths = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1]]

    @Test(
        "Sums and averages of doubles do not depend on the order of rows",
        arguments: [
            // The exact sum of the three doubles is nearest to 0.6.
            ("books.@sum.rating == 0.6", [0, 1, 2]), ("sum:(books.rating) == 0.6", [0, 1, 2]),
            ("books.@avg.rating == 0.6 / 3", [0, 1, 2]), ("average:(books.rating) == 0.6 / 3", [0, 1, 2]),
            ("books.@sum.rating != books.rating.@sum", []),
            ("SUBQUERY(books, $b, $b.rating > 0).@sum.rating == 0.6", [0, 1, 2]),
        ])
    func sumIsIndependentOfOrder(_ format: String, _ serials: [Int]) throws {
        #expect(try found(format, Self.owners(Self.tenths, "rating")) == Found(serials))
    }

    @Test("A sum of doubles is exact where partial sums overflow or lose digits")
    func partialSumsNeitherOverflowNorLoseDigits() throws {
        let orders = [
            [1e308, 1e308, -1e308, -1e308, 1], [1, -1e308, 1e308, 1e308, -1e308], [1e16, 1, -1e16, 0, 0],
        ]
        let fill = Self.owners(orders, "rating")
        #expect(try found("books.@sum.rating == 1", fill) == Found([0, 1, 2]))
        #expect(try found("books.@avg.rating == 0.2", fill) == Found([0, 1, 2]))
    }

    @Test("A sum of positive and negative infinity is nil")
    func sumOfOpposedInfinitiesIsNil() throws {
        let fill = Self.owners([[.infinity, -.infinity], [.infinity, 1], [-.infinity], []], "rating")
        #expect(try found("books.@sum.rating == nil", fill) == Found([0]))
        #expect(try found("books.@avg.rating == nil", fill) == Found([0]))
        #expect(try found("books.@sum.rating > 1e308", fill) == Found([1]))
        #expect(try found("books.@avg.rating < -1e308", fill) == Found([2]))
        #expect(try found("books.@sum.rating == 0", fill) == Found([3]))
        #expect(try found("average:(books.rating) == nil", fill) == Found([0, 3]))
    }

    @Test("Sums and averages of dates are exact")
    func sumsOfDates() throws {
        let fill: (NSManagedObjectContext) -> Void = { context in
            let boss = Self.person(0, [:], context)
            for seconds in [0.1, 0.2, 0.3] {
                let born = Date(timeIntervalSinceReferenceDate: seconds)
                Self.person(1, ["born": born, "boss": boss], context)
            }
        }
        #expect(try found("reports.@sum.born == 0.6", fill) == Found([0]))
        #expect(try found("reports.@avg.born == 0.6 / 3", fill) == Found([0]))
    }

    @Test("Averages of large integers are exact")
    func meansOfLargeIntegersAreExact() throws {
        for numbers: [Int64] in [[1 << 53 + 1, 1], [1, 1 << 53 + 1], [.max, .max], [.min, .max, 1]] {
            let fill: (NSManagedObjectContext) -> Void = { context in
                let boss = Self.person(0, [:], context)
                for number in numbers { Self.person(1, ["big": number, "boss": boss], context) }
            }
            let mean: Double =
                numbers.count == 3 ? 0 : numbers == [.max, .max] ? 9.223372036854775807e18 : 4503599627370497
            #expect(
                try found("reports.@count > 0 AND reports.@avg.big == \(mean)", fill) == Found([0]),
                "\(numbers)")
        }
    }

    /// People who report to one, each with a value.
    private static func reports(_ orders: [[Any]], _ key: String) -> (NSManagedObjectContext) -> Void {
        { context in
            for (serial, values) in orders.enumerated() {
                let boss = person(serial, [:], context)
                for value in values { person(100, [key: value, "boss": boss], context) }
            }
        }
    }

    private static let wholes: [[Int64]] = [
        [.max, 1, -1], [1, .max, -1], [-1, 1, .max], [.max, .max, .min, .min, .max, 0], [.min, -1, 1],
    ]

    @Test(
        "An integer sum that fits is found where partial sums overflow",
        arguments: [
            ("reports.@sum.big == 9223372036854775807", [0, 1, 2]),
            ("reports.@sum.big == 9223372036854775805", [3]),
            ("sum:(reports.big) == 9223372036854775807", [0, 1, 2]),
            ("reports.@sum.big == -9223372036854775808", [4]),
            ("SUBQUERY(reports, $r, $r.big != 0).@sum.big == 9223372036854775807", [0, 1, 2]),
        ])
    func partialIntegerSumsDoNotOverflow(_ format: String, _ serials: [Int]) throws {
        let fill = Self.reports(Self.wholes, "big")
        #expect(try found("reports.@count > 0 AND \(format)", fill) == Found(serials))
    }

    @Test("A sum of integers that overflows is an error")
    func integerOverflowIsAnError() throws {
        for numbers: [Int64] in [[.max, 1], [1, .max], [.min, -1], [.max, .max, .max]] {
            for format in ["reports.@sum.big > 0", "sum:(reports.big) > 0"] {
                #expect(throws: NSError.self) { try found(format, Self.reports([numbers], "big")) }
            }
        }
        // A condition is computed for each row.
        let format = "SUBQUERY(reports, $r, $r.big * 4 > $r.big).@sum.big == 9223372036854775807"
        #expect(try found(format, Self.reports([[Int64.max - 1, 1]], "big")) == Found([0]))
    }

    @Test(
        "Integer sums of groups are exact, and one that overflows is an error",
        arguments: [NSPersistentStore.StoreType.sqlite, .inMemory])
    func integerSumsOfGroups(_ type: NSPersistentStore.StoreType) throws {
        func sums(_ orders: [[Int64]], _ format: String, _ having: String? = nil) throws -> [String] {
            try TestStack(RandomTown.model(), type: type).inContext { context throws in
                Self.reports(orders, "big")(context)
                try context.save()
                let request = NSFetchRequest<NSDictionary>(entityName: "Person")
                request.resultType = .dictionaryResultType
                let sum = NSExpressionDescription()
                sum.name = "sum"
                sum.expression = NSExpression(format: format)
                request.propertiesToFetch = [sum]
                request.predicate = NSPredicate(format: "boss != nil")
                request.propertiesToGroupBy = ["boss"]
                request.havingPredicate = having.map { NSPredicate(format: $0) }
                return try context.fetch(request).map { "\($0["sum"] ?? "none")" }.sorted()
            }
        }
        let most = "9223372036854775807"
        #expect(try sums([[.max, 1, -1], [1, -1, .max], [7]], "sum:(big)") == ["7", most, most])
        #expect(try sums([[.max, 1, -1], [7]], "sum:(big)", "sum:(big) > 7") == [most])
        #expect(try sums([[.max, 1, -1], [7]], "count:(big)", "sum:(big) > 7") == ["3"])
        #expect(throws: NSError.self) { try sums([[7], [.max, 1]], "sum:(big)") }
        #expect(throws: NSError.self) { try sums([[7], [.min, -1]], "count:(big)", "sum:(big) > 7") }
        // Real numbers among them: the product does not fit.
        #expect(try sums([[.max, 1]], "sum:(big * 2)") == ["1.8446744073709552e+19"])
    }

    @Test(
        "Sums and averages of decimals are rounded once",
        arguments: ["reports.@sum.money > 0", "sum:(reports.money) > 0", "reports.@avg.money > 0"])
    func sumsOfDecimalsAreRoundedOnce(_ format: String) throws {
        let (large, small) = (Decimal(Int64.max), try #require(Decimal(string: "1e-25")))
        let orders = [
            [large, small, -large], [-large, small, large], [small, large, -large], [large, -large],
        ]
        .map { $0.map { NSDecimalNumber(decimal: $0) as Any } }
        #expect(try found(format, Self.reports(orders, "money")) == Found([0, 1, 2]))
    }

    @Test("An average of doubles is finite where their sum overflows")
    func meanIsExactWhereTheSumOverflows() throws {
        let orders = [
            [1.7e308, 1.7e308],
            [.greatestFiniteMagnitude, .greatestFiniteMagnitude, .greatestFiniteMagnitude],
            [-1.7e308, -1.7e308], [.infinity, 1.7e308],
        ]
        let fill = Self.owners(orders, "rating")
        for mean in ["books.@avg.rating", "average:(books.rating)"] {
            #expect(try found("\(mean) == 1.7e308", fill) == Found([0]))
            #expect(try found("\(mean) == -1.7e308", fill) == Found([2]))
            #expect(
                try found("\(mean) == \(Double.greatestFiniteMagnitude)", fill) == Found([1]), "\(mean)")
            #expect(try found("\(mean) > \(Double.greatestFiniteMagnitude)", fill) == Found([3]))
        }
        #expect(try found("median:(books.rating) == 1.7e308", fill) == Found([0]))
    }

    @Test("Sums of groups do not depend on the order of rows")
    func groupSumsAreIndependentOfOrder() throws {
        try TestStack(RandomTown.model()).inContext { context throws in
            Self.owners(Self.tenths, "rating")(context)
            try context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Book")
            request.resultType = .dictionaryResultType
            let sum = NSExpressionDescription()
            sum.name = "sum"
            sum.expression = NSExpression(format: "sum:(rating)")
            sum.resultType = .double
            request.propertiesToFetch = [sum]
            request.propertiesToGroupBy = ["owner"]
            #expect(try context.fetch(request).map { $0["sum"] as? Double } == [0.6, 0.6, 0.6])
        }
    }

    // MARK: Kinds of numbers

    @Test("A date among numbers is computed as a floating-point number")
    func dateAmongNumbersIsADouble() throws {
        let fill: (NSManagedObjectContext) -> Void = { context in
            let born = Date(timeIntervalSinceReferenceDate: 3)
            Self.person(0, ["born": born, "flag": true, "score": 7.0], context)
        }
        for format in [
            "TERNARY(flag == 1, born, score) / 2 == 1.5", "TERNARY(flag == 0, score, born) / 2 == 1.5",
            "TERNARY(flag == 1, born, 7) / 2 == 1.5", "TERNARY(flag == 1, born, born) / 2 == 1.5",
        ] {
            #expect(try found(format, fill) == Found([0]), "\(format)")
        }
    }

    @Test(
        "An expression that mixes a decimal with another type of number is refused",
        arguments: [
            "(TERNARY(money == nil, 0, money) + 7) / 2 == 3.5", "(sum:(money, 0) + 7) / 2 == 3.5",
            "(max:(money, 0) + 7) / 2 == 3.5", "(TERNARY(money == nil, money, 0.0) + 7) / 2 == 3.5",
        ])
    func zeroOfAnotherTypeIsRefused(_ format: String) throws {
        let error = #expect(throws: NSError.self) {
            try found(format) { Self.person(0, ["money": NSDecimalNumber(value: -1)], $0) }
        }
        #expect(error?.code == 134060)
        #expect(error?.localizedDescription.contains("CAST(…, \"NSDecimalNumber\")") ?? false)
    }

    @Test("A zero cast to a decimal mixes with decimals")
    func decimalZeroByCast() throws {
        let format = "(TERNARY(money == nil, CAST(0, 'NSDecimalNumber'), money) + 7) / 2 == 3.5"
        #expect(try found(format) { Self.person(0, [:], $0) } == Found([0]))
    }

    private static let digits = "0.12345678901234567"

    @Test("Decimals in predicates and lists compare by the digits that a store keeps")
    func decimalsInListsHaveStoredDigits() throws {
        let number = try #require(Decimal(string: Self.digits))
        let other = try #require(Decimal(string: "-1"))
        let fill: (NSManagedObjectContext) -> Void = {
            Self.person(0, ["money": NSDecimalNumber(decimal: number)], $0)
            Self.person(1, ["money": NSDecimalNumber(decimal: other)], $0)
        }
        #expect(try found("money == %@", with: [number], fill) == Found([0]))
        #expect(try found("money BETWEEN %@", with: [[number, number]], fill) == Found([0]))
        #expect(try found("money IN %@", with: [[number]], fill) == Found([0]))
        #expect(try found("%@ CONTAINS money", with: [[number, other]], fill) == Found([0, 1]))
        #expect(try found("NOT (money IN %@)", with: [[number]], fill) == Found([1]))
        #expect(try found("money IN %@", with: [Array(repeating: number, count: 100)], fill) == Found([0]))
        #expect(try found("ANY (reports.money UNION %@) == money", with: [[number]], fill) == Found([0]))
        #expect(try found("ANY %@ == money", with: [[number]], fill) == Found([0]))
    }

    @Test("Evaluating a predicate does not change the result of a fetch with it")
    func evaluationKeepsFetchResults() throws {
        try TestStack(RandomTown.model()).inContext { context throws in
            let number = try #require(Decimal(string: Self.digits))
            let person = Self.person(0, ["money": NSDecimalNumber(decimal: number)], context)
            let predicate = NSPredicate(format: "money == %@", argumentArray: [number])
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.predicate = predicate
            #expect(predicate.evaluate(with: person))
            #expect(try context.fetch(request) == [person])
            #expect(predicate.evaluate(with: person))
        }
    }

    // MARK: Others

    @Test("A cast to an unrelated entity has nil values")
    func castsToUnrelatedEntities() throws {
        let fill: (NSManagedObjectContext) -> Void = { Self.person(0, ["name": "x"], $0) }
        #expect(
            try found("CAST(SELF, 'Tag').label == 'x' OR CAST(SELF, 'Book').title == 'x'", fill) == Found([]))
        #expect(
            try found("CAST(SELF, 'Tag').label == nil AND CAST(SELF, 'Book').title == nil", fill)
                == Found([0]))
    }

    @Test("A function call on constants works as a constant")
    func callsOfConstantsAreConstants() throws {
        let format = "born > FUNCTION(now(), 'dateByAddingTimeInterval:', -86400)"
        let fill: (NSManagedObjectContext) -> Void = {
            Self.person(0, ["born": Date()], $0)
            Self.person(1, ["born": Date(timeIntervalSinceNow: -1_000_000)], $0)
        }
        #expect(try found(format, fill) == Found([0]))
        let names: (NSManagedObjectContext) -> Void = {
            Self.person(0, ["name": "abc"], $0)
            Self.person(1, ["name": "acb"], $0)
        }
        let prefix = "name BEGINSWITH FUNCTION('a', 'stringByAppendingString:', 'b')"
        #expect(try found(prefix, names) == Found([0]))
    }

    @Test(
        "Aggregates of aggregates are refused",
        arguments: [
            "max:(count:(title))", "sum:(1 + max:(pages))", "count:(TERNARY(sum:(pages) > 1, 1, 2))",
        ])
    func aggregatesOfAggregatesAreRefused(_ format: String) throws {
        for type in [NSPersistentStore.StoreType.sqlite, .inMemory] {
            let stack = try TestStack(RandomTown.model(), type: type)
            try stack.inContext { context throws in
                let request = NSFetchRequest<NSDictionary>(entityName: "Book")
                request.resultType = .dictionaryResultType
                let description = NSExpressionDescription()
                description.name = "x"
                description.expression = NSExpression(format: format)
                request.propertiesToFetch = [description]
                let error = #expect(throws: NSError.self) { try context.fetch(request) }
                #expect(error?.domain == NSCocoaErrorDomain && error?.code == 134060, "\(type)")
                #expect(error?.localizedDescription.contains("Unsupported") ?? false, "\(type)")
            }
        }
    }
}
