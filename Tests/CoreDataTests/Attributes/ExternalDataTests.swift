import CoreData
import GRDB
import Testing

/// Binary attributes that allow external storage, in the form that Apple's stores have.
@Suite struct ExternalDataTests {
    private static let model: NSManagedObjectModel = {
        let entity = NSEntityDescription("Photo", attribute("name", .string), attribute("image", .binaryData))
        entity.attributesByName["image"]?.allowsExternalBinaryDataStorage = true
        return NSManagedObjectModel(of: entity)
    }()

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private var files: URL {
        folder.url.appendingPathComponent(".Store_SUPPORT").appendingPathComponent("_EXTERNAL_DATA")
    }

    /// A store in which the data of one photo is in a file.
    private func makeReference(to name: String, _ data: Data?) throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Photo", ["name": "sea"])
            try context.save()
        }
        try coordinator.close()
        try folder.execute(
            "UPDATE ZPHOTO SET ZIMAGE = ?", [Data([2]) + Data(name.utf8) + Data([0])])
        guard let data else { return }
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try data.write(to: files.appendingPathComponent(name))
    }

    @Test(
        "Data kept in the row is marked and read again",
        arguments: [Data(), Data([1]), Data([2, 0]), Data(repeating: 9, count: 100_000)])
    func dataInTheRow(_ data: Data) throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            let photo = try context.insert("Photo", ["image": data])
            try context.save()
            #expect(photo.value(forKey: "image") as? Data == data)
            #expect(photo.committedValues(forKeys: ["image"])["image"] as? Data == data)
            photo.setValue(data, forKey: "image")
            #expect(!photo.hasPersistentChangedValues)
        }
        try coordinator.close()
        #expect(try folder.value("SELECT ZIMAGE FROM ZPHOTO") == (Data([1]) + data).databaseValue)
        try folder.open(Self.model).inContext {
            let read = try $0.only("Photo").value(forKey: "image") as? Data
            #expect(read == data)
        }
    }

    @Test("Data in a file is read, and its reference is kept")
    func dataInAFile() throws {
        let name = UUID().uuidString
        try makeReference(to: name, Data([0xff, 0xd8, 0xff]))
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            let photo = try context.only("Photo")
            #expect(photo.value(forKey: "image") as? Data == Data([0xff, 0xd8, 0xff]))
            photo.setValue("lake", forKey: "name")
            try context.save()
        }
        try coordinator.close()
        let kept = Data([2]) + Data(name.utf8) + Data([0])
        #expect(try folder.value("SELECT ZIMAGE FROM ZPHOTO") == kept.databaseValue)
        #expect(try folder.value("SELECT ZNAME FROM ZPHOTO") == "lake".databaseValue)
    }

    @Test(
        "A reference to a missing file fails the next save and is kept",
        arguments: ["../../Store.sqlite", "8D6F1B0E-2A64-4C11-9D0C-8B5E5B9F6A11"])
    func danglingReference(_ name: String) throws {
        try makeReference(to: name, nil)
        try folder.open(Self.model).inContext { context in
            let photo = try context.only("Photo")
            #expect(photo.value(forKey: "image") == nil)
            photo.setValue("lake", forKey: "name")
            let refusal = try error { try context.save() }
            #expect(refusal.code == 134060)
            try context.save()
        }
        // What could not be read is still what it was.
        #expect(
            try folder.value("SELECT ZIMAGE FROM ZPHOTO")
                == (Data([2]) + Data(name.utf8) + Data([0])).databaseValue)
    }

    @Test("A predicate over external data is refused by name")
    func predicateIsRefused() throws {
        try folder.open(Self.model).inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
            request.predicate = NSPredicate(format: "image == %@", Data([1]) as NSData)
            let refusal = try error { _ = try context.fetch(request) }
            #expect(refusal.localizedDescription.contains("'image' allows external storage"))
        }
    }
}
