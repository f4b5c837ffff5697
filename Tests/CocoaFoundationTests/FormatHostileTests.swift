import CocoaFoundation
import TestSupport
import Testing

/// Text that is meant to hold or to crash the process.
@Suite struct FormatHostileTests {
    @Test("100,000 nested parentheses are refused")
    func parentheses() throws {
        let error = try #require(formatError(String(repeating: "(", count: 100_000)))
        #expect(error.reason.contains("nested deeper"))
        let closed =
            String(repeating: "(", count: 100_000) + "a == 1" + String(repeating: ")", count: 100_000)
        #expect(formatError(closed)?.reason.contains("nested deeper") == true)
    }

    @Test(
        "Deep nesting of any construct is refused",
        arguments: [
            "NOT ", "!", "(NOT ", "{", "a[", "a == {", "abs:(", "SUBQUERY(a, $x, ", "TERNARY(", "CAST(",
            "FUNCTION(",
            "$x := ", "a + (", "ANY (", "2 ** -(", "x == 1 AND (", "a.b[c[",
        ])
    func deepNesting(_ piece: String) throws {
        #expect(formatError(String(repeating: piece, count: 100_000 / piece.count)) != nil)
    }

    @Test("A chain of 50,000 operators is refused", arguments: ["+ a ", "* a ", "** a ", "UNION a ", "- a "])
    func longChains(_ piece: String) throws {
        // A chain makes a deep tree, which could be neither printed nor released.
        #expect(
            formatError("a " + String(repeating: piece, count: 50_000) + "== 1")?.reason.contains(
                "nested deeper") == true)
    }

    @Test("Nesting within the limit is parsed and evaluated")
    func nestingWithinTheLimit() throws {
        let text = String(repeating: "(", count: 150) + "a == 1" + String(repeating: ")", count: 150)
        #expect(try NSPredicate(parsing: text).formatString == "a == 1")
        let sum = "a" + String(repeating: " + 1", count: 400) + " == 400"
        #expect(try NSPredicate(parsing: sum).matches(["a": 0]))
        let nots = String(repeating: "NOT ", count: 400) + "a == 1"
        #expect(try NSPredicate(parsing: nots).matches(["a": 1]))
    }

    /// The deepest text that is read is read, printed, evaluated and released on half of a usual stack, also
    /// without optimisation.
    @Test(
        "The deepest tree is parsed, printed, evaluated and released on half of a usual stack",
        arguments: [
            ("(", "a == 1", ")", 490), ("abs:(", "a", ") == 1", 490), ("1 + (", "a - 245", ") == 1", 245),
            ("NOT (b == 2 OR (", "a == 1", "))", 98), ("{", "a", "} == b OR a == 1", 490),
            ("SUBQUERY(b, $x, ", "a == 1", ").@count == 0", 160), ("TERNARY(b == 2, 3, ", "a", ") == 1", 490),
            ("b[", "0", "] == nil", 490),
        ])
    func deepestTree(_ start: String, _ middle: String, _ end: String, _ count: Int) throws {
        // Only the last end makes the text a condition; those before close what was opened.
        let close = String(end.prefix { $0 == ")" || $0 == "}" || $0 == "]" })
        let inner = end.hasPrefix(").@count") ? end : close
        let text =
            String(repeating: start, count: count) + middle + String(repeating: inner, count: count)
            + (inner == end ? "" : String(end.dropFirst(close.count)))
        let outcome = Synchronized("not run")
        let thread = Thread {
            do {
                let predicate = try NSPredicate(parsing: text)
                let again = try NSPredicate(parsing: predicate.formatString)
                let isSame = again.isEquivalent(to: predicate) && again.hash == predicate.hash
                let holds = try predicate.matches(["a": 1])
                outcome.value = isSame && holds ? "" : "same: \(isSame), holds: \(holds)"
            } catch {
                outcome.value = "\(error)"
            }
        }
        thread.stackSize = 4 << 20
        thread.start()
        while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
        #expect(outcome.value == "")
    }

    @Test("A flat predicate of 100,000 parts and a list of 300,000 values are parsed")
    func manyFlatParts() throws {
        let text = Array(repeating: "a == 1", count: 100_000).joined(separator: " OR ")
        let predicate = try NSPredicate(parsing: text)
        #expect((predicate as? NSCompoundPredicate)?.subpredicates.count == 100_000)
        #expect(predicate.formatString == text)
        let list = "a IN {" + Array(repeating: "1", count: 300_000).joined(separator: ",") + "}"
        #expect(try NSPredicate(parsing: list).matches(["a": 1]))
    }

    @Test("Strings, names and key paths of a million bytes are parsed or refused")
    func longTexts() throws {
        let million = String(repeating: "x", count: 1_000_000)
        #expect(try NSPredicate(parsing: "a == '\(million)'").matches(["a": million]))
        #expect(try NSPredicate(parsing: "\(million) == 1").matches([million: 1]))
        let path = Array(repeating: "a", count: 400_000).joined(separator: ".")
        #expect(try NSPredicate(parsing: "\(path) == nil").matches(["b": 1]))
        let selves = "SELF" + String(repeating: ".self", count: 150_000) + " == 1"
        #expect(try NSPredicate(parsing: selves).matches(1))
        #expect(formatError("'" + million) != nil)
        #expect(
            formatError(String(repeating: "9", count: 1_000_000) + " == 1")?.reason
                == "The number is too large.")
        #expect(formatError(String(repeating: "\u{301}", count: 500_000)) != nil)
    }

    @Test("Hostile regular expressions do not trap")
    func hostileRegularExpressions() throws {
        for pattern in [
            String(repeating: "(", count: 50_000),
            String(repeating: "(", count: 50_000) + String(repeating: ")", count: 50_000),
            "((((a{1000}){1000}){1000}){1000})", "[" + String(repeating: "a-z", count: 50_000) + "]",
            "(?:a?){5000}a{5000}", "(.*)*x",
            "\\", "[[", "(?<x>a)\\k<x>{9999}", "\u{0}", "\\Q", "(?x)#",
        ] {
            let predicate = try? NSPredicate(parsing: "SELF MATCHES %@", arguments: [pattern])
            _ = try? predicate?.matches(String(repeating: "a", count: 3_000))
        }
    }

    @Test("Decimals in sets and dictionaries do not call Foundation's hash")
    func decimalsWhereFoundationHasNoHash() throws {
        let set: [String: Any] = [
            "s": Set([1, 2]), "o": NSOrderedSet(array: [["d": Decimal(1)]]), "n": NSDictionary(),
        ]
        #expect(try holds("(s UNION {CAST('1.5', 'NSDecimalNumber')}).@count == 3", set))
        #expect(try holds("o.d[0] == 1", set))
        #expect(try holds("n[CAST('1', 'NSDecimalNumber')] == nil", set))
        #expect(try holds("CAST('1', 'NSDecimalNumber') IN s", set))
    }

    @Test("A format longer than the limit is refused")
    func tooLong() throws {
        let error = try #require(formatError(String(repeating: " ", count: 1 << 20) + "a == 1"))
        #expect(error.reason == "The string is longer than 1048576 bytes.")
        #expect(error.column == 1)
    }

    @Test("Random bytes never trap")
    func randomBytesNeverTrap() throws {
        var generator = Fuzzing.numbers(seed: 20_261_121)
        for _ in 0..<Fuzzing.rounds(8_000) {
            let bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            _ = try? NSPredicate(parsing: String(decoding: bytes, as: UTF8.self))
        }
    }

    @Test("Random tokens never trap, and what is parsed is read back from its print")
    func randomTokensNeverTrap() throws {
        let tokens = [
            "a", "b.c", "==", "!=", "<", "AND", "OR", "NOT", "(", ")", "{", "}", "[", "]", ",", ".", "%@",
            "%K", "%d",
            "'x'", "\"", "1", "-1", "2.5", "nil", "SELF", "$x", ":=", "ANY", "ALL", "NONE", "IN", "CONTAINS",
            "[cd]", "LIKE",
            "MATCHES", "BETWEEN", "SUBQUERY(", "TERNARY(", "CAST(", "FUNCTION(", "FETCH(", "abs:(", "now()",
            "@count",
            ".@sum", "#in", "FIRST", "+", "-", "*", "/", "**", "UNION", "MINUS", "TRUEPREDICATE", "%", "@",
            "#", "$", "\\", "&&",
        ]
        var generator = Fuzzing.numbers(seed: 7)
        var parsed = 0
        for _ in 0..<Fuzzing.rounds(12_000) {
            let count = Int.random(in: 1...14, using: &generator)
            let text = (0..<count).map { _ in tokens.randomElement(using: &generator) ?? "" }.joined(
                separator: " ")
            let arguments: [Any?] = Array(repeating: "z", count: text.count(where: { $0 == "%" }))
            guard let predicate = try? NSPredicate(parsing: text, arguments: arguments) else { continue }
            parsed += 1
            let again = try? NSPredicate(parsing: predicate.formatString)
            #expect(again?.isEquivalent(to: predicate) == true, "\(text) → \(predicate.formatString)")
            _ = try? predicate.matches(["a": 1, "b": ["c": [1, 2]]])
        }
        // One text in 600 or so is a predicate.
        #expect(parsed > 0)
    }
}

/// A value that two threads share.
final class Synchronized<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}
