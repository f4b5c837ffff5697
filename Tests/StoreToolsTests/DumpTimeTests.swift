import CoreData
import GRDB
import StoreTools
import Testing

/// The times of last saves, which triggers set, come through a dump as they are.
@Suite struct DumpTimeTests {
    private let zoo: ZooStore
    private let url: URL

    /// A store of notes with the times 1.5, none and 3.25, which a later note copies.
    init() throws {
        zoo = try ZooStore()
        url = zoo.folder.appending(path: "Notes.sqlite")
        let note = NSEntityDescription()
        note.name = "Note"
        let text = NSAttributeDescription()
        text.name = "text"
        text.attributeType = .stringAttributeType
        text.isOptional = true
        note.properties = [text, Self.derived("changed", "now()"), Self.derived("copied", "changed")]
        let model = NSManagedObjectModel()
        model.entities = [note]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for name in ["a", "b", "c"] {
                NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
                    .setValue(name, forKey: "text")
                try context.save()
            }
        }
        try coordinator.remove(store)
        // Z_OPT stays, so no trigger sets another time. The one of the copies calls a function.
        try zoo.change(url, "DROP TRIGGER Z_DA_ZNOTE_Note_copied_SOURCE_UPDATE")
        try zoo.change(
            url,
            """
            UPDATE ZNOTE SET ZCHANGED = CASE Z_PK WHEN 1 THEN 1.5 WHEN 3 THEN 3.25 END;
            UPDATE ZNOTE SET ZCOPIED = ZCHANGED
            """)
    }

    private static func derived(_ name: String, _ expression: String) -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = .dateAttributeType
        attribute.isOptional = true
        attribute.derivationExpression = NSExpression(format: expression)
        return attribute
    }

    private func times(_ file: URL, _ column: String) throws -> DatabaseValue? {
        try zoo.value(
            "SELECT group_concat(quote(\(column)), ' ') FROM (SELECT * FROM ZNOTE ORDER BY Z_PK)", in: file)
    }

    @Test("A dump keeps the times of last saves")
    func aDumpKeepsTimes() throws {
        let dump = try zoo.dump(OpenStore(url, model: nil), to: "notes.json")
        let copy = zoo.folder.appending(path: "Copy.sqlite")
        #expect(try DumpImport(dump.url).make(copy, model: nil).count == 3)
        #expect(try times(copy, "ZCHANGED") == "1.5 NULL 3.25".databaseValue)
        #expect(try times(copy, "ZCOPIED") == "1.5 NULL 3.25".databaseValue)
        #expect(try zoo.dump(OpenStore(copy, model: nil), to: "again.json").text == dump.text)
    }

    @Test("Added objects keep their times, and those without one get the current time")
    func addedObjectsKeepTimes() throws {
        let more = try zoo.write(
            """
            {"format": "coredata-dump", "version": 1, "entities": [{"name": "Note", "objects": [
              {"objectID": "Note/1", "changed": "2001-01-01T00:00:09Z"}, {"objectID": "Note/2"}]}]}
            """, "more.json")
        let start = Date.timeIntervalSinceReferenceDate
        #expect(try DumpImport(more).add(to: url, model: nil).count == 2)
        let reported = try zoo.value("SELECT ZCHANGED FROM ZNOTE WHERE Z_PK = 4", in: url)
        #expect(reported.flatMap { Double.fromDatabaseValue($0) } == 9)
        // An entry whose time is not given is new.
        let unreported = try zoo.value("SELECT ZCHANGED FROM ZNOTE WHERE Z_PK = 5", in: url)
        #expect((unreported.flatMap { Double.fromDatabaseValue($0) } ?? 0) >= start)
    }
}
