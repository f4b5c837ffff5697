import CoreData
import GRDB
import Testing

/// Stores that are opened with a newer model.
struct MigrationTests {
    private let folder: StoreFolder
    private let options: [AnyHashable: Any] = [
        NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]

    init() throws { folder = try StoreFolder() }

    /// Two authors, three books with tags in common, and an entity that will go.
    private static func first() -> NSManagedObjectModel {
        let author = NSEntityDescription("Author", attribute("name", .string))
        let book = NSEntityDescription(
            "Book", attribute("title", .string, optional: false), attribute("pages", .integer16),
            attribute("price", .decimal), attribute("cover", .binaryData), derived("saved", .date, "now()"))
        book.attributesByName["cover"]?.allowsExternalBinaryDataStorage = true
        let tag = NSEntityDescription("Tag", attribute("name", .string))
        let old = NSEntityDescription("Obsolete", attribute("text", .string))
        pair(author.relate("books", to: book, many: true), book.relate("author", to: author))
        pair(book.relate("tags", to: tag, many: true), tag.relate("books", to: book, many: true))
        tag.relate("remark", to: old)
        return NSManagedObjectModel(of: author, book, tag, old)
    }

    /// Renamed, moved, added, removed; a relationship to one becomes one to many, one of many gets an order.
    private static func second() -> NSManagedObjectModel {
        let person = NSEntityDescription(
            "Person", attribute("fullName", .string),
            attribute("country", .string, optional: false, defaultValue: "?"))
        person.renamingIdentifier = "Author"
        person.attributesByName["fullName"]?.renamingIdentifier = "name"
        let novel = NSEntityDescription("Novel", attribute("genre", .string))
        let book = NSEntityDescription(
            "Book", attribute("title", .string, optional: false), attribute("pages", .integer32),
            attribute("subtitle", .string), attribute("cover", .binaryData), derived("saved", .date, "now()"),
            derived("canonicalTitle", .string, "canonical:(title)"), subentities: [novel])
        let tag = NSEntityDescription("Tag", attribute("name", .string))
        let publisher = NSEntityDescription("Publisher", attribute("name", .string))
        let authors = book.relate("authors", to: person, many: true)
        authors.renamingIdentifier = "author"
        pair(person.relate("books", to: book, many: true), authors)
        pair(
            book.relate("tags", to: tag, many: true, ordered: true), tag.relate("books", to: book, many: true)
        )
        pair(publisher.relate("books", to: book, many: true), book.relate("publisher", to: publisher))
        person.add(derived("bookCount", .integer64, "books.@count"))
        return NSManagedObjectModel(of: person, book, novel, tag, publisher)
    }

    private let large = Data(repeating: 3, count: 200 << 10)

    private func fill() throws {
        let coordinator = try folder.open(Self.first())
        try coordinator.inContext { context in
            let authors = try ["Austen", "Joyce"].map { try context.insert("Author", ["name": $0]) }
            let tags = try ["a", "b", "c"].map { try context.insert("Tag", ["name": $0]) }
            for (index, title) in ["Emma", "Persuasion", "Ulysses"].enumerated() {
                try context.insert(
                    "Book",
                    [
                        "title": title, "pages": 100 + index, "author": authors[index / 2], "cover": large,
                        "tags": Set(tags.prefix(index + 1)), "price": NSDecimalNumber(string: "9.5"),
                    ])
            }
            let old = try context.insert("Obsolete", ["text": "x"])
            tags[0].setValue(old, forKey: "remark")
            try context.save()
            let store = try #require(coordinator.persistentStores.first)
            coordinator.setMetadata(
                store.metadata.merging(["owner": "the test"]) { $1 }, for: store)
            try #require(try context.all("Book", by: "title").first).setValue(101, forKey: "pages")
            try context.save()
        }
        try coordinator.close()
        try folder.execute(
            "CREATE TABLE Notes (text); INSERT INTO Notes VALUES ('keep me'); CREATE INDEX NotesText ON Notes (text)"
        )
    }

    @Test("An inferred migration renames, adds and converts properties and keeps identities")
    func objectsAreMigrated() throws {
        try fill()
        let identifier = try folder.metadata()[NSStoreUUIDKey] as? String
        let times = try folder.rows("SELECT ZSAVED FROM ZBOOK ORDER BY Z_PK")
        let versions = try folder.rows("SELECT Z_PK, Z_OPT FROM ZBOOK ORDER BY Z_PK")
        let coordinator = try folder.open(Self.second(), options)
        try coordinator.inContext { context in
            let people = try context.all("Person", by: "fullName")
            #expect(people.map { $0.value(forKey: "fullName") as? String } == ["Austen", "Joyce"])
            #expect(people.map { $0.value(forKey: "country") as? String } == ["?", "?"])
            #expect(people.map { $0.value(forKey: "bookCount") as? Int } == [2, 1])
            let books = try context.all("Book", by: "title")
            #expect(books.map { $0.value(forKey: "title") as? String } == ["Emma", "Persuasion", "Ulysses"])
            #expect(
                books.map { $0.value(forKey: "canonicalTitle") as? String } == [
                    "emma", "persuasion", "ulysses",
                ])
            #expect(books.map { $0.value(forKey: "pages") as? Int } == [101, 101, 102])
            #expect(books.map { $0.value(forKey: "cover") as? Data } == [large, large, large])
            #expect(
                books.map { ($0.value(forKey: "authors") as? Set<NSManagedObject>) } == [
                    [people[0]], [people[0]], [people[1]],
                ])
            #expect(books.map { ($0.value(forKey: "tags") as? NSOrderedSet)?.count } == [1, 2, 3])
            #expect(
                try context.all("Tag", by: "name").map {
                    ($0.value(forKey: "books") as? Set<NSManagedObject>)?.count
                } == [3, 2, 1])
            // The new store takes changes.
            try context.insert(
                "Novel", ["title": "Dubliners", "genre": "stories", "authors": Set([people[1]])])
            try context.save()
            #expect(people[1].value(forKey: "bookCount") as? Int == 2)
        }
        try coordinator.close()
        #expect(try folder.metadata()[NSStoreUUIDKey] as? String == identifier)
        #expect(try folder.metadata()["owner"] as? String == "the test")
        #expect(try folder.rows("SELECT ZSAVED FROM ZBOOK WHERE Z_PK <= 3 ORDER BY Z_PK") == times)
        #expect(try folder.rows("SELECT Z_PK, Z_OPT FROM ZBOOK WHERE Z_PK <= 3 ORDER BY Z_PK") == versions)
        #expect(try folder.rows("SELECT text FROM Notes INDEXED BY NotesText") == [["keep me".databaseValue]])
        #expect(try folder.rows("SELECT name FROM sqlite_master WHERE name LIKE '%OBSOLETE%'").isEmpty)
        #expect(try folder.value("PRAGMA integrity_check") == "ok".databaseValue)
        let files = folder.url.appendingPathComponent(".Store_SUPPORT/_EXTERNAL_DATA")
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path).isEmpty)
        #expect(try folder.names.filter { !$0.hasPrefix("Store.sqlite") } == [".Store_SUPPORT"])
    }

    @Test("A container migrates its store automatically")
    func containersMigrate() throws {
        try fill()
        let container = NSPersistentContainer(name: "Store", managedObjectModel: Self.second())
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: folder.file)]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        #expect(failure == nil)
        #expect(
            try container.viewContext.performAndWait { try container.viewContext.all("Person").count } == 2)
    }

    @Test("Without the migration options an old store is refused and unchanged")
    func withoutTheOptions() throws {
        try fill()
        let before = try Data(contentsOf: folder.file)
        #expect(try error { _ = try folder.open(Self.second()) }.code == 134100)
        #expect(
            try error {
                _ = try folder.open(Self.second(), [NSMigratePersistentStoresAutomaticallyOption: true])
            }.code == 134140)
        #expect(try Data(contentsOf: folder.file) == before)
    }

    @Test("Entities that become one hierarchy get unique keys")
    func mergedHierarchies() throws {
        try folder.open(
            NSManagedObjectModel(
                of: NSEntityDescription("Car", attribute("name", .string)),
                NSEntityDescription("Vehicle", attribute("name", .string)))
        ).inContext { context in
            for name in ["c1", "c2"] { try context.insert("Car", ["name": name]) }
            for name in ["v1", "v2", "v3"] { try context.insert("Vehicle", ["name": name]) }
            try context.save()
        }
        let car = NSEntityDescription("Car")
        let vehicle = NSEntityDescription("Vehicle", attribute("name", .string), subentities: [car])
        let coordinator = try folder.open(NSManagedObjectModel(of: vehicle, car), options)
        try coordinator.inContext { context in
            let found = try context.all("Vehicle", by: "name")
            #expect(found.map { $0.value(forKey: "name") as? String } == ["c1", "c2", "v1", "v2", "v3"])
            #expect(found.map(\.entity.name) == ["Car", "Car", "Vehicle", "Vehicle", "Vehicle"])
            try context.insert("Car", ["name": "new"])
            try context.save()
            #expect(try context.all("Car").count == 3)
        }
    }

    @Test("A migration that is not possible leaves the store unchanged")
    func failedMigrationKeepsTheStore() throws {
        try fill()
        func refusal(_ change: (NSManagedObjectModel) throws -> Void) throws -> NSError {
            let model = Self.first()
            try change(model)
            let error = try error { _ = try folder.open(model, options) }
            // It still opens with its own model, with all that it had.
            let coordinator = try folder.open(Self.first())
            #expect(try coordinator.inContext { try $0.all("Book").count } == 3)
            try coordinator.close()
            return error
        }
        let mandatory = try refusal { model in
            model.entitiesByName["Book"]?.add(attribute("year", .integer16, optional: false))
        }
        #expect(mandatory.code == 134110 && mandatory.localizedDescription.contains("'year'"))
        #expect((mandatory.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 1570)
        let type = try refusal { $0.entitiesByName["Book"]?.attributesByName["price"]?.type = .string }
        #expect(type.code == 134140 && type.localizedDescription.contains("price"))
        let cause = type.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.code == 134190 && cause?.userInfo["property"] as? String == "price")
        let unique = try refusal { $0.entitiesByName["Book"]?.uniquenessConstraints = [["price"]] }
        #expect(unique.code == 134110)
        #expect((unique.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 133021)
        #expect(try folder.names.allSatisfy { !$0.hasPrefix(".Store.sqlite.") })
    }

    @Test("A store that is in use is not migrated")
    func storeInUse() throws {
        try fill()
        let other = try folder.open(Self.first())
        let error = try error {
            _ = try folder.open(Self.second(), options.merging([NSPersistentStoreTimeoutOption: 0]) { $1 })
        }
        #expect(error.code == 134090)
        #expect(try other.inContext { try $0.all("Book").count } == 3)
    }

    @Test("A migration without the old model is an error")
    func missingModel() throws {
        try fill()
        try folder.execute("DROP TABLE Z_MODELCACHE")
        #expect(try error { _ = try folder.open(Self.second(), options) }.code == 134130)
    }

    @Test("A migration keeps nil values and sets defaults of new attributes")
    func missingValuesStayNil() throws {
        func model(_ more: NSAttributeDescription...) -> NSManagedObjectModel {
            let note = NSEntityDescription("Note", attribute("rating", .integer16, defaultValue: 3))
            for attribute in more { note.add(attribute) }
            return NSManagedObjectModel(of: note)
        }
        try folder.open(model()).inContext { context in
            try context.insert("Note", ["rating": NSNull()]).setValue(nil, forKey: "rating")
            try context.save()
        }
        try folder.open(model(attribute("text", .string, defaultValue: "new")), options).inContext {
            context in
            let note = try context.only("Note")
            #expect(note.value(forKey: "rating") == nil)
            #expect(note.value(forKey: "text") as? String == "new")
        }
    }

    @Test("A migration keeps the file's symbolic link and permissions")
    func linksAndPermissions() throws {
        try fill()
        let target = folder.url.appendingPathComponent("Target.sqlite")
        try FileManager.default.moveItem(at: folder.file, to: target)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target.path)
        try FileManager.default.createSymbolicLink(at: folder.file, withDestinationURL: target)
        let coordinator = try folder.open(Self.second(), options)
        #expect(try coordinator.inContext { try $0.all("Person").count } == 2)
        try coordinator.close()
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.file.path) == target.path)
        let mode =
            try FileManager.default.attributesOfItem(atPath: target.path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
    }

    @Test(
        "A foreign table or index whose SQL hides another statement makes the migration fail",
        arguments: ["Notes", "NotesText"])
    func foreignTablesRunNothing(_ name: String) throws {
        try fill()
        try folder.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = sql || '; DELETE FROM ZBOOK' WHERE name = '\(name)';
            """)
        #expect(try error { _ = try folder.open(Self.second(), options) }.code == 134110)
        #expect(try folder.value("SELECT count(*) FROM ZBOOK") == 3.databaseValue)
    }

    @Test("A migration refuses a new to-one inverse whose destinations are unknown")
    func inverseIsNotInvented() throws {
        func model(_ hasInverse: Bool) -> NSManagedObjectModel {
            let person = NSEntityDescription("Person")
            let book = NSEntityDescription("Book")
            let books = person.relate("books", to: book, many: true)
            if hasInverse { pair(books, book.relate("owner", to: person)) }
            return NSManagedObjectModel(of: person, book)
        }
        try folder.make(model(false))
        let error = try error { _ = try folder.open(model(true), options) }
        #expect(error.code == 134110 && error.localizedDescription.contains("'owner'"))
    }

    @Test("A migration keeps the history, which continues")
    func historyContinues() throws {
        let tracking = options.merging([NSPersistentHistoryTrackingKey: true]) { $1 }
        try folder.open(Self.first(), tracking).inContext { context in
            try context.insert("Tag", ["name": "a"])
            try context.save()
        }
        let coordinator = try folder.open(Self.second(), tracking)
        try coordinator.inContext { context in
            #expect(try context.historyWords() == [["insert Tag"]])
            try context.insert("Tag", ["name": "b"])
            try context.save()
            #expect(try context.historyWords() == [["insert Tag"], ["insert Tag"]])
            #expect(try context.all("Tag").count == 2)
            #expect(try context.transactions().map(\.transactionNumber) == [1, 2])
        }
    }
}
