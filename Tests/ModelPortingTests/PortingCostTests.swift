import Testing

@testable import ModelPorting

/// The cost of porting grows with the sources, and not with their square: measured by counting the visited
/// nodes.
@Suite struct PortingCostTests {
    private func steps(_ source: String) throws -> Int {
        let parsed = try ParsedSource(PortSource(name: "A.swift", text: source))
        let module = ModuleDeclarations([parsed], modelKeys: [:])
        #expect(FilePort(parsed, module).ported().text != nil)
        return module.steps
    }

    @Test(
        "Twice the source takes at most twice the steps",
        arguments: [
            (
                "class A: NSManagedObject {",
                "@NSManaged var a#: Int; @NSManaged func addToB#(_: B); @objc dynamic var c#: String { #keyPath(a#) }",
                "}"
            ),
            ("class C0: NSManagedObject {}", "class C#: NSManagedObject { @NSManaged var a#: Int }", ""),
            (
                "class A: NSManagedObject {}",
                "extension A { @NSManaged private var a#: Int; @objc dynamic var b#: Int { 1 } }", ""
            ),
            ("class A: NSManagedObject { @NSManaged var ", "a#,", "z: Int }"),
        ])
    func twiceTheSourceTakesTwiceTheSteps(_ start: String, _ part: String, _ end: String) throws {
        let counts = try [200, 400].map { count in
            try steps(
                "\(start)\n"
                    + (1...count).map { part.replacing("#keyPath", with: "=").replacing("#", with: "\($0)") }
                    .joined(separator: "\n").replacing("=", with: "#keyPath") + "\n\(end)")
        }
        #expect(counts[0] > 0 && counts[1] <= 2 * counts[0] + 10)
    }

    @Test("A chain of classes takes steps in proportion to its length for each class")
    func aChainOfClassesTakesNoMoreThanItsLengthForEach() throws {
        let chain =
            ["class C0: NSManagedObject {}"]
            + (1..<90).map { "class C\($0): C\($0 - 1) { @NSManaged var a\($0), b\($0), c\($0): Int }" }
        #expect(try steps(chain.joined(separator: "\n")) < 90 * 90 * 3)
    }

    @Test("A class with too many ancestors or declarations is an error")
    func classesWithTooManyAncestorsOrDeclarationsAreErrors() {
        let chain =
            ["class C0: NSManagedObject {}"] + (1...100).map { "class C\($0): C\($0 - 1) {}" }
        let end = PortSource(name: "A.swift", text: chain.joined(separator: "\n"))
        #expect(
            SourcePort([end]).ported()[0].diagnostics.map(\.description) == [
                "A.swift:100:7: error: 'C99' has 100 ancestors or more: leave some out",
                "A.swift:101:7: error: 'C100' has 100 ancestors or more: leave some out",
            ])
        let same = PortSource(
            name: "A.swift",
            text: Array(repeating: "class A: NSManagedObject {}", count: 33).joined(separator: "\n"))
        #expect(
            SourcePort([same]).ported()[0].diagnostics.first?.description
                == "A.swift:1:7: error: 'A' is declared more than 32 times: declare it once, with the conditions inside"
        )
    }
}
