import Testing

@testable import ModelTools

/// Every rule of the check, with a model that breaks it and one that does not.
struct ModelCheckTests {
    struct Rule: Sendable, CustomTestStringConvertible {
        let code: ModelFinding.Code
        /// Where the finding is: `Entity.property`, `Entity`, or the name of a part of the model.
        let location: String
        let bad: String
        let good: String
        var settings = ""
        var testDescription: String { "\(code.rawValue) at \(location)" }

        init(_ code: ModelFinding.Code, _ location: String, bad: String, good: String, settings: String = "")
        {
            self.code = code
            self.location = location
            self.bad = bad
            self.good = good
            self.settings = settings
        }
    }

    private static func attribute(_ settings: String) -> String {
        entity("A", "<attribute name=\"x\" \(settings)/>")
    }

    /// Two entities with relationships to each other.
    private static func pair(_ forth: String, _ back: String) -> String {
        entity(
            "A",
            "<relationship name=\"b\" destinationEntity=\"B\" inverseName=\"a\" inverseEntity=\"B\" \(forth)/>"
        )
            + entity(
                "B",
                "<relationship name=\"a\" destinationEntity=\"A\" inverseName=\"b\" inverseEntity=\"A\" \(back)/>"
            )
    }

    private static let toOne = "optional=\"YES\" maxCount=\"1\""
    private static let toMany = "optional=\"YES\" toMany=\"YES\""
    private static let sound = entity("A")

    private static let names: [Rule] = [
        Rule(.missingName, "", bad: sound + "<entity/>", good: sound),
        Rule(.missingName, "A", bad: entity("A", "<attribute attributeType=\"String\"/>"), good: sound),
        Rule(.duplicateName, "A", bad: sound + sound, good: sound + entity("B")),
        Rule(.duplicateName, "A.text", bad: entity("A", "<relationship name=\"text\"/>"), good: sound),
        Rule(
            .reservedName, "A.description",
            bad: entity("A", "<attribute name=\"description\" attributeType=\"String\"/>"), good: sound),
        Rule(
            .reservedName, "A.objectID",
            bad: entity("A", "<attribute name=\"objectID\" attributeType=\"String\"/>"),
            good: entity("A", "<attribute name=\"context\" attributeType=\"String\"/>")),
        Rule(
            .methodName, "A.prepareForDeletion",
            bad: entity("A", "<attribute name=\"prepareForDeletion\" attributeType=\"String\"/>"), good: sound
        ),
        Rule(
            .invalidName, "A.a b", bad: entity("A", "<attribute name=\"a b\" attributeType=\"String\"/>"),
            good: sound),
        Rule(.invalidName, "1A", bad: entity("1A"), good: entity("A1")),
        Rule(.nameStyle, "a", bad: entity("a"), good: entity("_a")),
        Rule(
            .nameStyle, "A.Name", bad: entity("A", "<attribute name=\"Name\" attributeType=\"String\"/>"),
            good: sound),
    ]

    private static let entities: [Rule] = [
        Rule(
            .unknownSuperentity, "A", bad: entity("A", "", "parentEntity=\"B\""),
            good: "<entity name=\"A\" parentEntity=\"B\"/>" + entity("B")),
        Rule(
            .inheritanceCycle, "A",
            bad: "<entity name=\"A\" parentEntity=\"B\"/><entity name=\"B\" parentEntity=\"A\"/>",
            good: "<entity name=\"A\" parentEntity=\"B\"/>" + entity("B")),
        Rule(
            .redefinedProperty, "B.text", bad: sound + entity("B", "", "parentEntity=\"A\""),
            good: sound + "<entity name=\"B\" parentEntity=\"A\"/>"),
        Rule(
            .missingClass, "A", bad: entity("A", "", "codeGenerationType=\"class\""),
            good: entity("A", "", "codeGenerationType=\"class\" representedClassName=\"A\"")),
        Rule(
            .duplicateClass, "B",
            bad: entity("A", "", "representedClassName=\"A\"")
                + entity("B", "", "representedClassName=\"A\""),
            good: entity("A", "", "representedClassName=\"NSManagedObject\"")
                + entity("B", "", "representedClassName=\"NSManagedObject\"")),
        Rule(
            .abstractWithoutSubentities, "A", bad: entity("A", "", "isAbstract=\"YES\""),
            good: entity("A", "", "isAbstract=\"YES\"") + "<entity name=\"B\" parentEntity=\"A\"/>"),
        Rule(.emptyEntity, "A", bad: "<entity name=\"A\"/>", good: sound),
    ]

    private static let attributes: [Rule] = [
        Rule(.attributeWithoutType, "A.x", bad: attribute(""), good: attribute("transient=\"YES\"")),
        Rule(
            .unknownType, "A.x", bad: attribute("attributeType=\"Text\""),
            good: attribute("attributeType=\"String\"")),
        Rule(
            .invalidDefaultValue, "A.x",
            bad: attribute("attributeType=\"Integer 16\" defaultValueString=\"40000\""),
            good: attribute("attributeType=\"Integer 32\" defaultValueString=\"40000\"")),
        Rule(
            .invalidSetting, "A.x", bad: attribute("attributeType=\"Integer 16\" minValueString=\"few\""),
            good: attribute("attributeType=\"Integer 16\" minValueString=\"2\"")),
        Rule(
            .defaultOutsideLimits, "A.x",
            bad: attribute("attributeType=\"Integer 16\" minValueString=\"1\" defaultValueString=\"0\""),
            good: attribute("attributeType=\"Integer 16\" minValueString=\"0\" defaultValueString=\"0\"")),
        Rule(
            .defaultOutsideLimits, "A.x",
            bad: attribute("attributeType=\"String\" maxValueString=\"2\" defaultValueString=\"abc\""),
            good: attribute("attributeType=\"String\" maxValueString=\"3\" defaultValueString=\"abc\"")),
        Rule(
            .defaultOutsideLimits, "A.x",
            bad: attribute(
                "attributeType=\"String\" regularExpressionString=\"[a-z]+\" defaultValueString=\"1\""),
            good: attribute(
                "attributeType=\"String\" regularExpressionString=\"[a-z]+\" defaultValueString=\"b\"")),
        Rule(
            .minimumAboveMaximum, "A.x",
            bad: attribute("attributeType=\"Double\" minValueString=\"2.5\" maxValueString=\"2\""),
            good: attribute("attributeType=\"Double\" minValueString=\"2\" maxValueString=\"2\"")),
        Rule(
            .minimumAboveMaximum, "A.x",
            bad: attribute("attributeType=\"Date\" minDateTimeInterval=\"9\" maxDateTimeInterval=\"1\""),
            good: attribute("attributeType=\"Date\" minDateTimeInterval=\"1\" maxDateTimeInterval=\"9\"")),
        Rule(
            .minimumAboveMaximum, "A.x",
            bad: attribute("attributeType=\"String\" minValueString=\"9\" maxValueString=\"1\""),
            good: attribute("attributeType=\"String\" minValueString=\"1\" maxValueString=\"9\"")),
        Rule(
            .invalidPattern, "A.x", bad: attribute("attributeType=\"String\" regularExpressionString=\"[a\""),
            good: attribute("attributeType=\"String\" regularExpressionString=\"[a]\"")),
        Rule(
            .invalidDerivation, "A.x",
            bad: attribute("attributeType=\"String\" derived=\"YES\" derivationExpression=\"uppercase:(\""),
            good: attribute(
                "attributeType=\"String\" derived=\"YES\" derivationExpression=\"uppercase:(text)\"")),
        Rule(
            .invalidDerivation, "A.x",
            bad: attribute("attributeType=\"String\" derived=\"YES\" derivationExpression=\"nothing\""),
            good: attribute("attributeType=\"String\" derived=\"YES\" derivationExpression=\"text\"")),
        Rule(
            .invalidDerivation, "A.x", bad: attribute("attributeType=\"String\" derived=\"YES\""),
            good: attribute("attributeType=\"String\" derived=\"NO\"")),
        Rule(
            .derivationTypeMismatch, "A.x",
            bad: attribute("attributeType=\"Double\" derived=\"YES\" derivationExpression=\"now()\""),
            good: attribute("attributeType=\"Date\" derived=\"YES\" derivationExpression=\"now()\"")),
        Rule(
            .derivationTypeMismatch, "A.x",
            bad: attribute("attributeType=\"Date\" derived=\"YES\" derivationExpression=\"text\""),
            good: attribute("attributeType=\"String\" derived=\"YES\" derivationExpression=\"text\"")),
        Rule(
            .derivationTypeMismatch, "A.n",
            bad: entity(
                "A",
                """
                <relationship name="as" optional="YES" toMany="YES" destinationEntity="A" inverseName="as"/>
                <attribute name="n" attributeType="String" derived="YES" derivationExpression="as.@count"/>
                """),
            good: entity(
                "A",
                """
                <relationship name="as" optional="YES" toMany="YES" destinationEntity="A" inverseName="as"/>
                <attribute name="n" attributeType="Integer 32" derived="YES" derivationExpression="as.@count"/>
                """)),
        Rule(
            .missingTransformer, "A.x", bad: attribute("attributeType=\"Transformable\""),
            good: attribute(
                "attributeType=\"Transformable\" valueTransformerName=\"NSSecureUnarchiveFromData\"")),
        Rule(
            .insecureTransformer, "A.x",
            bad: attribute(
                "attributeType=\"Transformable\" valueTransformerName=\"NSKeyedUnarchiveFromData\""),
            good: attribute("attributeType=\"Transformable\" valueTransformerName=\"ColorToData\"")),
        Rule(
            .invalidComposite, "A.x", bad: attribute("attributeType=\"Composite\" composite=\"Point\""),
            good: attribute("attributeType=\"Composite\" composite=\"Point\"")
                + "<composite name=\"Point\"><attribute name=\"x\" attributeType=\"Double\"/></composite>"),
        Rule(
            .invalidComposite, "Point",
            bad: sound
                + "<composite name=\"Point\"><attribute name=\"x\" attributeType=\"Composite\" composite=\"Point\"/></composite>",
            good: sound
                + "<composite name=\"Point\"><attribute name=\"x\" attributeType=\"Double\"/></composite>"),
    ]

    private static let relationships: [Rule] = [
        Rule(
            .missingDestination, "A.b",
            bad: entity("A", "<relationship name=\"b\" optional=\"YES\" destinationEntity=\"B\"/>"),
            good: pair(toOne, toMany)),
        Rule(
            .missingDestination, "A.b", bad: entity("A", "<relationship name=\"b\" optional=\"YES\"/>"),
            good: pair(toOne, toMany)),
        Rule(
            .relationshipWithoutInverse, "A.b",
            bad: entity("A", "<relationship name=\"b\" optional=\"YES\" destinationEntity=\"B\"/>")
                + entity("B"),
            good: pair(toOne, toOne)),
        Rule(
            .inverseMismatch, "A.b",
            bad: entity(
                "A", "<relationship name=\"b\" optional=\"YES\" destinationEntity=\"B\" inverseName=\"c\"/>")
                + entity("B"),
            good: pair(toOne, toOne)),
        Rule(
            .inverseMismatch, "A.c",
            bad: entity(
                "A",
                """
                <relationship name="b" optional="YES" destinationEntity="B" inverseName="a"/>
                <relationship name="c" optional="YES" destinationEntity="B" inverseName="a"/>
                """)
                + entity(
                    "B",
                    "<relationship name=\"a\" optional=\"YES\" destinationEntity=\"A\" inverseName=\"b\"/>"),
            good: pair(toMany, toMany)),
        Rule(
            .noActionRule, "A.b", bad: pair(toOne + " deletionRule=\"No Action\"", toMany),
            good: pair(toOne + " deletionRule=\"Cascade\"", toMany)),
        Rule(
            .nullifiedMandatoryInverse, "A.b",
            bad: pair(toMany + " deletionRule=\"Nullify\"", "maxCount=\"1\""),
            good: pair(toMany + " deletionRule=\"Cascade\"", "maxCount=\"1\"")),
        Rule(
            .mutualDeny, "B.a",
            bad: pair(toOne + " deletionRule=\"Deny\"", toMany + " deletionRule=\"Deny\""),
            good: pair(toOne + " deletionRule=\"Deny\"", toMany + " deletionRule=\"Nullify\"")),
        Rule(
            .invalidCount, "A.b", bad: pair("toMany=\"YES\" minCount=\"3\" maxCount=\"2\"", toOne),
            good: pair("toMany=\"YES\" minCount=\"2\" maxCount=\"2\"", toOne)),
        Rule(
            .orderedToOne, "A.b", bad: pair(toOne + " ordered=\"YES\"", toMany),
            good: pair(toMany + " ordered=\"YES\"", toOne)),
        Rule(
            .invalidSetting, "A.b", bad: pair(toOne + " deletionRule=\"Forget\"", toOne),
            good: pair(toOne, toOne)),
    ]

    private static let requests: [Rule] = [
        Rule(
            .invalidPredicate, "f",
            bad: sound + "<fetchRequest name=\"f\" entity=\"A\" predicateString=\"text ==\"/>",
            good: sound + "<fetchRequest name=\"f\" entity=\"A\" predicateString=\"text == $X\"/>"),
        Rule(
            .unknownKeyPath, "f",
            bad: sound + "<fetchRequest name=\"f\" entity=\"A\" predicateString=\"title == 'a'\"/>",
            good: sound
                + "<fetchRequest name=\"f\" entity=\"A\" predicateString=\"SELF IN $S AND text.length &gt; 1\"/>"
        ),
        Rule(
            .unknownKeyPath, "f",
            bad: sound + "<fetchRequest name=\"f\" entity=\"A\" predicateString=\"own == 1\"/>",
            good: sound + "<fetchRequest name=\"f\" entity=\"A\" predicateString=\"own == 1\"/>"
                + "<entity name=\"B\" parentEntity=\"A\"><attribute name=\"own\" attributeType=\"Integer 16\"/></entity>"
        ),
        Rule(
            .invalidFetchRequest, "f", bad: sound + "<fetchRequest name=\"f\" entity=\"B\"/>",
            good: sound + "<fetchRequest name=\"f\" entity=\"A\"/>"),
        Rule(
            .invalidFetchRequest, "A.f",
            bad: entity(
                "A", "<fetchedProperty name=\"f\"><fetchRequest name=\"r\" entity=\"B\"/></fetchedProperty>"),
            good: entity(
                "A", "<fetchedProperty name=\"f\"><fetchRequest name=\"r\" entity=\"A\"/></fetchedProperty>")),
        Rule(
            .invalidPredicate, "A.f",
            bad: entity(
                "A",
                "<fetchedProperty name=\"f\"><fetchRequest name=\"r\" entity=\"A\" predicateString=\"(\"/></fetchedProperty>"
            ),
            good: entity(
                "A",
                "<fetchedProperty name=\"f\"><fetchRequest name=\"r\" entity=\"A\" predicateString=\"text == $FETCH_SOURCE.text\"/></fetchedProperty>"
            )),
        Rule(
            .invalidIndex, "A.i",
            bad: entity("A", "<fetchIndex name=\"i\"><fetchIndexElement property=\"title\"/></fetchIndex>"),
            good: entity("A", "<fetchIndex name=\"i\"><fetchIndexElement property=\"text\"/></fetchIndex>")),
        Rule(
            .invalidIndex, "A.i",
            bad: entity(
                "A",
                "<fetchIndex name=\"i\"><fetchIndexElement property=\"text\" type=\"Hash\"/></fetchIndex>"),
            good: entity("A", "<fetchIndex name=\"i\"><fetchIndexElement property=\"text\"/></fetchIndex>")),
        Rule(
            .invalidPredicate, "A.i",
            bad: entity(
                "A",
                "<fetchIndex name=\"i\" partialIndexPredicate=\"==\"><fetchIndexElement property=\"text\"/></fetchIndex>"
            ),
            good: entity(
                "A",
                "<fetchIndex name=\"i\" partialIndexPredicate=\"text != nil\"><fetchIndexElement property=\"text\"/></fetchIndex>"
            )),
        Rule(.invalidConstraint, "A.title", bad: constraint("title"), good: constraint("text")),
        Rule(.invalidConstraint, "A.bs", bad: constraint("bs"), good: constraint("text")),
        Rule(.invalidConstraint, "A.gone", bad: constraint("gone"), good: constraint("text")),
        Rule(.invalidConstraint, "A.upper", bad: constraint("upper"), good: constraint("text")),
    ]

    private static func constraint(_ name: String) -> String {
        entity(
            "A",
            """
            <attribute name="gone" transient="YES" attributeType="String"/>
            <attribute name="upper" attributeType="String" derived="YES" derivationExpression="uppercase:(text)"/>
            <relationship name="bs" optional="YES" toMany="YES" destinationEntity="A" inverseName="bs"/>
            <uniquenessConstraints><uniquenessConstraint><constraint value="\(name)"/></uniquenessConstraint>
            </uniquenessConstraints>
            """)
    }

    private static func configuration(_ name: String, _ members: String...) -> String {
        let elements = members.map { "<memberEntity name=\"\($0)\"/>" }.joined()
        return "<configuration name=\"\(name)\">\(elements)</configuration>"
    }

    private static let configurations: [Rule] = [
        Rule(
            .unknownMember, "c", bad: sound + configuration("c", "A", "B"),
            good: sound + configuration("c", "A")),
        Rule(
            .duplicateName, "c", bad: sound + configuration("c", "A") + configuration("c", "A"),
            good: sound + configuration("c", "A") + configuration("d", "A")),
        Rule(
            .emptyConfiguration, "c", bad: sound + configuration("c"), good: sound + configuration("c", "A")),
        Rule(
            .splitHierarchy, "B",
            bad: sound + "<entity name=\"B\" parentEntity=\"A\"/>" + configuration("c", "A")
                + configuration("d", "B"),
            good: sound + "<entity name=\"B\" parentEntity=\"A\"/>" + configuration("c", "A", "B")),
        Rule(
            .crossingRelationship, "A.b",
            bad: pair(toOne, toOne) + configuration("c", "A") + configuration("d", "B"),
            good: pair(toOne, toOne) + configuration("c", "A") + configuration("d", "B", "A")),
    ]

    private static let cloud = "usedWithCloudKit=\"YES\""
    private static let clouds: [Rule] = [
        Rule(
            .cloudMandatoryAttribute, "A.x", bad: attribute("attributeType=\"String\""),
            good: attribute("attributeType=\"String\" defaultValueString=\"\""), settings: cloud),
        Rule(
            .cloudMandatoryRelationship, "A.b", bad: pair("maxCount=\"1\"", toMany),
            good: pair(toOne, toMany),
            settings: cloud),
        Rule(
            .cloudRelationshipWithoutInverse, "A.b",
            bad: entity("A", "<relationship name=\"b\" optional=\"YES\" destinationEntity=\"A\"/>"),
            good: pair(toOne, toOne), settings: cloud),
        Rule(
            .cloudOrderedRelationship, "A.b", bad: pair(toMany + " ordered=\"YES\"", toOne),
            good: pair(toMany, toOne),
            settings: cloud),
        Rule(
            .cloudDenyRule, "A.b", bad: pair(toMany + " deletionRule=\"Deny\"", toOne),
            good: pair(toMany, toOne),
            settings: cloud),
        Rule(.cloudConstraint, "A", bad: constraint("text"), good: sound, settings: cloud),
        Rule(
            .cloudType, "A.x", bad: attribute("optional=\"YES\""), good: attribute("transient=\"YES\""),
            settings: cloud
        ),
    ]

    static let rules = names + entities + attributes + relationships + requests + configurations + clouds

    private func findings(_ content: String, _ rule: Rule) throws -> [ModelFinding] {
        ModelCheck.findings(in: try tree(content, attributes: rule.settings))
    }

    @Test("Each rule of the check finds a bad model and accepts a good one", arguments: rules)
    func rule(_ rule: Rule) throws {
        let bad = try findings(rule.bad, rule).filter { $0.code == rule.code }
        let indexedChange = bad.map { finding in
            [finding.entity, finding.property].compactMap { $0 }.joined(separator: ".")
        }
        #expect(indexedChange.contains(rule.location), "\(bad)")
        #expect(bad.allSatisfy { ($0.line ?? 0) >= 2 })
        let good = try findings(rule.good, rule)
        #expect(!good.contains { $0.code == rule.code }, "\(good)")
        #expect(!good.contains { $0.severity == .error }, "\(good)")
    }

    @Test("Every finding code has a test")
    func everyCodeHasATest() {
        // Those of whole files are tested with files.
        let files: Set<ModelFinding.Code> = [
            .unreadable, .unsupportedForm, .malformed, .tooLarge, .currentVersionUnknown, .versionHashDiffers,
        ]
        #expect(Set(Self.rules.map(\.code)).union(files) == Set(ModelFinding.Code.allCases))
    }

    @Test("The check finds all mistakes of a file, each with its line")
    func allMistakesOfAFileAreFound() throws {
        let content = """
            <entity name="A" parentEntity="Nowhere" isAbstract="perhaps">
                <attribute name="a" attributeType="Integer 16" defaultValueString="x" minValueString="y"/>
                <attribute name="b" attributeType="Thing"/>
                <relationship name="c" destinationEntity="Nowhere"/>
                <relationship name="d" optional="YES" maxCount="1" destinationEntity="B" inverseName="nothing"/>
                <attribute name="e" attributeType="Transformable"/>
            </entity>
            <entity name="B"><attribute name="hash" attributeType="String"/></entity>
            <fetchRequest name="f" entity="A" predicateString="("/>
            <configuration name="c"><memberEntity name="Missing"/></configuration>
            """
        let codes = ModelCheck.findings(in: try tree(content)).map { "\($0.line ?? 0) \($0.code.rawValue)" }
        for expected in [
            "2 unknown-superentity", "2 invalid-setting", "3 invalid-default-value", "3 invalid-setting",
            "4 unknown-attribute-type", "5 missing-destination", "6 inverse-mismatch",
            "7 missing-transformer",
            "9 reserved-name", "10 invalid-predicate", "11 unknown-configuration-member",
        ] {
            #expect(codes.contains(expected), "\(expected) is not in \(codes)")
        }
    }

    @Test("The check stops at its budget, which 200 mistakes do not reach")
    func aFileOfMistakesIsBounded() throws {
        var content = ""
        for index in 0..<200 { content += "<attribute name=\"a\(index)\" attributeType=\"Thing\"/>" }
        let root = try tree(entity("A", content))
        var check = TreeCheck(root, probe: SettingProbe(budget: 100))
        _ = check.run()
        #expect(check.findings.last?.code == .tooLarge)
        #expect(check.findings.count < 100)
        #expect(ModelCheck.findings(in: root).count { $0.code == .unknownType } == 200)
    }

    @Test("A sound model of thousands of entities and requests has no findings")
    func aWideAndDeepModelIsChecked() throws {
        var content =
            "<entity name=\"R\"><relationship name=\"r\" optional=\"YES\" destinationEntity=\"R\" inverseName=\"r\"/></entity>"
        for index in 0..<3_000 {
            content += "<entity name=\"E\(index)\" parentEntity=\"R\"/>"
            content += "<fetchRequest name=\"f\(index)\" entity=\"R\" predicateString=\"r.r.r.r.x == 1\"/>"
        }
        #expect(ModelCheck.findings(in: try tree(content)) == [])
    }

    @Test("One mistake is reported once")
    func oneMistakeIsReportedOnce() throws {
        // The relationship back is valid; its unreadable inverse is not an error of its own.
        let content = Self.pair(Self.toOne + " deletionRule=\"Forget\"", Self.toOne)
        let found = ModelCheck.findings(in: try tree(content))
        #expect(found.map(\.code) == [.invalidSetting])
        #expect(found.first?.description.hasSuffix("[invalid-setting]") == true)
    }

    @Test("CloudKit rules apply to entities of a configuration for CloudKit only")
    func configurationsForCloudKit() throws {
        let content =
            Self.attribute("attributeType=\"String\"")
            + entity("B", "<attribute name=\"y\" attributeType=\"String\"/>")
            + "<configuration name=\"c\" usedWithCloudKit=\"YES\"><memberEntity name=\"B\"/></configuration>"
        let found = ModelCheck.findings(in: try tree(content))
        #expect(found.map(\.code) == [.cloudMandatoryAttribute])
        #expect(found.first?.entity == "B")
    }

    @Test("A model without a file is checked, without lines")
    func aModelWithoutAFile() throws {
        let built = try model(
            Self.attribute("attributeType=\"Transformable\"")
                + Self.constraint("text").replacing("\"A\"", with: "\"C\""))
        let found = ModelCheck.findings(in: built)
        #expect(found.map(\.code) == [.missingTransformer])
        #expect(found.first?.line == nil)
        #expect(ModelCheck.findings(in: built, usesCloudKit: true).map(\.code).contains(.cloudConstraint))
    }

    @Test("A finding is encoded, decoded and described")
    func findingsAreCodable() throws {
        let finding = ModelFinding(.missingName, file: "f", line: 3, entity: "A", property: "b", "no name")
        let data = try JSONEncoder().encode(finding)
        #expect(try JSONDecoder().decode(ModelFinding.self, from: data) == finding)
        #expect(String(decoding: data, as: UTF8.self).contains("\"missing-name\""))
        #expect(finding.description == "f:3: error: A.b: no name [missing-name]")
    }
}
