import ModelPorting
import Testing

@Suite struct InitializerTests {
    @Test(
        "Overridden initializers of the framework become required",
        arguments: [
            (
                "override init(entity: E, insertInto c: C?) {}",
                "required init(entity: E, insertInto c: C?) {}"
            ),
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
            (
                "convenience init(title: String, context: C) {}",
                "convenience init(title: String, context: C) {}"
            ),
        ])
    func initializersOfTheFrameworkAreRequired(_ source: String, _ expected: String) {
        #expect(portedMember(source) == expected)
    }

    @Test("Initializers of other classes stay")
    func initializersOfOtherClassesStay() {
        let source = "class A: B { override init(entity: E, insertInto c: C?) {} }"
        #expect(Ported(source).lines == [source])
    }

    @Test("A managed object class without the framework's initializer is an error")
    func aClassThatCannotBeMadeIsAnError() {
        let ported = Ported("class Book: NSManagedObject {\n    init(title: String) {}\n}")
        #expect(ported.errors.count == 1)
        #expect(
            ported.errors.first?.hasPrefix("Book.swift:2:5: error: 'Book' declares a designated initializer")
                == true)
    }
}
