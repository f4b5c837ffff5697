import CoreDataMacros
import Testing

/// One property of each type that Swift has for an attribute.
@ManagedObject
final class Sample: NSManagedObject {
    enum Level: Int16, ManagedComponent {
        case low, high
    }

    enum Word: String, ManagedComponent {
        case yes, no
    }

    @Managed var int: Int
    @Managed var int16: Int16
    @Managed var int32: Int32
    @Managed var int64: Int64
    @Managed var optionalInt: Int?
    @Managed("optionalInt") var optionalNumber: NSNumber?
    @Managed var bool: Bool
    @Managed var double: Double
    @Managed var float: Float
    @Managed var string: String
    @Managed var optionalString: String?
    @Managed("optionalString") var implicitString: String!
    @Managed var date: Date?
    @Managed var data: Data?
    @Managed var uuid: UUID?
    @Managed var url: URL?
    @Managed var decimal: Decimal
    @Managed("decimal") var decimalNumber: NSDecimalNumber?
    @Managed var level: Level
    @Managed var word: Word?
    @Managed var point: Point?
    @Managed var points: [Point]?
    @Managed var `default`: String?
}

/// The value of a transformable attribute.
struct Point: Codable, Equatable {
    var x = 0.0
    var y = 0.0
}

@Suite struct TypeTests {
    @Test("A property without a value is nil, zero, false or empty")
    func propertiesWithoutAValue() throws {
        try withSample { sample in
            #expect(sample.int == 0 && sample.int16 == 0 && sample.int32 == 0 && sample.int64 == 0)
            #expect(sample.optionalInt == nil && sample.optionalNumber == nil)
            #expect(!sample.bool && sample.double == 0 && sample.float == 0)
            #expect(sample.string.isEmpty && sample.optionalString == nil && sample.implicitString == nil)
            #expect(sample.date == nil && sample.data == nil && sample.uuid == nil && sample.url == nil)
            #expect(sample.decimal == 0 && sample.decimalNumber == nil)
            #expect(sample.level == .low && sample.word == nil)
            #expect(sample.point == nil && sample.points == nil && sample.default == nil)
        }
    }

    @Test("Values of every type are read from the store")
    func valuesComeBackFromTheStore() throws {
        let uuid = UUID()
        let date = Date(timeIntervalSinceReferenceDate: 12_345.5)
        try withSample { sample in
            sample.int = -7
            sample.int16 = .max
            sample.int32 = .min
            sample.int64 = .max
            sample.optionalInt = 3
            sample.bool = true
            sample.double = 0.1
            sample.float = 0.25
            sample.string = "text"
            sample.implicitString = "implicit"
            sample.date = date
            sample.data = Data([1, 2])
            sample.uuid = uuid
            sample.url = URL(string: "https://example.org/a")
            sample.decimal = Decimal(string: "1.10") ?? 0
            sample.level = .high
            sample.word = .no
            sample.point = Point(x: 1, y: 2)
            sample.points = [Point(), Point(x: 3, y: 4)]
            sample.default = "key word"
            try sample.managedObjectContext?.save()
            sample.managedObjectContext?.refresh(sample, mergeChanges: false)
            #expect(sample.isFault)

            #expect(sample.int == -7 && sample.int16 == .max && sample.int32 == .min && sample.int64 == .max)
            #expect(sample.optionalInt == 3 && sample.optionalNumber == 3)
            #expect(sample.bool && sample.double == 0.1 && sample.float == 0.25)
            #expect(sample.string == "text" && sample.optionalString == "implicit")
            #expect(sample.date == date && sample.data == Data([1, 2]) && sample.uuid == uuid)
            #expect(sample.url?.absoluteString == "https://example.org/a")
            #expect(sample.decimalNumber == NSDecimalNumber(string: "1.1"))
            #expect(sample.level == .high && sample.word == .no)
            #expect(sample.point == Point(x: 1, y: 2) && sample.points == [Point(), Point(x: 3, y: 4)])
            #expect(sample.value(forKey: "default") as? String == "key word")
        }
    }

    @Test("Optional values are set to nil")
    func optionalValuesAreTakenAway() throws {
        try withSample { sample in
            sample.optionalNumber = 4
            sample.word = .yes
            sample.point = Point()
            sample.implicitString = "text"
            sample.optionalInt = nil
            sample.word = nil
            sample.point = nil
            sample.implicitString = nil
            for key in ["optionalInt", "word", "point", "optionalString"] {
                #expect(sample.value(forKey: key) == nil, "\(key)")
            }
        }
    }

    /// Runs a block with a new object in a context with a SQLite store.
    private func withSample(_ body: (Sample) throws -> Void) throws {
        NSManagedObjectModel.register(Sample.self)
        let entity = TestModel.entity("Sample")
        let types: [(String, NSAttributeDescription.AttributeType)] = [
            ("int", .integer64), ("int16", .integer16), ("int32", .integer32), ("int64", .integer64),
            ("optionalInt", .integer32), ("bool", .boolean), ("double", .double), ("float", .float),
            ("string", .string), ("optionalString", .string), ("date", .date), ("data", .binaryData),
            ("uuid", .uuid), ("url", .uri), ("decimal", .decimal), ("level", .integer16), ("word", .string),
            ("default", .string),
        ]
        entity.properties =
            types.map(TestModel.attribute) + [
                TestModel.transformable("point", by: CodableTransformer<Point>.register()),
                TestModel.transformable("points", by: CodableTransformer<[Point]>.register()),
            ]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        try TestStack(model).inContext { try body(Sample(context: $0)) }
    }
}
