import ModelPorting
import Testing

@Suite struct ManagedVariableTests {
    private func accessor(_ name: String, _ type: String, key: String, primitive: Bool = false) -> String {
        let place = primitive ? "self[primitive: Self._managedKey_\(name)]" : "self[Self._managedKey_\(name)]"
        return
            "{ get { \(place) } set { \(place) = newValue } }; private nonisolated static let _managedKey_\(name) = "
            + "_ManagedKey<\(type)>(\"\(key)\")"
    }

    @Test(
        "A managed property of any type gets accessors",
        arguments: [
            "Int16", "Bool", "Double", "Date?", "NSSet?", "Set<Page>", "NSOrderedSet?", "[String]?",
        ])
    func everyTypeGetsAccessors(_ type: String) {
        #expect(
            portedMember("    @NSManaged public var x: \(type)")
                == "    public var x: \(type) \(accessor("x", type, key: "x"))")
    }

    @Test("An implicitly unwrapped property has an optional key")
    func anImplicitlyUnwrappedTypeHasAnOptionalKey() {
        #expect(
            portedMember("@NSManaged var owner: Owner!")
                == "var owner: Owner! \(accessor("owner", "Owner?", key: "owner"))")
    }

    @Test("Modifiers and comments of a managed property stay, but for weak")
    func modifiersAndCommentsStay() {
        #expect(
            portedMember("    /* a */ @NSManaged public private(set) var x: Int /* b */  // c")
                == "    /* a */ public private(set) var x: Int \(accessor("x", "Int", key: "x")) /* b */  // c"
        )
        #expect(
            portedMember("@NSManaged override open var x: Int")
                == "override open var x: Int \(accessor("x", "Int", key: "x"))")
        #expect(
            portedMember("@NSManaged weak var x: Book?") == "var x: Book? \(accessor("x", "Book?", key: "x"))"
        )
    }

    @Test("Several variables of one declaration become several declarations")
    func severalVariablesBecomeSeveralDeclarations() {
        #expect(
            portedMember("@NSManaged public var a, b: Int16, c: Date?")
                == "public var a: Int16 \(accessor("a", "Int16", key: "a")); "
                + "public var b: Int16 \(accessor("b", "Int16", key: "b")); "
                + "public var c: Date? \(accessor("c", "Date?", key: "c"))")
    }

    @Test("A primitive property reads and writes the primitive value")
    func primitivePropertiesReachTheKeptValue() {
        #expect(
            portedMember(
                "@NSManaged private var primitiveDueDate: Date?",
                with: ["extension Book { var dueDate: Date? { nil } }"])
                == "private var primitiveDueDate: Date? "
                + accessor("primitiveDueDate", "Date?", key: "dueDate", primitive: true))
        // `primitives` and `primitive` are names as any other.
        #expect(
            portedMember("@NSManaged var primitives: Int")
                == "var primitives: Int \(accessor("primitives", "Int", key: "primitives"))")
    }

    @Test("The model determines whether a property named primitive is an attribute")
    func theModelKnowsAPropertyNamedPrimitive() {
        let source = "class Book: NSManagedObject { @NSManaged var primitiveAge: Int }"
        let accessor = accessor("primitiveAge", "Int", key: "primitiveAge")
        #expect(Ported(source, modelKeys: ["Book": ["primitiveAge"]]).text?.contains(accessor) == true)
        // Without the model it is one where nothing is called `age`.
        #expect(Ported(source).text?.contains(accessor) == true)
        let age = "extension Book { @NSManaged var age: Int }"
        #expect(Ported(source, with: [age]).text?.contains(accessor) == false)
    }

    @Test("A primitive property is registered for its key path")
    func primitivePropertiesHaveNames() {
        let source =
            "class Book: NSManagedObject { @NSManaged var age: Int; @NSManaged var primitiveAge: Int }"
        #expect(
            Ported(source).additions.contains(
                "properties.append(.custom(\"primitiveAge\", \\_Object.primitiveAge))"))
    }

    @Test("The Objective-C name of a property is its key")
    func theObjectiveCNameIsTheKey() {
        #expect(
            portedMember("@objc(isbn) @NSManaged var number: String?")
                == "var number: String? \(accessor("number", "String?", key: "isbn"))")
        #expect(
            portedMember("@NSManaged var `default`: Int")
                == "var `default`: Int \(accessor("default", "Int", key: "default"))")
    }

    @Test("Managed properties of an extension in another file are ported")
    func propertiesOfAnExtensionInAnotherFileArePorted() {
        let ported = Ported(
            "extension Book { @NSManaged var x: Int }", with: ["class Book: NSManagedObject {}"])
        #expect(ported.lines == ["extension Book { var x: Int \(accessor("x", "Int", key: "x")) }"])
    }

    @Test("A type over several lines is one line in the key")
    func aTypeOverSeveralLinesIsWrittenInOne() {
        let ported = Ported(
            "class Book: NSManagedObject {\n@NSManaged var x\n  : [String: // key\n  /* value */ Int]? // c\n}"
        )
        #expect(
            ported.lines.prefix(4) == [
                "class Book: NSManagedObject {", "var x", "  : [String: // key",
                "  /* value */ Int]? \(accessor("x", "[String: Int]?", key: "x")) // c",
            ])
    }

    @Test(
        "A property of a non-optional object type is unwrapped",
        arguments: [
            "Any", "NSURL", "(NSObject & NSCoding)", "NSManagedObjectID", "AnyObject", "Shape", "Drawable",
        ])
    func objectsThatCannotBeNoneAreUnwrapped(_ type: String) {
        let others = ["class Shape: NSObject {}", "@objc protocol Drawable {}"]
        #expect(
            portedMember("@NSManaged var x: \(type)", with: others)
                == "var x: \(type) { get { self[Self._managedKey_x]! } set { self[Self._managedKey_x] = newValue } }; "
                + "private nonisolated static let _managedKey_x = _ManagedKey<(\(type))?>(\"x\")")
    }

    @Test(
        "A property of an unsupported type is an error that suggests another",
        arguments: [
            ("UInt8", "a property cannot be a 'UInt8' here: write 'Int16'"),
            ("CGFloat", "a property cannot be a 'CGFloat' here: write 'Double'"),
            ("Kind", "the raw values of 'Kind' are of 'UInt8', which no property is here: write 'Int16'"),
        ])
    func typesThatNoPropertyHasAreErrors(_ type: String, _ reason: String) {
        let ported = Ported(
            "class Book: NSManagedObject { @NSManaged var x: \(type) }",
            with: ["@objc enum Kind: UInt8 { case a }"])
        #expect(ported.errors == ["Book.swift:1:49: error: \(reason)"])
    }

    @Test("Types that Foundation has too are qualified in keys and repeated types")
    func typesThatFoundationHasTooAreOursInKeysAndRepeatedTypes() {
        #expect(
            portedMember("@NSManaged var a, b: NSExpression?, c: Foundation.NSExpression")
                == "var a: CoreData.NSExpression? \(accessor("a", "CoreData.NSExpression?", key: "a")); "
                + "var b: CoreData.NSExpression? \(accessor("b", "CoreData.NSExpression?", key: "b")); "
                + "var c: CoreData.NSExpression \(accessor("c", "CoreData.NSExpression", key: "c"))")
        #expect(
            portedMember("@NSManaged func primitiveRule() -> NSExpression?")
                == "func primitiveRule() -> CoreData.NSExpression? { self[primitive: Self._managedKey_primitiveRule] }; "
                + "private nonisolated static let _managedKey_primitiveRule = _ManagedKey<CoreData.NSExpression?>(\"rule\")"
        )
    }

    @Test(
        "A declaration that cannot be managed is an error",
        arguments: [
            (
                "class Book: NSManagedObject { @NSManaged var x = 1 }",
                "1:46: error: an '@NSManaged' property needs its type"
            ),
            (
                "class Book: NSManagedObject { @NSManaged var x: Int = 1 }",
                "1:53: error: an '@NSManaged' property has neither a value nor accessors here"
            ),
            (
                "class Book: NSManagedObject { @NSManaged var x: Int { 1 } }",
                "1:53: error: an '@NSManaged' property has neither a value nor accessors here"
            ),
            (
                "class Book: NSManagedObject { @NSManaged let x: Int }",
                "1:42: error: an '@NSManaged' property is a 'var'"
            ),
            (
                "class Book: NSManagedObject { @NSManaged static var x: Int }",
                "1:42: error: '@NSManaged' is for properties of objects, not of the class"
            ),
            ("struct Book { @NSManaged var x: Int }", "1:15: error: '@NSManaged' is for members of a class"),
            (
                "class Book { @NSManaged var x: Int }",
                "1:14: error: '@NSManaged' is for members of a class that inherits from NSManagedObject"
            ),
            (
                "class Book<T>: NSManagedObject { var x: T? }",
                "1:7: error: a class of managed objects cannot be generic, since an entity names one class"
            ),
        ])
    func invalidManagedPropertiesAreErrors(_ source: String, _ message: String) {
        let ported = Ported(source)
        #expect(ported.errors.first?.hasPrefix("Book.swift:\(message)") == true)
        #expect(ported.text == nil)
    }
}
