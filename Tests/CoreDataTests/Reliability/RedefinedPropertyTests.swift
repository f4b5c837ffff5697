import CoreData
import Testing

/// Models in which an entity has a property twice: no store takes them, and nothing stops the program.
@Suite struct RedefinedPropertyTests {
    /// A subentity that declares again what it inherits.
    private static func redefining() -> NSManagedObjectModel {
        let sub = NSEntityDescription("Sub", attribute("name", .integer64))
        let item = NSEntityDescription("Item", attribute("name", .string), subentities: [sub])
        return NSManagedObjectModel(of: item, sub)
    }

    /// Names that are equal, though their bytes, by which properties are sorted, are not neighbours.
    private static func composed() -> NSManagedObjectModel {
        NSManagedObjectModel(
            of: NSEntityDescription(
                "Item", attribute("cafe\u{301}", .string), attribute("cafx", .string),
                attribute("caf\u{e9}", .string)))
    }

    @Test(
        "Every store type refuses a redefined property and names it",
        arguments: [NSPersistentStore.StoreType.sqlite, .inMemory, .xml, .binary])
    func stores(_ type: NSPersistentStore.StoreType) throws {
        let folder = try StoreFolder()
        for (model, sentence) in [
            (Self.redefining(), "Sub.name: the entity inherits a property of this name"),
            (Self.composed(), "two properties have this name"),
        ] {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let refusal = try error { try coordinator.addPersistentStore(type: type, at: folder.file) }
            #expect(refusal.code == CocoaError.Code.persistentStoreIncompatibleSchema.rawValue)
            #expect(refusal.localizedDescription.contains(sentence))
            #expect(try folder.names.isEmpty)
        }
    }

    @Test("Objects without a store have the inherited property")
    func objects() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.redefining())
        try coordinator.inContext { context in
            let object = try context.insert("Sub", ["name": "text"])
            #expect(object.value(forKey: "name") as? String == "text")
            #expect(throws: (any Error).self) { try context.save() }
        }
    }

    @Test("A cycle of superentities is refused")
    func circles() throws {
        let one = NSEntityDescription("One", attribute("name", .string))
        let two = NSEntityDescription("Two", attribute("text", .string), subentities: [one])
        let model = NSManagedObjectModel(of: one, two)
        one.subentities = [two]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let folder = try StoreFolder()
        let refusal = try error { try coordinator.addPersistentStore(type: .sqlite, at: folder.file) }
        #expect(refusal.localizedDescription.contains("form a cycle"))
    }

    @Test("A model file that redefines a property is read and refused by a store")
    func modelFiles() throws {
        let folder = try StoreFolder()
        let source = folder.url.appendingPathComponent("M.xcdatamodel")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        try Data(
            """
            <model><entity name="Item"><attribute name="name" optional="YES" attributeType="String"/></entity>
            <entity name="Sub" parentEntity="Item"><attribute name="name" optional="YES" attributeType="String"/></entity></model>
            """.utf8
        ).write(to: source.appendingPathComponent("contents"))
        let model = try NSManagedObjectModel(loading: source)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let refusal = try error { try coordinator.addPersistentStore(type: .sqlite, at: folder.file) }
        #expect(
            refusal.localizedDescription.contains("Sub.name: the entity inherits a property of this name"))
        let container = NSPersistentContainer(name: "M", managedObjectModel: model)
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: folder.file)]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect((failure as NSError?)?.code == CocoaError.Code.persistentStoreIncompatibleSchema.rawValue)
    }
}
