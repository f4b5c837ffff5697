import CocoaFoundation
import Testing

/// Where mistakes are noticed, and what is said about them.
@Suite struct FormatErrorTests {
    @Test(
        "An error of the format reports column and reason",
        arguments: [
            ("", 1, "Expected a value and found the end."),
            ("   ", 4, "Expected a value and found the end."),
            ("a", 1, "Expected a condition and found a value."),
            ("a ==", 5, "Expected a value and found the end."),
            ("a == == 1", 6, "Expected a value and found \"==\"."),
            ("a == 1 b", 8, "Expected the end of the text and found \"b\"."),
            ("(a == 1", 8, "Expected \")\" and found the end."),
            ("a == 1)", 7, "Expected the end of the text and found \")\"."),
            ("a == 1 AND", 11, "Expected a value and found the end."),
            ("a AND b", 1, "Expected a condition and found a value."),
            ("a == 1 AND b", 12, "Expected a condition and found a value."),
            ("a == (b == 1)", 7, "Expected a value and found a condition."),
            ("a < b < c", 1, "Expected a value and found a condition."),
            ("NOT a", 5, "Expected a condition and found a value."),
            ("a == NOT b", 6, "NOT cannot precede a value."),
            ("ANY a", 6, "Expected a comparison and found the end."),
            ("ANY a AND b == 1", 7, "Expected a comparison and found \"AND\"."),
            ("1 == ANY a", 6, "\"ANY\" cannot precede a value."),
            ("a == 'b", 6, "The string is not closed."),
            ("a == \"b\\\"", 6, "The string is not closed."),
            ("a == '\\u12'", 7, "The escape needs four hexadecimal digits."),
            ("a == '\\uD83D'", 7, "The escape is half of a character."),
            ("a == '\\x'", 7, "The escape has no digits."),
            ("a == 12abc", 6, "A number is followed by a letter."),
            ("a == 0x", 6, "The number has no digits."),
            ("a == 0x10000000000000000", 6, "The number has more than 64 bits."),
            ("a == 1e999", 6, "The number is too large."),
            ("a == 1e", 6, "A number is followed by a letter."),
            ("a ? b", 3, "Unexpected character \"?\"."),
            ("größe ☃ 1", 7, "Unexpected character \"☃\"."),
            ("a ~ b", 3, "Unexpected character \"~\"."),
            ("a ==[x] 'b'", 6, "There is no option \"x\"; known are c, d, n, l and w."),
            ("a ==[] 'b'", 6, "Expected options such as [cd] and found \"]\"."),
            ("a ==[c 'b'", 8, "Expected \"]\" and found a string."),
            ("a. == 1", 4, "Expected a key and found \"==\"."),
            ("a[ == 1", 4, "Expected a value and found \"==\"."),
            ("a[0 == 1", 5, "Expected \"]\" and found \"==\"."),
            ("a IN {1, 2", 11, "Expected \"}\" and found the end."),
            ("a IN (1, 2)", 8, "Expected \")\" and found \",\"."),
            ("a IN {1,}", 9, "Expected a value and found \"}\"."),
            ("in == 1", 1, "\"in\" is an operator; a key of that name is written #in."),
            ("# == 1", 1, "A name is missing after \"#\"."),
            ("$ == 1", 1, "A name is missing after \"$\"."),
            ("a.@ == 1", 3, "A name is missing after \"@\"."),
            ("foo:(a) == 1", 1, "There is no function foo:."),
            ("abs:(a, b) == 1", 1, "The function abs: takes 1 argument, but got 2."),
            ("now(1) == 1", 1, "The function now takes 0 arguments, but got 1."),
            ("abs: == 1", 6, "Expected \"(\" after the function abs: and found \"==\"."),
            ("add:to:(1, a == 2) == 1", 14, "Expected \")\" and found \"==\"."),
            ("SUBQUERY(a, x, b == 1).@count == 1", 13, "Expected a variable such as $x and found \"x\"."),
            ("SUBQUERY(a, $x, b) == 1", 17, "Expected a condition and found a value."),
            ("FUNCTION(a) == 1", 1, "FUNCTION needs a receiver and the name of a method as a string."),
            ("FUNCTION(a, b) == 1", 1, "FUNCTION needs a receiver and the name of a method as a string."),
            ("CAST(a) == 1", 1, "CAST needs a value and the name of a type."),
            ("TERNARY(a, b, c) == 1", 9, "Expected a condition and found a value."),
            ("FETCH(a) == 1", 1, "FETCH needs a fetch request, a context and whether to count."),
            ("a MATCHES '('", 11, "The regular expression \"(\" is not valid."),
            ("a MATCHES 'a)|(b'", 11, "The regular expression \"a)|(b\" is not valid."),
        ])
    func reportsColumnAndReason(_ text: String, _ column: Int, _ reason: String) throws {
        let error = try #require(formatError(text))
        #expect(error.column == column)
        #expect(error.reason == reason)
        #expect(error.format == text)
    }

    @Test("The description of an error shows the format with a caret")
    func showsTheStringWithACaret() throws {
        let error = try #require(formatError("name == == 3"))
        #expect(
            error.description == """
                Unable to parse the format string: Expected a value and found "==". (column 9)
                name == == 3
                        ^
                """)
        #expect(error.errorDescription == error.description)
        #expect(error.localizedDescription == error.description)
    }

    @Test("The description of an error shows the part of a long format around the caret")
    func showsAPartOfALongString() throws {
        let text =
            String(repeating: "a == 1 AND ", count: 40) + "== b " + String(repeating: "OR c == 2 ", count: 40)
        let error = try #require(formatError(text))
        let lines = error.description.split(separator: "\n")
        #expect(error.column == 441)
        #expect(lines.count == 3)
        #expect(lines[1].count <= 74 && lines[1].hasPrefix("…") && lines[1].hasSuffix("…"))
        let caret = try #require(lines[2].firstIndex(of: "^"))
        let column = lines[2].distance(from: lines[2].startIndex, to: caret)
        #expect(lines[1].dropFirst(column).hasPrefix("== b"))
    }

    @Test("A cast to an unknown type reports its column and the name of the type")
    func castOfUnknownType() {
        #expect(formatError("CAST(a, 'NSFoo') == 1")?.column == 9)
        #expect(
            formatError("CAST(a, 'NSFoo') == 1")?.reason.hasPrefix("CAST does not know the type \"NSFoo\"")
                == true)
    }

    @Test("A malformed expression throws an error of the format")
    func expressionsToo() {
        #expect(throws: PredicateFormatError.self) { try NSExpression(parsing: "a == 1") }
        #expect(throws: PredicateFormatError.self) { try NSExpression(parsing: "a +") }
        #expect(throws: PredicateFormatError.self) { try NSExpression(parsing: "1", arguments: [1]) }
    }

    @Test("A malformed format ends the process where errors cannot be thrown")
    func badFormatStopsTheProcess() async {
        await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "a ==") }
        await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "a == %@") }
        await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "a == 1", argumentArray: [1]) }
        await #expect(processExitsWith: .failure) { _ = NSExpression(format: "a +") }
    }

    @Test("The message of a malformed format says why and shows the format")
    func badFormatSaysWhy() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = NSPredicate(format: "name == == 3")
            })
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("Unable to parse the format string"))
        #expect(text.contains("name == == 3"))
    }
}
