import Foundation
import ManagedObjectModel
import Testing

@testable import ModelTools

/// The text of generated classes.
@Suite struct GenerationShapeTests {
    private static let library = """
        <entity name="Book" representedClassName="Book" codeGenerationType="class">
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="pageCount" attributeType="Integer 32" usesScalarValueType="YES"/>
            <relationship name="pages" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Page" inverseName="book" inverseEntity="Page"/>
        </entity>
        <entity name="Page" representedClassName="Page" codeGenerationType="category">
            <relationship name="book" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Book" inverseName="pages" inverseEntity="Book"/>
            <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" inverseName="pages" inverseEntity="Tag"/>
        </entity>
        <entity name="Tag" representedClassName="Tag">
            <relationship name="pages" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Page" inverseName="tags" inverseEntity="Page"/>
        </entity>
        """

    @Test("The code generation setting of an entity decides which files are generated")
    func theSettingOfEachEntitySaysWhichFilesThereAre() throws {
        let folder = try GenerationFolder(Self.library)
        #expect(
            try folder.generator().files.map(\.name) == [
                "Book+CoreDataClass.swift", "Book+CoreDataProperties.swift", "Page+CoreDataProperties.swift",
            ])
        let all = try folder.generator(GenerationOptions(selection: .all)).files.map(\.name)
        #expect(
            all == [
                "Book+CoreDataClass.swift", "Book+CoreDataProperties.swift", "Page+CoreDataClass.swift",
                "Page+CoreDataProperties.swift", "Tag+CoreDataClass.swift", "Tag+CoreDataProperties.swift",
            ])
    }

    @Test("The Apple style generates the code that Xcode does")
    func applesTextIsThatOfXcode() throws {
        let folder = try GenerationFolder(Self.library)
        let options = GenerationOptions(style: .apple)
        #expect(
            try folder.text("Book+CoreDataClass.swift", options) == """

                @objc(Book)
                public class Book: NSManagedObject {

                }

                """)
        #expect(
            try folder.text("Book+CoreDataProperties.swift", options) == """

                extension Book {

                    @nonobjc public class func fetchRequest() -> NSFetchRequest<Book> {
                        return NSFetchRequest<Book>(entityName: "Book")
                    }

                    @NSManaged public var pageCount: Int32
                    @NSManaged public var title: String?
                    @NSManaged public var pages: NSOrderedSet?

                }

                // MARK: Generated accessors for pages
                extension Book {

                    @objc(insertObject:inPagesAtIndex:)
                    @NSManaged public func insertIntoPages(_ value: Page, at idx: Int)

                    @objc(removeObjectFromPagesAtIndex:)
                    @NSManaged public func removeFromPages(at idx: Int)

                    @objc(insertPages:atIndexes:)
                    @NSManaged public func insertIntoPages(_ values: [Page], at indexes: NSIndexSet)

                    @objc(removePagesAtIndexes:)
                    @NSManaged public func removeFromPages(at indexes: NSIndexSet)

                    @objc(replaceObjectInPagesAtIndex:withObject:)
                    @NSManaged public func replacePages(at idx: Int, with value: Page)

                    @objc(replacePagesAtIndexes:withPages:)
                    @NSManaged public func replacePages(at indexes: NSIndexSet, with values: [Page])

                    @objc(addPagesObject:)
                    @NSManaged public func addToPages(_ value: Page)

                    @objc(removePagesObject:)
                    @NSManaged public func removeFromPages(_ value: Page)

                    @objc(addPages:)
                    @NSManaged public func addToPages(_ values: NSOrderedSet)

                    @objc(removePages:)
                    @NSManaged public func removeFromPages(_ values: NSOrderedSet)

                }

                extension Book: Identifiable {

                }

                """)
    }

    @Test("The plain style generates accessors with managed keys")
    func plainTextHasAccessorsAndKeys() throws {
        let folder = try GenerationFolder(Self.library)
        #expect(
            try folder.text("Book+CoreDataClass.swift") == """

                nonisolated public class Book: NSManagedObject {

                }

                """)
        #expect(
            try folder.text("Page+CoreDataProperties.swift", GenerationOptions(access: .internal)) == """

                nonisolated extension Page {

                    @nonobjc class func fetchRequest() -> NSFetchRequest<Page> {
                        return NSFetchRequest<Page>(entityName: "Page")
                    }

                    var book: Book? {
                        get { self[Self._managedKey_book] }
                        set { self[Self._managedKey_book] = newValue }
                    }

                    var tags: NSSet? {
                        get { self[Self._managedKey_tags] }
                        set { self[Self._managedKey_tags] = newValue }
                    }

                    private static let _managedKey_book = _ManagedKey<Book?>("book")
                    private static let _managedKey_tags = _ManagedKey<NSSet?>("tags")
                }

                // MARK: Generated accessors for tags
                nonisolated extension Page {

                    func addToTags(_ value: Tag) {
                        _ToManyRelationship(of: self, Self._managedKey_tags).add(value)
                    }

                    func removeFromTags(_ value: Tag) {
                        _ToManyRelationship(of: self, Self._managedKey_tags).remove(value)
                    }

                    func addToTags(_ values: NSSet) {
                        _ToManyRelationship(of: self, Self._managedKey_tags).add(values)
                    }

                    func removeFromTags(_ values: NSSet) {
                        _ToManyRelationship(of: self, Self._managedKey_tags).remove(values)
                    }

                }

                nonisolated extension Page: Identifiable {

                }

                """)
    }

    @Test("Every generated file names itself and its model")
    func everyFileSaysWhatItIs() throws {
        let folder = try GenerationFolder(Self.library)
        let generator = try folder.generator()
        for file in generator.files + [generator.classesFile, generator.modelFile] {
            #expect(file.text.hasPrefix("//\n//  \(file.name)\n//  Made from the model Books."))
            #expect(file.text.contains("\n\nimport Foundation\n"))
            #expect(file.text.contains("\nimport CoreData\n"))
            #expect(file.text.hasSuffix("}\n"))
        }
        #expect(generator.notices.isEmpty)
    }

    @Test("The access level of generated code is an option")
    func accessIsAnOption() throws {
        let folder = try GenerationFolder(Self.library)
        let text = try folder.generator(GenerationOptions(access: .package)).classesFile.text
        #expect(text.contains("nonisolated package class Book: NSManagedObject {"))
        #expect(text.contains("    package var title: String? {"))
        #expect(text.contains("\npackage import CoreData\n"))
        #expect(!text.contains("public "))
    }

    @Test("Imports of generated files are public where imports are internal by default")
    func importsAreVisibleWhereTheModuleHasThemHidden() throws {
        let folder = try GenerationFolder(Self.library)
        let file = try folder.generator().classesFile
        #expect(
            file.text.contains("#if hasFeature(InternalImportsByDefault)\npublic import CoreData\n#else\n"))
        let hidden = try folder.generator(GenerationOptions(access: .internal)).classesFile
        #expect(!hidden.text.contains("#if"))
        let apple = try folder.generator(GenerationOptions(style: .apple)).classesFile
        #expect(apple.text.contains("\n\nimport Foundation\nimport CoreData\n\n@objc(Book)\n"))
    }

    @Test("The combined file has the code of all files and its imports once")
    func oneFileHasEverythingOnce() throws {
        let folder = try GenerationFolder(Self.library)
        let generator = try folder.generator()
        #expect(generator.classesFile.name == "Books+CoreDataClasses.swift")
        let text = generator.classesFile.text
        #expect(text.components(separatedBy: "\nimport Foundation\n").count == 2)
        for file in generator.files { #expect(text.contains(folder.body(of: file))) }
    }
}
