import CocoaFoundation
import Testing

/// Each function of expressions.
@Suite struct FunctionExpressionTests {
    @Test(
        "A function or operator gives its result",
        arguments: [
            ("sum:({1, 2, 3})", "6"), ("sum:(1, 2, 3)", "6"), ("sum({1.5, 2})", "3.5"), ("sum:({})", "0"),
            ("sum:(5)", "5"),
            ("count:({1, 2})", "2"), ("count:({})", "0"), ("count:(1, 2, 3)", "3"), ("min:({3, 1, 2})", "1"),
            ("max:({3, 1, 2})", "3"), ("max:('a', 'b')", "b"), ("min:({'b', 'a'})", "a"),
            ("average:({1, 2})", "1.5"),
            ("median:({3, 1, 2})", "2"), ("median:({4, 1, 2, 3})", "2.5"),
            ("mode:({1, 2, 2, 3, 3})", "[2, 3]"),
            ("mode:({1, 1.0, 2})", "[1]"), ("stddev:({2, 4, 4, 4, 5, 5, 7, 9})", "2.0"),
            ("sum:({1, nil, 2})", "3"),
            ("add:to:(1, 2)", "3"), ("1 + 2.5", "3.5"), ("from:subtract:(5, 3)", "2"), ("5 - 7", "-2"),
            ("multiply:by:(2, 3)", "6"), ("divide:by:(7, 2)", "3"), ("divide:by:(7, 2.0)", "3.5"),
            ("-7 / 2", "-3"), ("6 / 2", "3"), ("7 %% 3", "1"),
            ("-7 %% 3", "-1"),
            ("modulus:by:(7.5, 2)", "1.5"), ("2 ** 10", "1024.0"),
            ("raise:toPower:(2, 0.5)", "1.4142135623730951"),
            ("sqrt:(16)", "4.0"), ("log:(1000)", "3.0"), ("ln:(1)", "0.0"), ("exp:(0)", "1.0"),
            ("exp:(1e9)", "inf"),
            ("floor:(1.7)", "1.0"),
            ("floor:(-1.2)", "-2.0"), ("ceiling:(1.2)", "2.0"), ("ceiling:(3)", "3"),
            ("trunc:(-1.7)", "-1.0"),
            ("abs:(-3)", "3"),
            ("abs:(-1.5)", "1.5"), ("abs:(-9223372036854775808)", "9.223372036854776e+18"),
            ("9223372036854775807 + 1", "9.223372036854776e+18"), ("2 + 3 * 4 - 1", "13"),
            ("(2 + 3) * 4", "20"),
            ("10 - 2 - 3", "5"), ("-(2 + 3)", "-5"), ("2 * -3", "-6"), ("100 / 10 / 2", "5"),
            ("uppercase:('straße')", "STRASSE"), ("lowercase:('ÀB')", "àb"), ("canonical:('Ünï')", "uni"),
            ("length:('größe')", "5"), ("length:('😀')", "2"),
            ("bitwiseAnd:with:(12, 10)", "8"), ("bitwiseOr:with:(12, 10)", "14"),
            ("bitwiseXor:with:(12, 10)", "6"),
            ("leftshift:by:(1, 4)", "16"), ("rightshift:by:(16, 2)", "4"), ("onesComplement:(0)", "-1"),
            ("leftshift:by:(1, 200)", "0"), ("noindex:(3)", "3"),
            ("CAST(3, 'NSString')", "3"), ("CAST('12', 'NSNumber') + 1", "13"),
            ("CAST('1.5', 'NSNumber')", "1.5"),
            ("CAST(CAST(5, 'NSDate'), 'NSNumber')", "5.0"), ("CAST(1.5, 'NSDecimalNumber') + 1", "2.5"),
            ("CAST(2.5, 'NSString')", "2.5"), ("CAST(-1 * 0.0, 'NSString')", "0"),
            ("CAST('-1.25e2', 'NSDecimalNumber')", "-125"),
            ("CAST('0.1', 'NSDecimalNumber') + 0.2", "0.3"),
            ("CAST(CAST(60, 'NSDate') - 30, 'NSDate')", "2001-01-01 00:00:30 +0000"),
            ("{1, 2, 3}[0]", "1"), ("{1, 2, 3}[LAST]", "3"), ("{1, 2, 3}[FIRST]", "1"),
            ("{1, 2, 3}[SIZE]", "3"),
            ("{1, 2, 3}[1 + 1]", "3"), ("{{1, 2}, {3}}[0][1]", "2"),
            ("{1, 2} UNION {2, 3}", "[1, 2, 3]"), ("{1, 2} INTERSECT {2, 3}", "[2]"),
            ("{1, 2} MINUS {2, 3}", "[1]"),
            ("{1, 1} UNION {}", "[1]"), ("{1} UNION {2} MINUS {1}", "[2]"),
            ("TERNARY(1 < 2, 'a', 'b')", "a"), ("TERNARY(1 > 2, 'a', 'b')", "b"),
            ("FUNCTION('abc', 'uppercaseString')", "ABC"), ("FUNCTION('abc', 'hasPrefix:', 'a')", "1"),
            ("FUNCTION('abc', 'hasSuffix:', 'a')", "0"), ("FUNCTION('abc', 'containsString:', 'b')", "1"),
            ("FUNCTION('a', 'stringByAppendingString:', 'b')", "ab"),
            ("FUNCTION('a,b', 'componentsSeparatedByString:', ',')", "[\"a\", \"b\"]"),
            ("FUNCTION({1, 2}, 'count')", "2"), ("FUNCTION({1, 2}, 'lastObject')", "2"),
            ("FUNCTION({1, 2}, 'objectAtIndex:', 1)", "2"),
            ("FUNCTION({1, 2}, 'containsObject:', 2.0)", "1"), ("FUNCTION(1, 'compare:', 2)", "-1"),
            ("FUNCTION('a', 'isEqual:', 'a')", "1"), ("FUNCTION('abc', 'length')", "3"),
            ("FUNCTION(CAST(5, 'NSDate'), 'dateByAddingTimeInterval:', 10) - 0", "15.0"),
            ("FUNCTION(CAST(5, 'NSDate'), 'timeIntervalSinceDate:', CAST(2, 'NSDate'))", "3.0"),
            ("$x := 3", "3"),
        ])
    func result(_ text: String, _ expected: String) throws {
        let value = try #require(try value(text), "\(text)")
        #expect("\(value)" == expected, "\(text)")
    }

    @Test(
        "A function without a result gives nil",
        arguments: [
            "1 / 0", "1 %% 0", "1.5 %% 0", "sqrt:(-1)", "ln:(-1)", "abs:(nil)", "1 + nil", "nil + 1",
            "uppercase:(nil)", "length:(nil)",
            "sum:(nil)", "average:({})", "median:({})", "max:({})", "min:({nil})", "stddev:({})", "{1}[5]",
            "{1}[-1]", "{}[FIRST]",
            "nil[0]", "nil UNION {1}", "CAST(nil, 'NSString')", "CAST('x', 'NSNumber')",
            "CAST('x', 'NSUUID')",
            "FUNCTION(nil, 'length')",
            "CAST({1}, 'NSNumber')", "CAST('12abc', 'NSDecimalNumber')", "CAST('', 'NSDecimalNumber')",
            "CAST('inf', 'NSDecimalNumber')", "CAST('0x1', 'NSDecimalNumber')", "noindex:(nil)",
            "max:({CAST('nan', 'NSNumber')}) + 1",
            "distanceToLocation:fromLocation:(nil, nil)", "CAST('1', 'NSDecimalNumber') / 0",
            "CAST(CAST('1', 'NSUUID'), 'NSString')",
        ])
    func noValue(_ text: String) throws {
        #expect(try value(text) == nil)
    }

    @Test(
        "A function with arguments of the wrong type throws",
        arguments: [
            "1 + 'a'", "abs:('x')", "uppercase:(1)", "sum:({'a'})", "max:({1, 'a'})", "1[0]", "{1}['a']",
            "canonical:({1})",
            "distanceToLocation:fromLocation:(1, 2)", "1 UNION {2}",
        ])
    func wrongArguments(_ text: String) throws {
        let expression = try NSExpression(parsing: text)
        #expect { try expression.value(with: nil) } throws: {
            ($0 as? PredicateEvaluationError)?.cause != nil
        }
    }

    @Test("Decimals are calculated exactly")
    func decimals() throws {
        let price = Decimal(string: "0.1") ?? 0
        let object = ["price": price]
        #expect(try value("price + price + price", object) as? Decimal == Decimal(string: "0.3"))
        #expect(try value("price * 3", object) as? Decimal == Decimal(string: "0.3"))
        #expect(try value("price / 4", object) as? Decimal == Decimal(string: "0.025"))
        #expect(try value("price - 1.1", object) as? Decimal == -1)
        #expect(try value("abs:(0 - price)", object) as? Decimal == price)
        #expect(try value("floor:(price)", object) as? Decimal == 0)
        #expect(try value("ceiling:(price)", object) as? Decimal == 1)
        #expect(try value("trunc:(0 - price)", object) as? Decimal == 0)
        #expect(try holds("price == 0.1 AND price * 3 == 0.3", object))
    }

    @Test("The current time and random numbers are in their ranges")
    func nowAndRandom() throws {
        let before = Date()
        let now = try #require(try value("now()") as? Date)
        #expect(now >= before && now <= Date())
        #expect(try holds("now() - 60 < %@ AND %@ < now() + 60", nil, before, before))
        for _ in 0..<50 {
            let random = try #require(try value("random()") as? Double)
            #expect((0..<1).contains(random))
            let die = try #require(try value("randomn:(6)") as? Int)
            #expect((0..<6).contains(die))
        }
        #expect(try value("randomn:(0)") as? Int == 0)
    }

    @Test("The distance between two locations is in metres")
    func distance() throws {
        let indexedChange = [
            "berlin": ["latitude": 52.52, "longitude": 13.405],
            "paris": ["latitude": 48.8566, "longitude": 2.3522],
        ]
        let metres = try #require(
            try value("distanceToLocation:fromLocation:(berlin, paris)", indexedChange) as? Double)
        #expect(abs(metres - 877_464) < 500)
    }

    @Test("An object may implement functions of its own")
    func objectsAnswerForThemselves() throws {
        struct Greeter: FunctionResponding {
            func result(ofFunction name: String, arguments: [Any?]) throws -> Any? {
                guard name == "greet:", let name = arguments.first as? String else {
                    throw PredicateFormatArgumentError()
                }
                return "Hello \(name)"
            }
        }
        #expect(try value("FUNCTION(%@, 'greet:', 'Ann')", nil, Greeter()) as? String == "Hello Ann")
        #expect(throws: PredicateFormatArgumentError.self) {
            try value("FUNCTION(%@, 'foo')", nil, Greeter())
        }
    }

    @Test("An unknown function, or one with wrong arguments, throws")
    func unknownFunctionsThrow() throws {
        let unknown = NSExpression(forFunction: "foo:", arguments: [1])
        #expect(throws: PredicateEvaluationError.self) { try unknown.value(with: nil) }
        let wrong = NSExpression(forFunction: "abs:", arguments: [1, 2])
        #expect(throws: PredicateEvaluationError.self) { try wrong.value(with: nil) }
        #expect(throws: PredicateEvaluationError.self) { try value("FUNCTION('a', 'hasPrefix:', 1)") }
        #expect(throws: PredicateEvaluationError.self) { try value("FUNCTION('a', 'hasPrefix:')") }
    }

    private struct PredicateFormatArgumentError: Error {}
}
