import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Parts of model files that cannot mean what they say: an error instead of a model without them.
struct StrictModelTests {
    private func error(_ content: String) -> ModelFileError? {
        #expect(throws: ModelFileError.self) { try parse(content) }
    }

    // MARK: Inverses

    private func relationships(_ settings: String) -> String {
        """
        <entity name="Item"><relationship name="owner" destinationEntity="Person"/></entity>
        <entity name="Book" parentEntity="Item"><relationship name="reader" destinationEntity="Person"/></entity>
        <entity name="Page"><relationship name="owner" destinationEntity="Person"/></entity>
        <entity name="Person"><relationship name="books" toMany="YES" destinationEntity="Book" \(settings)/></entity>
        """
    }

    @Test("An inverse is found in the entity that declares it")
    func theInverseIsOfTheEntityThatDeclaresIt() throws {
        for settings in [
            "inverseName=\"owner\" inverseEntity=\"Item\"", "inverseName=\"reader\" inverseEntity=\"Book\"",
            "inverseName=\"owner\"", "",
        ] {
            #expect(try parse(relationships(settings)).entities.count == 4)
        }
        let found = try parse(relationships("inverseName=\"owner\" inverseEntity=\"Item\""))
        let books = found.entitiesByName["Person"]?.relationshipsByName["books"]
        #expect(books?.inverseRelationship?.qualifiedName == "Item.owner")
    }

    @Test(
        "An inverse that another entity declares is refused",
        arguments: ["Page", "Book", "Person", "Missing"])
    func anInverseOfAnotherEntity(name: String) {
        let error = self.error(relationships("inverseName=\"owner\" inverseEntity=\"\(name)\""))
        #expect(error?.reason == .unknownName && error?.element == "Person.books")
        #expect(
            error?.detail == "the inverse 'owner' of 'Book' is declared by 'Item', not by '\(name)'")
    }

    @Test("An inverse entity without an inverse name is refused")
    func anInverseEntityWithoutAnInverse() {
        #expect(error(relationships("inverseEntity=\"Item\""))?.reason == .missingValue)
    }

    // MARK: Missing values

    @Test(
        "A constraint, index or user info entry without a value is refused",
        arguments: [
            "<uniquenessConstraints><uniquenessConstraint><constraint/></uniquenessConstraint></uniquenessConstraints>",
            """
            <uniquenessConstraints><uniquenessConstraint><constraint value="a"/><constraint value=""/>
            </uniquenessConstraint></uniquenessConstraints>
            """,
            "<compoundIndexes><compoundIndex><index value=\"a\"/><index/></compoundIndex></compoundIndexes>",
            "<userInfo><entry key=\"k\"/></userInfo>",
        ])
    func partsWithoutValue(part: String) {
        let error = self.error(
            "<entity name=\"A\"><attribute name=\"a\" attributeType=\"String\"/>\(part)</entity>")
        #expect(error?.reason == .missingValue)
        #expect(error?.element?.hasPrefix("A") == true && error?.line != nil)
    }

    @Test("Two user info entries with one key are refused")
    func entriesOfOneKey() {
        let error = self.error(
            """
            <entity name="A"><attribute name="a" attributeType="String"><userInfo><entry key="k" value="1"/>
            <entry key="k" value="2"/></userInfo></attribute></entity>
            """)
        #expect(error?.reason == .duplicateName && error?.element == "A.a")
        #expect(error?.detail == "the user info has two entries 'k'")
    }

    // MARK: Texts

    /// é as one character, and as e with an accent.
    private static let (composed, decomposed) = ("\u{E9}", "e\u{301}")

    @Test("Names of XML elements and attributes are compared byte by byte")
    func namesOfXMLAreComparedByteByByte() throws {
        let text = "<model \(Self.composed)=\"1\" \(Self.decomposed)=\"2\"/>"
        let tree = try ModelElement(xml: Data(text.utf8))
        #expect(tree.attributes.map { Array($0.name.utf8).count } == [2, 3])
        #expect(tree[Self.composed] == "1" && tree[Self.decomposed] == "2")
        #expect(
            tree
                != ModelElement(
                    "model", attributes: [.init(Self.decomposed, "1"), .init(Self.composed, "2")]))
        #expect(try ModelElement(xml: tree.xml()).isIdentical(to: tree))
        #expect(throws: ModelFileError.self) {
            try ModelElement(xml: Data("<\(Self.composed)></\(Self.decomposed)>".utf8))
        }
        // The Kelvin sign is not a K.
        let kelvin = try ModelElement(xml: Data("<model usedWithCloud\u{212A}it=\"YES\"/>".utf8))
        #expect(kelvin["usedWithCloudKit"] == nil)
    }

    @Test("Entity and attribute names in two Unicode normal forms are duplicates")
    func namesInTwoNormalFormsAreOneName() {
        let entities = "<entity name=\"\(Self.composed)\"/><entity name=\"\(Self.decomposed)\"/>"
        #expect(error(entities)?.reason == .duplicateName)
        let attributes = [Self.composed, Self.decomposed].map {
            "<attribute name=\"\($0)\" attributeType=\"String\"/>"
        }
        #expect(error("<entity name=\"A\">\(attributes.joined())</entity>")?.reason == .duplicateName)
    }

    @Test(
        "Control characters in text are refused when reading and writing",
        arguments: ["\u{0}", "\u{1}", "\u{B}", "a\u{C}", "\u{1F}"])
    func controlCharactersInMarkedText(text: String) {
        let error = #expect(throws: ModelFileError.self) {
            try ModelElement(xml: Data("<model><![CDATA[\(text)]]></model>".utf8))
        }
        #expect(error?.reason == .malformed)
        #expect(throws: ModelFileError.self) { try ModelElement("model", text: text).xml() }
    }

    @Test("Line breaks in CDATA are normalized to line feeds")
    func lineBreaksInMarkedText() throws {
        let tree = try ModelElement(xml: Data("<m><![CDATA[\ra\r\nb\r\r\n\n]]></m>".utf8))
        #expect(tree.text == "\na\nb\n\n\n")
    }

    @Test(
        "Text with special whitespace or a CDATA end is read back as written",
        arguments: [" \t\n\r", "\r\na", "\u{A0}", "\u{2028}x", "a\r", "]]>"])
    func textOfAnyCharactersIsKept(text: String) throws {
        let tree = ModelElement("m", text: text)
        #expect(try ModelElement(xml: tree.xml()).text.utf8.elementsEqual(text.utf8))
    }

    // MARK: Values of archives

    @Test(
        "A default value that the attribute type cannot hold is an inconsistency",
        arguments: [
            (NSAttributeType.integer16AttributeType, NSNumber(value: 70_000), false),
            (.integer16AttributeType, NSNumber(value: -32_768), true),
            (.integer32AttributeType, NSNumber(value: Int64(1) << 31), false),
            (.integer64AttributeType, NSNumber(value: Int64.max), true),
            (.integer64AttributeType, NSNumber(value: UInt64.max), false),
            (.integer64AttributeType, NSNumber(value: 0.5), false),
            (.booleanAttributeType, NSNumber(value: 5), false),
            (.booleanAttributeType, NSNumber(value: true), true),
            (.booleanAttributeType, NSNumber(value: 0), true),
            (.doubleAttributeType, NSNumber(value: Double.infinity), false),
            (.floatAttributeType, NSNumber(value: Double.nan), false),
            (.doubleAttributeType, NSNumber(value: 1e300), true),
            (.decimalAttributeType, NSDecimalNumber.notANumber, false),
            (.decimalAttributeType, NSDecimalNumber(string: "0.1"), true),
        ] as [(NSAttributeType, NSNumber, Bool)])
    func defaultsThatTheTypeDoesNotHave(type: NSAttributeType, value: NSNumber, isAccepted: Bool) {
        let attribute = attribute("a", .init(rawValue: type))
        attribute.defaultValue = value
        let found = makeModel(entity("E", [attribute])).inconsistencies()
        #expect(found.map(\.problem) == (isAccepted ? [] : [.invalidDefaultValue]))
    }

    // MARK: Read-only properties

    @Test("A read-only property of a compiled model is kept and counts in the hash")
    func readOnlyPropertiesOfArchives() throws {
        let model = makeModel(entity("A", [attribute("a", .string), attribute("b", .string)]))
        var editor = try ArchiveEditor(model.compiledData())
        let position = try #require(
            try editor.position("NSAttributeDescription", where: "NSPropertyName", is: "a"))
        let plain = try NSManagedObjectModel(compiled: editor.data)
        editor.set("NSIsReadOnly", of: position, to: .boolean(true))
        let read = try NSManagedObjectModel(compiled: editor.data)
        let attributes = try #require(read.entitiesByName["A"]?.attributesByName)
        #expect(attributes["a"]?.isReadOnly == true && attributes["b"]?.isReadOnly == false)
        #expect(attributes["a"]?.versionHash != plain.entitiesByName["A"]?.attributesByName["a"]?.versionHash)
        #expect(attributes["b"]?.versionHash == plain.entitiesByName["A"]?.attributesByName["b"]?.versionHash)
        #expect(read.entityVersionHashesByName != plain.entityVersionHashesByName)
        #expect(read != plain)
        let again = try NSManagedObjectModel(compiled: read.compiledData())
        #expect(again == read && again.entityVersionHashesByName == read.entityVersionHashesByName)
        let copy = try #require(read.copy() as? NSManagedObjectModel)
        #expect(copy.entityVersionHashesByName == read.entityVersionHashesByName)

        var bits = try ArchiveEditor(model.compiledData())
        let known = try #require(try bits.integer("_P", of: position))
        bits.set("_P", of: position, to: .integer(known | 4))
        #expect(
            try NSManagedObjectModel(compiled: bits.data).entityVersionHashesByName
                == read.entityVersionHashesByName)
    }
}
