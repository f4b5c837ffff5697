import Foundation
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// A source that is wrong at one place.
struct Misuse: Sendable, CustomTestStringConvertible {
    let source: String
    /// The text that the complaint points at; where the source has it more than once, the last is meant.
    let excerpt: String
    let message: String
    let isError: Bool

    init(_ source: String, at excerpt: String, _ message: String, isError: Bool = true) {
        self.source = source
        self.excerpt = excerpt
        self.message = message
        self.isError = isError
    }

    /// A source in the body of a class of managed objects.
    static func member(_ member: String, at excerpt: String, _ message: String) -> Misuse {
        Misuse("final class Book: NSManagedObject {\n    \(member)\n}", at: excerpt, message)
    }

    var testDescription: String { source }
}

/// What the macros say of declarations that they are not for, and where.
@Suite struct MisuseTests {
    @Test(
        "A misused macro has one diagnostic at the source location of the mistake",
        arguments: properties + attributes + excerpts + accessors + classes + lists + misuses)
    func diagnosticsHaveTheirLocation(_ misuse: Misuse) throws {
        let messages = messages(about: misuse.source)
        try #require(messages.count == 1, "\(messages)")
        #expect(messages[0].message == misuse.message)
        #expect(messages[0].excerpt == misuse.excerpt)
        #expect(messages[0].isError == misuse.isError)
        let range = try #require(misuse.source.range(of: misuse.excerpt, options: .backwards))
        #expect(
            messages[0].offset
                == misuse.source.utf8.distance(from: misuse.source.startIndex, to: range.lowerBound))
    }

    private static let accessorsInTheWay = """
        '@Managed' writes the accessors of 'title': leave yours out, or take '@Managed' off and read and write a \
        '@Managed(primitive: true)' property in them
        """

    static let properties: [Misuse] = [
        .member(
            "@Managed var title", at: "title",
            "a '@Managed' property needs its type written out: 'var title: String?'"),
        .member(
            "@Managed var title: String? = nil", at: "= nil",
            """
            a '@Managed' property has no initial value here: give 'title' a default value in the model, or set it \
            in 'awakeFromInsert()'
            """),
        .member(
            "@Managed let title: String?", at: "let",
            "a '@Managed' property is a 'var'; write 'private(set) var' for one that others only read"),
        .member(
            "@Managed static var title: String?", at: "static",
            "'@Managed' is for properties of objects, not of the class"),
        .member(
            "@Managed class var title: String?", at: "class",
            "'@Managed' is for properties of objects, not of the class"),
        .member(
            "@Managed public lazy var title: String?", at: "lazy",
            "the object's context keeps the values of '@Managed' properties: leave out 'lazy'"),
        .member(
            "@Managed weak var author: Author?", at: "weak",
            "the object's context keeps the values of '@Managed' properties: leave out 'weak'"),
        .member(
            "@Managed unowned(unsafe) var author: Author?", at: "unowned(unsafe)",
            "the object's context keeps the values of '@Managed' properties: leave out 'unowned'"),
        .member("@Managed var title: String? { nil }", at: "{ nil }", accessorsInTheWay),
        .member(
            "@Managed var title: String? { get { nil } set {} }", at: "{ get { nil } set {} }",
            accessorsInTheWay),
        .member("@Managed var title: String? { didSet {} }", at: "{ didSet {} }", accessorsInTheWay),
        .member(
            "@Managed var original: Self?", at: "Self",
            "'Self' cannot be the type of a '@Managed' property: write the name of the class"),
    ]

    static let attributes: [Misuse] = [
        .member(
            "@Managed(primitive: true) var title: String?", at: "title",
            """
            'title' does not say of which property it is the primitive value: call it 'primitiveTitle' for \
            'title', or name the property, '@Managed("title", primitive: true)'
            """),
        .member(
            "@Managed(primitive: isKept) var primitiveTitle: String?", at: "isKept",
            "'primitive' is written as 'true' or 'false'"),
    ]

    static let excerpts: [Misuse] = [
        Misuse(
            "@Managed var title: String?", at: "@Managed",
            "'@Managed' is for properties of a class that inherits from NSManagedObject, and of its extensions"
        ),
        Misuse(
            "struct Book { @Managed var title: String? }", at: "@Managed",
            "'@Managed' is for properties of a class that inherits from NSManagedObject, and of its extensions"
        ),
        Misuse(
            "class Book { @Managed var title: String? }", at: "@Managed",
            "'@Managed' is for properties of managed objects: 'Book' does not inherit from NSManagedObject"),
        Misuse(
            "class Book: NSObject { @Managed var title: String? }", at: "@Managed",
            "'@Managed' is for properties of managed objects: 'Book' does not inherit from NSManagedObject"),
        Misuse(
            "actor Books { @ManagedAccessor func addToBooks(_ value: Book) }", at: "@ManagedAccessor",
            "'@ManagedAccessor' is for methods of a class that inherits from NSManagedObject, and of its extensions"
        ),
        Misuse(
            "class Author: Identifiable { @ManagedAccessor func addToBooks(_ value: Book) }",
            at: "@ManagedAccessor",
            "'@ManagedAccessor' is for methods of managed objects: 'Author' does not inherit from NSManagedObject"
        ),
    ]

    static let accessors: [Misuse] = [
        .member(
            "@ManagedAccessor func appendPages(_ value: Page)", at: "appendPages",
            """
            'appendPages(_:)' is not an accessor of a to-many relationship; for 'pages' they are 'addToPages(_:)', \
            'removeFromPages(_:)', 'insertIntoPages(_:at:)', 'removeFromPages(at:)' and 'replacePages(at:with:)'
            """),
        .member(
            "@ManagedAccessor func addToPages(page: Page)", at: "addToPages",
            """
            'addToPages(page:)' is not an accessor of a to-many relationship; for 'pages' they are 'addToPages(_:)', \
            'removeFromPages(_:)', 'insertIntoPages(_:at:)', 'removeFromPages(at:)' and 'replacePages(at:with:)'
            """),
        .member(
            "@ManagedAccessor func addToPages(_ value: Page) {}", at: "{}",
            "'@ManagedAccessor' writes the body: leave yours out"),
        .member(
            "@ManagedAccessor static func addToPages(_ value: Page)", at: "static",
            "'@ManagedAccessor' is for methods of objects, not of the class"),
        .member(
            "@ManagedAccessor func addToPages(_ value: Page) throws", at: "throws",
            "a '@ManagedAccessor' method cannot be 'throws' or 'async'"),
        .member(
            "@ManagedAccessor func addToPages(_ value: Page) -> Bool", at: "-> Bool",
            "a '@ManagedAccessor' method returns nothing"),
    ]

    static let classes: [Misuse] = [
        Misuse(
            "@ManagedObject struct Book {}", at: "@ManagedObject",
            """
            '@ManagedObject' is for classes: managed objects have an identity, and their class inherits from \
            NSManagedObject
            """),
        Misuse(
            "@ManagedObject extension Book {}", at: "@ManagedObject",
            """
            '@ManagedObject' belongs on the class itself: name the properties of its extensions there, \
            '@ManagedObject(stored: "title", custom: "summary")'
            """),
        Misuse(
            "@ManagedObject class Book {}", at: "Book",
            "'Book' needs a superclass: NSManagedObject, or a class that inherits from it"),
        Misuse(
            "@ManagedObject class Book: Identifiable {}", at: "Identifiable",
            "'Book' needs a superclass: NSManagedObject, or a class that inherits from it"),
        Misuse(
            "@ManagedObject class Book<Page>: NSManagedObject {}", at: "<Page>",
            "a class of managed objects cannot be generic: an entity names one class"),
    ]

    static let lists: [Misuse] = [
        Misuse(
            "@ManagedObject(stored: note) class Book: NSManagedObject {}", at: "note",
            "name a property by a string literal, \"title\""),
        Misuse(
            "@ManagedObject(custom: \"author.name\") class Book: NSManagedObject {}", at: "\"author.name\"",
            "name a property by a string literal, \"title\""),
        Misuse(
            """
            @ManagedObject(stored: "note", "title") class Book: NSManagedObject {
                @Managed var title: String?
            }
            """, at: "\"title\"",
            "'title' is in the class's body, where '@ManagedObject' finds it: name properties of extensions only"
        ),
        Misuse(
            """
            @ManagedObject class Book: NSManagedObject {
                override class var managedProperties: [ManagedProperty] { [] }
            }
            """, at: "managedProperties",
            """
            '@ManagedObject' writes 'managedProperties': leave yours out, and name properties of extensions by \
            '@ManagedObject(stored: "title", custom: "summary")'
            """),
    ]

    /// Methods that are nearly what the macro looks for.
    static let misuses: [Misuse] = [
        Misuse(
            """
            @ManagedObject class Book: NSManagedObject {
                var month: String? { nil }
                func keyPathsForValuesAffectingMonth() -> Set<String> { [] }
            }
            """, at: "keyPathsForValuesAffectingMonth",
            """
            'keyPathsForValuesAffectingMonth' is not found: it is looked up on the class, not the object; write 'class' or \
            'static' before it
            """, isError: false),
        Misuse(
            """
            @ManagedObject class Book: NSManagedObject {
                #if DEBUG
                @Managed var title: String?
                func validateTitle(_ value: inout String) throws {}
                #endif
            }
            """, at: "_ value: inout String",
            """
            'validateTitle' does not run when the object is saved: a validator is a method \
            'validateTitle(_ value: inout T?) throws', with the property's type for 'T'
            """, isError: false),
    ]

    @Test("Apple's attribute has a fix-it that offers the macro")
    func theMacrosAreOfferedForApplesAttribute() {
        expectCorrection(
            of: """
                @ManagedObject final class Book: NSManagedObject {
                    @NSManaged public var title: String?
                    @NSManaged func addToPages(_ value: Page)
                }
                """,
            """
            @ManagedObject final class Book: NSManagedObject {
                @Managed public var title: String?
                @ManagedAccessor func addToPages(_ value: Page)
            }
            """,
            expanded: """
                final class Book: NSManagedObject {
                    @NSManaged public var title: String?
                    @NSManaged func addToPages(_ value: Page)
                }
                """,
            DiagnosticSpec(
                message: "'@NSManaged' needs the Objective-C runtime: write '@Managed'", line: 2, column: 5,
                fixIts: [FixItSpec(message: "replace '@NSManaged' with '@Managed'")]),
            DiagnosticSpec(
                message: "'@NSManaged' needs the Objective-C runtime: write '@ManagedAccessor'", line: 3,
                column: 5,
                fixIts: [FixItSpec(message: "replace '@NSManaged' with '@ManagedAccessor'")]))
    }

    @Test("A class without a superclass has a fix-it that adds one")
    func aSuperclassIsOffered() {
        expectCorrection(
            of: "@ManagedObject final class Book {}", "@ManagedObject final class Book: NSManagedObject {}",
            expanded: "final class Book {}",
            DiagnosticSpec(
                message: "'Book' needs a superclass: NSManagedObject, or a class that inherits from it",
                line: 1,
                column: 28, fixIts: [FixItSpec(message: "inherit from NSManagedObject")]))
    }
}
