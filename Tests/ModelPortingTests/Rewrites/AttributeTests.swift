import ModelPorting
import Testing

@Suite struct AttributeTests {
    @Test("Attributes of the Objective-C runtime are removed")
    func attributesOfTheRuntimeGo() {
        #expect(
            Ported(
                "@objc(Thing)\n@objcMembers final class Thing: NSObject { @nonobjc func a() {}; @objc(b:) func c(_ d: Int) {} }"
            ).lines
                == ["", "final class Thing: NSObject { func a() {}; func c(_ d: Int) {} }"])
    }

    @Test("Other attributes stay")
    func otherAttributesStay() {
        let source =
            "@available(iOS 15, *) @MainActor final class Thing { @discardableResult func a() -> Int { 1 } }"
        #expect(Ported(source).lines == [source])
    }

    @Test("A protocol of the Objective-C runtime becomes a class protocol")
    func protocolsAreForClassesStill() {
        #expect(Ported("@objc protocol A { func b() }").lines == ["protocol A: AnyObject { func b() }"])
        #expect(Ported("@objc protocol A: B { }").lines == ["protocol A: AnyObject, B { }"])
        #expect(
            Ported("@objc protocol A: NSObjectProtocol { }").lines == ["protocol A: NSObjectProtocol { }"])
        #expect(Ported("protocol A { }").lines == ["protocol A { }"])
    }

    @Test("An enumeration of the Objective-C runtime becomes a type of properties")
    func enumerationsCanBePropertiesStill() {
        #expect(
            Ported("@objc enum A: Int16 { case b }").lines == [
                "enum A: Int16, CoreData.ManagedComponent { case b }"
            ])
        #expect(
            Ported("@objc public enum A: UInt8, B { case b }").lines == ["public enum A: UInt8, B { case b }"]
        )
    }

    @Test("An optional requirement of a protocol is an error")
    func optionalRequirementsAreErrors() {
        let ported = Ported("@objc protocol A {\n    @objc optional func b()\n}")
        #expect(ported.errors.count == 1)
        #expect(
            ported.errors.first?.hasPrefix("Book.swift:2:11: error: an optional requirement needs") == true)
    }

    @Test("An override in an extension of a class of another module is an error")
    func overridesInExtensionsAreErrors() {
        let ported = Ported(
            "extension Book {\n    public override func willSave() {}\n}\nclass A: B { override func c() {} }"
        )
        #expect(
            ported.errors == [
                "Book.swift:2:12: error: only the Objective-C runtime lets a member of an extension override another, and the "
                    + "class is in another module: move it into the class"
            ])
    }

    @Test("Attributes of Interface Builder are removed with a warning")
    func interfaceBuilderIsWarnedOf() {
        let ported = Ported("class A { @IBOutlet var b: C!; @IBAction func d(_ e: Any) {} }")
        #expect(ported.lines == ["class A { var b: C!; func d(_ e: Any) {} }"])
        #expect(
            ported.warnings == [
                "Book.swift:1:11: warning: '@IBOutlet' is dropped: there is no Interface Builder here; connect it in code",
                "Book.swift:1:32: warning: '@IBAction' is dropped: there is no Interface Builder here; connect it in code",
            ])
    }

    @Test("The modifier dynamic is removed with a warning")
    func dynamicIsRemovedWithAWarning() {
        let ported = Ported("class A: NSObject { @objc dynamic var b = 1 }")
        #expect(ported.lines == ["class A: NSObject { var b = 1 }"])
        #expect(
            ported.warnings.first?.hasPrefix(
                "Book.swift:1:35: warning: changes of this property are not observed") == true)
        #expect(Ported("class A: NSManagedObject { @objc dynamic var b: Int { 1 } }").diagnostics.isEmpty)
    }

    @Test("A dynamic property of a managed object notifies of changes")
    func dynamicPropertiesOfManagedObjectsTellOfChanges() {
        let observers =
            "{ willSet { willChangeValue(forKey: \"b\") } didSet { didChangeValue(forKey: \"b\") } }"
        #expect(portedMember("@objc dynamic var b = 1 // c") == "var b = 1 \(observers) // c")
        #expect(portedMember("@objc(b) dynamic var a: Int?") == "var a: Int? \(observers)")
        #expect(portedMember("dynamic var b = 1") == "var b = 1")
        #expect(portedMember("@objc dynamic let b = 1") == "let b = 1")
    }

    @Test(
        "A dynamic property whose changes cannot be notified has a warning",
        arguments: [
            "@objc dynamic var b = 1 { didSet {} }", "@objc dynamic lazy var b = 1",
            "@objc dynamic var b = 1, c = 2",
            "@objc dynamic var b: Int { get { 1 } set {} }",
        ])
    func changesWithoutNotification(_ declaration: String) {
        let ported = Ported("class Book: NSManagedObject { \(declaration) }")
        #expect(ported.text != nil)
        #expect(
            ported.warnings.first?.contains("warning: changes of this property are not observed: call")
                == true)
        let reported = "@objc dynamic var b: Int { get { 1 } set { willChangeValue(forKey: \"b\") } }"
        #expect(Ported("class Book: NSManagedObject { \(reported) }").diagnostics.isEmpty)
    }

    @Test(
        "An override that a managed object does not support is an error",
        arguments: [
            (
                "func validateValue(_ a: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey b: String) throws {}",
                15
            ),
            ("class func automaticallyNotifiesObservers(forKey key: String) -> Bool { false }", 21),
            ("var hash: Int { 1 }", 14),
            ("func setValuesForKeys(_ values: [String: Any]) {}", 15),
            ("class func description() -> String { \"\" }", 21),
        ])
    func unsupportedOverrides(_ declaration: String, _ column: Int) {
        let ported = Ported("class Book: NSManagedObject {\noverride \(declaration)\n}")
        #expect(ported.errors.count == 1)
        #expect(ported.errors.first?.hasPrefix("Book.swift:2:\(column): error: '") == true)
        #expect(ported.errors.first?.contains("of a managed object cannot be overridden here") == true)
        #expect(Ported("class Book: Base {\noverride \(declaration)\n}").errors.isEmpty)
        let ours = "override func validateValue(_ a: inout Any?, forKey b: String) throws {}"
        #expect(Ported("class Book: NSManagedObject { \(ours) }").errors.isEmpty)
    }

    @Test(
        "An override that a managed object supports is ported",
        arguments: [
            "func setNilValueForKey(_ key: String) {}", "func setValue(_ value: Any?, forKey key: String) {}",
            "func setValue(_ value: Any?, forUndefinedKey key: String) {}",
            "func value(forUndefinedKey key: String) -> Any? { nil }",
        ])
    func supportedOverrides(_ declaration: String) throws {
        let ported = Ported("class Book: NSManagedObject {\noverride \(declaration)\n}")
        #expect(ported.diagnostics.isEmpty)
        #expect(try #require(ported.text).contains("override \(declaration)"))
    }

    @Test("A removed Objective-C name of a class has a warning")
    func aLostNameIsWarnedOf() {
        #expect(
            Ported("@objc(Other) class A: NSObject {}").warnings == [
                "Book.swift:1:1: warning: the Objective-C name 'Other' is dropped: archives and NSClassFromString know the "
                    + "class as 'A' of its module; NSKeyedArchiver.setClassName(_:for:) and NSKeyedUnarchiver.setClass(_:forClassName:) "
                    + "give archives the other name"
            ])
    }
}
