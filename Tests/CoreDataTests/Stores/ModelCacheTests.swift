import CoreData
import GRDB
import TestSupport
import Testing

/// The copy of its model that a store holds.
struct ModelCacheTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// The inflated archive in the store.
    private func archive() throws -> Data {
        let content = try folder.value("SELECT Z_CONTENT FROM Z_MODELCACHE")
        return try RawDeflate.decompress(Data.fromDatabaseValue(content) ?? Data(), limit: 1 << 20)
    }

    private func cachedModel() throws -> NSManagedObjectModel {
        try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
            ofType: NSSQLiteStoreType, at: folder.file)
    }

    @Test func aNewStoreHoldsItsModel() throws {
        let model = Library.model()
        try folder.make(model)
        let copy = try NSManagedObjectModel(modelCacheArchive: archive())
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(try cachedModel().entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test func aStoreOpensWithoutItsModel() throws {
        do {
            let coordinator = try folder.open(Library.model())
            try coordinator.inContext { context in
                let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
                author.setValue("Kafka", forKey: "name")
                try context.save()
            }
            try coordinator.close()
        }
        let before = try Data(contentsOf: folder.file)
        let container = try NSPersistentContainer(storeAt: folder.file, isReadOnly: true)
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        let names = try container.viewContext.performAndWait {
            try container.viewContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))
                .map { $0.value(forKey: "name") as? String }
        }
        #expect(names == ["Kafka"])
        #expect(try Data(contentsOf: folder.file) == before)
    }

    @Test func aStoreOfAConfigurationOpensWithIt() throws {
        let model = NSManagedObjectModel()
        let (kept, other) = (NSEntityDescription(), NSEntityDescription())
        kept.name = "Kept"
        other.name = "Other"
        model.entities = [kept, other]
        model.setEntities([kept], forConfigurationName: "Mine")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, configuration: "Mine", at: folder.file)
        try coordinator.close()
        let container = try NSPersistentContainer(storeAt: folder.file)
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        #expect(container.persistentStoreCoordinator.persistentStores.first?.configurationName == "Mine")
    }

    @Test func aStoreWithoutACopySaysSo() throws {
        try folder.make(Library.model())
        try folder.execute("DROP TABLE Z_MODELCACHE")
        let error = #expect(throws: (any Error).self) { try cachedModel() }
        #expect((error as? NSError)?.code == 134060)
        #expect(error?.localizedDescription.contains("no copy of its model") == true)
    }

    @Test func aMissingFileIsNamed() throws {
        let error = #expect(throws: (any Error).self) { try cachedModel() }
        #expect((error as? NSError)?.code == 260)
    }

    @Test func hostileCopiesAreRefused() throws {
        try folder.make(Library.model())
        let good = try archive()
        let other = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "Other"
        other.entities = [entity]
        let deflated = try RawDeflate.compress(good)
        let copies: [(String, Data)] = [
            ("nothing", Data()),
            ("no stream", Data(repeating: 0xFF, count: 1_000)),
            ("cut", deflated.prefix(deflated.count / 2)),
            ("no archive", try RawDeflate.compress(Data("no archive".utf8))),
            ("bomb", try RawDeflate.compress(Data(count: 65 << 20))),
            ("other model", try RawDeflate.compress(other.modelCacheArchive())),
        ]
        for (name, copy) in copies {
            try folder.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", [copy])
            let error = #expect(throws: (any Error).self, "\(name)") { try cachedModel() }
            #expect((error as? NSError)?.code == 134080, "\(name): \(error.map { "\($0)" } ?? "")")
        }
        // Whoever has the model does not need the copy.
        try folder.open(Library.model()).close()
    }

    // MARK: The corpus

    /// The SQLite stores of the corpus that hold a copy of their model.
    private static let stores = Corpus.files(under: "stores").filter { path in
        guard let folder = try? StoreFolder(copying: Corpus.url(path)) else { return false }
        return (try? folder.schema()["Z_MODELCACHE"]) != nil
    }

    /// Every store of Apple's that holds a copy opens with it, and every row is reached.
    @Test(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
    func storesOfAppleOpenFromTheirCopy() throws {
        var (opened, entities, rows) = (0, 0, 0)
        for path in Self.stores {
            let folder = try StoreFolder(copying: Corpus.url(path))
            do {
                let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                    ofType: NSSQLiteStoreType, at: folder.file)
                let coordinator = try folder.open(model, [NSReadOnlyPersistentStoreOption: true])
                try coordinator.inContext { context in
                    for entity in model.entities where entity.superentity == nil {
                        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                        let count = try context.count(for: request)
                        let table = "Z\(entity.name?.uppercased() ?? "")"
                        let stored = try folder.value("SELECT COUNT(*) FROM \"\(table)\"")
                        #expect(count.databaseValue == stored, "\(path): \(table)")
                        entities += 1
                        rows += count
                    }
                }
                try coordinator.close()
                opened += 1
            } catch {
                Issue.record("\(path): \(error.localizedDescription)")
            }
        }
        print(
            "model cache: \(opened) of \(Self.stores.count) stores opened, \(entities) entities, "
                + "\(rows) rows")
        #expect(opened == Self.stores.count && opened > 40)
    }
}
