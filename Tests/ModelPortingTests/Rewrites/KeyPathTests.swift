import ModelPorting
import Testing

@Suite struct KeyPathTests {
    private static let people = """
        class Person: NSManagedObject {
            @NSManaged var address: Address?
            @NSManaged var friends: Set<Person>
            struct Place { }
        }
        class Address: NSManagedObject { @objc(town) @NSManaged var city: String?; @NSManaged var residents: Set<Person> }
        """

    private func ported(_ expression: String, in context: (String, String) = ("", "")) -> String? {
        let source = "\(context.0)let key = \(expression)\(context.1)"
        return Ported(source, with: [Self.people]).lines.first.map {
            String($0.dropFirst("\(context.0)let key = ".count).dropLast(context.1.count))
        }
    }

    private func checked(_ text: String, _ root: String, _ members: String) -> String {
        "CoreData._checkedKeyPath(\"\(text)\", CoreData._KeyPathCheck<\(root)>().\(members))"
    }

    @Test("A key path begins with its type and goes on with properties")
    func theTypeIsDistinguishedFromTheProperties() {
        #expect(ported("#keyPath(Person.friends)") == checked("friends", "Person", "friends"))
        #expect(
            ported("#keyPath(App.Person.friends.address)")
                == checked("friends.address", "App.Person", "friends.address"))
        #expect(ported("#keyPath(Person.Place.x)") == checked("x", "Person.Place", "x"))
        #expect(ported("#keyPath(UIView.frame)") == checked("frame", "UIView", "frame"))
    }

    @Test("A key path has the Objective-C names of its properties")
    func objectiveCNamesOfPropertiesAreFollowed() {
        #expect(ported("#keyPath(Person.address.city)") == checked("address.town", "Person", "address.city"))
        #expect(
            ported("#keyPath(Person.address.residents.address.city)")
                == checked("address.residents.address.town", "Person", "address.residents.address.city"))
    }

    @Test("A key path without a type belongs to the type around it")
    func withoutATypeItIsTheOneAround() {
        let source =
            "extension Person { var a: String { #keyPath(friends) + #keyPath(Self.address) + #keyPath(URL.path) } }"
        let text = Ported(source, with: [Self.people]).lines.first ?? ""
        #expect(text.contains(checked("friends", "Person", "friends")))
        #expect(text.contains(checked("address", "Person", "address")))
        #expect(text.contains(checked("path", "URL", "path")))
    }

    @Test("A property with a capital letter is not taken for a type")
    func aPropertyWithACapitalLetterIsNotAType() {
        let text = Ported(
            "class Book: NSManagedObject { @NSManaged var URL: Link?\nlet a = #keyPath(URL.text) }"
        ).lines.last
        #expect(text?.contains(checked("URL.text", "Book", "URL.text")) == true)
    }

    @Test("Lines, comments and strings around a key path stay")
    func linesAndSurroundingsStay() {
        let source = """
            let a = [ /* b */ #keyPath(
                Person
                    .friends
            ), "x \\(#keyPath(Person.friends)) y"]  // c
            let d = 1
            """
        let ported = Ported(source, with: [Self.people])
        #expect(ported.lines.count == 5)
        #expect(ported.lines[0] == "let a = [ /* b */ \(checked("friends", "Person", "friends"))")
        #expect(ported.lines[3] == ", \"x \\(\(checked("friends", "Person", "friends"))) y\"]  // c")
        #expect(ported.lines[4] == "let d = 1")
    }

    @Test("The indentation of a multi-line string stays")
    func theIndentationInATextOfSeveralLinesStays() {
        let source = "let a = \"\"\"\n  b \\(#keyPath(\n     Person.friends\n  )) c\n  \"\"\""
        #expect(
            Ported(source, with: [Self.people]).lines == [
                "let a = \"\"\"", "  b \\(\(checked("friends", "Person", "friends"))", "     ", "  ) c",
                "  \"\"\"",
            ])
    }

    @Test(
        "Any other expression as a key path is an error",
        arguments: ["#keyPath(a())", "#keyPath(Person.friends[0])", "#keyPath(\"a\")", "#keyPath(a, b)"])
    func otherExpressionsAreErrors(_ expression: String) {
        #expect(
            Ported("let a = \(expression)").errors
                == [
                    "Book.swift:1:9: error: a key path is written as names with dots between them: "
                        + "write '#keyPath(Type.name)'"
                ])
    }
}
