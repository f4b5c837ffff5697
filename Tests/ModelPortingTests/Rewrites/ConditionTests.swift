import ModelPorting
import Testing

@Suite struct ConditionTests {
    @Test(
        "Code under a condition that is false here stays unchanged",
        arguments: [
            "os(iOS)", "os(iOS) || os(macOS)", "canImport(UIKit)", "!(os(iOS)) && false",
            "targetEnvironment(simulator)", "_runtime(_ObjC) && DEBUG",
        ])
    func excludedCodeStays(_ condition: String) {
        let source = "#if \(condition)\n@objc class A { let a = #selector(b) }\n#endif"
        let ported = Ported(source)
        #expect(ported.lines == source.split(separator: "\n").map(String.init))
        #expect(ported.diagnostics.isEmpty)
    }

    @Test(
        "Code under a condition that may be true here is ported",
        arguments: [
            "DEBUG", "!os(iOS)", "os(Linux) || os(iOS)", "canImport(Logging)", "swift(>=5.9)",
            "os(iOS) || DEBUG",
        ])
    func includedCodeIsPorted(_ condition: String) {
        #expect(Ported("#if \(condition)\n@objc class A {}\n#endif").lines[1] == "class A {}")
    }

    @Test("Each clause of a condition is ported by its own condition")
    func clausesFollowOneAnother() {
        let ported = Ported(
            "#if os(iOS)\n@objc class A {}\n#elseif !os(tvOS)\n@objc class B {}\n#else\n@objc class C {}\n#endif"
        )
        #expect(ported.lines[1] == "@objc class A {}")
        #expect(ported.lines[3] == "class B {}")
        #expect(ported.lines[5] == "@objc class C {}")
    }

    @Test(
        "Members under a condition are registered under the same condition",
        arguments: [
            ("!RELEASE", "!RELEASE"), ("swift(>=5.0)", "swift(>=5.0)"),
            ("!canImport(A.B)", "!canImport(A.B)"),
            ("compiler(<7) // c", "compiler(<7)"), ("A && /* c */ !B", "A && !B"),
            ("(A\n  || B)", "(A || B)"),
        ])
    func conditionsAreWrittenAsTheyAre(_ condition: String, _ text: String) {
        let ported = Ported(
            "class Book: NSManagedObject {\n#if \(condition)\n@NSManaged var a: Int\n#endif\n}")
        #expect(ported.additions.filter { $0.hasPrefix("#if") } == ["#if (\(text))"])
    }

    @Test("Members of an extension are registered for every declaration of the class")
    func membersOfAnExtensionBelongToAllDeclarationsOfItsType() {
        let ported = Ported(
            """
            #if DEBUG
            class Book: NSManagedObject { @NSManaged var a: Int }
            #else
            class Book: NSManagedObject { @NSManaged var b: Int }
            #endif
            extension Book { @NSManaged var c: Int }
            """)
        #expect(
            ported.additions.filter { $0.hasPrefix("#") || $0.contains("append") } == [
                "#if (DEBUG)", "properties.append(.stored(\"a\", \\_Object.a))",
                "properties.append(.stored(\"c\", \\_Object.c))", "#endif",
                "#if !(DEBUG)", "properties.append(.stored(\"b\", \\_Object.b))",
                "properties.append(.stored(\"c\", \\_Object.c))", "#endif",
            ])
    }

    @Test("Members of nested clauses are registered under their combined conditions")
    func membersAreRegisteredUnderTheirConditions() {
        let ported = Ported(
            """
            #if SHOP
            class Book: NSManagedObject {
                @NSManaged var a: Int
                #if DEBUG
                @objc var b: Int { 1 }
                #elseif TEST
                @objc var b: Int { 2 }
                #else
                @objc var b: Int { 3 }
                #endif
            }
            #endif
            """)
        #expect(ported.additions.first == "#if (SHOP)")
        #expect(ported.additions.last == "#endif")
        let line = "properties.append(.custom(\"b\", \\_Object.b))"
        let middle = ported.additions.drop { !$0.contains("\"a\"") }.dropFirst().prefix(9)
        #expect(
            Array(middle) == [
                "#if (DEBUG)", line, "#endif", "#if !(DEBUG) && (TEST)", line, "#endif",
                "#if !(DEBUG) && !(TEST)", line, "#endif",
            ])
    }
}
