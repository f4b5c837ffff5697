import Testing

@testable import ManagedObjectModel

/// The text of trees of elements.
struct ModelXMLWriterTests {
    private func text(_ tree: ModelElement) throws -> String {
        try String(decoding: tree.xml(), as: UTF8.self)
    }

    @Test("A model file is written with the layout of Xcode")
    func theLayoutIsThatOfXcode() throws {
        let tree = ModelElement(
            "model", attributes: [.init("b", "1"), .init("a", "")],
            children: [
                ModelElement("entity", attributes: [.init("name", "A")], children: [ModelElement("x")]),
                ModelElement("elements"),
            ])
        #expect(
            try text(tree) == """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model b="1" a="">
                    <entity name="A">
                        <x/>
                    </entity>
                    <elements/>
                </model>
                """)
    }

    @Test("Special characters of attribute values are escaped")
    func valuesAreEscaped() throws {
        let tree = ModelElement("m", attributes: [.init("v", "a & b < c > \"d\" 'e'\n\t\r ü")])
        #expect(
            try text(tree).hasSuffix("<m v=\"a &amp; b &lt; c &gt; &quot;d&quot; 'e'&#10;&#9;&#13; ü\"/>"))
        #expect(try ModelElement(xml: tree.xml()).isIdentical(to: tree))
    }

    @Test(
        "Text inside an element is read back as written",
        arguments: ["", "plain", "  \n leading", "trailing \n", "  ", "a ]]> & <b>", "\r\n"])
    func textIsKept(_ content: String) throws {
        let leaf = ModelElement("a", text: content)
        for tree in [leaf, ModelElement("a", children: [ModelElement("b", children: [leaf])], text: content)]
        {
            #expect(try ModelElement(xml: tree.xml()).isIdentical(to: tree))
        }
    }

    @Test("Unknown elements and the order of attributes are written back")
    func unknownElementsAndTheOrderOfAttributesAreKept() throws {
        let source =
            "<model z=\"1\" a=\"2\"><future kind=\"x\"><deep/></future><entity q=\"1\" name=\"A\"/></model>"
        let tree = try ModelElement(xml: Data(source.utf8))
        let again = try ModelElement(xml: tree.xml())
        #expect(again.isIdentical(to: tree))
        #expect(again.attributes.map(\.name) == ["z", "a"])
        #expect(again.children[0].children[0].name == "deep")
        var other = tree
        other.attributes.reverse()
        #expect(other == tree)
        #expect(!other.isIdentical(to: tree))
    }

    @Test("A control character in a value is refused by the name of the attribute")
    func controlCharactersAreRefused() {
        let tree = ModelElement("m", attributes: [.init("v", "\u{1}")])
        let error = #expect(throws: ModelFileError.self) { try tree.xml() }
        #expect(error?.detail.contains("'m v'") == true)
    }
}
