import CoreData
import Testing

/// Default values of transformable attributes in compiled models, which may be objects of classes that are not here.
@Suite struct TransformableDefaultTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// The model as an archive of a store has it, with a color as the default value of an attribute.
    private static func model(_ key: String) throws -> NSManagedObjectModel {
        let model = try #require(TransformableFixture.model.copy() as? NSManagedObjectModel)
        model.entitiesByName["Thing"]?.attributesByName[key]?.defaultValue = Color("#1")
        return try NSManagedObjectModel(modelCacheArchive: try model.modelCacheArchive())
    }

    @Test("A default value is decoded by the transformer that allows its class")
    func defaultIsDecoded() throws {
        let model = try Self.model("color")
        let value = model.entitiesByName["Thing"]?.attributesByName["color"]?.defaultValue
        #expect(value is OpaqueArchive)
        try folder.open(model).inContext { context in
            let thing = try context.insert("Thing")
            #expect(thing.value(forKey: "color") as? Color == Color("#1"))
            try context.save()
            context.reset()
            #expect(try context.only("Thing").value(forKey: "color") as? Color == Color("#1"))
        }
    }

    @Test("A default value of an unknown class is stored unchanged")
    func undecodableDefaultIsKept() throws {
        let model = try Self.model("plain")
        let attribute = try #require(model.entitiesByName["Thing"]?.attributesByName["plain"])
        let archive = try #require(attribute.defaultValue as? OpaqueArchive)
        try folder.open(model).inContext { context in
            let thing = try context.insert("Thing")
            #expect(thing.value(forKey: "plain") as? OpaqueArchive == archive)
            try context.save()
        }
        #expect(try folder.value("SELECT ZPLAIN FROM ZTHING") == archive.data.databaseValue)
        let copy = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
            ofType: NSSQLiteStoreType, at: folder.file)
        #expect(
            copy.entitiesByName["Thing"]?.attributesByName["plain"]?.defaultValue as? OpaqueArchive == archive
        )
    }
}
