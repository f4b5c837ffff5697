import Foundation
import ManagedObjectModel
import Testing

@testable import ModelTools

/// The types of generated properties, and names that need care.
@Suite struct GenerationTypeTests {
    /// The type of a property of an attribute with these settings.
    private func type(_ settings: String, style: GenerationOptions.Style = .apple) throws -> String? {
        let folder = try GenerationFolder(
            """
            <composite name="Place"><attribute name="x" attributeType="Double"/></composite>
            <entity name="Book" representedClassName="Book" codeGenerationType="class">
                <attribute name="value" optional="YES" \(settings)/>
            </entity>
            """)
        let text = try folder.text("Book+CoreDataProperties.swift", GenerationOptions(style: style))
        return text?.firstMatch(of: /var value: (.*?)(?: {)?\n/).map { String($0.1) }
    }

    @Test(
        "An attribute of an object type has its Swift type in both styles",
        arguments: [
            ("String", "String?"), ("Decimal", "NSDecimalNumber?"), ("Binary", "Data?"), ("UUID", "UUID?"),
            ("URI", "URL?"), ("Transformable", "NSObject?"),
        ])
    func objects(kind: String, expected: String) throws {
        #expect(try type("attributeType=\"\(kind)\"") == expected)
        #expect(try type("attributeType=\"\(kind)\" usesScalarValueType=\"NO\"", style: .plain) == expected)
    }

    @Test(
        "A numeric attribute has a scalar type or NSNumber by its setting",
        arguments: [
            ("Integer 16", "Int16"), ("Integer 32", "Int32"), ("Integer 64", "Int64"), ("Double", "Double"),
            ("Float", "Float"), ("Boolean", "Bool"),
        ])
    func numbers(kind: String, scalar: String) throws {
        #expect(try type("attributeType=\"\(kind)\" usesScalarValueType=\"YES\"") == scalar)
        #expect(try type("attributeType=\"\(kind)\" usesScalarValueType=\"NO\"") == "NSNumber?")
        #expect(try type("attributeType=\"\(kind)\"") == "NSNumber?")
    }

    @Test("A date attribute is a Date, or a TimeInterval if scalar")
    func dates() throws {
        #expect(try type("attributeType=\"Date\" usesScalarValueType=\"NO\"") == "Date?")
        #expect(try type("attributeType=\"Date\"") == "Date?")
        #expect(try type("attributeType=\"Date\" usesScalarValueType=\"YES\"") == "TimeInterval")
    }

    @Test("Composite and transformable attributes have dictionary and custom types")
    func compositesAndCustomClasses() throws {
        #expect(try type("attributeType=\"Composite\" composite=\"Place\"") == "[String: Any]?")
        #expect(try type("attributeType=\"Transformable\" customClassName=\"[Int64]\"") == "[Int64]?")
        #expect(try type("attributeType=\"Transformable\" customClassName=\".Color\"") == "Color?")
        #expect(try type("transient=\"YES\"") == "Any?")
    }

    @Test(
        "A custom class that is not a Swift type is refused",
        arguments: ["x; evil()", "a\u{7D}", "\u{22}", "()", "1+1"])
    func invalidCustomClassesAreRefused(name: String) throws {
        let escaped = name.replacing("\"", with: "&quot;")
        #expect(throws: GenerationError.self) {
            try type("attributeType=\"Transformable\" customClassName=\"\(escaped)\"")
        }
    }

    @Test("Derived attributes and fetched properties become properties")
    func derivedAttributesAndFetchedPropertiesAreProperties() throws {
        let folder = try GenerationFolder(
            """
            <entity name="Author" representedClassName="Author" codeGenerationType="class">
                <attribute name="name" optional="YES" attributeType="String"/>
                <attribute name="search" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(name)"/>
                <fetchedProperty name="peers" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="Author" predicateString="name != nil"/>
                </fetchedProperty>
            </entity>
            """)
        let apple = try folder.text("Author+CoreDataProperties.swift", GenerationOptions(style: .apple))
        #expect(apple?.contains("@NSManaged public var search: String?") == true)
        #expect(apple?.contains("@NSManaged public var peers: [Author]?") == true)
        let plain = try folder.text("Author+CoreDataProperties.swift")
        #expect(plain?.contains("public var peers: [Author]? { self[Self._managedKey_peers] }") == true)
    }

    @Test("Classes of the model may have the names of Foundation types")
    func classesOfTheModelMayHaveNamesOfFoundation() throws {
        let folder = try GenerationFolder(
            """
            <entity name="Date" representedClassName="Date" codeGenerationType="class">
                <attribute name="day" optional="YES" attributeType="Date"/>
                <attribute name="text" optional="YES" attributeType="String"/>
            </entity>
            <entity name="String" representedClassName="String"/>
            """)
        let text = try #require(
            try folder.text("Date+CoreDataProperties.swift", GenerationOptions(style: .apple)))
        #expect(text.contains("var day: Foundation.Date?"))
        #expect(text.contains("var text: Swift.String?"))
    }

    @Test("Keywords as names are in backticks")
    func keywordsAreInBackticks() throws {
        let folder = try GenerationFolder(
            """
            <entity name="Class" representedClassName="Protocol" codeGenerationType="class">
                <attribute name="default" optional="YES" attributeType="String"/>
                <relationship name="in" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Class" inverseName="in" inverseEntity="Class"/>
            </entity>
            """)
        let text = try #require(try folder.text("Protocol+CoreDataProperties.swift"))
        #expect(text.contains("public class func fetchRequest() -> NSFetchRequest<`Protocol`>"))
        #expect(text.contains("(entityName: \"Class\")"))
        #expect(text.contains("public var `default`: String? {"))
        #expect(text.contains("public var `in`: NSSet? {"))
        #expect(text.contains("public func addToIn(_ value: `Protocol`)"))
        #expect(
            try folder.generator().modelFile.text.contains("keys.add(\"default\", \\`Protocol`.`default`)"))
    }

    @Test("A property that cannot have an accessor is left out with a notice")
    func propertiesWithoutAnAccessor() throws {
        let folder = try GenerationFolder(
            """
            <entity name="Book" representedClassName="Book" codeGenerationType="class">
                <attribute name="hashValue" optional="YES" attributeType="String"/>
                <attribute name="two words" optional="YES" attributeType="String"/>
                <attribute name="Type" optional="YES" attributeType="String"/>
                <attribute name="title" optional="YES" attributeType="String"/>
            </entity>
            """)
        let generator = try folder.generator()
        #expect(generator.notices.map(\.element) == ["Book.Type", "Book.hashValue", "Book.two words"])
        let text = generator.classesFile.text
        #expect(text.contains("var title"))
        #expect(!text.contains("hashValue") && !text.contains("two words") && !text.contains("Type"))
    }

    @Test("A property with a reserved name is refused", arguments: ["description", "objectID", "isDeleted"])
    func reservedNamesAreRefused(name: String) throws {
        let folder = try GenerationFolder(
            """
            <entity name="Book" representedClassName="Book" codeGenerationType="class">
                <attribute name="\(name)" optional="YES" attributeType="String"/>
            </entity>
            """)
        let error = #expect(throws: GenerationError.self) { try folder.generator() }
        #expect(error?.element == "Book.\(name)")
    }
}
