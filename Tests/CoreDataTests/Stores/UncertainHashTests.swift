import CoreData
import GRDB
import Testing

/// Stores whose version hashes differ from ours under rules that are not known for certain: the store's copy of its
/// model decides.
struct UncertainHashTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// Two constraints: of the order in which they are hashed there are too few samples of Apple's.
    private func model(_ type: NSAttributeDescription.AttributeType = .string) -> NSManagedObjectModel {
        let item = NSEntityDescription("Item", attribute("a", type), attribute("b", .string))
        item.uniquenessConstraints = [["a"], ["b"]]
        return NSManagedObjectModel(of: item, NSEntityDescription("Plain", attribute("c", .string)))
    }

    /// Gives an entity another hash in the metadata of the store, as a framework with other rules would.
    private func changeHash(of entity: String) throws {
        let value = try folder.value("SELECT Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
        let data = try #require(Data.fromDatabaseValue(value))
        var list = try #require(
            try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        var hashes = try #require(list[NSStoreModelVersionHashesKey] as? [String: Data])
        #expect(hashes.updateValue(Data(repeating: 7, count: 32), forKey: entity) != nil)
        list[NSStoreModelVersionHashesKey] = hashes
        let changed = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        try folder.execute("UPDATE Z_METADATA SET Z_PLIST = ?", [changed])
    }

    private func refusal(_ model: NSManagedObjectModel) -> NSError? {
        #expect(throws: NSError.self) { try folder.open(model).close() }
    }

    private func cachedModel() throws -> NSManagedObjectModel {
        try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
            ofType: NSSQLiteStoreType, at: folder.file)
    }

    @Test("A store with an uncertain hash opens when its model is otherwise equal")
    func storedHashIsKept() throws {
        try folder.make(model())
        try changeHash(of: "Item")
        #expect(try cachedModel().entityVersionHashesByName == model().entityVersionHashesByName)
        try folder.open(model()).close()
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: folder.file)
        let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data]
        #expect(hashes?["Item"] == Data(repeating: 7, count: 32))
    }

    @Test("Another model is refused with the hashing rules that are uncertain")
    func otherModelIsRefused() throws {
        try folder.make(model())
        try changeHash(of: "Item")
        let error = refusal(model(.integer16))
        #expect(error?.code == 134100)
        #expect(error?.localizedDescription.contains("Entities that differ: Item (changed)") == true)
        #expect(
            error?.localizedDescription.contains("are not known for certain") == true
                && error?.localizedDescription.contains("Item (several uniqueness constraints)") == true)
    }

    @Test("A store with an uncertain hash and no copy of its model is refused")
    func storeWithoutACopy() throws {
        try folder.make(model())
        try changeHash(of: "Item")
        try folder.execute("DROP TABLE Z_MODELCACHE")
        #expect(refusal(model())?.code == 134100)
    }

    @Test("A hash under known rules must be equal")
    func knownHashMustBeEqual() throws {
        try folder.make(model())
        try changeHash(of: "Plain")
        let error = refusal(model())
        #expect(error?.code == 134100)
        #expect(error?.localizedDescription.contains("for certain") == false)
        let copy = #expect(throws: NSError.self) { try cachedModel() }
        #expect(copy?.code == 134080)
    }
}
