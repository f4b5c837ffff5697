import ModelPorting
import Testing

@Suite struct AttributeTests {
    @Test func attributesOfTheRuntimeGo() {
        #expect(
            Ported(
                "@objc(Thing)\n@objcMembers final class Thing: NSObject { @nonobjc func a() {}; @objc(b:) func c(_ d: Int) {} }"
            ).lines
                == ["", "final class Thing: NSObject { func a() {}; func c(_ d: Int) {} }"])
    }

    @Test func otherAttributesStay() {
        let source =
            "@available(iOS 15, *) @MainActor final class Thing { @discardableResult func a() -> Int { 1 } }"
        #expect(Ported(source).lines == [source])
    }

    @Test func protocolsAreForClassesStill() {
        #expect(Ported("@objc protocol A { func b() }").lines == ["protocol A: AnyObject { func b() }"])
        #expect(Ported("@objc protocol A: B { }").lines == ["protocol A: AnyObject, B { }"])
        #expect(
            Ported("@objc protocol A: NSObjectProtocol { }").lines == ["protocol A: NSObjectProtocol { }"])
        #expect(Ported("protocol A { }").lines == ["protocol A { }"])
    }

    @Test func enumerationsCanBePropertiesStill() {
        #expect(
            Ported("@objc enum A: Int16 { case b }").lines == [
                "enum A: Int16, CoreData.ManagedComponent { case b }"
            ])
        #expect(
            Ported("@objc public enum A: UInt8, B { case b }").lines == ["public enum A: UInt8, B { case b }"]
        )
    }

    @Test func optionalRequirementsAreErrors() {
        let ported = Ported("@objc protocol A {\n    @objc optional func b()\n}")
        #expect(ported.errors.count == 1)
        #expect(
            ported.errors.first?.hasPrefix("Book.swift:2:11: error: an optional requirement needs") == true)
    }

    @Test func overridesInExtensionsAreErrors() {
        let ported = Ported(
            "extension Book {\n    public override func willSave() {}\n}\nclass A: B { override func c() {} }"
        )
        #expect(ported.errors.count == 1)
        #expect(
            ported.errors.first?.hasPrefix("Book.swift:2:12: error: only the Objective-C runtime lets")
                == true)
    }

    @Test func interfaceBuilderIsWarnedOf() {
        let ported = Ported("class A { @IBOutlet var b: C!; @IBAction func d(_ e: Any) {} }")
        #expect(ported.lines == ["class A { var b: C!; func d(_ e: Any) {} }"])
        #expect(
            ported.warnings == [
                "Book.swift:1:11: warning: '@IBOutlet' is dropped: there is no Interface Builder here",
                "Book.swift:1:32: warning: '@IBAction' is dropped: there is no Interface Builder here",
            ])
    }

    @Test func dynamicGoesWithItsMeaning() {
        let ported = Ported("class A: NSObject { @objc dynamic var b = 1 }")
        #expect(ported.lines == ["class A: NSObject { var b = 1 }"])
        #expect(
            ported.warnings.first?.hasPrefix(
                "Book.swift:1:35: warning: changes of this property are not observed") == true)
        #expect(Ported("class A: NSManagedObject { @objc dynamic var b: Int { 1 } }").diagnostics.isEmpty)
    }

    @Test func aLostNameIsWarnedOf() {
        #expect(
            Ported("@objc(Other) class A: NSObject {}").warnings == [
                "Book.swift:1:1: warning: the Objective-C name 'Other' is dropped: archives and NSClassFromString know the "
                    + "class as 'A' of its module"
            ])
    }
}
