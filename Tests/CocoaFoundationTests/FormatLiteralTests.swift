import CocoaFoundation
import Testing

/// The values of literals.
@Suite struct FormatLiteralTests {
    @Test(
        "A string literal has its value with escapes decoded",
        arguments: [
            (#""abc""#, "abc"), ("'abc'", "abc"), (#"'a"b'"#, "a\"b"), (#""a'b""#, "a'b"), (#""""#, ""),
            (#""a\"b""#, "a\"b"), (#"'a\'b'"#, "a'b"), (#""a\\b""#, "a\\b"), (#""\n\r\t""#, "\n\r\t"),
            (#""\a\b\v\f""#, "\u{7}\u{8}\u{B}\u{C}"), (#""\u00e9""#, "é"), (#""\uD83D\uDE00!""#, "😀!"),
            (#""\x41\x4a""#, "AJ"), (#""\101\0""#, "A\u{0}"), (#""\d+\.\w""#, "\\d+\\.\\w"),
            ("'größe 😀'", "größe 😀"),
            (#""%@ %K $x""#, "%@ %K $x"),
        ])
    func string(_ text: String, _ expected: String) throws {
        #expect(try NSExpression(parsing: text).constantValue as? String == expected)
    }

    @Test(
        "An integer literal has its value in every base",
        arguments: [
            ("0", 0), ("42", 42), ("-42", -42), ("007", 7), ("9223372036854775807", Int.max),
            ("-9223372036854775808", Int.min), ("0x1F", 31), ("0XfF", 255), ("0o17", 15), ("0b101", 5),
            ("-0x10", -16),
            ("0x7fffffffffffffff", Int.max),
        ])
    func integer(_ text: String, _ expected: Int) throws {
        #expect(try NSExpression(parsing: text).constantValue as? Int == expected)
    }

    @Test(
        "A floating-point literal has its value",
        arguments: [
            ("1.5", 1.5), (".5", 0.5), ("1e3", 1000), ("1E+3", 1000), ("25e-1", 2.5), ("1.5e2", 150),
            ("-1.5", -1.5),
            ("2e-308", 2e-308), ("0.1", 0.1), ("123456789012345678901234567890", 1.2345678901234568e29),
        ])
    func double(_ text: String, _ expected: Double) throws {
        #expect(try NSExpression(parsing: text).constantValue as? Double == expected)
    }

    @Test("An integer literal above Int.max is unsigned")
    func unsigned() throws {
        #expect(try NSExpression(parsing: "18446744073709551615").constantValue as? UInt64 == .max)
    }

    @Test("Boolean and nil literals have their values")
    func booleansAndNil() throws {
        #expect(try NSExpression(parsing: "YES").constantValue as? Bool == true)
        #expect(try NSExpression(parsing: "FALSE").constantValue as? Bool == false)
        #expect(try NSExpression(parsing: "NIL").constantValue == nil)
    }

    @Test("A cast of a literal is a constant of the type")
    func convertedLiteralsAreConstants() throws {
        let date = try NSExpression(parsing: "CAST(800000000.25, 'NSDate')")
        #expect(date.constantValue as? Date == Date(timeIntervalSinceReferenceDate: 800_000_000.25))
        let uuid = try NSExpression(parsing: "CAST('E621E1F8-C36C-495A-93FC-0C247A3E6E5F', 'NSUUID')")
        #expect(uuid.constantValue as? UUID == UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let decimal = try NSExpression(parsing: "CAST('1.10', 'NSDecimalNumber')")
        #expect(decimal.constantValue as? Decimal == Decimal(string: "1.1"))
        let data = try NSExpression(parsing: "CAST('AQID', 'NSData')")
        #expect(data.constantValue as? Data == Data([1, 2, 3]))
        let url = try NSExpression(parsing: "CAST('https://swift.org', 'NSURL')")
        #expect(url.constantValue as? URL == URL(string: "https://swift.org"))
    }
}
