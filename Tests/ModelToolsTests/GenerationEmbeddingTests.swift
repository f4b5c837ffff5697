import Foundation
import ManagedObjectModel
import Testing

@testable import ModelTools

/// The model as a part of the program, composites, and files that stay as they are.
@Suite struct GenerationEmbeddingTests {
    private static let entity = """
        <entity name="Book" representedClassName="Book" codeGenerationType="class">
            <attribute name="title" attributeType="String" defaultValueString="&quot;&quot;&quot;# \\(x) &amp;&#10;&lt;é"/>
        </entity>
        <elements><element name="Book" positionX="1" positionY="2" width="3" height="4"/></elements>
        """

    @Test("The embedded model has all versions, the name of the current one and the key paths")
    func allVersionsAreThereWithTheCurrentOneNamed() throws {
        let folder = try GenerationFolder(
            ["Books": "<entity name=\"Old\"/>", "Books 2": Self.entity], current: "Books 2")
        let text = try folder.generator().modelFile.text
        #expect(text.contains("name: \"Books\",\n        currentVersion: \"Books 2\","))
        #expect(
            text.contains(".init(\"Books\", #\"\"\"\n<model>\n<entity name=\"Old\"/>\n</model>\n\"\"\"#)"))
        #expect(text.contains(".init(\"Books 2\", #\"\"\"\n<model>"))
        #expect(text.contains(".init(Book.self) { keys in"))
        #expect(!text.contains("positionX"))
    }

    @Test("The embedded model equals the file without its diagram")
    func theEmbeddedTextIsTheSameModel() throws {
        let folder = try GenerationFolder(Self.entity)
        let read = try XcodeModelFile.contents(of: folder.url.appending(path: "Books.xcdatamodel"))
        let compact = try ModelElement(xml: Data(read.compactXML.utf8))
        var expected = read
        expected.children.removeAll { $0.name == "elements" }
        #expect(compact == expected)
        let model = try NSManagedObjectModel(tree: compact)
        let value = model.entitiesByName["Book"]?.attributesByName["title"]?.defaultValue as? String
        #expect(value == "\"\"\"# \\(x) &\n<é")
    }

    @Test(
        "A raw literal has enough number signs for its text",
        arguments: ["", "plain", "\"\"\"#", "\\#(x)", "a\"##b\\###", "\"\"\""])
    func aRawLiteralEndsWhereItShould(text: String) {
        let literal = EmbeddingSource.rawLiteral(text)
        let pounds = String(literal.prefix { $0 == "#" })
        #expect(literal == "\(pounds)\"\"\"\n\(text)\n\"\"\"\(pounds)")
        #expect(!pounds.isEmpty && !text.contains("\"\(pounds)") && !text.contains("\\\(pounds)"))
    }

    @Test("An old version that cannot be read is left out with a notice")
    func unreadableOldVersion() throws {
        let folder = try GenerationFolder(
            ["Books": "<entity name=\"Old\"", "Books 2": Self.entity], current: "Books 2")
        let generator = try folder.generator()
        #expect(generator.notices.map(\.element) == ["Books"])
        #expect(!generator.modelFile.text.contains(".init(\"Books\","))
    }

    @Test("A current version that cannot be read is an error with its line")
    func unreadableCurrentVersion() throws {
        let folder = try GenerationFolder(
            "<entity name=\"A\"/>\n<entity name=\"B\" parentEntity=\"Missing\"/>")
        let error = #expect(throws: ModelFileError.self) { try folder.generator() }
        #expect(error?.line == 4)
        #expect(error?.file?.lastPathComponent == "contents")
    }

    @Test("A moved box of the diagram does not change generated files")
    func aMovedBoxInTheDiagramChangesNothing() throws {
        let one = try GenerationFolder(Self.entity).generator()
        let moved = Self.entity.replacing("positionX=\"1\"", with: "positionX=\"99\"")
        let other = try GenerationFolder(moved).generator()
        #expect(one.modelFile == other.modelFile)
        #expect(one.classesFile == other.classesFile)
    }

    @Test("An equal file is not written again, and an existing one is replaced only if allowed")
    func anEqualFileIsNotWrittenAgain() throws {
        let folder = try GenerationFolder(Self.entity)
        let url = folder.url.deletingLastPathComponent().appending(path: "out.swift")
        let file = try folder.generator().classesFile
        #expect(try file.write(to: url) == .written)
        #expect(try file.write(to: url) == .unchanged)
        #expect(try GeneratedFile(file.name, "other").write(to: url, replacing: false) == .kept)
        #expect(try String(contentsOf: url, encoding: .utf8) == file.text)
        #expect(try GeneratedFile(file.name, "other").write(to: url) == .written)
        #expect(try String(contentsOf: url, encoding: .utf8) == "other")
    }

    @Test("Composite types become structures that convert to and from dictionaries")
    func compositesAreValueTypes() throws {
        let folder = try GenerationFolder(
            """
            <composite name="Place">
                <attribute name="latitude" optional="YES" attributeType="Double"/>
                <attribute name="default" optional="YES" attributeType="String"/>
            </composite>
            <composite name="Stay">
                <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
                <attribute name="photo" optional="YES" attributeType="Transformable" customClassName="Photo"/>
            </composite>
            """)
        let text = try #require(try folder.text("Books+CoreDataComposites.swift"))
        #expect(
            text.contains(
                """
                nonisolated public struct Place: Codable, Hashable, Sendable {
                    public var latitude: Double?
                    public var `default`: String?

                    public init(latitude: Double? = nil, `default`: String? = nil) {
                        self.latitude = latitude
                        self.`default` = `default`
                    }

                    /// The values in the dictionary of a composite attribute; `nil` for no dictionary.
                    public init?(_ dictionary: [String: Any]?) {
                        guard let dictionary else { return nil }
                        latitude = dictionary["latitude"] as? Double
                        `default` = dictionary["default"] as? String
                    }
                """))
        #expect(text.contains("nonisolated public struct Stay {\n    public var place: Place?\n"))
        #expect(text.contains("        place = Place(dictionary[\"place\"] as? [String: Any])\n"))
        #expect(text.contains("        dictionary[\"place\"] = place?.dictionary\n"))
        #expect(try folder.text("Books+CoreDataComposites.swift", GenerationOptions(style: .apple)) == nil)
    }

    @Test(
        "A composite element with a name that its structure needs is refused",
        arguments: ["CodingKeys", "Self", "dictionary"])
    func anElementMayNotHaveANameThatItsTypeNeeds(name: String) throws {
        let folder = try GenerationFolder(
            """
            <composite name="Place"><attribute name="\(name)" attributeType="Double"/></composite>
            <entity name="A" representedClassName="A" codeGenerationType="class">\
            <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/></entity>
            """)
        let error = #expect(throws: GenerationError.self) { try folder.generator() }
        #expect(error?.element == "Place.\(name)")
    }

    @Test("A composite type with the name of a class is refused")
    func aCompositeTypeMayNotHaveTheNameOfAClass() throws {
        let folder = try GenerationFolder(
            """
            <composite name="Place"><attribute name="x" attributeType="Double"/></composite>
            <entity name="Place" representedClassName="Place" codeGenerationType="class"/>
            """)
        let error = #expect(throws: GenerationError.self) { try folder.generator() }
        #expect(error?.element == "Place")
    }
}
