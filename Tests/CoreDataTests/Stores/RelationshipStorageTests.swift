import CoreData
import Testing

/// Where links are kept, and that they come back.
@Suite struct RelationshipStorageTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func names(_ object: NSManagedObject, _ key: String) -> [String] {
        let members =
            (object.value(forKey: key) as? NSOrderedSet)?.array
            ?? (object.value(forKey: key) as? NSSet)?.allObjects
        let names = (members ?? []).compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
        return object.value(forKey: key) is NSOrderedSet ? names : names.sorted()
    }

    /// One row for a pair has room for one place: each would have its friends in the other's order.
    @Test("An ordered relationship that is its own inverse has an order for each side in one row per pair")
    func orderedReflexive() throws {
        let person = NSEntityDescription("Person", attribute("name", .string))
        let friends = person.relate("friends", to: person, many: true, ordered: true)
        pair(friends, friends)
        let model = NSManagedObjectModel(of: person)
        try folder.open(model).inContext { context in
            let people = try ["a", "b", "c"].map { try context.insert("Person", ["name": $0]) }
            people[0].setValue(NSOrderedSet(array: [people[2], people[1], people[0]]), forKey: "friends")
            people[1].setValue(NSOrderedSet(array: [people[2], people[0]]), forKey: "friends")
            try context.save()
        }
        #expect(try folder.value("SELECT COUNT(*) FROM Z_1FRIENDS").description == "4")
        func orders() throws -> [[String]] {
            try folder.open(model).inContext { context in
                try context.all("Person", by: "name").map { person in
                    let friends = person.value(forKey: "friends") as? NSOrderedSet
                    return friends?.array.compactMap {
                        ($0 as? NSManagedObject)?.value(forKey: "name") as? String
                    } ?? []
                }
            }
        }
        let (a, b) = (["c", "b", "a"], ["c", "a"])
        #expect(try orders().prefix(2) == [a, b])
        // What others keep as two rows for a pair, or with one column for both orders, is read too.
        try folder.execute(
            """
            INSERT INTO Z_1FRIENDS (Z_1FRIENDS, REFLEXIVE, Z_FOK_1FRIENDS)
            SELECT REFLEXIVE, Z_1FRIENDS, Z_FOK_REFLEXIVE FROM Z_1FRIENDS WHERE Z_1FRIENDS <> REFLEXIVE
            """)
        #expect(try orders().prefix(2) == [a, b])
        try folder.execute("ALTER TABLE Z_1FRIENDS DROP COLUMN Z_FOK_REFLEXIVE")
        #expect(try orders().prefix(2) == [a, b])
    }

    @Test("A relationship that is its own inverse stores one row for each pair")
    func reflexivePairIsStoredOnce() throws {
        let person = NSEntityDescription("Person", attribute("name", .string))
        let friends = person.relate("friends", to: person, many: true)
        pair(friends, friends)
        let model = NSManagedObjectModel(of: person)
        try folder.open(model).inContext { context in
            let people = try ["a", "b", "c"].map { try context.insert("Person", ["name": $0]) }
            people[0].setValue(NSSet(array: [people[1], people[0]]), forKey: "friends")
            people[2].setValue(NSSet(object: people[0]), forKey: "friends")
            #expect(names(people[0], "friends") == ["a", "b", "c"])
            try context.save()
        }
        #expect(try folder.value("SELECT COUNT(*) FROM Z_1FRIENDS").description == "3")
        // Either way round counts.
        try folder.execute("UPDATE Z_1FRIENDS SET Z_1FRIENDS = REFLEXIVE, REFLEXIVE = Z_1FRIENDS")
        try folder.open(model).inContext { context in
            let people = try context.all("Person", by: "name")
            #expect(people.map { names($0, "friends") } == [["a", "b", "c"], ["a"], ["a"]])
            people[1].setValue(NSSet(), forKey: "friends")
            try context.save()
            #expect(names(people[0], "friends") == ["a", "c"])
        }
        #expect(try folder.value("SELECT COUNT(*) FROM Z_1FRIENDS").description == "2")
        try folder.open(model).inContext { context in
            let people = try context.all("Person", by: "name")
            context.delete(people[0])
            try context.save()
            #expect(names(people[2], "friends") == [])
        }
        #expect(try folder.value("SELECT COUNT(*) FROM Z_1FRIENDS").description == "0")
    }

    @Test("The order of an ordered relationship is stored in multiples of 1024")
    func ordersAreMultiplesOf1024() throws {
        let page = NSEntityDescription("Page", attribute("name", .string))
        let book = NSEntityDescription("Book")
        pair(book.relate("pages", to: page, many: true, ordered: true), page.relate("book", to: book))
        let model = NSManagedObjectModel(of: book, page)
        try folder.open(model).inContext { context in
            let pages = try ["a", "b", "c"].map { try context.insert("Page", ["name": $0]) }
            let book = try context.insert(
                "Book", ["pages": NSOrderedSet(array: [pages[2], pages[0], pages[1]])])
            try context.save()
            #expect(names(book, "pages") == ["c", "a", "b"])
        }
        func orders() throws -> [String] {
            try folder.rows("SELECT ZNAME || ' ' || Z_FOK_BOOK FROM ZPAGE ORDER BY Z_FOK_BOOK")
                .map { String.fromDatabaseValue($0[0]) ?? "" }
        }
        #expect(try orders() == ["c 1024", "a 2048", "b 3072"])
        try folder.execute("UPDATE ZPAGE SET Z_FOK_BOOK = 1500 WHERE ZNAME = 'b'")
        try folder.open(model).inContext { context in
            let book = try context.only("Book")
            #expect(names(book, "pages") == ["c", "b", "a"])
            let pages = book.mutableOrderedSetValue(forKey: "pages")
            pages.insert(try context.insert("Page", ["name": "d"]), at: 1)
            pages.removeObject(at: 0)
            try context.save()
            #expect(names(book, "pages") == ["d", "b", "a"])
        }
        try folder.open(model).inContext { context in
            let book = try context.only("Book")
            #expect(names(book, "pages") == ["d", "b", "a"])
        }
    }

    @Test("Both ends of a many-to-many relationship may be ordered")
    func bothEndsMayBeOrdered() throws {
        let note = NSEntityDescription("Note", attribute("name", .string))
        let tag = NSEntityDescription("Tag", attribute("name", .string))
        pair(
            note.relate("tags", to: tag, many: true, ordered: true),
            tag.relate("notes", to: note, many: true, ordered: true))
        let model = NSManagedObjectModel(of: note, tag)
        try folder.open(model).inContext { context in
            let notes = try ["n1", "n2"].map { try context.insert("Note", ["name": $0]) }
            let tags = try ["t1", "t2", "t3"].map { try context.insert("Tag", ["name": $0]) }
            notes[0].setValue(NSOrderedSet(array: [tags[2], tags[0], tags[1]]), forKey: "tags")
            notes[1].setValue(NSOrderedSet(array: [tags[1], tags[2]]), forKey: "tags")
            tags[2].setValue(NSOrderedSet(array: [notes[1], notes[0]]), forKey: "notes")
            try context.save()
        }
        // The order of a note's tags stands beside the key of the tag.
        #expect(
            try folder.rows(
                "SELECT t.ZNAME FROM Z_1TAGS l JOIN ZTAG t ON l.Z_2TAGS = t.Z_PK WHERE l.Z_1NOTES = (SELECT Z_PK FROM ZNOTE WHERE ZNAME = 'n1') ORDER BY l.Z_FOK_2TAGS"
            ).map { $0[0].description } == ["\"t3\"", "\"t1\"", "\"t2\""])
        try folder.open(model).inContext { context in
            let notes = try context.all("Note", by: "name")
            let tags = try context.all("Tag", by: "name")
            #expect(names(notes[0], "tags") == ["t3", "t1", "t2"])
            #expect(names(notes[1], "tags") == ["t2", "t3"])
            #expect(names(tags[2], "notes") == ["n2", "n1"])
        }
    }

    @Test("A to-one relationship to an entity hierarchy stores the entity's number")
    func toOneToAHierarchyStoresTheEntity() throws {
        let dog = NSEntityDescription("Dog")
        let cat = NSEntityDescription("Cat", attribute("lives", .integer16))
        let pet = NSEntityDescription("Pet", attribute("name", .string), subentities: [dog, cat])
        let person = NSEntityDescription("Person", attribute("name", .string))
        pair(person.relate("pet", to: pet), pet.relate("owner", to: person))
        let model = NSManagedObjectModel(of: person, pet, dog, cat)
        try folder.open(model).inContext { context in
            let cat = try context.insert("Cat", ["lives": 9, "name": "Tom"])
            let person = try context.insert("Person", ["pet": cat])
            try context.insert("Person", ["name": "lonely"])
            try context.save()
            #expect(cat.value(forKey: "owner") as? NSManagedObject === person)
        }
        #expect(
            try folder.rows("SELECT ZPET, Z2_PET FROM ZPERSON ORDER BY Z_PK").map { $0.map(\.description) }
                == [["1", "3"], ["NULL", "NULL"]])
        try folder.open(model).inContext { context in
            let person = try context.all("Person", by: "name")[0]
            let cat = try #require(person.value(forKey: "pet") as? NSManagedObject)
            #expect(cat.entity.name == "Cat" && cat.value(forKey: "lives") as? Int == 9)
            person.setValue(try context.insert("Dog"), forKey: "pet")
            try context.save()
        }
        #expect(try folder.rows("SELECT Z2_PET FROM ZPERSON ORDER BY Z_PK")[0][0].description == "4")
        // A store without that column's value is read by the row's own entity.
        try folder.execute("UPDATE ZPERSON SET Z2_PET = NULL")
        try folder.open(model).inContext { context in
            let person = try context.all("Person", by: "name")[0]
            #expect((person.value(forKey: "pet") as? NSManagedObject)?.entity.name == "Dog")
        }
    }

    @Test("A to-many relationship without an inverse is stored at its destinations")
    func toManyWithoutInverse() throws {
        let part = NSEntityDescription("Part", attribute("name", .string))
        let whole = NSEntityDescription("Whole")
        whole.relate("parts", to: part, many: true)
        let model = NSManagedObjectModel(of: whole, part)
        try folder.open(model).inContext { context in
            let parts = try ["a", "b", "c"].map { try context.insert("Part", ["name": $0]) }
            try context.insert("Whole", ["parts": NSSet(array: [parts[0], parts[1]])])
            try context.save()
        }
        #expect(
            try folder.rows("SELECT ZNAME, Z2PARTS FROM ZPART ORDER BY ZNAME").map { $0.map(\.description) }
                == [["\"a\"", "1"], ["\"b\"", "1"], ["\"c\"", "NULL"]])
        try folder.open(model).inContext { context in
            let whole = try context.only("Whole")
            #expect(names(whole, "parts") == ["a", "b"])
            let parts = try context.all("Part", by: "name")
            whole.setValue(NSSet(array: [parts[1], parts[2]]), forKey: "parts")
            try context.save()
        }
        try folder.open(model).inContext { context in
            let whole = try context.only("Whole")
            #expect(names(whole, "parts") == ["b", "c"])
            context.delete(whole)
            try context.save()
        }
        #expect(try folder.value("SELECT COUNT(*) FROM ZPART WHERE Z2PARTS IS NOT NULL").description == "0")
    }

    @Test("A relationship between objects of two stores is refused")
    func relationshipBetweenStoresIsRefused() throws {
        let note = NSEntityDescription("Note", attribute("name", .string))
        let tag = NSEntityDescription("Tag", attribute("name", .string))
        let model = NSManagedObjectModel(of: note, tag)
        note.relate("tag", to: tag)
        model.setEntities([note], forConfigurationName: "Notes")
        model.setEntities([tag], forConfigurationName: "Tags")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for name in ["Notes", "Tags"] {
            try coordinator.addPersistentStore(
                type: .sqlite, configuration: name, at: folder.url.appendingPathComponent("\(name).sqlite"))
        }
        try coordinator.inContext { context in
            let note = try context.insert("Note", ["name": "n"])
            let tag = try context.insert("Tag", ["name": "t"])
            try context.save()
            #expect(note.objectID.persistentStore === coordinator.persistentStores[0])
            #expect(tag.objectID.persistentStore === coordinator.persistentStores[1])
            note.setValue(tag, forKey: "tag")
            let refusal = try error { try context.save() }
            #expect(refusal.code == 133010)
            #expect(refusal.localizedDescription.contains("'tag'"))
        }
    }
}
