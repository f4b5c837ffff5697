import CocoaFoundation
import Testing

/// Each rule, function and option once more, from the text to the value: parsed, printed, read back, evaluated.
@Suite struct GrammarTableTests {
    // MARK: Operators and options

    private static let operators: [(spellings: [String], printed: String, true: String, false: String)] = [
        (["=", "=="], "==", "'Éa'", "'Eb'"), (["!=", "<>"], "!=", "'x'", "'Éa'"),
        (["<"], "<", "'Éb'", "'Éa'"), (["<=", "=<"], "<=", "'Éa'", "'É'"), ([">"], ">", "'É'", "'Éa'"),
        ([">=", "=>"], ">=", "'Éa'", "'Éb'"), (["CONTAINS"], "CONTAINS", "'É'", "'x'"),
        (["BEGINSWITH"], "BEGINSWITH", "'Éa'", "'a'"), (["ENDSWITH"], "ENDSWITH", "'a'", "'É'"),
        (["LIKE"], "LIKE", "'?a'", "'?'"), (["MATCHES"], "MATCHES", "'É.'", "'É'"),
        (["IN"], "IN", "{'Éa', 'x'}", "{'x'}"), (["BETWEEN"], "BETWEEN", "{'É', 'Éz'}", "{'x', 'y'}"),
    ]

    @Test(
        "Every operator is parsed in any case, printed, read back and evaluated",
        arguments: operators.flatMap(\.spellings))
    func operatorsInEveryCase(_ spelling: String) throws {
        let row = try #require(Self.operators.first { $0.spellings.contains(spelling) })
        for word in [spelling, spelling.lowercased(), spelling.capitalized] {
            for (right, expected) in [(row.true, true), (row.false, false)] {
                let predicate = try NSPredicate(parsing: "a \(word) \(right)")
                let printed = predicate.formatString
                #expect(printed == "a \(row.printed) \(right.replacing("'", with: "\""))")
                #expect(try NSPredicate(parsing: printed) == predicate)
                #expect(try predicate.matches(["a": "Éa"]) == expected, "\(printed)")
            }
        }
    }

    private static let optionSets = (0..<32).map { number in
        String("cdnlw".enumerated().filter { number >> $0.offset & 1 == 1 }.map(\.element))
    }

    /// Which operators take options: all but those of lists and bounds.
    @Test(
        "Every operator keeps every combination of options",
        arguments: operators.map(\.printed).filter { $0 != "BETWEEN" }, optionSets)
    func optionsOfEveryOperator(_ name: String, _ options: String) throws {
        let right = name == "IN" ? "{\"x\"}" : "\"x\""
        let suffix = options.isEmpty ? "" : "[\(options)]"
        let predicate = try NSPredicate(parsing: "a \(name)\(suffix.uppercased()) \(right)")
        #expect(predicate.formatString == "a \(name)\(suffix) \(right)")
        #expect(try NSPredicate(parsing: predicate.formatString) == predicate)
        let comparison = try #require(predicate as? NSComparisonPredicate)
        let bits: [Character: UInt] = ["c": 1, "d": 2, "n": 4, "l": 8, "w": 16]
        #expect(comparison.options.rawValue == options.reduce(0) { $0 | (bits[$1] ?? 0) })
    }

    @Test(
        "Options decide how an operator compares strings",
        arguments: [
            ("==", "École", "école", "", false), ("==", "École", "école", "c", true),
            ("==", "École", "école", "d", false), ("==", "École", "Ecole", "d", true),
            ("==", "École", "ecole", "cd", true), ("==", "École", "E\u{301}cole", "", false),
            ("==", "École", "ecole", "n", false), ("==", "ecole", "ecole", "n", true),
            ("==", "École", "ecole", "cdn", false), ("==", "École", "école", "cl", true),
            ("!=", "École", "école", "c", false), ("!=", "École", "ecole", "c", true),
            ("<", "a", "B", "", false), ("<", "a", "B", "c", true), (">", "é", "f", "", true),
            (">", "é", "f", "d", false), ("<=", "A", "a", "c", true), (">=", "a", "A", "c", true),
            ("<", "é", "f", "l", true), (">", "Z", "a", "l", true),
            ("CONTAINS", "une École", "ecole", "cd", true), ("CONTAINS", "une École", "ecole", "c", false),
            ("CONTAINS", "une École", "col", "", true), ("CONTAINS", "une École", "col", "w", false),
            ("CONTAINS", "une École", "une", "w", true), ("BEGINSWITH", "unes", "une", "w", false),
            ("BEGINSWITH", "une x", "UNE", "cw", true), ("ENDSWITH", "x une", "une", "w", true),
            ("ENDSWITH", "xune", "une", "w", false), ("ENDSWITH", "École", "OLE", "c", true),
            ("BEGINSWITH", "École", "ec", "cd", true), ("LIKE", "École", "EC*", "cd", true),
            ("LIKE", "École", "EC*", "c", false), ("LIKE", "École", "?cole", "", true),
            ("MATCHES", "École", "éC.*", "c", true), ("MATCHES", "École", "éC.*", "", false),
            ("MATCHES", "École", "e.*", "cd", true), ("IN", "École", "une ÉCOLE", "c", true),
            ("IN", "École", "une ÉCOLE", "", false),
        ])
    func valuesUnderOptions(
        _ name: String, _ left: String, _ right: String, _ options: String, _ expected: Bool
    ) throws {
        let suffix = options.isEmpty ? "" : "[\(options)]"
        #expect(try holds("%@ \(name)\(suffix) %@", nil, left, right) == expected)
    }

    // MARK: Functions

    /// Each function with the text of a call, what is printed of it, and its value; nil for one that changes.
    private static let functions: [String: (call: String, printed: String, value: String?)] = [
        "sum:": ("sum:(n)", "sum:(n)", "6"), "average:": ("average:(n)", "average:(n)", "2.0"),
        "median:": ("median:(n)", "median:(n)", "2"),
        "mode:": ("mode:({1, 1, 2})", "mode:({1, 1, 2})", "[1]"),
        "stddev:": ("stddev:({2, 4})", "stddev:({2, 4})", "1.0"), "count:": ("count:(n)", "count:(n)", "3"),
        "min:": ("min:(n)", "min:(n)", "1"), "max:": ("max:(n)", "max:(n)", "3"),
        "add:to:": ("add:to:(x, 2)", "x + 2", "7"), "from:subtract:": ("from:subtract:(x, 2)", "x - 2", "3"),
        "multiply:by:": ("multiply:by:(x, 2)", "x * 2", "10"),
        "divide:by:": ("divide:by:(x, 2)", "x / 2", "2"),
        "modulus:by:": ("modulus:by:(x, 2)", "modulus:by:(x, 2)", "1"),
        "raise:toPower:": ("raise:toPower:(x, 2)", "x ** 2", "25.0"),
        "sqrt:": ("sqrt:(4)", "sqrt:(4)", "2.0"),
        "log:": ("log:(100)", "log:(100)", "2.0"), "ln:": ("ln:(1)", "ln:(1)", "0.0"),
        "exp:": ("exp:(0)", "exp:(0)", "1.0"), "floor:": ("floor:(1.5)", "floor:(1.5)", "1.0"),
        "ceiling:": ("ceiling:(1.5)", "ceiling:(1.5)", "2.0"),
        "trunc:": ("trunc:(1.5)", "trunc:(1.5)", "1.0"),
        "abs:": ("abs:(-5)", "abs:(-5)", "5"), "random": ("random()", "random()", nil),
        "randomn:": ("randomn:(1)", "randomn:(1)", "0"), "now": ("now()", "now()", nil),
        "bitwiseAnd:with:": ("bitwiseAnd:with:(x, 4)", "bitwiseAnd:with:(x, 4)", "4"),
        "bitwiseOr:with:": ("bitwiseOr:with:(x, 2)", "bitwiseOr:with:(x, 2)", "7"),
        "bitwiseXor:with:": ("bitwiseXor:with:(x, 4)", "bitwiseXor:with:(x, 4)", "1"),
        "leftshift:by:": ("leftshift:by:(x, 1)", "leftshift:by:(x, 1)", "10"),
        "rightshift:by:": ("rightshift:by:(x, 1)", "rightshift:by:(x, 1)", "2"),
        "onesComplement:": ("onesComplement:(x)", "onesComplement:(x)", "-6"),
        "uppercase:": ("uppercase:(s)", "uppercase:(s)", "ÉA"),
        "lowercase:": ("lowercase:(s)", "lowercase:(s)", "éa"),
        "canonical:": ("canonical:(s)", "canonical:(s)", "ea"), "length:": ("length:(s)", "length:(s)", "2"),
        "noindex:": ("noindex:(s)", "noindex:(s)", "Éa"),
        "castObject:toType:": ("castObject:toType:(x, 'NSString')", "CAST(x, \"NSString\")", "5"),
        "objectFrom:withIndex:": ("objectFrom:withIndex:(n, 1)", "n[1]", "2"),
        "distanceToLocation:fromLocation:": (
            "distanceToLocation:fromLocation:(p, p)", "distanceToLocation:fromLocation:(p, p)", "0.0"
        ),
    ]

    @Test("The table of this test has every function")
    func theTableHasEveryFunction() {
        #expect(Set(Self.functions.keys) == Set(FunctionTable.functions.keys))
    }

    @Test("Every function is parsed, printed, read back and evaluated", arguments: functions.keys.sorted())
    func function(_ name: String) throws {
        let row = try #require(Self.functions[name])
        let object: [String: Any] = [
            "n": [1, 2, 3], "x": 5, "s": "Éa", "p": ["latitude": 1.0, "longitude": 2.0],
        ]
        let expression = try NSExpression(parsing: row.call)
        #expect(expression.description == row.printed)
        #expect(try NSExpression(parsing: row.printed) == expression)
        #expect(expression.function == name)
        let value = try #require(try expression.value(with: object))
        if let expected = row.value { #expect("\(value)" == expected) }
        // As a part of a predicate, too.
        let predicate = try NSPredicate(parsing: "\(row.call) == nil")
        #expect(predicate.formatString == "\(row.printed) == nil")
        #expect(try !predicate.matches(object))
    }

    // MARK: Words

    private static let reservedWords = """
        AND OR IN NOT ALL ANY SOME NONE LIKE MATCHES CONTAINS BEGINSWITH ENDSWITH BETWEEN NULL NIL TRUE YES FALSE NO \
        FIRST LAST SIZE ANYKEY SUBQUERY FETCH CAST TERNARY FUNCTION TRUEPREDICATE FALSEPREDICATE UNION INTERSECT MINUS
        """.split(separator: " ").map(String.init)

    /// A reserved word is a key behind `#`, and printed so that it is read as one again. Not `SELF`: in a key path it is
    /// the object.
    @Test("A reserved word may be a key, and is printed so that it is read as one", arguments: reservedWords)
    func reservedWordsAsKeys(_ word: String) throws {
        for key in [word, word.lowercased()] {
            for text in ["#\(key) == 7", "%K == 7"] {
                let predicate = try NSPredicate(parsing: text, arguments: text.hasPrefix("%") ? [key] : [])
                #expect(try predicate.matches([key: 7]))
                #expect(try !predicate.matches([key: 8]))
                #expect(try NSPredicate(parsing: predicate.formatString) == predicate)
            }
        }
    }

    // MARK: Collection operators

    @Test("The table of this test has every collection operator")
    func theTableHasEveryOperator() {
        let rows = Self.operatorRows.map(\.text)
        for operation in CollectionOperator.allCases {
            #expect(rows.contains { $0.split(separator: ".").contains { $0 == operation.rawValue } })
        }
    }

    private static let operatorRows: [(text: String, printed: String, value: String)] = [
        ("items.@count", "items.@count", "3"), ("items.@sum.v", "items.@sum.v", "6"),
        ("items.@avg.v", "items.@avg.v", "2.0"), ("items.@min.v", "items.@min.v", "1"),
        ("items.@max.v", "items.@max.v", "3"), ("numbers.@sum.self", "numbers.@sum.#self", "4"),
        ("items.@unionOfObjects.w", "items.@unionOfObjects.w", "[9, 9, 8]"),
        ("items.@distinctUnionOfObjects.w", "items.@distinctUnionOfObjects.w", "[9, 8]"),
        ("lists.@unionOfArrays.self", "lists.@unionOfArrays.#self", "[1, 2, 2]"),
        ("lists.@distinctUnionOfArrays.self", "lists.@distinctUnionOfArrays.#self", "[1, 2]"),
        ("items.v", "items.v", "[1, 2, 3]"),
        ("SUBQUERY(items, $i, $i.w == 9).@count", "SUBQUERY(items, $i, $i.w == 9).@count", "2"),
        ("SUBQUERY(items, $i, $i.w == 9).@sum.v", "SUBQUERY(items, $i, $i.w == 9).@sum.v", "3"),
        ("sets.@unionOfSets.self", "sets.@unionOfSets.#self", "[7, 7, 7]"),
        ("sets.@distinctUnionOfSets.self", "sets.@distinctUnionOfSets.#self", "[AnyHashable(7)]"),
    ]

    @Test("Every collection operator is parsed, printed, read back and evaluated", arguments: operatorRows)
    func collectionOperators(_ text: String, _ printed: String, _ expected: String) throws {
        let object: [String: Any] = [
            "items": [["v": 1, "w": 9], ["v": 2, "w": 9], ["v": 3, "w": 8]], "numbers": [1, 3],
            "lists": [[1, 2], [2]], "sets": [Set([7]), Set([7]), Set([7])],
        ]
        let expression = try NSExpression(parsing: text)
        #expect(expression.description == printed)
        #expect(try NSExpression(parsing: printed) == expression)
        #expect("\(try #require(try expression.value(with: object)))" == expected)
    }
}
