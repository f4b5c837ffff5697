import CocoaFoundation
import Testing

/// Evaluation of whole predicates: modifiers, logic, variables, errors.
@Suite struct PredicateEvaluationTests {
    @Test(
        "ANY, ALL and NONE compare the elements of collections",
        arguments: [
            ("ANY tags == 'a'", true), ("ANY tags == 'x'", false), ("SOME tags BEGINSWITH 'b'", true),
            ("ALL tags IN {'a', 'b', 'c'}", true), ("ALL tags == 'a'", false), ("NONE tags == 'x'", true),
            ("NONE tags == 'a'", false), ("NOT ANY tags == 'a'", false), ("ANY empty == 1", false),
            ("ALL empty == 1", true), ("NONE empty == 1", true), ("ANY missing == 1", false),
            ("ALL missing == 1", true),
            ("ANY books.title == 'Emma'", true), ("ALL books.pages > 100", true),
            ("ALL books.pages > 300", false),
            ("ANY books.tags == 'classic'", true), ("ANY books.tags == 'none'", false),
            ("ANY books.tags IN {'classic', 'z'}", true), ("ANY pairs CONTAINS 3", true),
            ("ANY pairs == {3, 4}", true),
            ("ALL pairs CONTAINS 3", false), ("ANY pairs > 3", true), ("ANY tags ==[c] 'A'", true),
            ("ANY set == 2", true),
        ])
    func modifiers(_ text: String, _ expected: Bool) throws {
        let books = [
            Item(["title": "Emma", "pages": 474, "tags": ["classic", "novel"]]),
            Item(["title": "Persuasion", "pages": 249, "tags": ["classic"]]),
        ]
        let object: [String: Any] = [
            "tags": ["a", "b"], "empty": [Int](), "books": books, "pairs": [[1, 2], [3, 4]],
            "set": Set([1, 2]),
        ]
        #expect(try holds(text, object) == expected)
    }

    @Test(
        "AND, OR and NOT combine comparisons",
        arguments: [
            ("TRUEPREDICATE", true), ("FALSEPREDICATE", false), ("a == 1 AND b == 2", true),
            ("a == 1 AND b == 3", false),
            ("a == 9 OR b == 2", true), ("a == 9 OR b == 9", false), ("NOT a == 1", false),
            ("NOT (a == 1 AND b == 9)", true),
            ("a == 1 OR missing.nothing.x LIKE 3", true), ("a == 9 AND missing LIKE 3", false),
            ("a == 9 OR b == 2 AND a == 1", true),
        ])
    func logic(_ text: String, _ expected: Bool) throws {
        #expect(try holds(text, ["a": 1, "b": 2]) == expected)
        #expect(NSPredicate(format: text).evaluate(with: ["a": 1, "b": 2]) == expected)
    }

    @Test("Foundation's compound and constant predicates evaluate")
    func foundationsCompoundsWork() throws {
        let parts = [NSPredicate(format: "a == 1"), NSPredicate(format: "b == $x")]
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        #expect(and.evaluate(with: ["a": 1, "b": 2], substitutionVariables: ["x": 2]))
        #expect(try and.matches(["a": 1, "b": 2], substitutionVariables: ["x": 2]))
        #expect(try !NSCompoundPredicate(notPredicateWithSubpredicate: parts[0]).matches(["a": 1]))
        #expect(try NSCompoundPredicate(andPredicateWithSubpredicates: []).matches(nil))
        #expect(try !NSCompoundPredicate(orPredicateWithSubpredicates: []).matches(nil))
        #expect(try NSPredicate(value: true).matches(nil))
        #expect(try !NSPredicate(value: false).matches(nil))
    }

    @Test("A block predicate gets the substitution variables")
    func blocksGetTheVariables() throws {
        let block = NSPredicate { object, variables in object as? Int == variables?["x"] as? Int }
        let predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
            block, NSPredicate(format: "SELF == $x"),
        ])
        #expect(try predicate.matches(3, substitutionVariables: ["x": 3]))
        #expect(try !predicate.matches(3, substitutionVariables: ["x": 4]))
    }

    @Test("A predicate of a subclass evaluates by its own method")
    func subclassesEvaluateInTheirOwnWay() throws {
        final class Odd: NSPredicate {
            override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool
            {
                (object as? Int).map { !$0.isMultiple(of: 2) } ?? false
            }
        }
        final class Never: NSComparisonPredicate {
            override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool
            { false }
        }
        let odd = NSCompoundPredicate(notPredicateWithSubpredicate: Odd(value: true))
        #expect(try odd.matches(2))
        #expect(try !odd.matches(3))
        let never = Never(
            leftExpression: NSExpression(forConstantValue: 1),
            rightExpression: NSExpression(forConstantValue: 1),
            modifier: .direct, type: .equalTo)
        #expect(try !never.matches(nil))
    }

    @Test("A variable takes its value from the substitution variables, and throws without one")
    func variables() throws {
        let predicate = NSPredicate(format: "a == $x OR $y.b == 2")
        #expect(predicate.evaluate(with: ["a": 1], substitutionVariables: ["x": 1]))
        #expect(predicate.evaluate(with: ["a": 1], substitutionVariables: ["x": 0, "y": ["b": 2]]))
        #expect(try !predicate.matches(["a": 1], substitutionVariables: ["x": NSNull(), "y": ["b": 3]]))
        #expect { try predicate.matches(["a": 1]) } throws: {
            ($0 as? PredicateEvaluationError)?.reason == "The variable $x has no value."
        }
    }

    @Test("Foundation's collections are filtered by our predicates")
    func foundationFilters() throws {
        let people = [["name": "Ann", "age": 30], ["name": "Bob", "age": 20]] as [[String: Any]]
        let found = (people as NSArray).filtered(using: NSPredicate(format: "age > 25"))
        #expect((found as? [[String: Any]])?.first?["name"] as? String == "Ann")
        let set = NSSet(array: [1, 2, 3]).filtered(using: NSPredicate(format: "SELF > 1"))
        #expect(set.count == 2)
    }

    @Test("An object equals its identifier and objects of the same identity")
    func identityOfObjects() throws {
        let (object, identifier) = (Entry(7), EntryID(number: 7))
        #expect(try holds("SELF == %@", object, identifier))
        #expect(try holds("SELF == %@", object, Entry(7)))
        #expect(try !holds("SELF == %@", object, Entry(8)))
        #expect(try holds("SELF IN %@", identifier, [Entry(8), object]))
        #expect(try holds("%@ CONTAINS SELF", identifier, [object]))
        #expect(try holds("ANY entries == %@", ["entries": [object]], identifier))
        #expect(try holds("SELF != %@", object, nil))
        #expect(try !holds("SELF < %@", object, Entry(8)))
    }

    @Test("Other objects compare by isEqual, and comparable values by their order")
    func plainObjectsCompareByIsEqual() throws {
        let object = NSObject()
        #expect(try holds("SELF == %@", object, object))
        #expect(try !holds("SELF == %@", object, NSObject()))
        #expect(try holds("SELF == %@", Level.high, Level.high))
        #expect(try holds("SELF > %@", Level.high, Level.low))
    }

    @Test("An error of an evaluation has a cause and a reason")
    func errorsHaveCausesAndReasons() throws {
        let cases: [(String, PredicateEvaluationError.Cause, String)] = [
            (
                "ANY a == 1", .predicate,
                "The left hand side of ANY or ALL must be a collection, and is a value of type Int."
            ),
            ("a.@count == 1", .predicate, "@count needs a collection, but got a value of type Int."),
            ("a.b == 1", .predicate, "a value of type Int has no value for the key \"b\"."),
            ("length:(a) == 1", .values, "The function length: takes a string, but got a value of type Int."),
            (
                "SUBQUERY(a, $x, TRUEPREDICATE).@count == 1", .predicate,
                "SUBQUERY needs a collection, but got a value of type Int."
            ),
            (
                "FUNCTION(a, 'foo') == 1", .predicate,
                "a value of type Int has no method foo that expressions may call with these arguments."
            ),
            ("ANYKEY == 1", .predicate, "ANYKEY has a value only in Spotlight queries."),
            (
                "a UNION {1} == 1", .values,
                "UNION needs two collections, but got a value of type Int and a value of type Array<Any>."
            ),
        ]
        for (text, cause, reason) in cases {
            do {
                _ = try holds(text, ["a": 1])
                Issue.record("\(text) did not throw")
            } catch let error as PredicateEvaluationError {
                #expect(error.cause == cause, "\(text)")
                #expect(error.reason == reason)
                #expect(error.errorDescription == reason)
                #expect("\(error)" == reason)
            }
        }
    }

    @Test("An evaluation that cannot succeed ends the process where it cannot throw")
    func impossibleEvaluation() async {
        await #expect(processExitsWith: .failure) {
            _ = NSPredicate(format: "a == $x").evaluate(with: ["a": 1])
        }
        await #expect(processExitsWith: .failure) {
            _ = NSPredicate(format: "ANY a == 1").evaluate(with: ["a": 1])
        }
    }

    private enum Level: Int, Comparable {
        case low
        case high

        static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    }
}

/// An object and its identifier, which predicates find equal.
final class Entry: NSObject, PredicateIdentity {
    private let number: Int

    init(_ number: Int) { self.number = number }

    var predicateIdentity: AnyHashable { EntryID(number: number) }
    var isPermanentIdentity: Bool { true }
}

struct EntryID: Hashable, PredicateIdentity {
    let number: Int

    var predicateIdentity: AnyHashable { self }
    var isPermanentIdentity: Bool { true }
}
