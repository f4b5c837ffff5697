import ModelPorting
import Testing

@Suite struct InitializerTests {
    @Test(arguments: [
        ("override init(entity: E, insertInto c: C?) {}", "required init(entity: E, insertInto c: C?) {}"),
        (
            "public override init(entity: E, insertInto c: C?) {}",
            "public required init(entity: E, insertInto c: C?) {}"
        ),
        (
            "@objc private override init(entity: E, insertInto c: C?) {}",
            "required init(entity: E, insertInto c: C?) {}"
        ),
        (
            "convenience init(context: C) { self.init() }",
            "required convenience init(context: C) { self.init() }"
        ),
        ("convenience init(title: String, context: C) {}", "convenience init(title: String, context: C) {}"),
    ])
    func initializersOfTheFrameworkAreRequired(_ source: String, _ expected: String) {
        #expect(portedMember(source) == expected)
    }

    @Test func thoseOfOtherClassesStay() {
        let source = "class A: B { override init(entity: E, insertInto c: C?) {} }"
        #expect(Ported(source).lines == [source])
    }

    @Test func aClassThatCannotBeMadeIsAnError() {
        let ported = Ported("class Book: NSManagedObject {\n    init(title: String) {}\n}")
        #expect(ported.errors.count == 1)
        #expect(
            ported.errors.first?.hasPrefix("Book.swift:2:5: error: 'Book' declares a designated initializer")
                == true)
    }
}
