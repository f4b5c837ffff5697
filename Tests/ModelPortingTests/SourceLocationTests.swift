import ModelPorting
import Testing

@Suite struct SourceLocationTests {
    @Test("A ported source begins with its source location")
    func theHeaderNamesTheSource() {
        let ported = SourcePort([PortSource(name: "/a \"b\"/c\\d.swift", text: "let a = 1\n")]).ported()[0]
        #expect(ported.text == "#sourceLocation(file: \"/a \\\"b\\\"/c\\\\d.swift\", line: 1)\nlet a = 1\n")
    }

    @Test("Every line of a source keeps its number", arguments: ["\n", "\r\n"])
    func everyLineStaysWhereItWas(_ end: String) throws {
        let source = [
            "import UIKit", "", "@objc(", "  Book", ")", "class Book: NSManagedObject {", "  @NSManaged",
            "  var a: Int",
            "  /* b", "  c */ @objc dynamic", "  var d: String { \"\"\"", "    @objc", "    \"\"\" }", "}",
            "// end",
        ]
        let lines = Ported(source.joined(separator: end)).lines
        try #require(lines.count == source.count)
        for index in [1, 5, 8, 10, 11, 12, 14] { #expect(lines[index] == source[index]) }
        #expect(lines[7].hasPrefix("  var a: Int { get"))
        #expect(lines[11] == "    @objc")
    }

    @Test("A source without anything to port stays byte by byte")
    func sourcesWithoutAnythingToPortStayByteForByte() {
        let source = "// ü\u{2028}\tlet a = 1   \n\n\n  struct B { }"
        #expect(Ported(source).text == "#sourceLocation(file: \"Book.swift\", line: 1)\n\(source)")
    }

    @Test("A byte order mark is removed")
    func aByteOrderMarkIsRemoved() {
        #expect(Ported("\u{FEFF}let a = 1").lines == ["let a = 1"])
    }

    @Test("The same sources give the same ported text")
    func theSameSourcesGiveTheSameText() {
        let others = (0..<20).map { "extension Book { @NSManaged var a\($0): Int }" }
        let first = Ported("class Book: NSManagedObject {}", with: others)
        #expect(first.text == Ported("class Book: NSManagedObject {}", with: others).text)
        #expect(first.additions.filter { $0.contains("append") }.count == 20)
    }
}
