import CocoaFoundation
import Testing

@testable import ManagedObjectModel

/// Reading of compiled mapping models, in archives with the keys of Xcode's.
struct CompiledMappingTests {
    private static var attribute: ArchivedValue {
        .object(
            "NSPropertyMapping",
            [
                ("NSDestinationPropertyName", .text("name")),
                ("NSValueExpression", .expression(MappingExpression.sourceValue("title"))),
                ("NSPropertyTransforms", .null), ("NSUserInfo", .null),
            ])
    }

    private static func entity(_ more: [(String, ArchivedValue)] = []) -> ArchivedValue {
        .object(
            "NSEntityMapping",
            [
                ("NSMappingName", .text("BookToBook")), ("NSMappingType", .number(5)),
                ("NSSourceEntityName", .text("Book")), ("NSSourceEntityVersionHash", .data(Data([1, 2]))),
                ("NSDestinationEntityName", .text("Book")),
                ("NSDestinationEntityVersionHash", .data(Data([3]))),
                ("NSAttributeMappings", .array([attribute])), ("NSRelationshipMappings", .array([])),
                ("NSUserInfo", .table([("a", .text("b"))])),
            ] + more)
    }

    private static func model(_ entities: [ArchivedValue]) -> Data {
        ArchivedValue.object(
            "NSMappingModel",
            [
                ("NSEntityMappings", .array(entities)),
                ("NSEntityMappingsByName", .table(entities.map { ("BookToBook", $0) })),
            ]
        ).archive
    }

    static let archive = model([entity()])

    @Test("A compiled mapping model keeps types, names, hashes, property mappings and user info")
    func readsWhatTheHeadersDeclare() throws {
        let model = try CompiledMappingReader.mappingModel(Self.archive)
        let mapping = try #require(model.entityMappingsByName["BookToBook"])
        #expect(mapping.mappingType == .transformEntityMappingType)
        #expect(mapping.sourceEntityName == "Book" && mapping.destinationEntityName == "Book")
        #expect(mapping.sourceEntityVersionHash == Data([1, 2]))
        #expect(mapping.destinationEntityVersionHash == Data([3]))
        #expect(mapping.attributeMappings?.first?.name == "name")
        #expect(mapping.attributeMappings?.first?.valueExpression == MappingExpression.sourceValue("title"))
        #expect(mapping.relationshipMappings == [])
        #expect(mapping.userInfo as? [String: String] == ["a": "b"])
    }

    @Test("A compiled entity mapping keeps a fetch as its source expression")
    func readsAFetchOfTheSource() throws {
        let fetch = ArchivedValue.object(
            "NSFetchRequestExpression",
            [
                ("NSExpressionType", .number(50)),
                ("NSFRExpression", .expression(NSExpression(forVariable: "r"))),
                ("NSMOCExpression", .expression(NSExpression(forVariable: "c"))),
                ("NSCountOnlyFlag", .flag(false)),
            ])
        let model = try CompiledMappingReader.mappingModel(
            Self.model([Self.entity([("NSSourceExpression", fetch)])]))
        #expect(model.entityMappings.first?.sourceExpression?.description == "FETCH($r, $c, NO)")
    }

    @Test("A compiled mapping keeps a fetch that is an argument of a function")
    func readsAFetchInsideOfAnotherExpression() throws {
        let fetch = ArchivedValue.object(
            "NSFetchRequestExpression",
            [
                ("NSExpressionType", .number(50)),
                ("NSFRExpression", .expression(NSExpression(forVariable: "r"))),
                ("NSMOCExpression", .expression(NSExpression(forVariable: "c"))),
                ("NSCountOnlyFlag", .flag(true)),
            ])
        let call = ArchivedValue.object(
            "NSFunctionExpression",
            [
                ("NSExpressionType", .number(4)),
                ("NSOperand", .expression(NSExpression(forVariable: "entityPolicy"))),
                ("NSSelectorName", .text("countOf:")), ("NSArguments", .array([fetch])),
            ])
        let attribute = ArchivedValue.object(
            "NSPropertyMapping",
            [("NSDestinationPropertyName", .text("count")), ("NSValueExpression", call)])
        let entity = ArchivedValue.object(
            "NSEntityMapping",
            [("NSMappingName", .text("A")), ("NSAttributeMappings", .array([attribute]))])
        let mapping = try CompiledMappingReader.mappingModel(Self.model([entity])).entityMappings.first
        #expect(
            mapping?.attributeMappings?.first?.valueExpression?.description
                == "FUNCTION($entityPolicy, \"countOf:\", FETCH($r, $c, YES))")
    }

    @Test("Mapping models read twice from one archive are equal until one changes")
    func twoReadingsAreEqual() throws {
        let one = try CompiledMappingReader.mappingModel(Self.archive)
        let other = try CompiledMappingReader.mappingModel(Self.archive)
        #expect(one == other && one.hash == other.hash)
        other.entityMappings.first?.attributeMappings?.first?.name = "other"
        #expect(one != other)
    }

    private func error(_ data: Data) -> ModelFileError? {
        #expect(throws: ModelFileError.self) { try CompiledMappingReader.mappingModel(data) }
    }

    @Test("A compiled mapping with an unknown key throws an error that names the key")
    func anUnknownKeyIsNamed() {
        let error = error(Self.model([Self.entity([("NSSecret", .text("x"))])]))
        #expect(error?.reason == .unsupportedForm)
        #expect(error?.detail.contains("'NSSecret'") == true)
    }

    @Test("A property mapping with transforms is refused as unsupported")
    func transformsOfAPropertyAreRefused() {
        let property = ArchivedValue.object(
            "NSPropertyMapping",
            [("NSDestinationPropertyName", .text("a")), ("NSPropertyTransforms", .array([.text("x")]))])
        let error = error(
            Self.model([.object("NSEntityMapping", [("NSAttributeMappings", .array([property]))])]))
        #expect(error?.reason == .unsupportedForm && error?.element == "a")
    }

    @Test("An archive that does not hold a mapping model is refused")
    func otherArchivesAreRefused() {
        #expect(error(ArchivedValue.text("x").archive)?.reason == .malformed)
        #expect(error(ArchivedValue.object("NSManagedObjectModel", []).archive)?.reason == .unsupportedForm)
        #expect(error(Data("bplist00".utf8))?.reason == .malformed)
        #expect(error(Self.model([.text("x")]))?.reason == .malformed)
        #expect(error(Self.model([.null]))?.reason == .unsupportedForm)
        #expect(error(Self.model([.object("NSObject", [])]))?.reason == .unsupportedForm)
    }

    @Test("A compiled mapping with a value of the wrong type is refused")
    func valuesOfWrongTypesAreRefused() {
        for (key, value) in [
            ("NSMappingName", ArchivedValue.number(1)), ("NSMappingType", .text("x")),
            ("NSMappingType", .number(9)),
            ("NSSourceEntityVersionHash", .text("x")), ("NSAttributeMappings", .table([])),
        ] {
            let data = Self.model([.object("NSEntityMapping", [(key, value)])])
            #expect(error(data)?.reason == .invalidValue, "\(key)")
        }
        let expression = Self.model([.object("NSEntityMapping", [("NSUserInfo", .text("x"))])])
        #expect(error(expression)?.reason == .malformed)
    }
}
