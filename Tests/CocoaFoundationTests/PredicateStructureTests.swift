import CocoaFoundation
import TestSupport
import Testing

/// Equality, text, copies, shapes and substitution of predicates.
@Suite struct PredicateStructureTests {
    static let formats = [
        "a == 1", "a != 1", "b == 1", "a == 2", "a ==[c] 1", "ANY a == 1", "ALL a == 1", "a < 1", "a == b",
        "1 == a",
        "a == 1 AND b == 2", "a == 1 OR b == 2", "b == 2 AND a == 1", "NOT a == 1", "TRUEPREDICATE",
        "FALSEPREDICATE",
        "a == 1 AND (b == 2 AND c == 3)", "a == 1 AND b == 2 AND c == 3", "a == $x", "a == $y", "a == nil",
        "a == '1'",
        "a IN {1, 2}", "a IN {2, 1}", "a.b == 1", "$x.b == 1", "abs:(a) == 1", "a + 1 == 1", "a - 1 == 1",
        "a[0] == 1",
        "a[FIRST] == 1", "SUBQUERY(a, $x, $x == 1).@count == 1", "SUBQUERY(a, $y, $y == 1).@count == 1",
        "TERNARY(a == 1, b, c) == 1", "TERNARY(a == 1, c, b) == 1", "a UNION b == 1", "a MINUS b == 1",
        "FUNCTION(a, 'b') == 1",
        "SELF == 1", "ANYKEY == 1", "($x := 1) == 1", "a == CAST(0, 'NSDate')",
        "a == CAST('nan', 'NSNumber')",
        "a == CAST('1.10', 'NSDecimalNumber')", "a == CAST('AQID', 'NSData')",
        "a == CAST('https://swift.org', 'NSURL')",
        "a == CAST('E621E1F8-C36C-495A-93FC-0C247A3E6E5F', 'NSUUID')", "a == 'x\\n\\\"\\\\\\u0001é😀'",
        "#and == 1", "a.#first == 1",
    ]

    @Test("Each of these predicates equals only itself")
    func everyPredicateEqualsItselfAlone() throws {
        for (index, left) in Self.formats.enumerated() {
            for (other, right) in Self.formats.enumerated() {
                let (lhs, rhs) = (try NSPredicate(parsing: left), try NSPredicate(parsing: right))
                #expect(lhs.isEqual(rhs) == (index == other), "\(left) | \(right)")
                #expect(lhs.isEquivalent(to: rhs) == (index == other))
                if index == other { #expect(lhs.hash == rhs.hash) }
            }
        }
    }

    @Test("A printed predicate is read back equivalent", arguments: formats)
    func printedTextIsReadBack(_ text: String) throws {
        let predicate = try NSPredicate(parsing: text)
        let again = try NSPredicate(parsing: predicate.formatString)
        #expect(again.isEquivalent(to: predicate), "\(predicate.formatString)")
        #expect(again.formatString == predicate.formatString)
        #expect(predicate.description == predicate.formatString)
    }

    @Test("Random predicates are read back equivalent")
    func randomPredicatesAreReadBack() throws {
        var generator = RandomPredicates(seed: 11)
        for _ in 0..<Fuzzing.rounds(3_000) {
            let predicate = generator.predicate(depth: 4)
            let again = try NSPredicate(parsing: predicate.formatString)
            #expect(again.isEquivalent(to: predicate), "\(predicate.formatString)")
            #expect(again.hash == predicate.hash || !(predicate is NSComparisonPredicate))
        }
    }

    @Test("Predicates with numbers of different types are equivalent but not equal")
    func numbersOfDifferentTypesAreEqual() throws {
        let lhs = NSPredicate(format: "a == %@ AND b IN %@", 1, [1, 2])
        let rhs = NSPredicate(format: "a == %@ AND b IN {1, 2}", 1.0)
        #expect(lhs.isEquivalent(to: rhs) && rhs.isEquivalent(to: lhs))
        #expect(lhs.hash == rhs.hash)
        #expect(!lhs.isEqual(rhs) && !rhs.isEqual(lhs))
    }

    /// What is computed of them is not the same.
    @Test("Constants of different types are different, unless they are spellings of one value")
    func constantsOfDifferentTypesDiffer() throws {
        let constants: [Any] = [
            2, 2.0, Decimal(2), Date(timeIntervalSinceReferenceDate: 2), true, NSNumber(value: false), 0.0,
            -0.0,
            Decimal(0), "\u{e9}", "e\u{301}", [1, 2], [1.0, 2.0], Set([1, 2]), NSOrderedSet(array: [1, 2]),
            ["a": 1], [[2]], [[2.0]],
        ]
        for (index, left) in constants.enumerated() {
            for (other, right) in constants.enumerated() {
                let (lhs, rhs) = (
                    NSExpression(forConstantValue: left), NSExpression(forConstantValue: right)
                )
                #expect(lhs.isEqual(rhs) == (index == other), "\(left) | \(right)")
                if index == other { #expect(lhs.hash == rhs.hash) }
            }
        }
        let spellings: [(Any, Any)] = [
            (2, NSNumber(value: 2)), (2, Int16(2)), (2.0, NSNumber(value: 2.0)),
            (true, NSNumber(value: true)), (true, 1), (NSNumber(value: false), 0),
            (Decimal(2), NSDecimalNumber(value: 2)), ([1, 2], NSArray(array: [1, 2])),
            (Set([1]), NSSet(array: [1])),
            (Double.nan, -Double.nan), (Decimal.nan, NSDecimalNumber.notANumber), ("a", NSString("a")),
        ]
        for (left, right) in spellings {
            let (lhs, rhs) = (NSExpression(forConstantValue: left), NSExpression(forConstantValue: right))
            #expect(lhs.isEqual(rhs) && lhs.hash == rhs.hash, "\(left)")
        }
        for (left, right) in [
            ("SUBQUERY(a, $x, $x.n == 2)", "SUBQUERY(a, $x, $x.n == 2.0)"),
            ("TERNARY(a == 2, 1, 2)", "TERNARY(a == 2.0, 1, 2)"), ("a / 2", "a / 2.0"),
            ("{2, a}", "{2.0, a}"),
            ("a UNION {2}", "a UNION {2.0}"), ("FUNCTION(2, 'f')", "FUNCTION(2.0, 'f')"),
            ("$x := 2", "$x := 2.0"),
        ] {
            let (lhs, rhs) = (try NSExpression(parsing: left), try NSExpression(parsing: right))
            #expect(!lhs.isEqual(rhs), "\(left)")
            let (first, second) = (
                NSPredicate.comparison(lhs, 1), NSPredicate.comparison(rhs, 1)
            )
            #expect(!first.isEqual(second) && first.isEquivalent(to: second), "\(left)")
        }
    }

    @Test("Foundation's compound and block predicates print and compare by structure")
    func foundationsCompounds() throws {
        let (a, b) = (NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2"))
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b])
        let or = NSCompoundPredicate(orPredicateWithSubpredicates: [a, and])
        #expect(and.formatString == "a == 1 AND b == 2")
        #expect(or.formatString == "a == 1 OR (a == 1 AND b == 2)")
        #expect(
            NSCompoundPredicate(notPredicateWithSubpredicate: or).formatString
                == "NOT (a == 1 OR (a == 1 AND b == 2))")
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []).formatString == "TRUEPREDICATE")
        #expect(NSCompoundPredicate(orPredicateWithSubpredicates: []).formatString == "FALSEPREDICATE")
        #expect(and.isEquivalent(to: NSPredicate(format: "a == 1 AND b == 2")))
        #expect(!and.isEquivalent(to: or))
        #expect(NSPredicate(value: true).formatString == "TRUEPREDICATE")
        #expect(NSPredicate(value: false).formatString == "FALSEPREDICATE")
        #expect(NSPredicate(value: true).isEquivalent(to: NSPredicate(format: "TRUEPREDICATE")))
        let block = NSPredicate { _, _ in true }
        #expect(block.formatString == "BLOCKPREDICATE")
        #expect(block.isEquivalent(to: block))
        #expect(!block.isEquivalent(to: NSPredicate { _, _ in true }))
    }

    @Test("A structural copy equals a parsed predicate of the same parts")
    func structuralCopies() throws {
        let (a, b) = (NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2"))
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: [a, NSPredicate(value: true), b])
        let copy = and.structuralCopy()
        #expect(copy.isEquivalent(to: and))
        #expect(copy == NSPredicate(format: "a == 1 AND TRUEPREDICATE AND b == 2"))
        #expect(copy.hash == NSPredicate(format: "a == 1 AND TRUEPREDICATE AND b == 2").hash)
        #expect(copy.description == "a == 1 AND TRUEPREDICATE AND b == 2")
        #expect(copy.copy() as? NSPredicate === copy)
        let others = [
            NSCompoundPredicate(orPredicateWithSubpredicates: [a, b]),
            NSCompoundPredicate(notPredicateWithSubpredicate: and), NSPredicate(value: true),
            NSPredicate(value: false), a,
        ].map { $0.structuralCopy() }
        #expect(Set(others + [copy]).count == 6)
        #expect(others.allSatisfy { $0 != copy && copy != $0 })
        #expect(a.structuralCopy() === a && NSPredicate(value: false) != a)
        let block = NSPredicate { _, _ in true }
        #expect(block.structuralCopy() === block)
    }

    /// A format string cannot represent an AND or OR without operands.
    @Test("A compound of one part is equivalent to the part, and one of none to a constant")
    func compoundsOfOnePartAndOfNone() throws {
        let a = NSPredicate(format: "a == 1")
        let block = NSPredicate { _, _ in true }
        let inner = NSCompoundPredicate(orPredicateWithSubpredicates: [a])
        let lone = NSCompoundPredicate(andPredicateWithSubpredicates: [inner])
        #expect(lone.isEquivalent(to: a) && a.isEquivalent(to: lone))
        #expect(lone.structuralCopy() == a && lone.structuralCopy().hash == a.hash)
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: [block]).isEquivalent(to: block))
        for type in [NSCompoundPredicate.LogicalType.and, .or] {
            let none = NSCompoundPredicate(type: type, subpredicates: [])
            let again = try NSPredicate(parsing: none.formatString)
            #expect(again.isEquivalent(to: none) && none.isEquivalent(to: again))
            #expect(!none.isEquivalent(to: NSPredicate(value: type != .and)))
            #expect(none.evaluate(with: nil) == (type == .and))
        }
        let negated = NSCompoundPredicate(notPredicateWithSubpredicate: lone)
        #expect(try NSPredicate(parsing: negated.formatString).isEquivalent(to: negated))
        #expect(!negated.isEquivalent(to: lone))
    }

    /// Constants of every type that has a literal.
    @Test("Constants of every type with a literal are read back")
    func constantsAreReadBack() throws {
        let distant = [Double.infinity, -.infinity, .nan, 1e300, -0.1].map {
            Date(timeIntervalSinceReferenceDate: $0)
        }
        let constants: [Any?] = [
            nil, NSNull(), true, false, NSNumber(value: true), 1, Int8(-1), UInt64.max, 0.1, Float(0.1), -0.0,
            Double.nan, Double.infinity, -Double.infinity, Double.leastNonzeroMagnitude, Decimal.nan,
            Decimal(string: "0.1"), Decimal.greatestFiniteMagnitude, Decimal.leastFiniteMagnitude,
            NSDecimalNumber(string: "1.5"), "", "a\u{0}\u{301}\"'\\%@$x", NSString("x"), Substring("part"),
            Date.distantPast, Date.distantFuture, NSDate(timeIntervalSinceReferenceDate: 0.1), UUID(),
            NSUUID(), Data(), Data([0, 255]), NSData(data: Data([1])), URL(string: "http://é.org/ä?b=%20#c"),
            URL(fileURLWithPath: "/tmp/a b"), URL(string: "b", relativeTo: URL(string: "http://a.org/")),
            [Any](), [1, "a", nil] as [Any?], [[1], [[2.5, true]]], Set([3, 1, 20]), Set(["b", "a"]),
            [Set([2, 1]), Set([3])], NSSet(array: ["y", 2]), NSOrderedSet(array: [2, 1]),
            NSArray(array: [Date(timeIntervalSinceReferenceDate: 5)]), Set<Int>(),
        ]
        for constant in constants + distant {
            for predicate in [
                NSPredicate.comparison(NSExpression(forKeyPath: "a"), constant),
                NSPredicate.comparison(
                    NSExpression(forAggregate: [NSExpression(forConstantValue: constant)]), 1),
            ] {
                let again = try NSPredicate(parsing: predicate.formatString)
                #expect(again.isEquivalent(to: predicate), "\(predicate.formatString)")
                #expect(predicate.isEquivalent(to: again), "\(predicate.formatString)")
                #expect(again.hash == predicate.hash, "\(predicate.formatString)")
                #expect(again.formatString == predicate.formatString)
            }
        }
    }

    @Test("A set is equivalent to the list that it prints as")
    func setsAreTheListsThatTheyAreWrittenAs() {
        let set = NSExpression(forConstantValue: Set([1, 2]))
        let others: [(NSExpression, Bool)] = [
            (NSExpression(format: "{1, 2}"), true), (NSExpression(format: "{2, 1}"), false),
            (NSExpression(forConstantValue: [1, 2]), true), (NSExpression(forConstantValue: [2, 1]), false),
            (NSExpression(forConstantValue: NSSet(array: [2, 1])), true),
            (NSExpression(forConstantValue: ["a": 1, "b": 2]), false),
        ]
        for (other, isWritten) in others {
            #expect(set.isEquivalent(to: other) == isWritten, "\(other)")
            #expect(other.isEquivalent(to: set) == isWritten, "\(other)")
        }
        #expect(set == NSExpression(forConstantValue: NSSet(array: [2, 1])))
        #expect(set != NSExpression(forConstantValue: [1, 2]))
    }

    @Test("Long chains of predicates and expressions are substituted and printed")
    func longChainsAreReplacedAndPrinted() {
        let leaf = NSPredicate(format: "a == $x")
        let chain = (0..<20_000).reduce(leaf) { inner, index in
            NSCompoundPredicate(
                type: index.isMultiple(of: 2) ? .and : .or,
                subpredicates: index.isMultiple(of: 3) ? [leaf, inner] : [inner, leaf])
        }
        let text = chain.withSubstitutionVariables(["x": 7]).formatString
        #expect(text.components(separatedBy: "a == 7").count == 20_002)
        #expect(text.components(separatedBy: "(").count == 20_000)
        #expect(!text.contains("$"))
        let sum = (0..<5_000).reduce(NSExpression(forVariable: "x")) { inner, index in
            let name = index.isMultiple(of: 2) ? "add:to:" : "multiply:by:"
            return NSExpression(forFunction: name, arguments: [inner, NSExpression(forVariable: "y")])
        }
        let comparison = NSComparisonPredicate(
            leftExpression: sum, rightExpression: sum, modifier: .direct, type: .equalTo)
        let side = comparison.withSubstitutionVariables(["x": 7]).leftExpression.description
        #expect(side.hasPrefix("(((") && side.contains("(((7 + $y) * $y + $y) * $y + $y) * $y"))
        #expect(side.components(separatedBy: "$y").count == 5_001)
        let short = NSCompoundPredicate(orPredicateWithSubpredicates: [
            NSCompoundPredicate(notPredicateWithSubpredicate: leaf),
            NSCompoundPredicate(andPredicateWithSubpredicates: [leaf, NSPredicate(value: true)]),
        ])
        #expect(
            short.withSubstitutionVariables(["x": 7]).formatString
                == "NOT a == 7 OR (a == 7 AND TRUEPREDICATE)")
    }

    @Test("A predicate has the shape of a comparison, compound, constant or block")
    func shapes() throws {
        guard case .comparison = NSPredicate(format: "a == 1").shape else { return #expect(Bool(false)) }
        guard case .value(true) = NSPredicate(value: true).shape else { return #expect(Bool(false)) }
        guard case .value(false) = NSPredicate(format: "FALSEPREDICATE").shape else {
            return #expect(Bool(false))
        }
        guard case .opaque = NSPredicate(block: { _, _ in true }).shape else { return #expect(Bool(false)) }
        guard case .compound(.not, let parts) = NSPredicate(format: "NOT a == 1").shape else {
            return #expect(Bool(false))
        }
        #expect(parts.count == 1)
    }

    @Test("A copy of a predicate or expression is equal")
    func copies() throws {
        for text in ["a == 1", "a == 1 AND b == 2", "TRUEPREDICATE"] {
            let predicate = try NSPredicate(parsing: text)
            let copy = try #require(predicate.copy() as? NSPredicate)
            #expect(copy.isEqual(predicate))
            #expect(copy.formatString == text)
        }
        let expression = NSExpression(forKeyPath: "a")
        #expect((expression.copy() as? NSExpression) == expression)
    }

    @Test("The property predicateFormat gives the printed predicate")
    func predicateFormatOfOurOwn() {
        // Through a protocol, because Foundation marks the property as deprecated.
        func text(_ predicate: any HasPredicateFormat) -> String { predicate.predicateFormat }
        #expect(text(NSPredicate(format: "a == 1")) == "a == 1")
        #expect(text(NSPredicate(format: "a == 1 OR b == 2")) == "a == 1 OR b == 2")
        #expect(text(NSPredicate(format: "TRUEPREDICATE")) == "TRUEPREDICATE")
        let compound = NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "a == 1"))
        #expect(text(compound.structuralCopy()) == "NOT a == 1")
    }

    @Test("Substitution replaces known variables, but not iterators of subqueries")
    func substitution() throws {
        let template = NSPredicate(
            format: "a == $x AND (b IN {$x, $y} OR NOT SUBQUERY(c, $x, $x == $y).@count > $n) AND d.e == $x.f"
        )
        let predicate = template.withSubstitutionVariables(["x": 1, "n": NSNull(), "z": 9])
        #expect(
            predicate.formatString
                == "a == 1 AND (b IN {1, $y} OR NOT SUBQUERY(c, $x, $x == $y).@count > nil) AND d.e == (1).f")
        #expect(template.formatString.contains("$n"))
        let inserted = NSPredicate(format: "a == $x").withSubstitutionVariables([
            "x": NSExpression(forKeyPath: "b")
        ])
        #expect(inserted.formatString == "a == b")
        let complete = NSPredicate(format: "a == $x").withSubstitutionVariables(["x": "text"])
        #expect(complete.evaluate(with: ["a": "text"]))
    }

    @Test("Substitution reaches every kind of expression")
    func substitutionReachesEverywhere() throws {
        let text =
            "($y := $x) == abs:($x) AND FUNCTION($x, \"b:\", $x) == TERNARY($x == 1, $x, $x) AND {$x} UNION $x == $x[$x]"
        let template = NSPredicate(format: text)
        #expect(template.formatString == text)
        let predicate = template.withSubstitutionVariables(["x": 7])
        #expect(!predicate.formatString.contains("$x"))
        let compound: NSCompoundPredicate = NSCompoundPredicate(andPredicateWithSubpredicates: [template])
        #expect(compound.withSubstitutionVariables(["x": 7]).formatString == "(\(predicate.formatString))")
        let block = NSExpression(
            block: { _, arguments, _ in arguments.count }, arguments: [NSExpression(forVariable: "x")])
        #expect(
            block.replacing(["x": NSExpression(forConstantValue: 7)]).arguments?.first?.constantValue as? Int
                == 7)
        #expect(NSPredicate(value: true).withSubstitutionVariables(["x": 1]).formatString == "TRUEPREDICATE")
    }
}

extension NSPredicate {
    /// A key, or another expression, compared with a constant.
    fileprivate static func comparison(_ left: NSExpression, _ constant: Any?) -> NSPredicate {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: NSExpression(forConstantValue: constant),
            modifier: .direct,
            type: .equalTo)
    }
}

/// Gives the deprecated property of Foundation another way in.
private protocol HasPredicateFormat {
    var predicateFormat: String { get }
}

extension NSPredicate: HasPredicateFormat {}

/// Random predicates of everything that has a text.
private struct RandomPredicates {
    private var generator: SeededNumbers

    init(seed: UInt64) { generator = Fuzzing.numbers(seed: seed) }

    mutating func predicate(depth: Int) -> NSPredicate {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0...3: return comparison(depth: depth)
        case 4: return NSPredicate(value: Bool.random(using: &generator))
        case 5: return NSCompoundPredicate(notPredicateWithSubpredicate: predicate(depth: depth - 1))
        case 6:
            return NSCompoundPredicate(andPredicateWithSubpredicates: [
                predicate(depth: depth - 1), predicate(depth: depth - 1),
            ])
        default:
            return NSCompoundPredicate(
                orPredicateWithSubpredicates: (0...2).map { _ in predicate(depth: depth - 1) })
        }
    }

    private mutating func comparison(depth: Int) -> NSPredicate {
        let types: [NSComparisonPredicate.Operator] = [
            .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo, .like,
            .matches, .beginsWith,
            .endsWith, .in, .contains, .between,
        ]
        let type = pick(types)
        return NSComparisonPredicate(
            leftExpression: expression(depth: depth),
            rightExpression: type == .matches
                ? NSExpression(forConstantValue: "a.*") : expression(depth: depth),
            modifier: pick([.direct, .any, .all]), type: type,
            options: NSComparisonPredicate.Options(rawValue: UInt.random(in: 0...31, using: &generator)))
    }

    private mutating func expression(depth: Int) -> NSExpression {
        let next = depth - 1
        switch Int.random(in: 0..<(depth > 0 ? 16 : 6), using: &generator) {
        case 0:
            return NSExpression(
                forKeyPath: pick([
                    "a", "a.b", "in", "a.first", "a b.c", "größe", "@count", "a.@sum.b", "self", "x.and",
                ]))
        case 1, 2:
            let constants: [Any?] = [
                1, -1, 2.5, -0.0, 1e-300, true, nil, "", "a\"b\\\n\u{7}\u{301}",
                Date(timeIntervalSinceReferenceDate: -1.25), UUID(), Data([0, 255]),
                Decimal(string: "-12.345") as Any, UInt64.max, Int.min, Double.infinity, Double.nan,
                [1, "x"], [[Int]()], URL(string: "a:b") as Any,
            ]
            return NSExpression(forConstantValue: pick(constants))
        case 3: return NSExpression(forVariable: pick(["x", "y_1"]))
        case 4: return .expressionForEvaluatedObject()
        case 5: return .expressionForAnyKey()
        case 6...9:
            let name = pick([
                "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "raise:toPower:", "modulus:by:",
                "objectFrom:withIndex:",
            ])
            return NSExpression(
                forFunction: name, arguments: [expression(depth: next), expression(depth: next)])
        case 10:
            return NSExpression(
                forAggregate: (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    expression(depth: next)
                })
        case 11: return NSExpression(forUnionSet: expression(depth: next), with: expression(depth: next))
        case 12:
            return NSExpression(
                forSubquery: expression(depth: next), usingIteratorVariable: "i",
                predicate: predicate(depth: next))
        case 13:
            return NSExpression(
                forConditional: predicate(depth: next), trueExpression: expression(depth: next),
                falseExpression: expression(depth: next))
        case 14:
            return NSExpression(
                forFunction: expression(depth: next), selectorName: "foo:",
                arguments: [expression(depth: next)])
        default:
            return NSExpression(
                forFunction: pick(["abs:", "uppercase:", "sum:"]), arguments: [expression(depth: next)])
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &generator)]
    }
}
