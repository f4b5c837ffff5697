import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Model files made of compiled models: what the reader takes, with everything in it, or an error.
struct DecompiledModelTests {
    private func sample() throws -> ArchiveEditor {
        try ArchiveEditor(CompiledSample.model().compiledData())
    }

    private func error(_ data: Data) -> ModelFileError? {
        #expect(throws: ModelFileError.self) { try NSManagedObjectModel(compiled: data) }
    }

    private func position(_ className: String, _ name: String, in editor: ArchiveEditor) throws -> Int {
        try #require(try editor.position(className, where: "NSPropertyName", is: name))
    }

    // MARK: Settings of archives that no model file has

    @Test("A compiled fetch request with an unknown result type is refused", arguments: [3, 5, 8, 4096])
    func unknownResultTypes(type: Int64) throws {
        var editor = try sample()
        for request in try editor.objects(of: "NSFetchRequest") {
            editor.set("NSResultType", of: request, to: .integer(type))
        }
        #expect(error(editor.data)?.reason == .invalidValue)
        #expect(error(editor.data)?.detail == "the result type \(type) is unknown")
    }

    @Test("A model file keeps the result type of a fetch request", arguments: [0, 1, 2, 4])
    func knownResultTypes(type: Int64) throws {
        var editor = try sample()
        let requests = try editor.objects(of: "NSFetchRequest")
        #expect(!requests.isEmpty)
        for request in requests { editor.set("NSResultType", of: request, to: .integer(type)) }
        let model = try NSManagedObjectModel(compiled: editor.data)
        let tree = try ModelElement(model: model)
        let again = try NSManagedObjectModel(tree: tree)
        #expect(again.fetchRequestTemplate(forName: "all")?.resultType.rawValue == UInt(type))
    }

    @Test("A compiled attribute whose type does not fit its class is refused")
    func typesThatDoNotFitTheClass() throws {
        var plain = try sample()
        plain.set(
            "NSAttributeType", of: try position("NSAttributeDescription", "title", in: plain),
            to: .integer(2100)
        )
        #expect(error(plain.data)?.detail == "a NSAttributeDescription cannot be of the type Composite")
        #expect(error(plain.data)?.element == "Book.title")
        var composite = try sample()
        composite.set(
            "NSAttributeType", of: try position("NSCompositeAttributeDescription", "place", in: composite),
            to: .integer(100))
        #expect(
            error(composite.data)?.detail
                == "a NSCompositeAttributeDescription cannot be of the type Integer 16")
    }

    // MARK: Values

    @Test(
        "A model file keeps any 64-bit integer as default value",
        arguments: [
            Int64.max, .min, .max - 1, 9_007_199_254_740_993, -9_007_199_254_740_993, 1 << 62, 0, -1,
        ])
    func wholeNumbersOfAnySize(number: Int64) throws {
        let attribute = attribute("n", .integer64)
        attribute.defaultValue = NSNumber(value: number)
        let model = makeModel(entity("A", [attribute]))
        let compiled = try NSManagedObjectModel(compiled: model.compiledData())
        let tree = try ModelElement(model: compiled)
        #expect(tree.children[0].children[0]["defaultValueString"] == "\(number)")
        let again = try NSManagedObjectModel(tree: tree).entitiesByName["A"]?.attributesByName["n"]
        #expect((again?.defaultValue as? NSNumber)?.int64Value == number)
    }

    @Test("A default value of an integer attribute is written if it is an integer, else refused")
    func wholeNumbersInOtherForms() throws {
        let attribute = attribute("n", .integer64)
        let model = makeModel(entity("A", [attribute]))
        for (value, text) in [
            (NSNumber(value: 2.0), "2"), (NSNumber(value: true), "1"),
            (NSNumber(value: UInt64(1) << 40), "1099511627776"),
            (NSDecimalNumber(string: "9223372036854775807"), "9223372036854775807"),
        ] {
            attribute.defaultValue = value
            #expect(try ModelElement(model: model).children[0].children[0]["defaultValueString"] == text)
        }
        for value in [NSNumber(value: 2.5), NSNumber(value: UInt64.max), NSDecimalNumber(string: "0.5")] {
            attribute.defaultValue = value
            let error = #expect(throws: ModelFileError.self) { try ModelElement(model: model) }
            #expect(error?.reason == .inexpressible && error?.element == "A.n")
        }
    }

    // MARK: What must not be lost

    private func refusal(_ model: NSManagedObjectModel) -> ModelFileError? {
        let error = #expect(throws: ModelFileError.self) { try ModelElement(model: model) }
        #expect(error?.reason == .inexpressible)
        return error
    }

    @Test("A filtering predicate cannot be written to a model file")
    func filteringPredicates() throws {
        let derived = NSDerivedAttributeDescription()
        derived.name = "d"
        derived.type = .string
        derived.derivationExpression = NSExpression(forKeyPath: "a")
        let model = makeModel(entity("A", [attribute("a", .string), derived]))
        #expect(try ModelElement(model: model).name == "model")
        derived.filteringPredicate = try NSPredicate(parsing: "a == 1")
        let error = refusal(model)
        #expect(error?.element == "A.d")
        #expect(error?.detail == "a model file cannot hold the filtering predicate 'a == 1'")
    }

    @Test("A validation warning without a predicate cannot be written to a model file")
    func warningsWithoutPredicates() throws {
        let plain = attribute("a", .string)
        let other = entity("B", [])
        let link = relationship("r", to: other)
        let model = makeModel(entity("A", [plain, link]), other)
        plain.setValidation([], warnings: ["alone"])
        #expect(
            refusal(model)?.detail
                == "a model file cannot hold the validation warning 'alone' without a predicate")
        plain.setValidation([], warnings: [])
        link.setValidation([], warnings: [NSNumber(value: 7)])
        #expect(refusal(model)?.element == "A.r")
    }

    @Test("A read-only property cannot be written to a model file")
    func readOnlyProperties() throws {
        let plain = attribute("a", .string)
        let model = makeModel(entity("A", [plain]))
        plain.isMarkedReadOnly = true
        #expect(refusal(model)?.detail == "a model file cannot hold read-only properties")
    }

    // MARK: Composite types

    @Test("Composite types that want one name get numbered names, found without repeated search")
    func compositesOfOneNameGetNumbers() throws {
        var table = CompositeTypeTable()
        var names: [String] = []
        for index in 0..<500 {
            let element = ModelElement("attribute", attributes: [.init("name", "x\(index / 2)")])
            names.append(table.name(of: [element], wanted: "P"))
        }
        // Two each have the same elements; the first type has the name itself.
        #expect(names[0] == "P" && names[1] == "P" && names[2] == "P2" && names[499] == "P250")
        #expect(table.elements().count == 250)
        // One name for the first type; for each other the wanted one, and the next number.
        #expect(table.comparedCount <= 2 * 250)
    }
}
