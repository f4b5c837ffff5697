import ModelPorting
import Testing

/// Members that only the Objective-C runtime calls as they are written.
@Suite struct ClassMemberTests {
    @Test("The class gets an override that calls the one of its extension")
    func overridesOfExtensionsAreForwarded() {
        let ported = Ported(
            """
            class Book: NSManagedObject {
            }
            extension Book {
                public override func awakeFromInsert() {
                    super.awakeFromInsert()
                }
                override class var a: Set<String> { [] }
                override func b(_ c: inout Int, d e: NSExpression) throws -> Int { 1 }
                override var f: Int { get { 1 } set {} }
            }
            """)
        #expect(ported.diagnostics.isEmpty)
        #expect(ported.lines[3] == "    public func _override_Book_awakeFromInsert() {")
        #expect(ported.lines[6] == "    class var _override_Book_a: Set<String> { [] }")
        let members = [
            "public override func awakeFromInsert() { self._override_Book_awakeFromInsert() }",
            "override class var a: Set<String> { _override_Book_a }",
            "override func b(_ value0: inout Int, d value1: CoreData.NSExpression) throws -> Int { try self._override_Book_b(&value0, d: value1) }",
            "override var f: Int { get { self._override_Book_f } set { self._override_Book_f = newValue } }",
        ]
        #expect(ported.lines[1].hasPrefix(members.joined(separator: "; ") + " "))
    }

    @Test("Extensions of a class and of its subclass override the same method")
    func overridesOfAHierarchy() {
        let ported = Ported(
            """
            class Book: NSManagedObject {}
            class Novel: Book {}
            extension Book { override func willSave() { super.willSave() } }
            extension Novel { override func willSave() { super.willSave() } }
            """)
        #expect(
            ported.lines[0]
                == "class Book: NSManagedObject {override func willSave() { self._override_Book_willSave() } }"
        )
        #expect(
            ported.lines[1].hasPrefix(
                "class Novel: Book {override func willSave() { self._override_Novel_willSave() } "))
        #expect(
            ported.lines[2...] == [
                "extension Book { func _override_Book_willSave() { super.willSave() } }",
                "extension Novel { func _override_Novel_willSave() { super.willSave() } }",
            ])
    }

    @Test(
        "The override in the class has the modifiers of the extension",
        arguments: [
            ("public extension", "override", "public override"),
            ("@MainActor extension", "override", "@MainActor override"),
            ("@MainActor public extension", "nonisolated override", "public nonisolated override"),
            ("public extension", "package override", "package override"),
        ])
    func modifiersOfExtensions(_ extended: String, _ modifiers: String, _ written: String) {
        let ported = Ported(
            "class Book: NSManagedObject {}\n\(extended) Book { \(modifiers) func willSave() {} }")
        #expect(
            ported.lines.first
                == "class Book: NSManagedObject {\(written) func willSave() { self._override_Book_willSave() } }"
        )
    }

    @Test("The class gets an override for one in an extension of another file")
    func overridesInOtherFiles() {
        let ported = Ported(
            "class Book: NSManagedObject {}",
            with: ["extension Book { override func willSave() {} }"])
        #expect(
            ported.lines == [
                "class Book: NSManagedObject {override func willSave() { self._override_Book_willSave() } }"
            ])
    }

    @Test("An override in an extension under a condition is an error")
    func conditionalOverrides() {
        let ported = Ported(
            "class Book: NSManagedObject {}\nextension Book {\n#if A\noverride func willSave() {}\n#endif\n}")
        #expect(ported.errors.count == 1)
        #expect(ported.errors.first?.contains("this one is compiled under a condition") == true)
    }

    @Test("An override of entity() stays")
    func entityIsOverridden() {
        let source =
            "class Book: NSManagedObject { override class func entity() -> NSEntityDescription { a } }"
        #expect(Ported(source).lines == [source])
    }

    @Test("A class method calls an initializer of a framework class by the name of the class")
    func ownInitializersAreCalledByName() {
        let type = "NSPersistentStoreCoordinator"
        let source = "extension \(type) {\nstatic func a() -> \(type) { self.init(managedObjectModel: b) }\n}"
        #expect(
            Ported(source).lines[1] == "static func a() -> \(type) { \(type)(managedObjectModel: b) }"
                || Ported(source).lines[1]
                    == "static func a() -> \(type) { \(type).init(managedObjectModel: b) }"
        )
        let own = "extension \(type) {\nclass func a() -> Self { Self(managedObjectModel: b) }\n}"
        #expect(
            Ported(own).errors.first?.hasPrefix("Book.swift:2:26: error: only the Objective-C runtime makes")
                == true)
        let convenience =
            "extension \(type) { convenience init(a: Int) { self.init(managedObjectModel: b) } }"
        #expect(Ported(convenience).lines == [convenience])
    }

    @Test("A store with custom initializers gets the one that coordinators call")
    func storesHaveTheirInitializer() {
        let ported = Ported("class Store: NSAtomicStore {\n    init(a: Int) { super.init() }\n}")
        #expect(
            ported.lines[2].hasPrefix(
                "override init(persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: "
                    + "String?, at url: URL, options: [AnyHashable: Any]? = nil) { fatalError("))
        #expect(ported.lines[0] == "class Store: NSAtomicStore, @unchecked Sendable {")
        let complete =
            "class Store: NSAtomicStore, @unchecked Sendable { override init(persistentStoreCoordinator a: B?, configurationName: C?, at d: URL, "
            + "options: E?) {} }"
        #expect(Ported(complete).lines == [complete])
    }

    @Test("The name of a key path is read from the framework")
    func namesOfKeyPaths() {
        #expect(
            Ported("let a = b.c._kvcKeyPathString!").lines == ["let a = CoreData.KeyPathNames.name(of: b.c)!"]
        )
        #expect(
            Ported("let a = b?._kvcKeyPathString").lines == [
                "let a = b.flatMap { CoreData.KeyPathNames.name(of: $0) }"
            ])
        #expect(
            Ported("extension KeyPath { var a: String? { _kvcKeyPathString } }").lines == [
                "extension KeyPath { var a: String? { CoreData.KeyPathNames.name(of: self) } }"
            ])
        #expect(
            Ported("let a = b.map(\\._kvcKeyPathString)").errors.first?.contains("write the closure") == true)
    }

    @Test(
        "A call with another meaning on this platform has a warning",
        arguments: [
            ("let a = Thread.isMainThread", "1:9: warning: 'Thread.isMainThread' is false here"),
            ("let a = Thread.current.isMainThread", "1:9: warning: 'Thread.isMainThread' is false here"),
            ("let a = Bundle(identifier: b)", "1:9: warning: 'Bundle(identifier:)' finds here only"),
        ])
    func callsWithAnotherMeaningAreWarnedOf(_ source: String, _ warning: String) {
        let ported = Ported(source)
        #expect(ported.lines == [source])
        #expect(ported.warnings.first?.hasPrefix("Book.swift:\(warning)") == true)
        #expect(ported.warnings.count == 1)
    }

    @Test("Types that only Apple's Foundation has are those of Core Data")
    func namesOfFoundation() {
        #expect(
            Ported("let a: Foundation.ValueTransformer = Foundation.UndoManager()").lines == [
                "let a: CoreData.ValueTransformer = CoreData.UndoManager()"
            ])
    }
}
