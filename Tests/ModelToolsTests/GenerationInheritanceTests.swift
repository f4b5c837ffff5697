import Foundation
import ManagedObjectModel
import Testing

@testable import ModelTools

/// Classes of entities that inherit, and the names of classes.
@Suite struct GenerationInheritanceTests {
    @Test("The class of a subentity inherits from the class of its superentity")
    func subentitiesInheritTheClassOfTheirSuperentity() throws {
        let folder = try GenerationFolder(
            """
            <entity name="Work" representedClassName=".LibraryWork" isAbstract="YES" codeGenerationType="class">
                <attribute name="title" optional="YES" attributeType="String"/>
            </entity>
            <entity name="Novel" representedClassName="Library.Novel" parentEntity="Work" codeGenerationType="class">
                <attribute name="genre" optional="YES" attributeType="String"/>
            </entity>
            <entity name="Manual" parentEntity="Novel" representedClassName="Other.Manual"/>
            <entity name="Guide" parentEntity="Manual" representedClassName="Guide" codeGenerationType="class"/>
            """)
        let generator = try folder.generator(GenerationOptions(module: "Library"))
        let text = generator.classesFile.text
        #expect(text.contains("class LibraryWork: NSManagedObject {"))
        #expect(text.contains("class Novel: LibraryWork {"))
        #expect(text.contains("class Guide: Manual {"))
        #expect(!text.contains("class Manual"))
        // The highest class alone: the others inherit it.
        #expect(text.components(separatedBy: ": Identifiable").count == 2)
        #expect(text.contains("extension LibraryWork: Identifiable {"))
        #expect(text.contains("NSFetchRequest<LibraryWork>(entityName: \"Work\")"))
        #expect(text.contains("#if canImport(Other)\nimport Other\n#endif\n"))
        #expect(!text.contains("canImport(Library)"))
        let embedding = generator.modelFile.text
        #expect(
            embedding.contains(
                "keys.add(\"title\", \\Novel.title)\n                keys.add(\"genre\", \\Novel.genre)"))
        #expect(embedding.contains("keys.add(\"genre\", \\Guide.genre)"))
    }

    @Test(
        "A class is Identifiable only if its attribute id is hashable",
        arguments: [
            ("UUID", true), ("String", true), ("Transformable", true),
            ("Composite\" composite=\"Place", false),
        ])
    func identifiableClasses(kind: String, isIdentifiable: Bool) throws {
        let folder = try GenerationFolder(
            """
            <composite name="Place"><attribute name="x" attributeType="Double"/></composite>
            <entity name="Book" representedClassName="Book" codeGenerationType="class">
                <attribute name="id" optional="YES" attributeType="\(kind)"/>
            </entity>
            """)
        let text = try #require(try folder.text("Book+CoreDataProperties.swift"))
        #expect(text.contains(": Identifiable") == isIdentifiable)
    }

    @Test(
        "A class name that is not a Swift identifier is refused",
        arguments: ["a b", "A..B", "", ".", "9", "A;B", "A\nB"])
    func invalidClassNamesAreRefused(name: String) throws {
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "Book"
        entity.managedObjectClassName = name
        model.entities = [entity]
        #expect(throws: GenerationError.self) { try SourceGenerator(model, name: "Books") }
    }

    @Test("A class inside another type is not generated, but may be a destination")
    func aClassInsideAnotherTypeIsWrittenByHand() throws {
        let entities = """
            <entity name="A" representedClassName="Library.Shelf.Item" SETTING/>
            <entity name="B" representedClassName="B" codeGenerationType="class">
                <relationship name="a" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="A"/>
            </entity>
            """
        let manual = try GenerationFolder(entities.replacing("SETTING", with: ""))
        #expect(
            try manual.text("B+CoreDataProperties.swift")?.contains("var a: Library.Shelf.Item? {") == true)
        let generated = try GenerationFolder(
            entities.replacing("SETTING", with: "codeGenerationType=\"class\""))
        let error = #expect(throws: GenerationError.self) { try generated.generator() }
        #expect(error?.detail.contains("is inside another type") == true)
    }

    @Test("One class for two entities is refused")
    func aClassIsGeneratedForOneEntityOnly() throws {
        let folder = try GenerationFolder(
            """
            <entity name="A" representedClassName="Item" codeGenerationType="class"/>
            <entity name="B" representedClassName="Item" codeGenerationType="category"/>
            """)
        let error = #expect(throws: GenerationError.self) { try folder.generator() }
        #expect(error?.element == "B")
        #expect(error?.detail.contains("'Item' is generated for entity 'A' too") == true)
    }

    /// The text of all classes uses these names, and Swift finds the class of the same module first.
    @Test(
        "A class whose name hides one that generated code needs is refused",
        arguments: ["CoreData", "Swift", "Foundation", "NSFetchRequest"])
    func hidingClassNamesAreRefused(name: String) throws {
        let folder = try GenerationFolder(
            "<entity name=\"A\" representedClassName=\"\(name)\" codeGenerationType=\"class\"/>")
        let error = #expect(throws: GenerationError.self) { try folder.generator() }
        #expect(error?.element == "A" && error?.detail.contains("'\(name)' hides") == true)
    }

    @Test("Relationships whose accessors would have one name are refused")
    func accessorsOfOneNameAreRefused() throws {
        let relationship =
            "<relationship name=\"NAME\" toMany=\"YES\" optional=\"YES\" destinationEntity=\"A\"/>"
        let folder = try GenerationFolder(
            "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\">"
                + ["pages", "Pages"].map { relationship.replacing("NAME", with: $0) }.joined() + "</entity>")
        let error = #expect(throws: GenerationError.self) { try folder.generator() }
        #expect(error?.element.hasPrefix("A.") == true && error?.detail.contains("its accessors") == true)
    }

    @Test("A property named Self is left out with a notice")
    func namesWithAMeaningInSwiftAreLeftOutWithAWarning() throws {
        let folder = try GenerationFolder(
            "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"class\">"
                + "<attribute name=\"Self\" optional=\"YES\" attributeType=\"String\"/>"
                + "<attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/></entity>")
        #expect(try folder.generator().notices.map(\.element) == ["A.Self"])
        #expect(try folder.text("A+CoreDataProperties.swift")?.contains("var x: String?") == true)
    }

    @Test("An unknown code generation setting is refused")
    func aSettingThatXcodeDoesNotWriteIsRefused() throws {
        let folder = try GenerationFolder(
            "<entity name=\"A\" representedClassName=\"A\" codeGenerationType=\"struct\"/>")
        let error = #expect(throws: GenerationError.self) { try folder.generator() }
        #expect(error?.detail.contains("'struct'") == true)
    }

    @Test("An entity without a class of its own has no generated files")
    func anEntityWithoutAClassOfItsOwnGetsNone() throws {
        let folder = try GenerationFolder("<entity name=\"A\" codeGenerationType=\"class\"/>")
        #expect(try folder.generator().files.isEmpty)
        #expect(try folder.generator(GenerationOptions(selection: .all)).files.isEmpty)
    }
}
