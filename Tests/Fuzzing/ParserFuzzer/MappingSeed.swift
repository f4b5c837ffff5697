import CocoaFoundation

/// Archives of classes that are not there: a compiled mapping model, and a model as the editor of Xcode 3 archived it.
enum MappingSeed {
    private indirect enum Value {
        case text(String)
        case number(Int64)
        case data(Data)
        case array([Value])
        case table([(String, Value)])
        case object(String, [(String, Value)])
    }

    static func compiled() throws -> Data {
        let attribute = Value.object("NSPropertyMapping", [("NSName", .text("name"))])
        let entity = Value.object(
            "NSEntityMapping",
            [
                ("NSName", .text("BookToBook")), ("NSMappingType", .number(5)),
                ("NSSourceEntityName", .text("Book")),
                ("NSSourceEntityVersionHash", .data(Data([1, 2]))),
                ("NSDestinationEntityName", .text("Book")),
                ("NSDestinationEntityVersionHash", .data(Data([3]))),
                ("NSAttributeMappings", .array([attribute])),
                ("NSRelationshipMappings", .array([])), ("NSUserInfo", .table([("a", .text("b"))])),
            ])
        return try archive(.object("NSMappingModel", [("NSEntityMappings", .array([entity]))]))
    }

    static func editorModel() throws -> Data {
        let package = Value.object(
            "XDModelPackage",
            [
                (
                    "XDBucketForClassesstorage",
                    .table([
                        ("Book", entity("Book", [attribute("title", 700)])), ("Page", entity("Page", [])),
                    ])
                )
            ])
        return try archive(
            .object(
                "XDPMModel",
                [
                    ("_xd_rootPackage", package), ("_modelVersionIdentifier", .text("1")),
                    ("_configurationsByName", .table([])),
                ]))
    }

    private static func entity(_ name: String, _ properties: [(String, Value)]) -> Value {
        .object(
            "XDPMEntity",
            [
                ("_name", .text(name)), ("XDBucketForStereotypesstorage", stereotype([])),
                ("XDBucketForOwnedAttributesstorage", .table(properties)),
                ("XDBucketForGeneralizationsstorage", .array([])),
            ])
    }

    private static func attribute(_ name: String, _ type: Int64) -> (String, Value) {
        let settings = [("XD_PAttK_attributeType", Value.number(type))]
        return (
            name,
            .object(
                "XDPMAttribute",
                [("_name", .text(name)), ("XDBucketForStereotypesstorage", stereotype(settings))])
        )
    }

    private static func stereotype(_ settings: [(String, Value)]) -> Value {
        let values = settings.map { ($0.0, Value.object("XDUMLPropertyImp", [("_default", $0.1)])) }
        return .table([
            ("S", .object("XDUMLStereotypeImp", [("XDBucketForOwnedAttributesstorage", .table(values))]))
        ])
    }

    private static func archive(_ value: Value) throws -> Data {
        let writer = KeyedArchiveWriter()
        let root = position(of: value, writer)
        return try writer.finish(root: root)
    }

    /// Adds an object, and returns its position in the archive.
    private static func position(of value: Value, _ writer: KeyedArchiveWriter) -> Int {
        func references(_ values: [Value]) -> Int {
            writer.add(.array(values.map { writer.add(.identifier(UInt64(position(of: $0, writer)))) }))
        }
        switch value {
        case .text(let text): return writer.addObject(.string(text))
        case .number(let number): return writer.addObject(.integer(number))
        case .data(let data): return writer.addObject(.data(data))
        case .array(let values):
            let position = writer.reserve()
            writer.fill(position, classNames: ["NSArray"], fields: [("NS.objects", references(values))])
            return position
        case .table(let entries):
            let position = writer.reserve()
            let keys = references(entries.map { .text($0.0) })
            writer.fill(
                position, classNames: ["NSDictionary"],
                fields: [("NS.keys", keys), ("NS.objects", references(entries.map(\.1)))])
            return position
        case .object(let name, let fields):
            let position = writer.reserve()
            let values = fields.map { name, value in
                if case .number(let number) = value {
                    return (key: name, value: writer.add(.integer(number)))
                }
                return (key: name, value: writer.add(.identifier(UInt64(self.position(of: value, writer)))))
            }
            writer.fill(position, classNames: [name], fields: values)
            return position
        }
    }
}
