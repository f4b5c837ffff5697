import CoreData
import GRDB
import StoreTools
import Testing

/// A folder of a test's own, which goes with it, and a store of the model `Zoo` in it.
final class ZooStore {
    let folder: URL
    let url: URL
    private let derived: Bool

    init(derived: Bool = false) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "StoreTools-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        url = folder.appending(path: "Zoo.sqlite")
        self.derived = derived
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Zoo.model(derived: derived))
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        coordinator.setMetadata(
            ["edition": "first", "seen": Date(timeIntervalSinceReferenceDate: 1.5)], for: store)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            Self.fill(context)
            try context.save()
        }
        try coordinator.remove(store)
        try sql("UPDATE ZITEM SET ZOPAQUE = x'62706C6973743030FF' WHERE Z_PK = 1")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static func fill(_ context: NSManagedObjectContext) {
        func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
            for (key, value) in values { object.setValue(value, forKey: key) }
            return object
        }
        let tags = ["red", "green", "blue"].map { make("Tag", ["name": $0]) }
        let box = make("Box", ["label": "große Kiste"])
        _ = make("Box", ["label": "empty"])
        let first = make(
            "Item",
            [
                "int16": Int16.min, "int32": Int32.max, "int64": Int64.max, "flag": true,
                "real": 0.1, "single": Float(0.1), "date": Date(timeIntervalSinceReferenceDate: -0.123456789),
                "price": NSDecimalNumber(string: "12345.6789"),
                "text": "a \"quoted\"\n\u{1} text, 🦁 e\u{301}",
                "link": URL(string: "https://example.org/a?b=c") as Any,
                "uuid": UUID(uuidString: "11111111-2222-3333-4444-555555555555") as Any,
                "bytes": Data([0, 1, 2, 255]), "external": Data(repeating: 7, count: 300),
                "place": ["x": 1.5, "y": "north"],
            ])
        let second = make("Item", ["text": "", "count": NSNumber(value: 0), "bytes": Data()])
        let third = make("Special", ["text": "third", "extra": "more", "real": -1.0e-300])
        third.setValue(Set([tags[0], tags[2]]), forKey: "notes")
        second.setValue(nil, forKey: "count")
        box.setValue(NSOrderedSet(array: [third, first, second]), forKey: "items")
        box.setValue(second, forKey: "lid")
        tags[0].setValue(NSOrderedSet(array: [second, third, first]), forKey: "tagged")
        tags[1].setValue(NSOrderedSet(array: [first]), forKey: "tagged")
        first.setValue(Set([second, third]), forKey: "friends")
    }

    func open(isReadOnly: Bool = true) throws -> OpenStore {
        try OpenStore(url, model: nil, isReadOnly: isReadOnly)
    }

    /// Changes the file by plain SQL.
    func sql(_ statement: String) throws { try change(url, statement) }

    func change(_ file: URL, _ statement: String) throws {
        let queue = try DatabaseQueue(path: file.path)
        try queue.write { try $0.execute(sql: statement) }
        try queue.close()
    }

    func value(_ statement: String, in file: URL? = nil) throws -> DatabaseValue? {
        let queue = try DatabaseQueue(path: (file ?? url).path)
        defer { try? queue.close() }
        return try queue.read { try DatabaseValue.fetchOne($0, sql: statement) }
    }

    /// The text of a dump, written into a file.
    @discardableResult
    func dump(_ source: OpenStore? = nil, to name: String = "dump.json") throws -> (url: URL, text: String) {
        let source = try source ?? open()
        var text = ""
        let notices = try StoreDump(source).write { text += $0 }
        #expect(notices == [])
        return (try write(text, name), text)
    }

    /// The same objects, without what only SQLite stores take, in a store of another type.
    func document(_ type: StoreFileType) throws -> URL {
        let text = try dump(to: "whole.json").text.replacing(#/"place":({[^}]*}|null),/#, with: "")
        let place = folder.appending(path: "Zoo.\(type.rawValue)")
        let outcome = try DumpImport(write(text, "plain.json")).make(
            place, model: Zoo.model(plain: true), type: type)
        #expect(outcome.count == 8 && outcome.skippedRows == [])
        return place
    }

    @discardableResult
    func write(_ text: String, _ name: String) throws -> URL {
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file
    }
}
