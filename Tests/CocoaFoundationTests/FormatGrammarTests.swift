import CocoaFoundation
import Testing

typealias NSExpression = CocoaFoundation.NSExpression
typealias NSComparisonPredicate = CocoaFoundation.NSComparisonPredicate

/// What the parser makes of each rule of the grammar, told by the printed form.
@Suite struct FormatGrammarTests {
    @Test(arguments: [
        ("a == 1", "a == 1"),
        ("a = 1", "a == 1"),
        ("a <> 1", "a != 1"),
        ("a =< 1", "a <= 1"),
        ("a => 1", "a >= 1"),
        ("(a == 1)", "a == 1"),
        ("a == 1 && b == 2 || ! c == 3", "(a == 1 AND b == 2) OR NOT c == 3"),
        ("a == 1 AND b == 2 AND c == 3", "a == 1 AND b == 2 AND c == 3"),
        ("a == 1 AND (b == 2 AND c == 3)", "a == 1 AND (b == 2 AND c == 3)"),
        ("NOT x IN y", "NOT x IN y"),
        ("NONE tags.name == 'x'", "NOT ANY tags.name == \"x\""),
        ("SUBQUERY(items, $x, $x.a > 1 AND $x.b == 2).@count > 0",
            "SUBQUERY(items, $x, $x.a > 1 AND $x.b == 2).@count > 0"),
    ])
    func prints(_ text: String, _ printed: String) throws {
        #expect(try NSPredicate(parsing: text).formatString == printed)
    }
}
