import Testing

@testable import ManagedObjectModel

/// Each setting of an attribute in the model editor, from the text of the file to the description.
struct XcodeAttributeTests {
    private func attribute(_ settings: String, inside: String = "") throws -> NSAttributeDescription {
        try #require(try parseProperty("<attribute name=\"a\" \(settings)>\(inside)</attribute>"))
    }

    @Test(
        "Each attribute type of a model file has its type and value class",
        arguments: [
            ("Integer 16", NSAttributeType.integer16AttributeType, "NSNumber"),
            ("Integer 32", .integer32AttributeType, "NSNumber"),
            ("Integer 64", .integer64AttributeType, "NSNumber"),
            ("Decimal", .decimalAttributeType, "NSDecimalNumber"),
            ("Double", .doubleAttributeType, "NSNumber"),
            ("Float", .floatAttributeType, "NSNumber"),
            ("String", .stringAttributeType, "NSString"),
            ("Boolean", .booleanAttributeType, "NSNumber"),
            ("Date", .dateAttributeType, "NSDate"),
            ("Binary", .binaryDataAttributeType, "NSData"),
            ("UUID", .UUIDAttributeType, "NSUUID"),
            ("URI", .URIAttributeType, "NSURL"),
            ("Transformable", .transformableAttributeType, nil),
            ("Undefined", .undefinedAttributeType, nil),
        ] as [(String, NSAttributeType, String?)])
    func type(name: String, type: NSAttributeType, className: String?) throws {
        let attribute = try attribute("attributeType=\"\(name)\"")
        #expect(attribute.attributeType == type)
        #expect(attribute.type.rawValue == type)
        #expect(attribute.attributeValueClassName == className)
    }

    @Test("An attribute without a type is undefined")
    func attributeWithoutATypeIsUndefined() throws {
        let attribute = try attribute("transient=\"YES\"")
        #expect(attribute.type == .undefined)
        #expect(attribute.isTransient)
    }

    @Test("An attribute is optional only if the file says so")
    func optionalIsOffUnlessTheFileSaysSo() throws {
        #expect(try attribute("attributeType=\"String\"").isOptional == false)
        #expect(try attribute("attributeType=\"String\" optional=\"NO\"").isOptional == false)
        #expect(try attribute("attributeType=\"String\" optional=\"YES\"").isOptional)
    }

    @Test("The switches of an attribute are off by default and on when set")
    func switches() throws {
        let off = try attribute("attributeType=\"Binary\"")
        #expect(!off.isTransient && !off.allowsExternalBinaryDataStorage && !off.allowsCloudEncryption)
        #expect(!off.isIndexedBySpotlight && !off.preservesValueInHistoryOnDeletion && !off.isSyncable)
        #expect(off.usesScalarValueType == nil)
        let on = try attribute(
            """
            attributeType="Binary" transient="YES" allowsExternalBinaryDataStorage="YES" syncable="YES"
            allowsCloudEncryption="YES" spotlightIndexingEnabled="YES" preserveAfterDeletion="YES"
            usesScalarValueType="YES" storedInTruthFile="YES"
            """)
        #expect(on.isTransient && on.allowsExternalBinaryDataStorage && on.allowsCloudEncryption)
        #expect(on.isIndexedBySpotlight && on.preservesValueInHistoryOnDeletion && on.isSyncable)
        #expect(on.usesScalarValueType == true)
        #expect(on.isInExternalRecord)
        #expect(
            try attribute("attributeType=\"Double\" usesScalarValueType=\"NO\"").usesScalarValueType == false)
    }

    @Test("An attribute keeps its renaming identifier and hash modifier")
    func versioning() throws {
        let plain = try attribute("attributeType=\"String\"")
        #expect(plain.renamingIdentifier == "a")
        #expect(plain.versionHashModifier == nil)
        let set = try attribute("attributeType=\"String\" elementID=\"old\" versionHashModifier=\"2\"")
        #expect(set.renamingIdentifier == "old")
        #expect(set.versionHashModifier == "2")
    }

    @Test("An attribute keeps its user info")
    func userInfo() throws {
        #expect(try attribute("attributeType=\"String\"").userInfo?.isEmpty == true)
        let info =
            try attribute(
                "attributeType=\"String\"",
                inside: "<userInfo><entry key=\"k\" value=\"v\"/><entry key=\"n\" value=\"\"/></userInfo>"
            ).userInfo as? [String: String]
        #expect(info == ["k": "v", "n": ""])
    }

    @Test("A transformable attribute keeps its transformer and value class")
    func transformable() throws {
        let attribute = try attribute(
            "attributeType=\"Transformable\" valueTransformerName=\"ColorsTransformer\" customClassName=\"UIColor\""
        )
        #expect(attribute.valueTransformerName == "ColorsTransformer")
        #expect(attribute.attributeValueClassName == "UIColor")
        #expect(
            try self.attribute("attributeType=\"Transformable\" valueTransformerName=\"\"")
                .valueTransformerName == nil)
    }

    // MARK: Default values

    private func defaultValue<Value>(_ type: String, _ text: String, as: Value.Type = Value.self) throws
        -> Value?
    {
        try attribute("attributeType=\"\(type)\" defaultValueString=\"\(text)\"").defaultValue as? Value
    }

    @Test("A default number is read in the type of its attribute")
    func defaultNumbers() throws {
        #expect(try defaultValue("Integer 16", "-7", as: Int16.self) == -7)
        #expect(try defaultValue("Integer 32", "2147483647", as: Int32.self) == .max)
        #expect(try defaultValue("Integer 64", "9223372036854775807", as: Int64.self) == .max)
        #expect(try defaultValue("Integer 32", "NO", as: Int.self) == 0)
        #expect(try defaultValue("Integer 32", "1.0", as: Int.self) == 1)
        #expect(try defaultValue("Double", "0.5", as: Double.self) == 0.5)
        #expect(try defaultValue("Float", "-1e3", as: Double.self) == -1000)
        #expect(try defaultValue("Boolean", "YES", as: Bool.self) == true)
        #expect(try defaultValue("Boolean", "NO", as: Bool.self) == false)
        #expect(try defaultValue("Boolean", "0", as: Bool.self) == false)
        let decimal = try defaultValue("Decimal", "12345678901234567890.123456789", as: NSDecimalNumber.self)
        #expect(decimal?.stringValue == "12345678901234567890.123456789")
    }

    @Test("A default string, UUID or URI is read in the type of its attribute")
    func defaultTexts() throws {
        #expect(try defaultValue("String", "Unknown &amp; new", as: String.self) == "Unknown & new")
        #expect(try defaultValue("String", "", as: String.self) == "")
        let uuid = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        // What the model editor leaves of a number when the type is changed.
        #expect(try attribute("attributeType=\"UUID\" defaultValueString=\"0.0\"").defaultValue == nil)
        #expect(
            try attribute("attributeType=\"Boolean\" defaultValueString=\"0.0\"").defaultValue as? Bool
                == false)
        #expect(try defaultValue("UUID", uuid, as: UUID.self) == UUID(uuidString: uuid))
        #expect(try defaultValue("URI", "https://swift.org/a", as: URL.self)?.host == "swift.org")
    }

    @Test("A default date is read as an interval since 2001 or as a written date")
    func defaultDatesCountFrom2001() throws {
        let interval =
            try attribute("attributeType=\"Date\" defaultDateTimeInterval=\"284061600\"").defaultValue
            as? Date
        #expect(interval?.timeIntervalSinceReferenceDate == 284_061_600)
        let text = try defaultValue("Date", "2010-01-01 12:00:00 -0600", as: Date.self)
        #expect(text?.timeIntervalSinceReferenceDate == 284_061_600)
    }

    @Test("An attribute without a usable default value has none")
    func missingDefaults() throws {
        #expect(try attribute("attributeType=\"String\"").defaultValue == nil)
        #expect(try attribute("attributeType=\"Integer 16\" defaultValueString=\"\"").defaultValue == nil)
        #expect(try attribute("attributeType=\"Binary\" defaultValueString=\"x\"").defaultValue == nil)
    }

    // MARK: Validation

    private func limits(_ settings: String) throws -> [(NSComparisonPredicate, Int)] {
        let attribute = try attribute(settings)
        return zip(attribute.validationPredicates, attribute.validationWarnings).compactMap {
            guard let predicate = $0 as? NSComparisonPredicate, let code = $1 as? Int else { return nil }
            return (predicate, code)
        }
    }

    @Test(
        "Limits of a number become validation predicates with Apple's error codes",
        arguments: ["Integer 16", "Integer 32", "Integer 64", "Decimal", "Double", "Float"])
    func limitsOfNumbers(type: String) throws {
        let limits = try limits("attributeType=\"\(type)\" minValueString=\"5\" maxValueString=\"60\"")
        #expect(limits.map(\.1) == [1620, 1610])
        #expect(limits.map(\.0.predicateOperatorType) == [.greaterThanOrEqualTo, .lessThanOrEqualTo])
        func holds(_ value: NSNumber) -> [Bool] { limits.map { $0.0.evaluate(with: value) } }
        #expect(holds(4) == [false, true] && holds(5) == [true, true])
        #expect(holds(60) == [true, true] && holds(NSDecimalNumber(string: "60.5")) == [true, false])
        if type != "Decimal" { #expect(limits.map(\.0.formatString) == ["SELF >= 5", "SELF <= 60"]) }
    }

    @Test("Lengths and the pattern of a string become validation predicates with error codes")
    func limitsOfStrings() throws {
        let limits = try limits(
            "attributeType=\"String\" minValueString=\"2\" maxValueString=\"9\" regularExpressionString=\"[a-z]+\""
        )
        #expect(limits.map(\.1) == [1670, 1660, 1680])
        #expect(
            limits.map(\.0.formatString) == ["length >= 2", "length <= 9", "SELF MATCHES \"[a-z]+\""])
    }

    @Test(
        "Validation predicates of a string check its length and pattern",
        arguments: [
            ("a", [false, true, true]), ("abcdefghij", [true, false, true]), ("ab1", [true, true, false]),
        ])
    func limitsOfStringsHold(value: String, expected: [Bool]) throws {
        let limits = try limits(
            "attributeType=\"String\" minValueString=\"2\" maxValueString=\"9\" regularExpressionString=\"[a-z]+\""
        )
        #expect(limits.map { $0.0.evaluate(with: value) } == expected)
    }

    @Test("Limits of a date become validation predicates with error codes")
    func limitsOfDates() throws {
        let limits = try limits(
            "attributeType=\"Date\" minDateTimeInterval=\"407847600\" maxDateTimeInterval=\"439470000\"")
        #expect(limits.map(\.1) == [1640, 1630])
        let bounds = limits.compactMap { limit -> TimeInterval? in
            guard case .constant(let date as Date) = limit.0.rightExpression.kind else { return nil }
            return date.timeIntervalSinceReferenceDate
        }
        #expect(bounds == [407_847_600, 439_470_000])
        #expect(limits.first?.0.formatString.hasPrefix("SELF >= CAST(407847600") == true)
        let date = Date(timeIntervalSinceReferenceDate: 439_470_001)
        #expect(limits.map { $0.0.evaluate(with: date) } == [true, false])
    }

    @Test("An attribute without limits has no validation predicates")
    func attributeWithoutLimitsHasNoPredicates() throws {
        #expect(try limits("attributeType=\"Boolean\" minValueString=\"1\"").isEmpty)
        #expect(try attribute("attributeType=\"String\"").validationPredicates.isEmpty)
    }

    // MARK: Derived and composite attributes

    @Test(
        "A derived attribute has the derivation that its expression states",
        arguments: [
            ("name", Derivation.value(keyPath: "name")),
            ("oneToMany.@count", .aggregate(.count, keyPath: "oneToMany")),
            ("books.price.@sum", .aggregate(.sum, keyPath: "books.price")),
            ("canonical:(title)", .text(.canonical, keyPath: "title")),
            ("uppercase:(author.name)", .text(.uppercase, keyPath: "author.name")),
            ("lowercase:(title)", .text(.lowercase, keyPath: "title")),
            ("now()", .now),
        ])
    func derivation(text: String, expected: Derivation) throws {
        let attribute = try attribute(
            "attributeType=\"String\" derived=\"YES\" derivationExpression=\"\(text)\"")
        let derived = try #require(attribute as? NSDerivedAttributeDescription)
        #expect(derived.derivation == expected)
        #expect(derived.isReadOnly)
        #expect(derived.type == .string)
    }

    @Test("A derived count becomes the function that Apple's model compiler writes")
    func derivedCountIsTheFunctionOfTheModelCompiler() throws {
        let attribute = try attribute(
            "attributeType=\"Integer 64\" derived=\"YES\" derivationExpression=\"pages.@count\"")
        let expression = (attribute as? NSDerivedAttributeDescription)?.derivationExpression
        guard case .function(_, "count:", let arguments)? = expression?.kind else {
            Issue.record("\(String(describing: expression))")
            return
        }
        #expect(arguments.map(\.text) == ["pages"])
    }

    @Test("A composite attribute may contain composite attributes")
    func compositeOfComposites() throws {
        let composite: NSCompositeAttributeDescription? = try parseProperty(
            "<attribute name=\"place\" optional=\"YES\" attributeType=\"Composite\" composite=\"Place\"/>",
            more: """
                <composite name="Point">
                    <attribute name="x" attributeType="Double" defaultValueString="0.0"/>
                    <attribute name="y" attributeType="Double" optional="YES"/>
                </composite>
                <composite name="Place">
                    <attribute name="title" attributeType="String"/>
                    <attribute name="point" attributeType="Composite" composite="Point"/>
                </composite>
                """)
        let position = try #require(composite)
        #expect(position.name == "place" && position.isOptional && position.type == .composite)
        #expect(position.attributeValueClassName == "NSDictionary")
        #expect(position.elements.map(\.name) == ["title", "point"])
        let point = try #require(position.elements[1] as? NSCompositeAttributeDescription)
        #expect(point.elements.map(\.name) == ["x", "y"])
        #expect(point.elements[0].defaultValue as? Double == 0)
        #expect(point.elements.map(\.isOptional) == [false, true])
    }
}
