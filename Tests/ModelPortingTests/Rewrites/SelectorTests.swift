import ModelPorting
import Testing

@Suite struct SelectorTests {
    @Test(
        "A selector of a string comparison becomes its name",
        arguments: [
            ("NSString.localizedStandardCompare(_:)", "localizedStandardCompare:"),
            ("NSString.caseInsensitiveCompare", "caseInsensitiveCompare:"),
            ("NSNumber.compare(_:)", "compare:"),
            ("NSString.localizedCaseInsensitiveCompare(_:)", "localizedCaseInsensitiveCompare:"),
            ("NSString.localizedCompare", "localizedCompare:"),
        ])
    func comparisonsAreNames(_ method: String, _ name: String) {
        #expect(Ported("let a = #selector(\(method)) // b").lines == ["let a = Selector(\"\(name)\") // b"])
    }

    @Test("A selector of an accessor becomes a checked name")
    func accessorsAreNames() {
        #expect(
            Ported("let a = #selector(getter: Book.title)").lines == [
                "let a = Selector(CoreData._checkedKeyPath(\"title\", CoreData._KeyPathCheck<Book>().title))"
            ])
        #expect(
            Ported("let a = #selector(setter: Book.title)").lines == [
                "let a = Selector(CoreData._checkedKeyPath(\"setTitle:\", CoreData._KeyPathCheck<Book>().title))"
            ])
    }

    @Test("A selector made from a name stays")
    func selectorsWithNamesStay() {
        let source = "let a = [Selector(\"compare:\"), NSSelectorFromString(\"compare:\")]"
        #expect(Ported(source).lines == [source])
    }

    @Test(
        "An observer by selector becomes an observer by closure",
        arguments: [
            ("changed(_ n: Notification)", "changed(_:)", "observer, note in observer.changed(note)"),
            ("changed(_ n: Notification)", "changed", "observer, note in observer.changed(note)"),
            (
                "changed(note n: Notification)", "Book.changed(note:)",
                "observer, note in observer.changed(note: note)"
            ),
            ("changed()", "self.changed", "observer, _ in observer.changed()"),
            (
                "changed(_ n: NSNotification)", "changed(_:)",
                "observer, note in observer.changed(NSNotification(name: note.name, object: note.object, userInfo: note.userInfo))"
            ),
        ])
    func observersWithMethods(_ method: String, _ selector: String, _ call: String) {
        let add = "center.addObserver(self, selector: #selector(\(selector)), name: .a, object: b)"
        let ported = Ported("class Book: NSObject {\n@objc func \(method) {}\nfunc c() { \(add) }\n}")
        #expect(ported.diagnostics.isEmpty)
        #expect(
            ported.lines[2] == "func c() { center._addObserver(self, name: .a, object: b) { \(call) } }")
    }

    @Test("An observer of the main actor is called on the main actor")
    func observersOfTheMainActor() {
        let source =
            "@MainActor class A { func b() {}\nfunc c() { d.addObserver(self, selector: #selector(b), name: e, object: nil) } }"
        #expect(
            Ported(source).lines.last
                == "func c() { d._addMainActorObserver(self, name: e, object: nil) { observer, _ in observer.b() } } }"
        )
    }

    @Test("The actor of the observing method decides where the observer is called")
    func observersInExtensionsOfTheMainActor() {
        let add = "d.addObserver(self, selector: #selector(b), name: e, object: nil)"
        let written = "name: e, object: nil) { observer, _ in observer.b() }"
        let inside = Ported("class A {}\n@MainActor extension A { func b() {}\nfunc c() { \(add) } }")
        #expect(inside.lines.last == "func c() { d._addMainActorObserver(self, \(written) } }")
        let outside = Ported("class A { func b() {} }\n@MainActor extension A {\nfunc c() { \(add) } }")
        #expect(outside.lines.last == "func c() { d._addObserver(self, \(written) } }")
    }

    @Test(
        "A selector of a method to be called is an error",
        arguments: [
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
