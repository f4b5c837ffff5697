import CoreData
import Foundation
import TestSupport
import Testing

/// Dictionaries have the same values, whether SQL computes them or they are computed in memory.
@Suite struct DictionaryAgreementTests {
    enum ObjectMapping: CaseIterable {
        case sqlite, inMemory
        /// In a child of a context with unsaved changes.
        case child
    }

    /// Three people: with two books, with one, and with none. The last one has no name.
    private func fill(_ context: NSManagedObjectContext) {
        func person(_ serial: Int, _ name: String?, _ pages: [Int]) {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue(serial, forKey: "serial")
            person.setValue(name, forKey: "name")
            for number in pages { book(number, person) }
        }
        func book(_ pages: Int, _ owner: NSManagedObject?) {
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue(pages, forKey: "pages")
            book.setValue(pages > 200 ? NSDecimalNumber(value: pages) : nil, forKey: "price")
            book.setValue(owner, forKey: "owner")
        }
        person(0, "a", [100, 300])
        person(1, "a", [200])
        person(2, nil, [])
        book(400, nil)
    }

    private func expression(_ name: String, _ format: String) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = name
        description.expression = NSExpression(format: format)
        return description
    }

    /// The values `x` of the dictionaries, as text.
    private func values(
        _ way: ObjectMapping, _ entity: String, _ format: String, by key: String,
        _ change: (NSFetchRequest<NSDictionary>) -> Void = { _ in }
    ) throws -> [String] {
        let stack = try TestStack(RandomTown.model(), type: way == .inMemory ? .inMemory : .sqlite)
        let root = stack.context()
        try root.event { context throws in
            fill(context)
            if way != .child { try context.save() }
        }
        return try (way == .child ? ContextFamily.child(of: root) : root).event { context throws in
            let request = NSFetchRequest<NSDictionary>(entityName: entity)
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = [expression("x", format)]
            request.sortDescriptors = key.isEmpty ? [] : [NSSortDescriptor(key: key, ascending: true)]
            change(request)
            return try context.fetch(request).map { row in
                row["x"].map { "\($0)" } ?? "nil"
            }
        }
    }

    /// A computed decimal number has 15 digits, as a column keeps it, also where a part of it is too small to be decimal.
    @Test("A computed decimal has the digits of a decimal column", arguments: ObjectMapping.allCases)
    func computedDecimalHas15Digits(_ way: ObjectMapping) throws {
        for (format, expected) in [
            ("9223372036854775807 - (price * -2.4)", "9223372036854780000"),
            ("9223372036854775807 - (price * 1e-310)", "9223372036854775807"),
            ("9223372036854775807 + (1e-310 / price) + 0.5", "9223372036854780000"),
            ("price * 1e300", "3.0000000000000002e+302"),
        ] {
            let values = try values(way, "Book", format, by: "pages") {
                $0.predicate = NSPredicate(format: "pages == 300")
            }
            #expect(values == [expected], "\(format)")
        }
    }

    @Test(
        "An aggregate over a row's relationship gives one value for each row",
        arguments: ObjectMapping.allCases)
    func collectionOfEachRowIsNotGrouped(_ way: ObjectMapping) throws {
        for (format, expected) in [
            ("count:(books)", ["2", "1", "0"]), ("max:(books.pages)", ["300", "200", "nil"]),
            ("sum:(books.pages)", ["400", "200", "0"]), ("average:(books.pages)", ["200.0", "200.0", "nil"]),
            (
                "trunc:(9223372036854775807 * books.@count)",
                ["1.8446744073709552e+19", "9223372036854775807", "0"]
            ),
            ("count:(SUBQUERY(books, $b, $b.pages > 150))", ["1", "1", "0"]),
            ("count:(books UNION read)", ["2", "1", "0"]), ("sum:(books.pages) + 1", ["401", "201", "1"]),
            ("min:((books UNION read).pages)", ["100", "200", "nil"]),
            ("books.@max.pages", ["300", "200", "nil"]),
            ("max:(CAST(SELF, 'Person').books.pages)", ["300", "200", "nil"]),
        ] {
            #expect(try values(way, "Person", format, by: "serial") == expected, "\(format)")
        }
    }

    @Test("An aggregate over all rows gives one row with one value", arguments: ObjectMapping.allCases)
    func valuesOfAllRows(_ way: ObjectMapping) throws {
        for (format, expected) in [
            ("count:(name)", "2"), ("sum:(books.@count)", "3"), ("max:(books.@sum.pages)", "400"),
            ("TERNARY(count:(name) == 2, 'two', 'other')", "two"), ("sum:(serial) * 2", "6"),
            ("TERNARY(sum:(age) > 1, 'a', 'b')", "b"), ("sum:(TERNARY(name == 'a', 10, 1))", "21"),
            ("TERNARY(sum:(age) == nil, 'nothing', 'something')", "nothing"), ("count:(1)", "1"),
        ] {
            let found = try values(way, "Person", format, by: "")
            // What is the same for all rows is in each of them.
            #expect(Set(found) == [expected], "\(format)")
            #expect(found.count == (format == "count:(1)" ? 3 : 1), "\(format)")
        }
    }

    @Test("Dictionary expressions treat missing values as a store does", arguments: ObjectMapping.allCases)
    func dictionaryLogicOfAStore(_ way: ObjectMapping) throws {
        for (format, expected) in [
            ("TERNARY(price != 5, 'a', 'b')", ["b", "b", "a", "a"]),
            ("TERNARY(NOT (price == 5), 'a', 'b')", ["b", "b", "a", "a"]),
            ("owner.books.@count", ["2", "1", "2", "0"]),
            ("owner.books.@sum.pages", ["400", "200", "400", "0"]),
            ("count:(owner.books)", ["2", "1", "2", "0"]),
            // The sum of no decimal numbers is a decimal zero.
            ("(owner.books.@sum.price + 1) / 2", ["150.5", "0.5", "150.5", "0.5"]),
            // A value that is not a decimal is nevertheless a number.
            ("price + 1e300", ["nil", "nil", "1e+300", "1e+300"]),
        ] {
            #expect(try values(way, "Book", format, by: "pages") == expected, "\(format)")
        }
    }

    @Test("Decimals converted to integers keep their digits", arguments: ObjectMapping.allCases)
    func decimalsAsIntegersKeepTheirDigits(_ way: ObjectMapping) throws {
        let stack = try TestStack(RandomTown.model(), type: way == .inMemory ? .inMemory : .sqlite)
        let root = stack.context()
        try root.event { context throws in
            for amount in ["9007199254740000", "993"] {
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue(NSDecimalNumber(string: amount), forKey: "price")
            }
            if way != .child { try context.save() }
        }
        func total(_ format: String) throws -> Int64? {
            try (way == .child ? ContextFamily.child(of: root) : root).event { context throws in
                let column = expression("x", format)
                column.expressionResultType = .integer64AttributeType
                let request = NSFetchRequest<NSDictionary>(entityName: "Book")
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = [column]
                return try context.fetch(request).first?["x"] as? Int64
            }
        }
        #expect(try total("sum:(price)") == 9_007_199_254_740_993)
        #expect(try total("CAST(0, 'NSDecimalNumber') - sum:(price)") == -9_007_199_254_740_993)
    }

    @Test("A having predicate filters groups by aggregates and columns", arguments: ObjectMapping.allCases)
    func conditionsOnGroups(_ way: ObjectMapping) throws {
        func serials(_ having: String) throws -> [String] {
            try values(way, "Person", "sum:(books.@count)", by: "") {
                $0.propertiesToGroupBy = ["name"]
                $0.havingPredicate = NSPredicate(format: having)
            }.sorted()
        }
        #expect(try serials("count:(serial) > 0") == ["0", "3"])
        #expect(try serials("x == 3") == ["3"])
        #expect(try serials("x - 1 < max:(serial)") == ["0"])
        #expect(try serials("NOT (sum:(age) > 1)") == [])
        #expect(try serials("sum:(age) == nil AND name == nil") == ["0"])
    }
}
