import CoreData
import GRDB
import TestSupport
import Testing

/// Stores that hold no copy of their model, opened with one that is made from their tables.
@Suite struct ReconstructedModelTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func reconstructed() throws -> NSManagedObjectModel {
        try NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
            ofType: NSSQLiteStoreType, at: folder.file)
    }

    /// Authors and their books, which are media; tags of books in their order.
    private func makeStore() throws {
        let author = NSEntityDescription(
            "Author", attribute("name", .string), attribute("description_", .string))
        let medium = NSEntityDescription(
            "Medium", attribute("title", .string), attribute("made", .date), attribute("price", .decimal))
        let book = NSEntityDescription("Book", attribute("pages", .integer32), attribute("weight", .double))
        let tag = NSEntityDescription("Tag", attribute("text", .string), attribute("bytes", .binaryData))
        medium.subentities = [book]
        relate(author, "media", toMany: true, medium, "author", toMany: false)
        relate(book, "tags", toMany: true, tag, "books", toMany: true)
        book.relationshipsByName["tags"]?.isOrdered = true
        let model = NSManagedObjectModel()
        model.entities = [author, medium, book, tag]
        let coordinator = try folder.open(model)
        try coordinator.inContext { context in
            let kafka = try context.insert("Author", ["name": "Kafka"])
            let tags = try ["a", "b", "c"].map {
                try context.insert("Tag", ["text": $0, "bytes": Data([1])])
            }
            try context.insert(
                "Book",
                [
                    "title": "Das Schloss", "pages": 400, "author": kafka, "weight": 0.5,
                    "tags": NSOrderedSet(array: [tags[2], tags[0]]),
                    "made": Date(timeIntervalSinceReferenceDate: 1), "price": NSDecimalNumber(string: "9.9"),
                ])
            try context.save()
        }
        try coordinator.close()
        try folder.execute("DROP TABLE Z_MODELCACHE")
    }

    private func relate(
        _ one: NSEntityDescription, _ name: String, toMany: Bool, _ other: NSEntityDescription,
        _ inverse: String, toMany inverseToMany: Bool
    ) {
        let (there, back) = (NSRelationshipDescription(), NSRelationshipDescription())
        there.name = name
        there.destinationEntity = other
        there.maxCount = toMany ? 0 : 1
        back.name = inverse
        back.destinationEntity = one
        back.maxCount = inverseToMany ? 0 : 1
        there.inverseRelationship = back
        back.inverseRelationship = there
        one.properties += [there]
        other.properties += [back]
    }

    @Test("A model made from the tables has entities, attributes and relationships")
    func tablesGiveTheModel() throws {
        try makeStore()
        let model = try reconstructed()
        #expect(model.isReconstructed)
        #expect(!NSManagedObjectModel().isReconstructed)
        #expect(model.entities.compactMap(\.name).sorted() == ["Author", "Book", "Medium", "Tag"])
        let book = try #require(model.entitiesByName["Book"])
        #expect(book.superentity?.name == "Medium")
        let types = book.attributesByName.mapValues(\.attributeType)
        #expect(
            types == [
                "title": .stringAttributeType, "made": .dateAttributeType, "price": .decimalAttributeType,
                "pages": .integer64AttributeType, "weight": .doubleAttributeType,
            ])
        let author = try #require(book.relationshipsByName["author"])
        #expect(author.destinationEntity?.name == "Author" && !author.isToMany)
        let tags = try #require(book.relationshipsByName["tags"])
        #expect(tags.destinationEntity?.name == "Tag" && tags.isToMany && tags.isOrdered)
        #expect(tags.inverseRelationship?.name == "books")
    }

    @Test("A store opened with a reconstructed model is read-only")
    func storeIsReadOnly() throws {
        try makeStore()
        let before = try Data(contentsOf: folder.file)
        let container = try NSPersistentContainer(storeAt: folder.file)
        #expect(container.managedObjectModel.isReconstructed)
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        try container.viewContext.performAndWait {
            let book = try container.viewContext.only("Book")
            #expect(book.value(forKeyPath: "author.name") as? String == "Kafka")
            #expect(book.value(forKey: "pages") as? Int == 400)
            let tags = book.value(forKey: "tags") as? NSOrderedSet
            #expect(tags?.map { ($0 as? NSManagedObject)?.value(forKey: "text") as? String } == ["c", "a"])
            #expect(book.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "9.9"))
            book.setValue("changed", forKey: "title")
            let refusal = try error { try container.viewContext.save() }
            #expect(refusal.code == 134030)
            #expect(refusal.localizedDescription.contains("made from its tables"))
        }
        try container.persistentStoreCoordinator.close()
        #expect(try Data(contentsOf: folder.file) == before)
    }

    @Test("A reconstructed model cannot make a new store")
    func noStoreIsMade() throws {
        try makeStore()
        let model = try reconstructed()
        let other = try StoreFolder()
        let refusal = try error { try other.make(model) }
        #expect(refusal.localizedDescription.contains("from the tables"))
        #expect(try other.names == [])
    }

    @Test("A reconstructed model is refused by a store with other tables")
    func modelOfOtherTables() throws {
        try makeStore()
        let model = try reconstructed()
        try folder.execute("ALTER TABLE ZTAG DROP COLUMN ZTEXT")
        let refusal = try error { _ = try folder.open(model, [NSReadOnlyPersistentStoreOption: true]) }
        #expect(refusal.code == 134020)
        #expect(refusal.localizedDescription.contains("ZTEXT"))
    }

    @Test(
        "A store with damaged tables gives no model and stays unchanged",
        arguments: [
            "DELETE FROM Z_PRIMARYKEY", "DROP TABLE Z_PRIMARYKEY", "DROP TABLE ZTAG",
            "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT", "UPDATE Z_PRIMARYKEY SET Z_SUPER = 99 WHERE Z_ENT = 3",
            "UPDATE Z_PRIMARYKEY SET Z_NAME = NULL WHERE Z_ENT = 1",
            "UPDATE Z_PRIMARYKEY SET Z_NAME = CASE Z_ENT WHEN 1 THEN 'Tag' WHEN 4 THEN 'Author' ELSE Z_NAME END",
            "DROP TABLE ZTAG; CREATE VIEW ZTAG AS SELECT 1 AS Z_PK",
        ])
    func damagedTablesAreRefused(_ damage: String) throws {
        try makeStore()
        try folder.execute(damage)
        let before = try Data(contentsOf: folder.file)
        let refusal = try error { _ = try reconstructed() }
        #expect(refusal.code == 134080, "\(refusal)")
        #expect(try Data(contentsOf: folder.file) == before)
    }

    /// Names that no property can have, or that two would have.
    @Test("Columns with unusual names are read as far as possible")
    func oddColumnNames() throws {
        try makeStore()
        try folder.execute(
            """
            ALTER TABLE ZTAG ADD COLUMN ZDESCRIPTION VARCHAR; ALTER TABLE ZTAG ADD COLUMN ZBOOKS INTEGER;
            ALTER TABLE ZTAG ADD COLUMN "Z.A" VARCHAR; ALTER TABLE ZTAG ADD COLUMN Zlower VARCHAR;
            ALTER TABLE ZTAG ADD COLUMN ZODD GEOMETRY; ALTER TABLE ZTAG ADD COLUMN Z1 INTEGER;
            ALTER TABLE ZTAG ADD COLUMN "Z1.X" INTEGER; ALTER TABLE ZTAG ADD COLUMN Z99NONE INTEGER; UPDATE ZTAG SET ZDESCRIPTION = 'told'
            """)
        let container = try NSPersistentContainer(storeAt: folder.file)
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        let tag = try #require(container.managedObjectModel.entitiesByName["Tag"])
        #expect(
            tag.attributesByName.keys.sorted() == ["1", "99none", "Description", "books", "bytes", "text"])
        let reported = try container.viewContext.performAndWait {
            try container.viewContext.all("Tag").map { $0.value(forKey: "Description") as? String }
        }
        #expect(reported == ["told", "told", "told"])
    }

    /// The stores of the corpus from before there were copies.
    @Test(
        "Old stores of the corpus give models with their entities",
        .enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
    func oldStoresGiveTheirModel() throws {
        var found: [String: (entities: Int, attributes: Int, relationships: Int)] = [:]
        for store in CorpusStore.all {
            let folder = try store.copy()
            guard try !folder.hasTable("Z_MODELCACHE") else { continue }
            let model = try NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(
                ofType: NSSQLiteStoreType, at: folder.file)
            let hashes = try #require(try folder.metadata()[NSStoreModelVersionHashesKey] as? [String: Any])
            #expect(model.entities.compactMap(\.name).sorted() == hashes.keys.sorted(), "\(store.name)")
            let properties = model.entities.flatMap(\.properties)
            found[store.name] = (
                model.entities.count, properties.count { $0 is NSAttributeDescription },
                properties.count { $0 is NSRelationshipDescription }
            )
        }
        print("reconstructed: \(found.sorted { $0.key < $1.key })")
        #expect(found.count == 12)
        let recipes = try #require(found.first { $0.key.hasSuffix("Recipes.sqlite") }?.value)
        #expect(recipes.entities == 4 && recipes.relationships >= 3)
    }
}
