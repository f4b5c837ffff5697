import CocoaFoundation
import CoreData
import TestSupport
import Testing

/// Every function that expressions have gives a SQLite store the values that it gives unsaved objects.
@Suite struct FunctionAgreementTests {
    private struct Use {
        let entity: String
        let expression: String
        let constants: [String]

        init(_ expression: String, of entity: String = "Person", _ constants: String...) {
            self.entity = entity
            self.expression = expression
            self.constants = constants
        }

        /// Conditions that distinguish the values.
        var formats: [String] {
            ["\(expression) == nil"]
                + constants.flatMap {
                    ["\(expression) == \($0)", "\(expression) < \($0)", "NOT (\(expression) >= \($0))"]
                }
        }
    }

    /// Calls of each function by its name.
    private static let uses: [String: [Use]] = [
        "sum:": [Use("sum:(books.pages)", "0", "3", "100"), Use("sum:(age, size)", "0", "7")],
        "average:": [Use("average:(books.pages)", "0", "1.5"), Use("average:(age, score)", "0.5")],
        "median:": [Use("median:(books.rating)", "0.2", "1"), Use("median:(age, size, 3)", "3")],
        "mode:": [],
        "stddev:": [Use("stddev:(books.pages)", "0", "1"), Use("stddev:(age, size)", "1.5")],
        "count:": [Use("count:(books)", "1", "2"), Use("count:(age, size)", "2")],
        "min:": [Use("min:(books.title)", "'a'", "'b'"), Use("min:(age, size)", "1")],
        "max:": [Use("max:(books.printed)", "1"), Use("max:(age, score)", "2.5")],
        "add:to:": [Use("add:to:(age, score)", "2", "3.1"), Use("money + 0.1", "0.2", "0.3")],
        "from:subtract:": [Use("from:subtract:(age, size)", "0", "6"), Use("money - 0.1", "0.2")],
        "multiply:by:": [Use("multiply:by:(age, size)", "0", "14"), Use("money * 3", "0.3")],
        "divide:by:": [Use("divide:by:(age, 2)", "0", "3"), Use("divide:by:(score, age)", "0.1")],
        "modulus:by:": [Use("modulus:by:(age, 3)", "1", "2"), Use("modulus:by:(score, 0.3)", "0.1")],
        "raise:toPower:": [Use("raise:toPower:(age, 2)", "4", "49"), Use("raise:toPower:(2, score)", "2")],
        "sqrt:": [Use("sqrt:(age)", "1", "1.5", "10")],
        "log:": [Use("log:(age)", "0", "1", "2")],
        "ln:": [Use("ln:(score)", "0", "1")],
        "exp:": [Use("exp:(score)", "1", "2")],
        "floor:": [Use("floor:(score)", "0", "-3"), Use("floor:(money)", "0", "9")],
        "ceiling:": [Use("ceiling:(score)", "0", "-2"), Use("ceiling:(money)", "1", "10")],
        "trunc:": [Use("trunc:(score)", "0", "-2"), Use("trunc:(money)", "0", "9")],
        "abs:": [Use("abs:(age)", "1", "100"), Use("abs:(money)", "1")],
        "bitwiseAnd:with:": [Use("bitwiseAnd:with:(age, 3)", "1", "3")],
        "bitwiseOr:with:": [Use("bitwiseOr:with:(age, 3)", "3", "7")],
        "bitwiseXor:with:": [Use("bitwiseXor:with:(age, 3)", "1", "4")],
        "leftshift:by:": [Use("leftshift:by:(age, 2)", "4", "28"), Use("leftshift:by:(1, age)", "2")],
        "rightshift:by:": [Use("rightshift:by:(age, 1)", "0", "1", "-1")],
        "onesComplement:": [Use("onesComplement:(age)", "-2", "0")],
        "uppercase:": [Use("uppercase:(name)", "'A'", "'STRASSE'", "'B'")],
        "lowercase:": [Use("lowercase:(name)", "'a'", "'straße'", "'b'")],
        "canonical:": [Use("canonical:(name)", "'a'", "'e'", "'strasse'")],
        "length:": [Use("length:(name)", "1", "2")],
        "now": [Use("now()", "born", "500000000")],
        "noindex:": [Use("noindex:(age)", "1", "7"), Use("noindex:(name)", "'a'")],
        "castObject:toType:": [
            Use("CAST(age, 'NSString')", "'1'", "'7'"), Use("CAST(name, 'NSNumber')", "10", "9"),
            Use("CAST(age, 'NSDate')", "1"), Use("CAST(score, 'NSDecimalNumber')", "0.3"),
        ],
        "objectFrom:withIndex:": [Use("readers[FIRST].age", of: "Book", "1", "7")],
        // Another one each time, within bounds.
        "random": [Use("floor:(random())", "0", "1")],
        "randomn:": [Use("randomn:(1)", "0", "1"), Use("randomn:(5)", "5", "7")],
    ]

    /// What a SQLite store refuses.
    private static let refused = ["distanceToLocation:fromLocation:"]

    /// Functions whose values are a collection, in conditions of their own.
    private static let collections = [
        "mode:": [
            "age IN mode:(books.pages)", "ANY mode:(books.pages) > 1", "NONE mode:(books.rating) < 0.3",
        ]
    ]

    private static let names = FunctionTable.functions.keys.sorted()

    @Test("Every function is either tested or known to be refused")
    func everyFunctionIsUsed() {
        let known = Set(Self.uses.keys).union(Self.refused)
        #expect(known == Set(Self.names))
    }

    @Test("Every function gives a store and unsaved objects the same results")
    func storeAndMemoryAgree() throws {
        var numbers = SeededNumbers(seed: 11)
        // How many of a function's conditions found some objects and left out others.
        var telling: [String: Int] = [:]
        for _ in 0..<4 {
            let town = RandomTown(&numbers)
            let stored = try TestStack(RandomTown.model())
            let other = try TestStack(RandomTown.model())
            let unsaved = other.context()
            try stored.inContext { context in
                town.fill(context)
                try context.save()
            }
            let context = stored.context()
            unsaved.performAndWait { town.fill(unsaved) }
            for (name, uses) in Self.uses {
                var conditions = (Self.collections[name] ?? []).map { ("Person", $0) }
                for use in uses { conditions += use.formats.map { (use.entity, $0) } }
                for (entity, format) in conditions {
                    let store = try serials(entity, format, context)
                    #expect(try serials(entity, format, unsaved) == store, "\(entity): \(format)")
                    let all = entity == "Book" ? RandomTown.books : RandomTown.people
                    if !store.isEmpty, store.count < all { telling[name, default: 0] += 1 }
                }
            }
        }
        // These have one value for all objects.
        let constant = ["now", "random", "randomn:"]
        for name in Self.uses.keys where !constant.contains(name) {
            #expect(telling[name, default: 0] > 2, "\(name)")
        }
    }

    private func serials(_ entity: String, _ format: String, _ context: NSManagedObjectContext) throws
        -> [Int]
    {
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = NSPredicate(format: format)
            return try context.fetch(request).compactMap { $0.value(forKey: "serial") as? Int }.sorted()
        }
    }

    @Test("A function that a store refuses is named in the error")
    func refusedFunctionIsNamed() throws {
        try TestStack(RandomTown.model()).inContext { context throws in
            for name in Self.refused {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
                request.predicate = NSComparisonPredicate(
                    leftExpression: NSExpression(
                        forFunction: name,
                        arguments: [NSExpression(forKeyPath: "name"), NSExpression(forKeyPath: "nick")]),
                    rightExpression: NSExpression(forConstantValue: 1), modifier: .direct, type: .greaterThan)
                let error = #expect(throws: NSError.self) { try context.fetch(request) }
                #expect(error?.code == 134060 && error?.localizedDescription.contains(name) ?? false)
            }
        }
    }
}
