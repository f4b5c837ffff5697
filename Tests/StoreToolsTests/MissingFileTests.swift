import CoreData
import StoreTools
import Testing

/// External data in files that are not there, or cannot be read.
@Suite struct MissingFileTests {
    private static let name = "11111111-2222-3333-4444-555555555555"
    private let zoo: ZooStore

    init() throws {
        zoo = try ZooStore()
        try zoo.sql(
            "UPDATE ZITEM SET ZEXTERNAL = CAST(x'02' || '\(Self.name)' || x'00' AS BLOB) WHERE ZUUID NOT NULL"
        )
    }

    private func dump(_ url: URL) throws -> (text: String, notices: [String]) {
        var text = ""
        let source = try OpenStore(url, model: nil)
        let notices = try StoreDump(source).write { text += $0 }
        try source.close()
        return (text, notices)
    }

    @Test("A dump keeps the reference to a missing file of external data")
    func theReferenceComesBack() throws {
        let (text, notices) = try dump(zoo.url)
        #expect(text.contains(#""external":{"missingFile":"\#(Self.name)"}"#) && notices.count == 1)
        let copy = zoo.folder.appending(path: "Copy.sqlite")
        let file = try zoo.write(text, "dump.json")
        let outcome = try DumpImport(file).make(copy, model: nil)
        #expect(outcome.notices == notices && outcome.skippedRows == [])
        #expect(try dump(copy).text == text)
        let wanted = try zoo.value("SELECT hex(ZEXTERNAL) FROM ZITEM WHERE ZUUID NOT NULL")
        #expect(try zoo.value("SELECT hex(ZEXTERNAL) FROM ZITEM WHERE ZUUID NOT NULL", in: copy) == wanted)
        #expect(try StoreExport(zoo.open(), format: .jsonl).write("Item") { _ in }.notice == notices.first)
        for wrong in [#"{"missingFile":"../x"}"#, #"{"missingFile":5}"#] {
            let changed = text.replacing(#"{"missingFile":"\#(Self.name)"}"#, with: wrong)
            let file = try zoo.write(changed, "wrong.json")
            #expect(throws: StoreToolError.self) {
                try DumpImport(file).make(zoo.folder.appending(path: "Wrong.sqlite"), model: nil)
            }
        }
    }

    @Test("An import refuses two objects that refer to one missing file")
    func aFileBelongsToOneObject() throws {
        try zoo.sql("UPDATE ZTAG SET ZNAME = NULL")
        let file = try zoo.write(try dump(zoo.url).text, "dump.json")
        let before = try zoo.value("SELECT COUNT(*) FROM ZITEM")
        // The file of the object in the store, and that of the one in the dump.
        #expect {
            try DumpImport(file).add(to: zoo.url, model: nil)
        } throws: {
            $0.localizedDescription.contains(Self.name)
        }
        #expect(try zoo.value("SELECT COUNT(*) FROM ZITEM") == before)
        try zoo.sql(
            "UPDATE ZITEM SET ZEXTERNAL = (SELECT ZEXTERNAL FROM ZITEM WHERE ZUUID NOT NULL)")
        let shared = try zoo.write(try dump(zoo.url).text, "shared.json")
        let copy = zoo.folder.appending(path: "Copy.sqlite")
        #expect {
            try DumpImport(shared).make(copy, model: nil)
        } throws: {
            $0.localizedDescription.contains(Self.name)
        }
        #expect(!FileManager.default.fileExists(atPath: copy.path))
    }

    @Test("A file of external data that cannot be read is an error")
    func aFileThatCannotBeReadIsAnError() throws {
        let place = zoo.folder.appending(path: ".Zoo_SUPPORT/_EXTERNAL_DATA/\(Self.name)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        #expect {
            try dump(zoo.url)
        } throws: {
            $0.localizedDescription.contains(Self.name)
        }
    }

    @Test("External data that are not a reference are dumped as bytes")
    func otherExternalDataAreBytes() throws {
        try zoo.sql("UPDATE ZITEM SET ZEXTERNAL = x'02414243' WHERE ZUUID NOT NULL")
        let (text, notices) = try dump(zoo.url)
        #expect(text.contains(#""external":"AkFCQw==""#) && notices == [])
    }

    @Test("A store whose external data are missing is not migrated")
    func aStoreIsNotMovedWithoutItsFiles() throws {
        let attribute = NSAttributeDescription()
        attribute.name = "bytes"
        attribute.attributeType = .binaryDataAttributeType
        attribute.allowsExternalBinaryDataStorage = true
        let entity = NSEntityDescription()
        entity.name = "Note"
        entity.properties = [attribute]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let url = zoo.folder.appending(path: "Notes.sqlite")
        var store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note.setValue(Data([1, 2, 3]), forKey: "bytes")
            try context.save()
        }
        try coordinator.remove(store)
        try zoo.change(url, "UPDATE ZNOTE SET ZBYTES = CAST(x'02' || '\(Self.name)' || x'00' AS BLOB)")
        store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let place = zoo.folder.appending(path: "Notes.xml")
        #expect {
            try coordinator.migratePersistentStore(store, to: place, type: .xml)
        } throws: {
            $0.localizedDescription.contains(Self.name)
        }
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }
}
