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

    @Test("A new store holds a copy of its model")
    func newStoreHoldsItsModel() throws {
        let model = Library.model()
        try folder.make(model)
        let copy = try NSManagedObjectModel(modelCacheArchive: archive())
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(try cachedModel().entityVersionHashesByName == model.entityVersionHashesByName)
    }

    @Test("A container opens a store with the model that the store holds")
    func storeOpensWithoutItsModel() throws {
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

    /// Makes a store with the configuration `Mine`, which has the entity `Kept` alone.
    ///
    /// - Parameter other: the entity that is in no configuration.
    private func makeStoreOfConfiguration(besides other: String) throws -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let kept = NSEntityDescription("Kept")
        model.entities = [kept, NSEntityDescription(other)]
        model.setEntities([kept], forConfigurationName: "Mine")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, configuration: "Mine", at: folder.file)
        try coordinator.close()
        return model
    }

    @Test("A container opens a store with the configuration that it was made with")
    func storeOfAConfiguration() throws {
        _ = try makeStoreOfConfiguration(besides: "Other")
        let container = try NSPersistentContainer(storeAt: folder.file)
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        #expect(container.persistentStoreCoordinator.persistentStores.first?.configurationName == "Mine")
    }

    @Test("Reading the model of a store without a copy is an error that says so")
    func storeWithoutACopy() throws {
        try folder.make(Library.model())
        try folder.execute("DROP TABLE Z_MODELCACHE")
        let error = #expect(throws: (any Error).self) { try cachedModel() }
        #expect((error as? NSError)?.code == 134060)
        #expect(error?.localizedDescription.contains("no copy of its model") == true)
    }

    @Test("A model table without its column is an error that names the column")
    func tableWithoutTheColumn() throws {
        try folder.make(Library.model())
        try folder.execute("DROP TABLE Z_MODELCACHE")
        try folder.execute("CREATE TABLE Z_MODELCACHE (Z_OTHER BLOB)")
        try folder.execute("INSERT INTO Z_MODELCACHE VALUES (x'00')")
        let error = #expect(throws: NSError.self) { try cachedModel() }
        #expect(error?.code == 134080)
        #expect(error?.userInfo[NSFilePathErrorKey] as? String == folder.file.path)
        #expect(error?.localizedDescription.contains("has no column Z_CONTENT") == true)
    }

    /// Contents of the copy with random mistakes: a model, or an error with its code.
    @Test("Mutated copies of the model give a model or an error", arguments: 0..<4)
    func mutatedCopies(seed: UInt64) throws {
        try folder.make(Library.model())
        var random = Fuzzing.numbers(seed: seed)
        let deflated = try RawDeflate.compress(try archive())
        let inflated = try archive()
        var refused = 0
        for round in 0..<Fuzzing.rounds(40) {
            // Mistakes in the stream, and mistakes in what the stream stands for.
            var bytes = Array(round % 2 == 0 ? deflated : inflated)
            for _ in 0...(random.next() % 4) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            if random.next() % 8 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
            let content = round % 2 == 0 ? Data(bytes) : try RawDeflate.compress(Data(bytes))
            try folder.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", [content])
            do {
                #expect(try cachedModel().entitiesByName["Author"] != nil)
            } catch let error as NSError {
                #expect(error.code == 134080, "\(error)")
                refused += 1
            }
        }
        #expect(refused > 0)
    }

    /// What a damaged copy may be: cut, noise, no data, nothing.
    static let damages = [
        "substr(Z_CONTENT, 1, length(Z_CONTENT) / 2)", "x'0102030405'", "'text'", "x''",
    ]

    @Test(
        "A damaged copy of the model is replaced when the store is opened with its model", arguments: damages)
    func damagedCopyIsReplaced(_ damage: String) throws {
        try folder.make(Library.model())
        try folder.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = \(damage)")
        #expect(throws: NSError.self) { try cachedModel() }
        let coordinator = try folder.open(Library.model())
        #expect(coordinator.persistentStores.first?.isReadOnly == false)
        try coordinator.close()
        #expect(try cachedModel().entityVersionHashesByName == Library.model().entityVersionHashesByName)
        #expect(try folder.rows("SELECT 1 FROM Z_MODELCACHE").count == 1)
    }

    @Test("A damaged copy of the model stays when the store is opened read-only")
    func damagedCopyOfAReadOnlyStore() throws {
        try folder.make(Library.model())
        try folder.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'0102'")
        let before = try Data(contentsOf: folder.file)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        try coordinator.addPersistentStore(
            type: .sqlite, at: folder.file, options: [NSReadOnlyPersistentStoreOption: true])
        try coordinator.close()
        #expect(try Data(contentsOf: folder.file) == before)
    }

    @Test("A store with a damaged copy opens with a model made from its tables", arguments: damages)
    func damagedCopyIsReconstructed(_ damage: String) throws {
        let made = try folder.open(Library.model())
        try made.inContext { context in
            try context.insert("Author", ["name": "Kafka"])
            try context.save()
        }
        try made.close()
        try folder.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = \(damage)")
        let container = try NSPersistentContainer(storeAt: folder.file)
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        #expect(container.managedObjectModel.isReconstructed)
        #expect(container.persistentStoreCoordinator.persistentStores.first?.isReadOnly == true)
        let names = try container.viewContext.performAndWait {
            try container.viewContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))
                .map { $0.value(forKey: "name") as? String }
        }
        #expect(names == ["Kafka"])
    }

    @Test("A store of a configuration has the tables of all entities")
    func configurationHasAllTables() throws {
        let model = NSManagedObjectModel()
        let (kept, other) = (NSEntityDescription(), NSEntityDescription())
        kept.name = "Kept"
        kept.properties = [attribute("name", .string)]
        other.name = "Alien"
        model.entities = [kept, other]
        model.setEntities([kept], forConfigurationName: "Mine")
        for round in 1...2 {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            try coordinator.addPersistentStore(type: .sqlite, configuration: "Mine", at: folder.file)
            #expect(coordinator.persistentStores.first?.isReadOnly == false)
            try coordinator.inContext { context in
                try context.insert("Kept", ["name": "\(round)"])
                try context.save()
                #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Kept")) == round)
            }
            try coordinator.close()
        }
        let names = try folder.rows("SELECT Z_NAME FROM Z_PRIMARYKEY ORDER BY Z_ENT")
        #expect(names.map { String.fromDatabaseValue($0[0]) } == ["Alien", "Kept"])
        #expect(
            try folder.rows("SELECT DISTINCT Z_ENT FROM ZKEPT").map { Int.fromDatabaseValue($0[0]) } == [2])
        #expect(try folder.hasTable("ZALIEN"))
    }

    @Test("A file with only the tables of its configuration can be opened")
    func fileWithTablesOfItsConfiguration() throws {
        let model = try makeStoreOfConfiguration(besides: "Alien")
        try folder.execute("DROP TABLE ZALIEN")
        try folder.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Alien'")
        try folder.execute("UPDATE Z_PRIMARYKEY SET Z_ENT = 1")
        try folder.execute("INSERT INTO ZKEPT (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)")
        let again = NSPersistentStoreCoordinator(managedObjectModel: model)
        try again.addPersistentStore(type: .sqlite, configuration: "Mine", at: folder.file)
        #expect(again.persistentStores.first?.isReadOnly == false)
        let number = try again.inContext {
            try $0.fetch(NSFetchRequest<NSManagedObject>(entityName: "Kept")).count
        }
        #expect(number == 1)
        try again.close()
    }

    @Test("Reading the model of a missing file is an error")
    func missingFile() throws {
        let error = #expect(throws: (any Error).self) { try cachedModel() }
        #expect((error as? NSError)?.code == 260)
    }

    @Test("Hostile copies of the model are refused, and the store opens with its model")
    func hostileCopiesAreRefused() throws {
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
        // A client with the model does not need the copy.
        try folder.open(Library.model()).close()
    }

    @Test("Data that would be longer than the limit is not decompressed")
    func limit() throws {
        let compressed = try RawDeflate.compress(Data(count: 100_000))
        #expect(try RawDeflate.decompress(compressed, limit: 100_000).count == 100_000)
        let failure = #expect(throws: RawDeflate.Failure.self) {
            try RawDeflate.decompress(compressed, limit: 99_999)
        }
        #expect(failure?.description == "The data cannot be decompressed: they exceed 99999 bytes.")
    }

    // MARK: The corpus

    /// The SQLite stores of the corpus that hold a copy of their model.
    private static let stores = Corpus.files(under: "stores").filter { path in
        guard let folder = try? StoreFolder(copying: Corpus.url(path)) else { return false }
        return (try? folder.schema()["Z_MODELCACHE"]) != nil
    }

    /// Every store of Apple's that holds a copy opens with it, and every row is reached.
    @Test(
        "Every Apple store with a copy of its model opens with it",
        .enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
    func appleStoresOpenFromTheirCopy() throws {
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
