import ModelPorting
import Testing

@Suite struct SelectorTests {
    @Test(arguments: [
        ("NSString.localizedStandardCompare(_:)", "localizedStandardCompare:"),
        ("NSString.caseInsensitiveCompare", "caseInsensitiveCompare:"),
        ("NSNumber.compare(_:)", "compare:"),
        ("NSString.localizedCaseInsensitiveCompare(_:)", "localizedCaseInsensitiveCompare:"),
        ("NSString.localizedCompare", "localizedCompare:"),
    ])
    func comparisonsAreNames(_ method: String, _ name: String) {
        #expect(Ported("let a = #selector(\(method)) // b").lines == ["let a = Selector(\"\(name)\") // b"])
    }

    @Test func accessorsAreNames() {
        #expect(
            Ported("let a = #selector(getter: Book.title)").lines == [
                "let a = Selector(CoreData._checkedKeyPath(\"title\", CoreData._KeyPathCheck<Book>().title))"
            ])
        #expect(
            Ported("let a = #selector(setter: Book.title)").lines == [
                "let a = Selector(CoreData._checkedKeyPath(\"setTitle:\", CoreData._KeyPathCheck<Book>().title))"
            ])
    }

    @Test func selectorsWithNamesStay() {
        let source = "let a = [Selector(\"compare:\"), NSSelectorFromString(\"compare:\")]"
        #expect(Ported(source).lines == [source])
    }

    @Test(arguments: [
        "#selector(refresh(_:))", "#selector(Book.compare(_:to:))", "#selector(prepareForDeletion)",
    ])
    func methodsToBeCalledAreErrors(_ selector: String) {
        let ported = Ported("\nlet a = \(selector)")
        #expect(ported.text == nil)
        #expect(ported.errors.count == 1)
        #expect(
            ported.errors.first?.hasPrefix("Book.swift:2:9: error: '\(selector)' names a method to be called")
                == true)
    }
}
