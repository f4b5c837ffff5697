import Foundation
import TestSupport
import Testing

@testable import BooksApp

@Suite struct CSVReaderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: [UInt8]
        let lines: [CSVLine]

        init(_ name: String, _ text: String, _ lines: [CSVLine]) {
            self.init(name, Array(text.utf8), lines)
        }

        init(_ name: String, _ text: [UInt8], _ lines: [CSVLine]) {
            testDescription = name
            self.text = text
            self.lines = lines
        }
    }

    static let cases: [Case] = [
        Case("nothing", "", []),
        Case("one line without an end", "a,b", [.record(line: 1, fields: ["a", "b"])]),
        Case(
            "LF, CRLF and CR", "a\nb\r\nc\rd\n",
            [1, 2, 3, 4].map { .record(line: $0, fields: [["a", "b", "c", "d"][$0 - 1]]) }),
        Case("empty lines", "\n\r\na\n\n", [.record(line: 3, fields: ["a"])]),
        Case(
            "empty fields", ",\na,,\n",
            [.record(line: 1, fields: ["", ""]), .record(line: 2, fields: ["a", "", ""])]),
        Case("a comma at the end of the file", "a,", [.record(line: 1, fields: ["a", ""])]),
        Case("space is kept", " a , b ", [.record(line: 1, fields: [" a ", " b "])]),
        Case("quotes", "\"a,b\",\"c\"", [.record(line: 1, fields: ["a,b", "c"])]),
        Case("an empty quoted field", "\"\",x", [.record(line: 1, fields: ["", "x"])]),
        Case(
            "doubled quotes", "\"say \"\"a\"\"\",\"\"\"\"", [.record(line: 1, fields: ["say \"a\"", "\""])]),
        Case(
            "lines inside quotes", "\"a\nb\r\nc\",d\ne",
            [.record(line: 1, fields: ["a\nb\r\nc", "d"]), .record(line: 4, fields: ["e"])]),
        Case("a byte order mark", "\u{FEFF}a,b", [.record(line: 1, fields: ["a", "b"])]),
        Case("a quoted field after a byte order mark", "\u{FEFF}\"a\"", [.record(line: 1, fields: ["a"])]),
        Case("only a byte order mark", "\u{FEFF}", []),
        Case("other alphabets", "Über,كتاب,書", [.record(line: 1, fields: ["Über", "كتاب", "書"])]),
        Case(
            "a quote inside a plain field", "a\"b,c\nd",
            [.refused(line: 1, reason: .quoteInField), .record(line: 2, fields: ["d"])]),
        Case(
            "text after a quoted field", "\"a\"b\nc",
            [.refused(line: 1, reason: .textAfterQuote), .record(line: 2, fields: ["c"])]),
        Case(
            "a quote that does not end costs one line", "a,\"b\nc,d\ne,f\n",
            [
                .refused(line: 1, reason: .unclosedQuote), .record(line: 2, fields: ["c", "d"]),
                .record(line: 3, fields: ["e", "f"]),
            ]),
        Case(
            "a quote that the next line's quote seems to end", "a,\"b\nc,\"d\"\n",
            [.refused(line: 1, reason: .textAfterQuote), .record(line: 2, fields: ["c", "d"])]),
        Case(
            "text that is not UTF-8", Array("a\n".utf8) + [0xC3, 0x28, 0x0A] + Array("b".utf8),
            [
                .record(line: 1, fields: ["a"]), .refused(line: 2, reason: .invalidText),
                .record(line: 3, fields: ["b"]),
            ]),
        Case("overlong UTF-8", [0xC0, 0x80], [.refused(line: 1, reason: .invalidText)]),
        Case("a surrogate in UTF-8", [0xED, 0xA0, 0x80], [.refused(line: 1, reason: .invalidText)]),
        Case(
            "a zero byte", [0x61, 0, 0x62, 0x0A, 0x63],
            [.refused(line: 1, reason: .zeroByte), .record(line: 2, fields: ["c"])]),
        Case("a zero byte in quotes", [0x22, 0, 0x22], [.refused(line: 1, reason: .zeroByte)]),
    ]

    @Test("The reader gives the fields of each line, or the reason for its refusal", arguments: cases)
    func readsWhatItShould(_ example: Case) throws {
        #expect(try CSVReader.lines(Data(example.text)) == example.lines)
    }

    /// Wherever one piece of the input ends and the next begins, the result is the same.
    @Test("The result does not depend on the size of the pieces read", arguments: cases, [1, 2, 3, 5])
    func piecesMakeNoDifference(_ example: Case, size: Int) throws {
        #expect(try CSVReader.lines(Data(example.text), pieces: size) == example.lines)
    }

    @Test("A line longer than a mebibyte is refused")
    func aLineMayNotBeLongerThanAMebibyte() throws {
        let long = String(repeating: "x", count: CSVReader.longestRecord + 1)
        #expect(
            try CSVReader.lines(Data("a\n\(long)\nb".utf8)) == [
                .record(line: 1, fields: ["a"]), .refused(line: 2, reason: .tooLong),
                .record(line: 3, fields: ["b"]),
            ])
        let longest = String(repeating: "x", count: CSVReader.longestRecord)
        #expect(try CSVReader.lines(Data("\(longest)\n".utf8)) == [.record(line: 1, fields: [longest])])
    }

    @Test("A quote without an end is refused after a mebibyte, and costs one line")
    func aQuoteWithoutAnEnd() throws {
        let line = String(repeating: "y", count: 999) + "\n"
        let count = 3000
        let lines = try CSVReader.lines(Data(("a,\"b\n" + String(repeating: line, count: count)).utf8))
        #expect(lines.first == .refused(line: 1, reason: .tooLong))
        #expect(lines.count == count + 1)
    }

    @Test("Random bytes never trap, and pieces of them give the same result")
    func randomBytesNeverTrap() throws {
        var generator = Fuzzing.numbers(seed: 1)
        let alphabet = Array("\"\"\",,\n\r\u{FEFF}ab".utf8) + [0, 0x80, 0xC3, 0xFF]
        for _ in 0..<3000 {
            let count = Int.random(in: 0...80, using: &generator)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            let whole = try CSVReader.lines(Data(bytes))
            let pieces = try CSVReader.lines(Data(bytes), pieces: Int.random(in: 1...7, using: &generator))
            #expect(whole == pieces, "\(bytes)")
        }
    }

    @Test("Quoted fields are read back as written")
    func quotedFieldsAreReadBack() throws {
        var generator = Fuzzing.numbers(seed: 2)
        let parts = ["a", "\"", ",", "\n", "\r\n", "é", " ", "書"]
        for _ in 0..<500 {
            let fields = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                (0..<Int.random(in: 1...6, using: &generator)).compactMap { _ in
                    parts.randomElement(using: &generator)
                }.joined()
            }
            let text = fields.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",")
            #expect(try CSVReader.lines(Data(text.utf8)) == [.record(line: 1, fields: fields)])
        }
    }
}
