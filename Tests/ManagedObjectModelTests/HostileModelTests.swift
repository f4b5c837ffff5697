import Testing

@testable import ManagedObjectModel

/// Broken and hostile model texts: a clear error with the place, and no trap.
struct HostileModelTests {
    private func error(_ content: String) -> ModelFileError? {
        #expect(throws: ModelFileError.self) { try parse(content) }
    }

    private func error(text: String) -> ModelFileError? {
        #expect(throws: ModelFileError.self) {
            try NSManagedObjectModel(tree: ModelElement(xml: Data(text.utf8)))
        }
    }

    // MARK: Text

    @Test(
        "A model file that is not well-formed XML is refused",
        arguments: [
            "", " ", "text", "<model>", "<model></entity>", "<model><entity name=></model>",
            "<model a=\"1\" a=\"2\"/>",
            "<model/><model/>", "<model>&undefined;</model>", "<model name=\"a", "<?xml version=\"1.0\"?>",
        ])
    func textThatIsNotWellFormed(text: String) {
        #expect(error(text: text)?.reason == .malformed)
    }

    @Test(
        "Unusual XML gives a model or an error",
        arguments: [
            "<model xmlns:a=\"urn:a\" a:name=\"x\" name=\"y\"/>", "<a:model/>",
            "<model xmlns=\"\" xmlns:xml=\"x\"/>",
            "<model xmlns=\"urn:x\"><entity name=\"A\"/></model>", "<model a:b=\"1\"/>",
            "<model><![CDATA[ <a> ]]></model>",
            "<?pi?><model><?pi data?><!-- a --></model>", "<model><!-- a -- b --></model>",
            "<model name=\"&#0;\"/>",
            "<model name=\"&#xFFFFFFFF;\"/>", "<model name=\"&#xD800;\"/>", "<model name=\"\u{1}\"/>",
            "<model name=\"&amp;&lt;&gt;&quot;&apos;\"/>", "<model \u{E9}=\"1\"/>", "<\u{E9}/>",
            "<model name='\u{FFFF}'/>",
            "<?xml version=\"1.0\" encoding=\"\"?><model/>", "<?xml version=\"9\"?><model/>",
            "<?xml?><model/>",
            "<!---->", "<![CDATA[]]>", "<model><![CDATA[", "<!", "<", "<model><!", "]]>",
            "<model name=\"<\"/>",
        ])
    func oddTextIsAModelOrAnError(text: String) throws {
        do {
            _ = try NSManagedObjectModel(tree: ModelElement(xml: Data(text.utf8)))
        } catch let error as ModelFileError {
            #expect(!error.description.isEmpty)
        }
    }

    @Test("A model file with bytes that are not UTF-8 is refused")
    func textThatIsNotUTF8() {
        let bytes = Data("<model name=\"".utf8) + [0xFF, 0xC0] + Data("\"/>".utf8)
        let error = #expect(throws: ModelFileError.self) { try ModelElement(xml: bytes) }
        #expect(error?.detail.contains("UTF-8") == true)
    }

    @Test("A model file cut off at any offset is an error")
    func truncatedFile() throws {
        let whole = Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <model><entity name="A"><attribute name="a" attributeType="String"/></entity></model>
            """.utf8)
        for length in 0..<whole.count {
            #expect(throws: ModelFileError.self) { try ModelElement(xml: whole.prefix(length)) }
        }
        #expect(try ModelElement(xml: whole).children.count == 1)
    }

    @Test(
        "Document types and entity declarations are refused with their line",
        arguments: [
            "<!DOCTYPE model SYSTEM \"file:///etc/passwd\"><model/>",
            "<!DOCTYPE model [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><model name=\"&b;\"/>",
            "<!DOCTYPE model [<!ENTITY % p SYSTEM \"http://localhost/x\"> %p;]><model/>",
            "<model><!ENTITY a \"b\"></model>",
        ])
    func documentTypesAndEntitiesAreRefused(text: String) {
        let error = error(text: "<?xml version=\"1.0\"?>\n" + text)
        #expect(error?.reason == .malformed)
        #expect(error?.detail.contains("not allowed") == true)
        #expect(error?.line == 2)
    }

    @Test("Only UTF-8 without null bytes is read, with or without a byte order mark")
    func onlyUTF8IsRead() throws {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><model/>"
        #expect(error(text: text)?.reason == .unsupportedForm)
        let utf16 = try #require("<model/>".data(using: .utf16))
        #expect(throws: ModelFileError.self) { try ModelElement(xml: utf16) }
        #expect(throws: ModelFileError.self) { try ModelElement(xml: Data("<model>\0</model>".utf8)) }
        let mark = Data([0xEF, 0xBB, 0xBF]) + Data("<model name='é'/>".utf8)
        #expect(try ModelElement(xml: mark)["name"] == "é")
    }

    @Test("Elements may be nested 64 deep, and 100,000 deep are refused")
    func depthIsBounded() {
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(error(text: deep)?.reason == .tooLarge)
        let allowed = String(repeating: "<a>", count: 64) + String(repeating: "</a>", count: 64)
        #expect(throws: Never.self) { try ModelElement(xml: Data(allowed.utf8)) }
    }

    @Test("A model file with too many elements is refused")
    func numberOfElementsIsBounded() {
        let wide = "<model>" + String(repeating: "<a/>", count: 600_000) + "</model>"
        #expect(error(text: wide)?.reason == .tooLarge)
    }

    @Test("An element with too many attributes is refused")
    func numberOfAttributesIsBounded() {
        let settings = (0..<1_000).map { "a\($0)=\"\"" }.joined(separator: " ")
        #expect(error(text: "<model \(settings)/>")?.reason == .tooLarge)
    }

    @Test("A model file above the size limit is refused")
    func sizeIsBounded() throws {
        let limit = ModelElement.Limit.fileSize
        #expect(throws: ModelFileError.self) { try ModelElement(xml: Data(count: limit + 1)) }
        let url = FileManager.default.temporaryDirectory.appending(path: "large-\(UUID().uuidString)")
        #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
        defer { try? FileManager.default.removeItem(at: url) }
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: UInt64(limit) + 1)
        try handle.close()
        let error = #expect(throws: ModelFileError.self) { try NSManagedObjectModel(loading: url) }
        #expect(error?.reason == .tooLarge)
    }

    @Test("The tree keeps unknown elements, text, and the order of attributes")
    func treeIsKeptAsItIs() throws {
        let text = """
            <model b="2" a="1&#10;&lt;">
                <unknown/>
                <entity name="A"/>
                text
            </model>
            """
        let tree = try ModelElement(xml: Data(text.utf8))
        #expect(tree.name == "model" && tree.attributes == [.init("b", "2"), .init("a", "1\n<")])
        #expect(tree.children.map(\.name) == ["unknown", "entity"])
        #expect(tree.children[1]["name"] == "A" && tree.children[1].line == 3)
        #expect(tree.text.contains("text"))
    }

    // MARK: Structure

    struct Case: Sendable, CustomTestStringConvertible {
        let content: String
        let reason: ModelFileError.Reason
        let element: String
        let part: String

        var testDescription: String { "\(reason) \(element)" }

        init(_ reason: ModelFileError.Reason, _ element: String, _ part: String, _ content: String) {
            self.content = content
            self.reason = reason
            self.element = element
            self.part = part
        }
    }

    @Test(
        "A contradiction in a model file is an error with reason, element and line",
        arguments: [
            Case(.missingValue, "<entity>", "name", "<entity/>"),
            Case(.duplicateName, "A", "two entities", "<entity name=\"A\"/><entity name=\"A\"/>"),
            Case(
                .duplicateName, "A.a", "two properties",
                "<entity name=\"A\"><attribute name=\"a\"/><attribute name=\"a\"/></entity>"),
            Case(.unknownName, "A", "'B'", "<entity name=\"A\" parentEntity=\"B\"/>"),
            Case(.cycle, "A", "inherits from itself", "<entity name=\"A\" parentEntity=\"A\"/>"),
            Case(
                .cycle, "A", "A → B → C → A",
                """
                <entity name="A" parentEntity="B"/><entity name="B" parentEntity="C"/>
                <entity name="C" parentEntity="A"/>
                """),
            Case(
                .missingValue, "A.r", "destinationEntity",
                "<entity name=\"A\"><relationship name=\"r\"/></entity>"),
            Case(
                .unknownName, "A.r", "'B'",
                "<entity name=\"A\"><relationship name=\"r\" destinationEntity=\"B\"/></entity>"),
            Case(
                .unknownName, "A.r", "'x'",
                "<entity name=\"A\"><relationship name=\"r\" destinationEntity=\"A\" inverseName=\"x\"/></entity>"
            ),
            Case(
                .invalidValue, "A.r", "'Explode'",
                "<entity name=\"A\"><relationship name=\"r\" destinationEntity=\"A\" deletionRule=\"Explode\"/></entity>"
            ),
            Case(
                .invalidValue, "A.r", "maxCount",
                "<entity name=\"A\"><relationship name=\"r\" destinationEntity=\"A\" maxCount=\"99999999999\"/></entity>"
            ),
            Case(
                .invalidValue, "A.r", "minCount",
                "<entity name=\"A\"><relationship name=\"r\" destinationEntity=\"A\" minCount=\"-1\"/></entity>"
            ),
            Case(
                .invalidValue, "A.a", "'Integer 128'",
                "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Integer 128\"/></entity>"),
            Case(
                .invalidValue, "A.a", "'perhaps'",
                "<entity name=\"A\"><attribute name=\"a\" optional=\"perhaps\"/></entity>"),
            Case(
                .invalidValue, "A.a", "-32768",
                "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Integer 16\" defaultValueString=\"70000\"/></entity>"
            ),
            Case(
                .invalidValue, "A.a", "whole number",
                """
                <entity name="A"><attribute name="a" attributeType="Integer 64"
                    defaultValueString="99999999999999999999999"/></entity>
                """),
            Case(
                .invalidValue, "A.a", "'x'",
                "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Double\" defaultValueString=\"x\"/></entity>"
            ),
            Case(
                .invalidValue, "A.a", "decimal",
                "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Decimal\" defaultValueString=\"1,5\"/></entity>"
            ),
            Case(
                .invalidValue, "A.a", "UUID",
                "<entity name=\"A\"><attribute name=\"a\" attributeType=\"UUID\" defaultValueString=\"x\"/></entity>"
            ),
            Case(
                .invalidValue, "A.a", "such as",
                "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Date\" defaultValueString=\"soon\"/></entity>"
            ),
            Case(
                .invalidValue, "A.a", "defaultDateTimeInterval",
                "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Date\" defaultDateTimeInterval=\"inf\"/></entity>"
            ),
            Case(
                .invalidValue, "A.a", "minValueString",
                "<entity name=\"A\"><attribute name=\"a\" attributeType=\"String\" minValueString=\"-1\"/></entity>"
            ),
            Case(
                .missingValue, "A.a", "derivationExpression",
                "<entity name=\"A\"><attribute name=\"a\" attributeType=\"String\" derived=\"YES\"/></entity>"
            ),
            Case(
                .invalidValue, "A.a", "'((('",
                """
                <entity name="A"><attribute name="a" attributeType="String" derived="YES"
                    derivationExpression="((("/></entity>
                """),
            Case(
                .unknownName, "A.a", "'P'",
                "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Composite\" composite=\"P\"/></entity>"
            ),
            Case(
                .cycle, "P", "contains itself",
                "<composite name=\"P\"><attribute name=\"p\" attributeType=\"Composite\" composite=\"P\"/></composite>"
            ),
            Case(
                .duplicateName, "P", "two composite types", "<composite name=\"P\"/><composite name=\"P\"/>"),
            Case(
                .invalidValue, "f", "'a =='",
                "<fetchRequest name=\"f\" entity=\"A\" predicateString=\"a ==\"/>"),
            Case(
                .invalidValue, "f", "fetchLimit", "<fetchRequest name=\"f\" entity=\"A\" fetchLimit=\"-5\"/>"),
            Case(
                .duplicateName, "f", "two fetch requests",
                "<entity name=\"A\"/><fetchRequest name=\"f\" entity=\"A\"/><fetchRequest name=\"f\" entity=\"A\"/>"
            ),
            Case(.unknownName, "f", "'B'", "<entity name=\"A\"/><fetchRequest name=\"f\" entity=\"B\"/>"),
            Case(.missingValue, "f", "'entity'", "<fetchRequest name=\"f\"/>"),
            Case(
                .invalidValue, "f", "result type 3",
                "<fetchRequest name=\"f\" entity=\"A\" resultType=\"3\"/>"),
            Case(
                .invalidValue, "A.i", "'x =='",
                "<entity name=\"A\"><fetchIndex name=\"i\" partialIndexPredicate=\"x ==\"/></entity>"),
            Case(
                .invalidValue, "A.i", "'Hash'",
                """
                <entity name="A"><fetchIndex name="i"><fetchIndexElement property="a" type="Hash"/></fetchIndex>
                </entity>
                """),
            Case(
                .unknownName, "c", "'B'",
                "<configuration name=\"c\"><memberEntity name=\"B\"/></configuration>"),
            Case(
                .duplicateName, "c", "two configurations",
                "<configuration name=\"c\"/><configuration name=\"c\"/>"),
        ])
    func contradiction(_ test: Case) {
        let error = error(test.content)
        #expect(error?.reason == test.reason)
        #expect(error?.element?.hasPrefix(test.element) == true, "\(error?.element ?? "no element")")
        #expect(error?.detail.contains(test.part) == true, "\(error?.detail ?? "")")
        #expect((error?.line ?? 0) >= 3)
    }

    @Test("A file with another root element is refused by its name")
    func anotherRootIsRefused() {
        #expect(error(text: "<plist/>")?.detail.contains("<plist>") == true)
    }

    private func chain(_ count: Int) -> String {
        var content = "<entity name=\"E0\"><attribute name=\"a\" attributeType=\"String\"/></entity>"
        for index in 1..<count { content += "<entity name=\"E\(index)\" parentEntity=\"E\(index - 1)\"/>" }
        return content
    }

    @Test("A chain of 200 superentities is read, and one of 100,000 is refused")
    func aChainOfSuperentitiesIsBounded() throws {
        #expect(error(chain(100_000))?.reason == .tooLarge)
        let model = try parse(chain(200))
        #expect(model.inconsistencies().isEmpty)
        model.makeImmutable()
        #expect(model.entitiesByName["E199"]?.allProperties.map(\.name) == ["a"])
        #expect(model.entitiesInPreorder().map(\.name).last == "E199")
    }

    @Test("A model file in which inherited properties multiply is refused")
    func inheritedPropertiesAreBounded() {
        var content = "<entity name=\"P\">"
        for index in 0..<2_000 { content += "<attribute name=\"a\(index)\" attributeType=\"String\"/>" }
        content += "</entity>"
        for index in 0..<2_000 { content += "<entity name=\"E\(index)\" parentEntity=\"P\"/>" }
        #expect(error(content)?.reason == .tooLarge)
    }

    @Test("A model file with 50,000 declarations is read within the time limit")
    func timeGrowsWithTheSizeOfTheFileAndNoFaster() throws {
        let count = 10_000
        var content = "<entity name=\"P\"/><entity name=\"R\">"
        for index in 0..<count {
            content += """
                <relationship name="r\(index)" destinationEntity="R" inverseName="r\(index)"/>
                <fetchIndex name="i\(index)"><fetchIndexElement property="r0"/></fetchIndex>
                """
        }
        content += "</entity>"
        for index in 0..<count {
            content += """
                <entity name="E\(index)" parentEntity="P"/><configuration name="c\(index)"/>
                <fetchRequest name="f\(index)" entity="R"/>
                """
        }
        let clock = ContinuousClock()
        let time = try clock.measure {
            let model = try parse(content)
            #expect(model.inconsistencies().isEmpty)
            model.makeImmutable()
            #expect(model.entitiesInPreorder().count == count + 2)
        }
        #expect(time < .seconds(120))
    }

    @Test("Nested composite types that multiply are refused")
    func compositesThatMultiplyAreRefused() {
        var content = "<composite name=\"P0\"><attribute name=\"a\" attributeType=\"String\"/></composite>"
        for level in 1...30 {
            let attribute = "attributeType=\"Composite\" composite=\"P\(level - 1)\"/>"
            content += "<composite name=\"P\(level)\">"
            for index in 0..<10 { content += "<attribute name=\"a\(index)\" \(attribute)" }
            content += "</composite>"
        }
        content +=
            "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Composite\" composite=\"P30\"/></entity>"
        #expect(error(content)?.reason == .tooLarge)
    }

    @Test("A large composite type used by many attributes is refused")
    func aLargeCompositeInManyAttributesIsRefused() {
        var content = "<composite name=\"P\">"
        for index in 0..<9_000 { content += "<attribute name=\"p\(index)\" attributeType=\"Double\"/>" }
        content += "</composite><entity name=\"A\">"
        for index in 0..<6 {
            content += "<attribute name=\"a\(index)\" attributeType=\"Composite\" composite=\"P\"/>"
        }
        #expect(error(content + "</entity>")?.reason == .tooLarge)
    }

    @Test(
        "A malformed decimal default value is refused",
        arguments: ["e5", ".", "-", "1e", "1.2.3", "0x10", "1 "])
    func aDecimalHasDigitsBeforeItsExponent(_ text: String) {
        let attribute = "attributeType=\"Decimal\" defaultValueString=\"\(text)\"/>"
        let error = error("<entity name=\"A\"><attribute name=\"a\" \(attribute)</entity>")
        #expect(error?.reason == .invalidValue)
    }

    @Test("A malformed decimal of a million digits is refused within the time limit")
    func aLongDecimalTakesTimeByItsLength() {
        let digits = String(repeating: "1", count: 1_000_000)
        for text in [digits + "x", digits + "." + digits + "x", digits + "e" + digits] {
            let clock = ContinuousClock()
            let time = clock.measure {
                let attribute = "attributeType=\"Decimal\" defaultValueString=\"\(text)\"/>"
                #expect(
                    error("<entity name=\"A\"><attribute name=\"a\" \(attribute)</entity>")?.reason
                        == .invalidValue)
            }
            #expect(time < .seconds(60))
        }
    }
}
