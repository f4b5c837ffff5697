import ModelPorting
import Testing

@Suite struct RegistrationTests {
    @Test("A class lists its properties, dependencies and validators on the line of its brace")
    func theClassOverridesItsListsOnTheLineOfItsBrace() {
        let ported = Ported(
            """
            public class Book: NSManagedObject {
                @NSManaged public var title: String?
                @objc var section: String { "a" }
                var hidden: Int { 1 }
                @objc private(set) var note = ""
                @objc static let other = 1
                @objc class func keyPathsForValuesAffectingSection() -> Set<String> { ["title"] }
                @objc func validateTitle(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>!) throws {}
            }
            let behind = 1
            """)
        #expect(
            ported.lines[8] == "nonisolated public override class var managedProperties: [_ManagedProperty] "
                + "{ super.managedProperties + _properties(declaredBy: Book.self, from: Book.self) }; "
                + "nonisolated public override class var registeredDependencies: _ManagedDependencies "
                + "{ _dependencies(of: Book.self, super.registeredDependencies) }; "
                + "nonisolated public override class var registeredValidators: _ManagedValidators "
                + "{ _validators(of: Book.self, super.registeredValidators) } }")
        #expect(ported.lines[9] == "let behind = 1")
        #expect(
            ported.lines[7] == "    func validateTitle(_ value: UnsafeMutablePointer<AnyObject?>!) throws {}")
        #expect(
            ported.additions.filter { $0.contains("properties") } == [
                "public nonisolated static func _properties<_Object: Book>(declaredBy: Book.Type, from: _Object.Type) "
                    + "-> [_ManagedProperty] {",
                "var properties: [_ManagedProperty] = []",
                "properties += _properties(declaredBy: NSManagedObject.self, from: _Object.self)",
                "properties.append(.stored(\"title\", \\_Object.title))",
                "properties.append(.custom(\"section\", \\_Object.section))",
                "properties.append(.custom(\"note\", \\_Object.note))", "return properties",
            ])
        #expect(
            ported.additions.filter { $0.hasPrefix("table") } == [
                "table[\"section\"] = keyPathsForValuesAffectingSection()",
                "table[\"title\"] = .method { (object: Book, value: inout AnyObject?) in "
                    + "try withUnsafeMutablePointer(to: &value) { try object.validateTitle($0) } }",
            ])
    }

    @Test("Members of extensions in other files are registered, but not private ones")
    func membersOfExtensionsInOtherFilesAreListed() {
        let ported = Ported(
            "class Book: NSManagedObject {}",
            with: [
                "extension Book { @NSManaged var title: String?; @NSManaged fileprivate var secret: Int }",
                "@objc extension App.Book { var section: Int { 1 }; private var own: Int { 1 } }",
            ])
        #expect(
            ported.additions.filter { $0.contains("append") } == [
                "properties.append(.stored(\"title\", \\_Object.title))",
                "properties.append(.custom(\"section\", \\_Object.section))",
            ])
    }

    @Test("Private members of another file are registered in that file")
    func membersThatOnlyAnotherFileSeesAreListedThere() {
        let book = "class Book: NSManagedObject {}"
        let others = [
            "extension Book { @NSManaged fileprivate var secret: Int }",
            """
            extension Book {
                @objc private var own: Int { 1 }
                @objc private class func keyPathsForValuesAffectingOwn() -> Set<String> { [] }
                @objc private func validateSecret(_ value: AutoreleasingUnsafeMutablePointer<NSNumber?>) {}
            }
            """,
        ]
        #expect(
            Ported(book, with: others).additions.filter { $0.contains("OfFile") } == [
                "properties += _propertiesOfFile1(declaredBy: Book.self, from: _Object.self)",
                "properties += _propertiesOfFile2(declaredBy: Book.self, from: _Object.self)",
                "table = _dependenciesOfFile2(of: Book.self, table)",
                "table = _validatorsOfFile2(of: Book.self, table)",
            ])
        #expect(
            Ported(others[1], with: [others[0], book]).additions == [
                "extension Book {",
                "nonisolated static func _propertiesOfFile1<_Object: Book>(declaredBy: Book.Type, from: _Object.Type) "
                    + "-> [_ManagedProperty] {",
                "var properties: [_ManagedProperty] = []",
                "properties.append(.custom(\"own\", \\_Object.own))", "return properties", "}",
                "nonisolated static func _dependenciesOfFile1(of: Book.Type, _ inherited: _ManagedDependencies) "
                    + "-> _ManagedDependencies {",
                "var table = inherited", "table[\"own\"] = keyPathsForValuesAffectingOwn()", "return table",
                "}",
                "nonisolated static func _validatorsOfFile1(of: Book.Type, _ inherited: _ManagedValidators) "
                    + "-> _ManagedValidators {",
                "var table = inherited",
                "table[\"secret\"] = .method { (object: Book, value: inout NSNumber?) in "
                    + "withUnsafeMutablePointer(to: &value) { object.validateSecret($0) } }",
                "return table", "}", "}",
            ])
    }

    @Test("Nested types are registered by their full names")
    func namesOfNestedTypesAreWhole() {
        let ported = Ported(
            """
            enum Model {
                class Kind: NSObject {}
                class Base: NSManagedObject { @NSManaged var a: Int }
                class Book: Base {
                    @objc func validateKind(_ value: AutoreleasingUnsafeMutablePointer<Kind?>) {}
                }
            }
            extension Model { class Novel: Book {} }
            """)
        #expect(
            ported.additions.filter { $0.hasPrefix("properties +=") } == [
                "properties += _properties(declaredBy: NSManagedObject.self, from: _Object.self)",
                "properties += _properties(declaredBy: Model.Base.self, from: _Object.self)",
                "properties += _properties(declaredBy: Model.Book.self, from: _Object.self)",
            ])
        #expect(
            ported.additions.contains {
                $0.hasPrefix("table[\"kind\"] = .method { (object: Model.Book, value: inout Model.Kind?) in ")
            })
    }

    @Test(
        "Dependencies in other types of sets become strings",
        arguments: [
            ("func keyPathsForValuesAffectingA() -> NSSet { [] }", "keyPathsForValuesAffectingA()"),
            ("func keyPathsForValuesAffectingA() -> Set<NSObject> { [] }", "keyPathsForValuesAffectingA()"),
            ("var keyPathsForValuesAffectingA: Set<AnyHashable> { [] }", "keyPathsForValuesAffectingA"),
        ])
    func dependenciesOfOtherSetsAreStrings(_ declaration: String, _ call: String) {
        #expect(
            Ported("class Book: NSManagedObject { @objc class \(declaration) }").additions.contains(
                "table[\"a\"] = Set(\(call).map { String(describing: $0) })"))
    }

    @Test("An extension extends the private class of its own file")
    func anExtensionOfAPrivateClassIsThatOfItsFile() {
        let source = "private class Book: NSManagedObject {}; extension Book { @NSManaged var a: Int }"
        let other = "private class Book: NSManagedObject {}; extension Book { @NSManaged var b: Int }"
        for (first, second, key) in [(source, other, "a"), (other, source, "b")] {
            #expect(
                Ported(first, with: [second]).additions.filter { $0.contains("append") } == [
                    "properties.append(.stored(\"\(key)\", \\_Object.\(key)))"
                ])
        }
    }

    @Test("A subclass registers its members after the inherited ones")
    func aSubclassListsItsOwnAfterWhatItInherits() {
        let ported = Ported(
            "final class Novel: Book { @NSManaged var genre: Int16 }",
            with: ["class Book: Base {}", "class Base: NSManagedObject {}"])
        #expect(
            ported.additions.filter { $0.contains("_properties") || $0.contains("append") } == [
                "nonisolated static func _properties(declaredBy: Novel.Type, from: Novel.Type) -> [_ManagedProperty] {",
                "properties += _properties(declaredBy: Book.self, from: Novel.self)",
                "properties.append(.stored(\"genre\", \\Novel.genre))",
            ])
    }

    @Test("A class without members to register stays unchanged")
    func aPlainClassIsLeftAlone() {
        for source in [
            "class Book: NSManagedObject {}", "class Book: NSObject { var a: Int { 1 } }",
            "class A: B { var c = 1 }",
        ] {
            #expect(Ported(source).lines == [source])
            #expect(Ported(source).additions.isEmpty)
        }
    }

    @Test("Members of a class exposed as a whole are registered")
    func allMembersOfAnExposedClassAreListed() {
        let ported = Ported(
            "class Address: Base { var line: String { \"\" }; @nonobjc var b: Int { 1 }; private var c: Int { 1 }; var d: Int { get throws { 1 } } }",
            with: ["@objcMembers class Base: NSManagedObject {}"])
        #expect(
            ported.additions.filter { $0.contains("append") } == [
                "properties.append(.custom(\"line\", \\_Object.line))"
            ])
    }

    @Test("A renamed class is found by its Objective-C name")
    func anotherNameLeadsToTheClass() {
        #expect(
            Ported("@objc(Person) class PersonObject: NSManagedObject {}").additions == [
                "final class _ManagedObjectClass_Person: CoreData._RenamedManagedObjectClass {",
                "static var objectClass: CoreData.NSManagedObject.Type { PersonObject.self }", "}",
            ])
        #expect(Ported("@objc(Person) class Person: NSManagedObject {}").additions.isEmpty)
        #expect(
            Ported("enum Model { @objc(Person) class Person: NSManagedObject {} }").additions.contains(
                "static var objectClass: CoreData.NSManagedObject.Type { Model.Person.self }"))
    }

    @Test("A dependency or validator without @objc has a warning")
    func membersHiddenFromTheRuntime() {
        let ported = Ported(
            """
            class Book: NSManagedObject {
                class func keyPathsForValuesAffectingSection() -> Set<String> { ["title"] }
                func validateTitle(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
            }
            """)
        let end =
            "is never called, here as on Apple's platforms: it lacks '@objc'; add that, or drop the member"
        #expect(
            ported.warnings == [
                "Book.swift:2:16: warning: 'keyPathsForValuesAffectingSection' \(end)",
                "Book.swift:3:10: warning: 'validateTitle' \(end)",
            ])
        #expect(ported.additions.isEmpty)
    }

    @Test(
        "A class that cannot be registered has a warning",
        arguments: [
            "@MainActor class Book: NSManagedObject { @NSManaged var a: Int }",
            "func f() { class Book: NSManagedObject { @NSManaged var a: Int } }",
            "enum E { private class Book: NSManagedObject { @NSManaged var a: Int } }",
        ])
    func classesThatCannotBeListedAreWarnedOf(_ source: String) {
        let ported = Ported(source)
        #expect(ported.warnings.count == 1)
        #expect(ported.warnings.first?.contains("the properties of '") == true)
        #expect(ported.text?.contains("managedProperties") == false)
    }

    @Test("Members of the main actor are not registered, and have a warning if found by name")
    func membersOfTheMainActor() throws {
        let ported = Ported(
            """
            class Book: NSManagedObject { @NSManaged var a: Int }
            @MainActor extension Book {
                @NSManaged var b: Int
                @objc var c: Int { 1 }
                @objc nonisolated var d: Int { 1 }
                @objc func validateA(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {}
            }
            """)
        #expect(
            ported.warnings.map { $0.prefix(33) } == [
                "Book.swift:3:20: warning: 'b' is ", "Book.swift:6:16: warning: 'valida",
            ])
        let text = try #require(ported.text)
        #expect(["_Object.b", "_Object.c", "object.validateA"].allSatisfy { !text.contains($0) })
        #expect(text.contains(".custom(\"d\""))
    }

    @Test("A class on one line stays on one line")
    func aClassOnOneLineIsClosedThere() {
        #expect(
            Ported("final class Book: NSManagedObject { @objc var a: Int { 1 } }  // b").lines == [
                "final class Book: NSManagedObject { var a: Int { 1 } ; nonisolated override class var managedProperties: "
                    + "[_ManagedProperty] { super.managedProperties + _properties(declaredBy: Book.self, from: Book.self) } }  // b"
            ])
    }
}
