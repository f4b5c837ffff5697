import CocoaFoundation
import CoreData
import Testing

/// Mapping models that the program brings along, in the form that Xcode compiles them to.
@Suite struct BundledMappingTests {
    private let folder: StoreFolder
    private let options: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true, NSPersistentHistoryTrackingKey: true,
    ]

    init() throws { folder = try StoreFolder() }

    /// A mapping model of one entity as an archive with Xcode's keys.
    static func archive(
        _ source: NSManagedObjectModel, _ destination: NSManagedObjectModel, _ attributes: [(String, String?)]
    ) throws -> Data {
        let writer = KeyedArchiveWriter()
        func field(_ position: Int) -> Int { writer.add(.identifier(UInt64(position))) }
        func object(_ classNames: [String], _ fields: [(String, Int)]) -> Int {
            let position = writer.reserve()
            writer.fill(position, classNames: classNames, fields: fields.map { (key: $0, value: $1) })
            return position
        }
        func list(_ className: String, _ positions: [Int]) -> Int {
            object([className], [("NS.objects", writer.add(.array(positions.map(field))))])
        }
        func value(_ value: Any?) -> Int { field(writer.reference(to: value)) }
        let properties = try attributes.map { name, expression in
            let parsed = try expression.map { try NSExpression(parsing: $0) }
            return object(
                ["NSPropertyMapping"],
                [
                    ("NSDestinationPropertyName", value(name)), ("NSValueExpression", value(parsed)),
                    ("NSPropertyTransforms", value(nil)), ("NSUserInfo", value(nil)),
                ])
        }
        let fetch = try NSExpression(
            parsing: """
                FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', 'Item', 'TRUEPREDICATE'), \
                $manager.sourceContext, NO)
                """)
        let mapping = object(
            ["NSEntityMapping"],
            [
                ("NSMappingName", value("ItemToItem")), ("NSMappingType", writer.add(.integer(1))),
                ("NSSourceEntityName", value("Item")),
                ("NSSourceEntityVersionHash", value(source.entityVersionHashesByName["Item"])),
                ("NSDestinationEntityName", value("Item")),
                ("NSDestinationEntityVersionHash", value(destination.entityVersionHashesByName["Item"])),
                ("NSSourceExpression", value(fetch)),
                ("NSAttributeMappings", field(list("NSArray", properties))),
                ("NSRelationshipMappings", field(list("NSArray", []))),
                ("NSEntityMigrationPolicyClassName", value(nil)), ("NSUserInfo", value(nil)),
            ])
        let table = object(
            ["NSMutableDictionary", "NSDictionary"],
            [
                ("NS.keys", writer.add(.array([value("ItemToItem")]))),
                ("NS.objects", writer.add(.array([field(mapping)]))),
            ])
        let root = object(
            ["NSMappingModel"],
            [
                ("NSEntityMappings", field(list("NSArray", [mapping]))),
                ("NSEntityMappingsByName", field(table)),
            ])
        return try writer.finish(root: root)
    }

    private static func first() -> NSManagedObjectModel {
        NSManagedObjectModel(
            of: NSEntityDescription("Item", attribute("name", .string), external("picture")))
    }

    private static func second() -> NSManagedObjectModel {
        NSManagedObjectModel(
            of: NSEntityDescription("Item", attribute("title", .string), external("image")))
    }

    private static func external(_ name: String) -> NSAttributeDescription {
        let attribute = attribute(name, .binaryData)
        attribute.allowsExternalBinaryDataStorage = true
        return attribute
    }

    private static let attributes: [(String, String?)] = [
        ("title", "uppercase($source.name)"), ("image", "$source.picture"),
    ]

    @Test("A compiled mapping model is read and found in a bundle")
    func compiledMappingIsRead() throws {
        let file = folder.url.appendingPathComponent("Mapping.cdm")
        try Self.archive(Self.first(), Self.second(), Self.attributes).write(to: file)
        let mapping = try #require(NSMappingModel(contentsOf: file))
        let entity = try #require(mapping.entityMappingsByName["ItemToItem"])
        #expect(entity.mappingType == .customEntityMappingType)
        #expect(entity.sourceExpression?.expressionType == .fetchRequest)
        #expect(entity.attributeMappings?.map(\.name) == ["title", "image"])
        #expect(NSMappingModel(contentsOf: file) == mapping)
        let bundle = try #require(Bundle(path: folder.url.path))
        let found = NSMappingModel(
            from: [bundle], forSourceModel: Self.first(), destinationModel: Self.second())
        #expect(found == mapping)
        #expect(
            NSMappingModel(from: [bundle], forSourceModel: Self.second(), destinationModel: Self.first())
                == nil)
    }

    @Test("A store is migrated by the mapping model of a bundle", arguments: [false, true])
    func storeIsMigratedByABundledMapping(_ infers: Bool) throws {
        let data = Data(repeating: 7, count: 300_000)
        let coordinator = try folder.open(Self.first(), options)
        let identifier = coordinator.persistentStores.first?.identifier
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "a", "picture": data])
            try context.save()
        }
        try coordinator.close()
        try folder.execute("CREATE TABLE Mine (a)")
        let mappings = folder.url.appendingPathComponent("Mappings.bundle")
        try FileManager.default.createDirectory(at: mappings, withIntermediateDirectories: true)
        try Self.archive(Self.first(), Self.second(), Self.attributes)
            .write(to: mappings.appendingPathComponent("Mapping.cdm"))
        let options = options.merging([NSInferMappingModelAutomaticallyOption: infers]) { $1 }
        let migrated = try MappingBundles.$searched.withValue([mappings]) {
            try folder.open(Self.second(), options)
        }
        #expect(migrated.persistentStores.first?.identifier == identifier)
        try migrated.inContext { context in
            let item = try context.only("Item")
            #expect(item.value(forKey: "title") as? String == "A")
            #expect(item.value(forKey: "image") as? Data == data)
            #expect(try context.historyWords() == [["insert Item"], []])
        }
        try migrated.close()
        #expect(try folder.hasTable("Mine"))
        let name = folder.file.deletingPathExtension().lastPathComponent
        let files = folder.url.appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA")
        let names = try FileManager.default.contentsOfDirectory(atPath: files.path)
        #expect(names.filter { UUID(uuidString: $0) != nil }.count == 1)
        let drafts = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .filter { $0.hasPrefix(".\(folder.file.lastPathComponent).") }
        #expect(drafts.isEmpty)
    }
}
