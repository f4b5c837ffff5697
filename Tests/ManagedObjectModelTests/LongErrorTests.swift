import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Errors about long texts: the beginning and the end of what there is to say.
struct LongErrorTests {
    private static let long = String(repeating: "x", count: 1_000_000)

    @Test("An error keeps a short text whole")
    func shortTextsAreKept() {
        let detail = String(repeating: "d", count: 600)
        let error = ModelFileError(.malformed, detail, element: "Book.title")
        #expect(error.detail == detail && error.element == "Book.title")
    }

    @Test("An error shortens a long text in the middle")
    func longTextsLoseTheirMiddle() {
        let error = ModelFileError(
            .malformed, "the text '\(Self.long)' cannot be read: why", element: "A\(Self.long).b")
        #expect(error.detail.hasPrefix("the text 'xxx") && error.detail.hasSuffix("xxx' cannot be read: why"))
        #expect(error.detail.contains("x … x") && error.detail.count == 228)
        #expect(error.element?.hasPrefix("Axxx") == true && error.element?.hasSuffix("x.b") == true)
        #expect(error.element?.count == 78)
        let marks = "e" + String(repeating: "\u{301}", count: 1_000_000)
        #expect(ModelFileError(.malformed, marks).detail.utf8.count < 1_000)
    }

    @Test(
        "An error about a model file with very long strings stays short",
        arguments: [
            "<fetchRequest name=\"f\" entity=\"A\" predicateString=\"\(long) ((\"/>",
            "<entity name=\"B\" coreSpotlightDisplayNameExpression=\"\(long) ((\"/>",
            "<entity name=\"B\"><attribute name=\"\(long)\" attributeType=\"\(long)\"/></entity>",
            "<entity name=\"B\"><attribute name=\"a\" derived=\"YES\" derivationExpression=\"\(long) ((\"/></entity>",
            """
            <entity name="B"><fetchIndex name="i" partialIndexPredicate="\(long) ((">
            <fetchIndexElement property="a"/></fetchIndex></entity>
            """,
            "<entity name=\"B\" isAbstract=\"\(long)\"/>",
        ])
    func errorsOfTheReaderAreShort(content: String) {
        let error = #expect(throws: ModelFileError.self) { try parse("<entity name=\"A\"/>\(content)") }
        #expect((error?.description.utf8.count ?? .max) < 1_000)
    }
}
