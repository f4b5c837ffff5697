import CocoaFoundation
import Testing

/// What the parser makes of each rule of the grammar, shown by the printed form.
@Suite struct FormatGrammarTests {
    @Test(
        "A predicate prints in its canonical form",
        arguments: [
            // Operators and their synonyms
            ("a == 1", "a == 1"), ("a = 1", "a == 1"), ("a != 1", "a != 1"), ("a <> 1", "a != 1"),
            ("a < 1", "a < 1"), ("a <= 1", "a <= 1"), ("a =< 1", "a <= 1"), ("a > 1", "a > 1"),
            ("a >= 1", "a >= 1"), ("a => 1", "a >= 1"), ("a==1", "a == 1"), ("a\n==\t1", "a == 1"),
            ("a contains 'x'", "a CONTAINS \"x\""), ("a BeginsWith 'x'", "a BEGINSWITH \"x\""),
            ("a ENDSWITH 'x'", "a ENDSWITH \"x\""), ("a LIKE 'x'", "a LIKE \"x\""),
            ("a MATCHES 'x'", "a MATCHES \"x\""), ("a IN b", "a IN b"), ("a in {1, 2}", "a IN {1, 2}"),
            ("a BETWEEN {1, 2}", "a BETWEEN {1, 2}"), ("a IN {}", "a IN {}"),
            // Options
            ("a ==[c] 'x'", "a ==[c] \"x\""), ("a CONTAINS[cd] 'x'", "a CONTAINS[cd] \"x\""),
            ("a CONTAINS [DC] 'x'", "a CONTAINS[cd] \"x\""), ("a LIKE[n] 'x'", "a LIKE[n] \"x\""),
            ("a <[cdnlw] 'x'", "a <[cdnlw] \"x\""),
            // Logic
            ("(a == 1)", "a == 1"), ("TRUEPREDICATE", "TRUEPREDICATE"), ("falsepredicate", "FALSEPREDICATE"),
            ("a == 1 AND b == 2", "a == 1 AND b == 2"), ("a == 1 && b == 2", "a == 1 AND b == 2"),
            ("a == 1 or b == 2", "a == 1 OR b == 2"), ("a == 1 || b == 2", "a == 1 OR b == 2"),
            ("NOT a == 1", "NOT a == 1"), ("!a == 1", "NOT a == 1"), ("not not a == 1", "NOT (NOT a == 1)"),
            ("a == 1 AND b == 2 AND c == 3", "a == 1 AND b == 2 AND c == 3"),
            ("a == 1 OR b == 2 AND c == 3", "a == 1 OR (b == 2 AND c == 3)"),
            ("a == 1 AND b == 2 OR c == 3", "(a == 1 AND b == 2) OR c == 3"),
            ("a == 1 AND (b == 2 OR c == 3)", "a == 1 AND (b == 2 OR c == 3)"),
            ("a == 1 AND (b == 2 AND c == 3)", "a == 1 AND (b == 2 AND c == 3)"),
            ("NOT a == 1 AND b == 2", "NOT a == 1 AND b == 2"),
            ("NOT (a == 1 AND b == 2)", "NOT (a == 1 AND b == 2)"),
            ("NOT x IN y", "NOT x IN y"), ("((a)) == ((1))", "a == 1"),
            // Collections on the left
            ("ANY a.b == 1", "ANY a.b == 1"), ("SOME a.b == 1", "ANY a.b == 1"),
            ("all a.b == 1", "ALL a.b == 1"),
            ("NONE a.b == 1", "NOT ANY a.b == 1"), ("NOT ANY a.b == 1", "NOT ANY a.b == 1"),
            ("ANY (a.b) IN {1}", "ANY a.b IN {1}"), ("NOT NONE a.b == 1", "NOT (NOT ANY a.b == 1)"),
        ])
    func printsPredicate(_ text: String, _ printed: String) throws {
        #expect(try NSPredicate(parsing: text).formatString == printed)
    }

    @Test(
        "An expression prints in its canonical form",
        arguments: [
            // Atoms
            ("a", "a"), ("a.b.c", "a.b.c"), ("a . b", "a.b"), ("größe.straße", "größe.straße"),
            ("_a1", "_a1"),
            ("SELF", "SELF"), ("self.a", "a"), ("SELF.a.b", "a.b"), ("$x", "$x"), ("$x.a.b", "$x.a.b"),
            ("nil", "nil"), ("NULL", "nil"), ("TRUE", "1"), ("yes", "1"), ("FALSE", "0"), ("No", "0"),
            ("ANYKEY", "ANYKEY"), ("#max", "max"), ("#and", "#and"), ("a.#and.b", "a.#and.b"),
            ("a.first", "a.#first"), ("size", "#size"), ("\"abc\".length", "\"abc\".length"),
            ("@count", "@count"), ("a.@count", "a.@count"), ("a.@sum.b.c", "a.@sum.b.c"),
            ("(a.b).c", "a.b.c"), ("(1).description", "(1).description"),
            // Aggregates and indexes
            ("{}", "{}"), ("{1, 'a', b}", "{1, \"a\", b}"), ("{{1}, {2}}", "{{1}, {2}}"),
            ("a[0]", "a[0]"), ("a[FIRST]", "a[FIRST]"), ("a[last].b", "a[LAST].b"), ("a[SIZE]", "a[SIZE]"),
            ("a['key']", "a[\"key\"]"), ("a[b + 1]", "a[b + 1]"), ("a[first + 1]", "a[#first + 1]"),
            ("a[0][1]", "a[0][1]"), ("{1, 2}[0]", "{1, 2}[0]"),
            // Arithmetic
            ("1 + 2", "1 + 2"), ("a - b - c", "a - b - c"), ("a - (b - c)", "a - (b - c)"),
            ("a + b * c", "a + b * c"), ("(a + b) * c", "(a + b) * c"), ("a * b ** c", "a * b ** c"),
            ("(a * b) ** c", "(a * b) ** c"), ("a ** b ** c", "a ** b ** c"),
            ("a ** (b ** c)", "a ** (b ** c)"),
            ("a / b / c", "a / b / c"), ("-a", "-1 * a"), ("--a", "a"), ("-1", "-1"), ("- 1.5", "-1.5"),
            ("a - -1", "a - -1"), ("2 ** -1", "2 ** -1"), ("-2 ** 2", "-2 ** 2"),
            ("a %% 3", "modulus:by:(a, 3)"),
            ("-9223372036854775808", "-9223372036854775808"),
            // Sets
            ("a UNION b", "a UNION b"), ("a intersect b", "a INTERSECT b"), ("a MINUS b", "a MINUS b"),
            ("a UNION (b MINUS c)", "a UNION (b MINUS c)"), ("a UNION b MINUS c", "a UNION b MINUS c"),
            ("{1} UNION {2 + 3}", "{1} UNION {2 + 3}"),
            // Calls
            ("now()", "now()"), ("now ( )", "now()"), ("uppercase:(a)", "uppercase:(a)"),
            ("uppercase(a)", "uppercase:(a)"),
            ("add:to:(a, b)", "a + b"), ("from:subtract:(a, b)", "a - b"), ("sum:({1, 2})", "sum:({1, 2})"),
            ("sum(1, 2, 3)", "sum:(1, 2, 3)"), ("bitwiseAnd:with:(a, 1)", "bitwiseAnd:with:(a, 1)"),
            ("objectFrom:withIndex:(a, 0)", "a[0]"), ("raise:toPower:(a, 2)", "a ** 2"),
            ("SUBQUERY(a, $x, $x.b == 1)", "SUBQUERY(a, $x, $x.b == 1)"),
            ("SUBQUERY(a, $x, $x.b > 1 AND c == 2).@count", "SUBQUERY(a, $x, $x.b > 1 AND c == 2).@count"),
            ("FUNCTION(a, 'hasPrefix:', 'x')", "FUNCTION(a, \"hasPrefix:\", \"x\")"),
            ("FUNCTION(a, 'uppercaseString')", "FUNCTION(a, \"uppercaseString\")"),
            ("FUNCTION(SELF, 'valueForKeyPath:', 'a.b')", "a.b"),
            ("FUNCTION($x, 'valueForKey:', 'a')", "$x.a"),
            ("CAST(a, 'NSString')", "CAST(a, \"NSString\")"), ("CAST(1, 'NSString')", "\"1\""),
            ("CAST(0, 'NSDate')", "CAST(0.0, \"NSDate\")"),
            ("TERNARY(a == 1, b, c)", "TERNARY(a == 1, b, c)"),
            ("TERNARY(a == 1 OR b == 2, 'x', nil)", "TERNARY(a == 1 OR b == 2, \"x\", nil)"),
            ("$x := a + 1", "$x := a + 1"), ("($x := a) + 1", "($x := a) + 1"),
        ])
    func printsExpression(_ text: String, _ printed: String) throws {
        #expect(try NSExpression(parsing: text).description == printed)
    }

    @Test("A comparison may assign a variable that the next one uses")
    func assignmentInComparison() throws {
        let predicate = try NSPredicate(parsing: "($x := a) > 1 AND $x < 5")
        #expect(predicate.formatString == "($x := a) > 1 AND $x < 5")
        #expect(try predicate.matches(["a": 3]))
        #expect(try !predicate.matches(["a": 7]))
    }

    @Test("Keywords are recognized in any case")
    func keywordsAreFoundInAnyCase() throws {
        let predicate = try NSPredicate(parsing: "aNy x.y cOnTaInS[C] 'z' aNd nOt TrUePrEdIcAtE")
        #expect(predicate.formatString == "ANY x.y CONTAINS[c] \"z\" AND NOT TRUEPREDICATE")
    }

    @Test("Keywords have ASCII letters only, so similar names are keys")
    func keywordsAreOfASCIILetters() throws {
        // The capital of "ı" is "I", and that of "ſ" is "S".
        #expect(try NSPredicate(parsing: "ın == 1 AND ſelf == 2").formatString == "ın == 1 AND ſelf == 2")
        #expect(try holds("ın == 1 AND ſelf == 2", ["ın": 1, "ſelf": 2]))
    }

    @Test("A parsed comparison has its modifier, operator, options and operands")
    func structureOfComparison() throws {
        let predicate = try #require(
            try NSPredicate(parsing: "ANY author.name BEGINSWITH[cd] $prefix") as? NSComparisonPredicate)
        #expect(predicate.comparisonPredicateModifier == .any)
        #expect(predicate.predicateOperatorType == .beginsWith)
        #expect(predicate.options == [.caseInsensitive, .diacriticInsensitive])
        #expect(predicate.leftExpression.expressionType == .keyPath)
        #expect(predicate.leftExpression.keyPath == "author.name")
        #expect(predicate.rightExpression.expressionType == .variable)
        #expect(predicate.rightExpression.variable == "prefix")
    }

    @Test("A parsed conjunction has its subpredicates in one list")
    func structureOfCompound() throws {
        let predicate = try #require(
            try NSPredicate(parsing: "a == 1 AND b == 2 AND NOT c == 3") as? NSCompoundPredicate)
        #expect(predicate.compoundPredicateType == .and)
        #expect(predicate.subpredicates.count == 3)
        let last = try #require(predicate.subpredicates.last as? NSCompoundPredicate)
        #expect(last.compoundPredicateType == .not)
    }

    @Test("A fetch expression without Core Data is an error")
    func fetchNeedsCoreData() async {
        // In a process of its own, because a model that another test makes installs how to fetch.
        await #expect(processExitsWith: .success) {
            precondition(
                formatError("x IN FETCH(a, b, NO)")?.reason.contains("has used Core Data") == true)
        }
    }
}
