import CocoaFoundation
import Testing

/// What each operator says of values of each type.
@Suite struct ComparisonPredicateTests {
    /// Pairs in ascending order.
    static let ascending: [(any Sendable, any Sendable)] = [
        (1, 2), (-1, 0), (1, 1.5), (1.5, 2), (Int64(1), UInt8(2)), (0.5 as Float, 1), (false, true),
        (0, true),
        (Decimal(1), 2), (1, Decimal(string: "1.5") ?? 0), (Decimal(1), 1.5), (1.5, Decimal(2)),
        (Int.max, UInt64.max), (Int.max, Double(Int.max)), (9_007_199_254_740_992.0, 9_007_199_254_740_993),
        (-9_007_199_254_740_993, -9_007_199_254_740_992.0), (1, Double.infinity), (-Double.infinity, Int.min),
        (Decimal(1), 1e300), (-1e300, Decimal(1)), (UInt64.max, 1.9e19),
        ("a", "b"), ("B", "a"), ("", "a"), ("a", "aa"), ("z", "é"), ("\u{FFFD}", "😀"),
        (Date(timeIntervalSinceReferenceDate: 1), Date(timeIntervalSinceReferenceDate: 2)),
        (Date(timeIntervalSinceReferenceDate: 1), 2), (0.5, Date(timeIntervalSinceReferenceDate: 1)),
        (Data([1]), Data([2])), (Data([1]), Data([1, 0])), (Data([127]), Data([128])),
        (uuid(1), uuid(2)), (uuid(127), uuid(128)),
        (URL(string: "https://a.org"), URL(string: "https://b.org")),
    ]

    static func uuid(_ byte: UInt8) -> UUID {
        UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }

    @Test(
        "Comparison operators order numbers, strings, dates, data, UUIDs and URLs",
        arguments: ascending.indices)
    func order(_ index: Int) throws {
        let (low, high) = Self.ascending[index]
        for (format, less, same, more) in [
            ("%@ < %@", true, false, false), ("%@ <= %@", true, true, false),
            ("%@ == %@", false, true, false),
            ("%@ != %@", true, false, true), ("%@ >= %@", false, true, true), ("%@ > %@", false, false, true),
        ] {
            #expect(try holds(format, nil, low, high) == less, "\(low) \(format) \(high)")
            #expect(try holds(format, nil, low, low) == same, "\(low) \(format) \(low)")
            #expect(try holds(format, nil, high, low) == more, "\(high) \(format) \(low)")
        }
        #expect(try holds("%@ BETWEEN %@", nil, low, [low, high]))
        #expect(try !holds("%@ BETWEEN %@", nil, low, [high, high]))
    }

    @Test(
        "Equality follows the types and options of its operands",
        arguments: [
            ("1 == 1.0", true), ("1 == TRUE", true), ("0 == NO", true), ("2 == TRUE", false),
            ("'1' == 1", false),
            ("'a' == 'a'", true), ("'a' == 'A'", false), ("'a' ==[c] 'A'", true), ("'a' !=[c] 'A'", false),
            ("'é' ==[d] 'e'", true), ("'É' ==[cd] 'e'", true), ("'É' ==[d] 'e'", false),
            ("'É' ==[c] 'e'", false),
            ("'a' <[c] 'B'", true), ("'B' <[c] 'a'", false), ("'a' <=[c] 'A'", true), ("'É' >[d] 'D'", true),
            ("'A' ==[cn] 'a'", false), ("{1, 2} == {1, 2}", true), ("{1, 2} == {2, 1}", false),
            ("{1, 2} == {1.0, 2.0}", true), ("{} == {}", true), ("{{1}} == {{1}}", true),
            ("CAST('nan', 'NSNumber') == 1", false), ("CAST('nan', 'NSNumber') < 1", false),
            ("'a' < 1", false), ("'a' > 1", false), ("'a' != 1", true),
        ])
    func equality(_ text: String, _ expected: Bool) throws {
        #expect(try holds(text, nil) == expected)
    }

    @Test(
        "A comparison with nil is false, except for equality with nil",
        arguments: [
            ("nil == nil", true), ("nil != nil", false), ("1 == nil", false), ("nil == 1", false),
            ("1 != nil", true),
            ("nil != 1", true), ("nil < 1", false), ("nil > 1", false), ("1 < nil", false),
            ("nil <= nil", false),
            ("nil BETWEEN {1, 2}", false), ("1 BETWEEN nil", false), ("nil IN {1}", false),
            ("nil IN {nil}", false),
            ("1 IN nil", false), ("nil CONTAINS 'a'", false), ("'a' CONTAINS nil", false),
            ("nil LIKE '*'", false),
            ("nil LIKE nil", false), ("'a' LIKE nil", false), ("nil MATCHES '.*'", false),
            ("nil BEGINSWITH 'a'", false),
            ("nil ENDSWITH ''", false), ("{1} CONTAINS nil", false), ("nil ==[c] 'a'", false),
            ("nil !=[c] 'a'", true),
            ("missing == nil", true), ("missing.further == nil", true),
        ])
    func absentValues(_ text: String, _ expected: Bool) throws {
        #expect(try holds(text, ["a": 1]) == expected)
        #expect(try holds("NOT \(text)", ["a": 1]) == !expected)
    }

    @Test(
        "BETWEEN, IN and CONTAINS compare with the elements of collections",
        arguments: [
            ("1 BETWEEN {1, 3}", true), ("3 BETWEEN {1, 3}", true), ("0 BETWEEN {1, 3}", false),
            ("4 BETWEEN {1, 3}", false),
            ("'b' BETWEEN {'a', 'c'}", true), ("'B' BETWEEN[c] {'a', 'c'}", true),
            ("'B' BETWEEN {'a', 'c'}", false),
            ("2 BETWEEN {3, 1}", false), ("2 BETWEEN {1, nil}", false), ("2 BETWEEN {1 + 0, 1 + 2}", true),
            ("1 IN {1, 2}", true), ("3 IN {1, 2}", false), ("1.0 IN {1}", true), ("1 IN {}", false),
            ("'A' IN {'a'}", false), ("'A' IN[c] {'a'}", true), ("'É' IN[cd] {'x', 'e'}", true),
            ("'ell' IN 'hello'", true), ("'ELL' IN[c] 'hello'", true), ("'x' IN 'hello'", false),
            ("{1, 2} CONTAINS 1", true), ("{1, 2} CONTAINS 3", false), ("{'a'} CONTAINS 'A'", false),
            ("{'a'} CONTAINS[c] 'A'", true), ("{'abc'} CONTAINS 'b'", false),
            ("{{1}, {2}} CONTAINS {2}", true),
            ("{1} IN {{1}, {2}}", true), ("{3} IN {{1}, {2}}", false),
        ])
    func collections(_ text: String, _ expected: Bool) throws {
        #expect(try holds(text, nil) == expected)
    }

    @Test(
        "String operators follow their patterns and options",
        arguments: [
            ("'hello' CONTAINS 'ell'", true), ("'hello' CONTAINS 'ELL'", false),
            ("'hello' CONTAINS[c] 'ELL'", true),
            ("'héllo' CONTAINS[d] 'hel'", true), ("'HÉLLO' CONTAINS[cd] 'hel'", true),
            ("'hello' CONTAINS ''", true),
            ("'hello' BEGINSWITH 'he'", true), ("'hello' BEGINSWITH 'lo'", false),
            ("'Hello' BEGINSWITH[c] 'he'", true),
            ("'hello' ENDSWITH 'lo'", true), ("'hello' ENDSWITH 'he'", false),
            ("'HELLÖ' ENDSWITH[cd] 'lo'", true),
            ("'hello' LIKE 'hello'", true), ("'hello' LIKE 'h*'", true), ("'hello' LIKE '*o'", true),
            ("'hello' LIKE 'h?llo'", true), ("'hello' LIKE 'h?'", false), ("'hello' LIKE 'ell'", false),
            ("'hello' LIKE '*l*l*'", true), ("'hello' LIKE '*'", true), ("'' LIKE '*'", true),
            ("'' LIKE '?'", false),
            ("'hello' LIKE 'HE*'", false), ("'hello' LIKE[c] 'HE*'", true), ("'hé' LIKE[d] 'h?'", true),
            ("'a*b' LIKE 'a\\*b'", true), ("'axb' LIKE 'a\\*b'", false), ("'a?b' LIKE 'a\\?b'", true),
            ("'a\\\\b' LIKE 'a\\\\\\\\b'", true), ("'😀!' LIKE '?!'", true), ("'abcabc' LIKE 'a*c'", true),
            ("'straße' LIKE[c] 'STRASSE'", true), ("'hello' MATCHES 'h.*o'", true),
            ("'hello' MATCHES 'ell'", false),
            ("'ab' MATCHES 'a|ab'", true), ("'HELLO' MATCHES 'hello'", false),
            ("'HELLO' MATCHES[c] 'hello'", true),
            ("'héllo' MATCHES[d] 'hello'", true), ("'a\\nb' MATCHES 'a.b'", false),
            ("'12' MATCHES '\\d+'", true),
            ("'12x' MATCHES '\\d+'", false), ("'a' MATCHES '(?x) a # comment'", true),
            ("'a\\n' MATCHES 'a'", false),
            ("'a.b' MATCHES '\\Qa.b'", true), ("'' MATCHES ''", true), ("'straße' MATCHES '\\w+'", true),
        ])
    func strings(_ text: String, _ expected: Bool) throws {
        #expect(try holds(text, nil) == expected)
    }

    @Test("String operators take URLs as strings")
    func urlsAreStringsToStringOperators() throws {
        let url = URL(string: "https://swift.org/blog")
        #expect(try holds("%@ CONTAINS 'swift'", nil, url))
        #expect(try holds("%@ LIKE 'https:*'", nil, url))
        #expect(try holds("'swift' IN %@", nil, "swift"))
    }

    @Test("IN and equality accept Foundation's collections")
    func collectionsOfFoundation() throws {
        let set: Set = [1, 2]
        #expect(try holds("1 IN %@", nil, set))
        #expect(try holds("1 IN %@", nil, set as NSSet))
        #expect(try holds("1 IN %@", nil, NSOrderedSet(array: [1, 2])))
        #expect(try holds("1 IN %@", nil, [1, 2] as NSArray))
        #expect(try holds("1 IN %@", nil, ["a": 1]))
        #expect(try holds("'a' IN %@", nil, ["x": "a"] as NSDictionary))
        #expect(try !holds("'x' IN %@", nil, ["x": "a"]))
        #expect(try holds("%@ == %@", nil, set, NSSet(array: [2, 1])))
        #expect(try !holds("%@ == %@", nil, set, [1, 2]))
        #expect(try holds("%@ == %@", nil, ["a": 1], ["a": 1.0] as NSDictionary))
        #expect(try !holds("%@ == %@", nil, ["a": 1], ["b": 1]))
    }

    @Test("A right side that varies is evaluated for each object")
    func rightSidesThatVaryAreComparedAnew() throws {
        let predicate = try NSPredicate(parsing: "a IN b AND c LIKE d")
        #expect(try predicate.matches(["a": 1, "b": [1], "c": "xy", "d": "x*"] as [String: Any]))
        #expect(try !predicate.matches(["a": 1, "b": [2], "c": "xy", "d": "x*"] as [String: Any]))
        #expect(try !predicate.matches(["a": 1, "b": [1], "c": "xy", "d": "y*"] as [String: Any]))
    }

    @Test("One predicate with a constant list filters many values")
    func constantsAreComparedOften() throws {
        let thousand = Array(0..<1_000)
        let predicate = try NSPredicate(parsing: "SELF IN %@", arguments: [thousand])
        #expect(try (0..<2_000).filter { try predicate.matches($0) } == thousand)
    }

    @Test(
        "A comparison of values that do not fit throws, and evaluates to false",
        arguments: [
            "1 LIKE 'a'", "1 CONTAINS 'a'", "'a' CONTAINS 1", "1 IN 2", "1 IN 'abc'", "1 MATCHES 'a'",
            "'a' LIKE 1",
            "1 BETWEEN 2", "1 BETWEEN {1}", "1 BETWEEN {1, 2, 3}", "{1} LIKE 'a'",
        ])
    func unsuitableValues(_ text: String) throws {
        let predicate = try NSPredicate(parsing: text)
        #expect { try predicate.matches(nil) } throws: { ($0 as? PredicateEvaluationError)?.cause == .values }
        #expect(!predicate.evaluate(with: nil))
    }

    @Test("An invalid regular expression matches nothing and throws")
    func invalidPatternDoesNotMatch() throws {
        let predicate = NSPredicate(format: "a MATCHES '('")
        #expect(!predicate.evaluate(with: ["a": "("]))
        #expect { try predicate.matches(["a": "("]) } throws: {
            ($0 as? PredicateEvaluationError)?.reason == "The regular expression \"(\" is not valid."
        }
    }

    @Test("A regular expression that takes too long ends with an error")
    func slowPatternEnds() throws {
        let predicate = NSPredicate(format: "SELF MATCHES '(a+)+b'")
        let text = String(repeating: "a", count: 60) + "c"
        let start = ContinuousClock.now
        #expect(!predicate.evaluate(with: text))
        #expect { try predicate.matches(text) } throws: {
            ($0 as? PredicateEvaluationError)?.reason.hasSuffix("takes too long.") == true
        }
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(predicate.evaluate(with: "aaab"))
    }

    @Test("A comparison with a custom selector throws")
    func customSelectorsAreNotSupported() {
        let predicate = NSComparisonPredicate(
            leftExpression: .expressionForEvaluatedObject(), rightExpression: .expressionForEvaluatedObject(),
            modifier: .direct, type: .customSelector)
        #expect(throws: PredicateEvaluationError.self) { try predicate.matches(1) }
    }

    @Test("Operators, modifiers and options have Apple's raw values")
    func rawValuesAreApples() {
        typealias Operator = NSComparisonPredicate.Operator
        let operators: [(Operator, UInt)] = [
            (.lessThan, 0), (.lessThanOrEqualTo, 1), (.greaterThan, 2), (.greaterThanOrEqualTo, 3),
            (.equalTo, 4),
            (.notEqualTo, 5), (.matches, 6), (.like, 7), (.beginsWith, 8), (.endsWith, 9), (.in, 10),
            (.customSelector, 11), (.contains, 99), (.between, 100),
        ]
        for (type, raw) in operators { #expect(type.rawValue == raw) }
        #expect(NSComparisonPredicate.Modifier.direct.rawValue == 0)
        #expect(NSComparisonPredicate.Modifier.all.rawValue == 1)
        #expect(NSComparisonPredicate.Modifier.any.rawValue == 2)
        #expect(NSComparisonPredicate.Options.caseInsensitive.rawValue == 1)
        #expect(NSComparisonPredicate.Options.diacriticInsensitive.rawValue == 2)
        #expect(NSComparisonPredicate.Options.normalized.rawValue == 4)
    }
}
