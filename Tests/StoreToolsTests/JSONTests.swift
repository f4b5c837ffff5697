import Foundation
import StoreTools
import Testing

@Suite struct JSONTests {
    @Test("JSON values are parsed and written back equal")
    func valuesAreReadAsTheyStand() throws {
        let text =
            #" {"a": [1, -0.50e+3, true, false, null, "\u00e9\ud83e\udd81\n\/"], "b": {}, "c": []} "#
        let value = try JSONValue(parsing: text)
        #expect(
            value
                == .object([
                    "a": .array([
                        .number("1"), .number("-0.50e+3"), .bool(true), .bool(false), .null, .string("é🦁\n/"),
                    ]),
                    "b": .object([:]), "c": .array([]),
                ]))
        var json = JSONText()
        json.value(value)
        #expect(try JSONValue(parsing: json.text) == value)
    }

    @Test(
        "Malformed JSON is an error",
        arguments: [
            "", "{", "[1,]", "[1 2]", "{\"a\" 1}", "{\"a\":1,}", "01", "1.", "-", "+1", "nul", "\"\\x\"",
            "\"\u{1}\"",
            "\"open", "\"\\ud800\"", "\"\\ud800\\u0041\"", "{\"a\":1,\"a\":2}", "1 2", "\u{FEFF}1", "NaN",
            String(repeating: "[", count: 100_000),
        ])
    func malformedJSONIsAnError(_ text: String) {
        #expect(throws: StoreToolError.self) { try JSONValue(parsing: text) }
    }

    @Test("A long JSON file is read piece by piece")
    func aLongFileIsReadPieceByPiece() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "json-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let long = String(repeating: "löwe\\\"", count: 100_000)
        let list = (0..<50_000).map { "\n {\"n\": \($0)}" }.joined(separator: ",")
        var quoted = JSONText()
        quoted.string(long)
        try Data("{\"list\":[\(list)],\"text\":\(quoted.text)}".utf8).write(to: file)
        let reader = try JSONReader(file)
        try reader.beginObject()
        var isFirst = true
        #expect(try reader.key(&isFirst) == "list")
        try reader.beginList()
        var isFirstElement = true
        var count = 0
        while try reader.hasElement(&isFirstElement) {
            #expect(try reader.value() == .object(["n": .number("\(count)")]))
            count += 1
        }
        #expect(count == 50_000)
        #expect(try reader.key(&isFirst) == "text")
        #expect(try reader.value() == .string(long))
        #expect(try reader.key(&isFirst) == nil)
        try reader.end()
    }

    @Test("An error of JSON names line and byte")
    func errorsNameTheLine() {
        #expect {
            try JSONValue(parsing: "{\n\"a\": 1,\n\"b\": x}")
        } throws: {
            "\($0)".hasPrefix("line 3, byte 7: 'x'")
        }
    }

    @Test(
        "JSON numbers keep their digits",
        arguments: [
            "0", "-0", "10", "-1.5", "1e5", "1E+05", "0.25e-10", "123456789012345678901234567890",
        ])
    func numbersKeepTheirDigits(_ text: String) throws {
        #expect(try JSONValue(parsing: text) == .number(text))
        #expect(try JSONValue(parsing: "[\(text)]") == .array([.number(text)]))
    }

    @Test(
        "A malformed JSON number is an error",
        arguments: [
            "-", "00", "-01", "1.", ".5", "1e", "1e+", "1.e5", "--1", "1-", "1.5.5", "0x10", "1_000",
            String(repeating: "1", count: 401),
        ])
    func malformedNumberIsAnError(_ text: String) {
        #expect(throws: StoreToolError.self) { try JSONValue(parsing: text) }
        #expect(throws: StoreToolError.self) { try JSONValue(parsing: "[\(text)]") }
    }

    /// Whatever the value is made of; what stands between values is not counted.
    @Test(
        "The size of one JSON value is bounded, not that of the file",
        arguments: [
            "\"\(String(repeating: "a", count: 70_000))\"",
            "[\(Array(repeating: "0", count: 2_000).joined(separator: ","))]",
            "{\"\(String(repeating: "k", count: 70_000))\":1}",
            "\"\(String(repeating: "\\n", count: 70_000))\"",
        ])
    func aValueIsBounded(_ text: String) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "json-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("\n\n  \(text)".utf8).write(to: file)
        #expect {
            try JSONReader(file, maximumWeight: 65_536).value()
        } throws: {
            "\($0)".hasPrefix("line 3, byte ") && "\($0)".contains("larger than")
        }
        _ = try JSONReader(file, maximumWeight: 1 << 20).value()
        let many = Array(repeating: "\"\(String(repeating: "a", count: 1_000))\"", count: 500).joined(
            separator: ",")
        try Data("[\(many)]".utf8).write(to: file)
        let reader = try JSONReader(file, maximumWeight: 65_536)
        try reader.beginList()
        var isFirst = true
        var count = 0
        while try reader.hasElement(&isFirst) {
            _ = try reader.value()
            count += 1
        }
        #expect(count == 500)
    }
}
