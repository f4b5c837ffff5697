import CocoaFoundation
import Testing

/// Key paths over objects that refer to each other, and over more of them than can be read.
@Suite struct CircularKeyPathTests {
    /// Three people of whom each has all as friends: three ways more with each key.
    private static func people() -> [Item] {
        let people = ["a", "b", "c"].map { Item(["name": $0]) }
        for person in people { person.setValue(Set(people), forKey: "friends") }
        return people
    }

    private static let path = Array(repeating: "friends", count: 90).joined(separator: ".")

    @Test(
        "A long key path over circular collections reads each object once",
        arguments: [
            ("ANY \(path).name == 'c'", true), ("ANY \(path).name == 'd'", false),
            ("ALL \(path).name IN {'a', 'b', 'c'}", true), ("ALL \(path).name IN {'a', 'b'}", false),
            ("NONE \(path).name == 'd'", true), ("ANY \(path) == SELF", true),
        ])
    func isReadOnceForEachObject(_ format: String, _ expected: Bool) throws {
        let person = try #require(Self.people().first)
        let predicate = try NSPredicate(parsing: format)
        #expect(try predicate.matches(person) == expected)
        #expect(try predicate.isMetInStore(by: person) == expected)
    }

    /// The elements of an array keep their places where they have no value; those of a set do not.
    @Test(
        "ANY and ALL over collections treat missing values as Apple's guide says",
        arguments: [
            ("ANY list.inner.name == nil", true), ("ANY set.inner.name == nil", false),
            ("ALL list.inner.name == 'x'", false), ("ALL set.inner.name == 'x'", true),
            ("ANY list.many.v == 3", true), ("ALL list.many.v < 4", true), ("ANY list.many.v == nil", false),
            ("ANY nested.v == 2", true), ("ALL nothing.a.b == 1", true), ("ANY list.nothing.a == nil", true),
            ("ANY single.many.v == 2", true), ("ANY single.many == 7", false),
        ])
    func valuesAreThoseOfTheGuide(_ format: String, _ expected: Bool) throws {
        let full = Item([
            "inner": Item(["name": "x"]), "many": [Item(["v": 1]), Item(["v": 2])],
        ])
        let bare = Item(["many": Set([Item(["v": 3])])])
        let object: [String: Any] = [
            "list": [full, bare], "set": Set([full, bare]), "nested": [[["v": 1]], [["v": 2]]],
            "single": full,
        ]
        #expect(try holds(format, object) == expected)
    }

    @Test("ANY over a key path without a collection throws")
    func pathsWithoutACollectionAreRefused() throws {
        #expect(throws: PredicateEvaluationError.self) {
            try holds("ANY a.b == 1", ["a": Item(["b": 1])])
        }
    }

    /// A collection that claims to have many elements, none of which is ever read.
    private struct Crowd: ValueCollection {
        let collectionCount: Int
        var collectionKind: ValueCollectionKind { .array }
        var collectionElements: [Any] { [] }
    }

    @Test("A key path over too many elements throws, but counting them does not")
    func tooManyElements() throws {
        let object: [String: Any] = [
            "list": [
                Item(["many": Crowd(collectionCount: 9_000_000)]),
                Item(["many": Crowd(collectionCount: 9_000_000)]),
            ]
        ]
        #expect {
            try value("list.many.v", object)
        } throws: {
            ($0 as? PredicateEvaluationError)?.reason
                == "The key path crosses more than 10000000 elements."
        }
        #expect(try value("list.many.@count", object) as? Int == 2)
    }

    @Test("Chains of 200,000 expressions are released without overflowing the stack")
    func longChainsAreReleased() throws {
        let one = NSExpression(forConstantValue: 1)
        for make: (NSExpression) -> NSExpression in [
            { NSExpression(forFunction: "add:to:", arguments: [$0, one]) },
            { NSExpression(forFunction: "add:to:", arguments: [one, $0]) },
            { NSExpression(forUnionSet: $0, with: one) },
            {
                NSExpression(
                    forConditional: NSPredicate(value: true), trueExpression: one, falseExpression: $0)
            },
            { NSExpression(forAggregate: [$0]) }, { NSExpression(kind: .keyPath(operand: $0, path: "a")) },
            { NSExpression(forFunction: $0, selectorName: "self", arguments: nil) },
        ] {
            var chain = NSExpression(forKeyPath: "a")
            for _ in 0..<200_000 { chain = make(chain) }
            let shared = chain
            chain = one
            #expect(shared.expressionType != .constantValue)
        }
    }

    /// What others hold on to stays as it is.
    @Test("A part shared with a released expression stays usable")
    func sharedPartsAreKept() throws {
        let part = NSExpression(forFunction: "add:to:", arguments: [NSExpression(forKeyPath: "a"), 1])
        for _ in 0..<3 {
            let whole = NSExpression(forFunction: "multiply:by:", arguments: [part, part])
            #expect(whole.description == "(a + 1) * (a + 1)")
        }
        #expect(part.description == "a + 1")
        #expect(try part.value(with: ["a": 2]) as? Int == 3)
    }
}
