import CoreData
import Testing

/// Rows of a kind that no framework writes: an error or a value, and never memory of something else.
@Suite struct HostileRowTests {
    private static let model: NSManagedObjectModel = {
        let cat = NSEntityDescription("Cat", attribute("a", .string), attribute("sound", .string))
        let dog = NSEntityDescription("Dog", attribute("a", .integer64), attribute("b", .integer64))
        let animal = NSEntityDescription("Animal", attribute("name", .string), subentities: [cat, dog])
        let owner = NSEntityDescription(
            "Owner", attribute("name", .string), attribute("key", .uuid), attribute("size", .integer64))
        pair(owner.relate("animals", to: animal, many: true), animal.relate("owner", to: owner))
        owner.relate("favourite", to: animal)
        let thing = NSEntityDescription("Thing", attribute("b", .string), attribute("c", .string))
        return NSManagedObjectModel(of: animal, cat, dog, owner, thing)
    }()

    private let folder: StoreFolder
    private let coordinator: NSPersistentStoreCoordinator
    /// Read as the place of a text, this number leads out of every row.
    private let wild = Int64(0x0FFF_FFFF_0FFF_FFFF)

    init() throws {
        folder = try StoreFolder()
        coordinator = try folder.open(Self.model)
    }

    private func number(of entity: String) throws -> Int64 {
        let value = try folder.value("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = ?", [entity])
        return try #require(Int64.fromDatabaseValue(value))
    }

    @Test("An ID that names another entity of the table has no values")
    func idOfAnotherEntity() throws {
        try coordinator.inContext { context in
            let dog = try context.insert("Dog", ["name": "dog", "a": wild, "b": wild])
            try context.save()
            let uri = dog.objectID.uriRepresentation().absoluteString.replacing("/Dog/", with: "/Cat/")
            let wrong = try #require(coordinator.managedObjectID(for: uri))
            try coordinator.inContext { context in
                let cat = context.object(with: wrong)
                #expect(cat.entity.name == "Cat")
                #expect(cat.value(forKey: "a") == nil && cat.value(forKey: "sound") == nil)
                #expect(cat.isDeleted)
            }
            try coordinator.inContext { context in
                let cat = context.object(with: wrong)
                let found = try context.only("Dog")
                #expect(found !== cat && found.entity.name == "Dog")
                #expect(found.value(forKey: "a") as? Int64 == wild)
                #expect(cat.managedObjectContext == nil && context.registeredObjects == [found])
                #expect(cat.value(forKey: "a") == nil && !context.hasChanges)
            }
            try coordinator.inContext { context in
                let cat = context.object(with: wrong)
                let found = try context.existingObject(with: dog.objectID)
                #expect(found !== cat && found.entity.name == "Dog")
                #expect(found.value(forKey: "b") as? Int64 == wild)
            }
        }
    }

    @Test("A row with the number of another table's entity is an error that names it")
    func rowOfAnotherEntity() throws {
        try coordinator.inContext { context in
            try context.insert("Dog", ["name": "dog", "a": wild])
            try context.save()
        }
        let number = try number(of: "Thing")
        try folder.execute("UPDATE ZANIMAL SET Z_ENT = ?", [number])
        let reopened = try folder.open(Self.model)
        try reopened.inContext { context in
            let refusal = try error { _ = try context.all("Animal") }
            #expect(refusal.code == 134060)
            #expect(refusal.localizedDescription.contains("entity number \(number)"))
        }
    }

    @Test(
        "In a table of one entity all rows are of that entity, whatever their numbers: Apple's statements do not read them"
    )
    func numberInTableOfOneEntity() throws {
        try coordinator.inContext { context in
            for name in ["changed", "deleted"] {
                let owner = try context.insert("Owner", ["name": name, "size": wild])
                owner.setValue(
                    Set([try context.insert("Cat", ["name": "cat of \(name)"])]), forKey: "animals")
            }
            try context.save()
        }
        try folder.execute("UPDATE ZOWNER SET Z_ENT = ?", [try number(of: "Thing")])
        let reopened = try folder.open(Self.model)
        try reopened.inContext { context in
            let owners = try context.all("Owner", by: "name")
            #expect(owners.map { $0.value(forKey: "size") as? Int64 } == [wild, wild])
            #expect(try context.all("Owner", where: NSPredicate(format: "size == %lld", wild)).count == 2)
            for condition in [
                NSPredicate(format: "entity == %@", owners[0].entity),
                NSPredicate(format: "entity.name == 'Owner'"),
            ] {
                #expect(try context.all("Owner", where: condition).count == 2)
            }
            #expect(try context.all("Animal", where: NSPredicate(format: "owner.entity == NULL")).isEmpty)
            let cat = try #require(try context.all("Cat", by: "name").first)
            #expect(cat.value(forKey: "owner") as? NSManagedObject == owners[0])
            owners[0].setValue(1, forKey: "size")
            context.delete(owners[1])
            try context.save()
        }
        #expect(try folder.rows("SELECT ZSIZE FROM ZOWNER") == [[1.databaseValue]])
        let batch = NSBatchUpdateRequest(entityName: "Owner")
        batch.propertiesToUpdate = ["size": 2]
        batch.resultType = .updatedObjectIDsResultType
        let updated = try reopened.inContext {
            (try $0.execute(batch) as? NSBatchUpdateResult)?.result as? [NSManagedObjectID]
        }
        #expect(updated?.map(\.entity.name) == ["Owner"])
        #expect(try folder.rows("SELECT ZSIZE FROM ZOWNER") == [[2.databaseValue]])
    }

    @Test("A stored destination of a wrong entity becomes an object of a valid entity")
    func destinationOfAnotherEntity() throws {
        try coordinator.inContext { context in
            let dog = try context.insert("Dog", ["name": "dog", "a": 1, "b": 2])
            try context.insert("Owner", ["name": "owner", "favourite": dog])
            try context.save()
        }
        let columns = try folder.rows("SELECT name FROM pragma_table_info('ZOWNER')").map { $0[0] }
            .compactMap(String.fromDatabaseValue)
        let column = try #require(columns.first { $0.hasSuffix("_FAVOURITE") })
        for entity in ["Thing", "Cat"] {
            try folder.execute("UPDATE ZOWNER SET \(column) = ?", [try number(of: entity)])
            try folder.open(Self.model).inContext { context in
                let favourite = try context.only("Owner").value(forKey: "favourite") as? NSManagedObject
                let kind = try #require(favourite?.entity)
                #expect(kind.name == "Animal" || kind.superentity?.name == "Animal")
            }
        }
    }

    @Test("A row with the highest version can be saved")
    func highestVersion() throws {
        try coordinator.inContext { context in
            try context.insert("Thing", ["b": "old"])
            try context.save()
        }
        try folder.execute("UPDATE ZTHING SET Z_OPT = ?", [Int64.max])
        try folder.open(Self.model).inContext { context in
            let thing = try context.only("Thing")
            thing.setValue("new", forKey: "b")
            try context.save()
            #expect(try folder.value("SELECT ZB FROM ZTHING") == "new".databaseValue)
            thing.setValue("newer", forKey: "b")
            try context.save()
            #expect(try folder.value("SELECT ZB FROM ZTHING") == "newer".databaseValue)
        }
    }

    @Test(
        "A save without a free key fails and names Z_PRIMARYKEY",
        arguments: ["UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807", "DELETE FROM Z_PRIMARYKEY"])
    func noKeyLeft(_ damage: String) throws {
        try folder.execute(damage)
        try folder.open(Self.model).inContext { context in
            for name in ["one", "two"] { try context.insert("Thing", ["b": name]) }
            let refusal = try error { try context.save() }
            // Without a row for the entity the store is opened read-only.
            #expect(refusal.code == (damage.hasPrefix("DELETE") ? 134030 : 134060))
            #expect(refusal.localizedDescription.contains("Z_PRIMARYKEY"))
            #expect(try folder.value("SELECT COUNT(*) FROM ZTHING") == 0.databaseValue)
        }
    }

    /// Who fills a store without Core Data may count nothing.
    @Test("A new row gets a key that no row has", arguments: ["-7", "NULL", "0", "40"])
    func keysAreNotReused(_ highest: String) throws {
        try folder.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(highest)")
        try folder.execute(
            "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT) SELECT 41, Z_ENT, 1 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Thing'"
        )
        try folder.open(Self.model).inContext { context in
            for name in ["one", "two"] { try context.insert("Thing", ["b": name]) }
            try context.save()
        }
        #expect(
            try folder.rows("SELECT Z_PK FROM ZTHING ORDER BY 1") == [41, 42, 43].map { [$0.databaseValue] })
        #expect(
            try folder.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Thing'") == 43.databaseValue)
    }

    // MARK: Rows that cannot be loaded

    /// Runs a block with an owner whose row has a key of three bytes.
    private func withUnreadable(_ body: (NSManagedObjectContext, NSManagedObject) throws -> Void) throws {
        let id = try coordinator.inContext { context in
            let owner = try context.insert("Owner", ["name": "owner", "key": UUID()])
            try context.save()
            return owner.objectID.uriRepresentation()
        }
        try folder.execute("UPDATE ZOWNER SET ZKEY = x'010203'")
        let reopened = try folder.open(Self.model)
        try reopened.inContext { context in
            let owner = try #require(reopened.managedObjectID(forURIRepresentation: id))
            try body(context, context.object(with: owner))
        }
    }

    @Test("Changes of an object that cannot be read fail the save and are kept")
    func changesOfAnUnreadableObject() throws {
        try withUnreadable { context, owner in
            owner.setValue("changed", forKey: "name")
            for _ in 1...2 {
                let refusal = try error { try context.save() }
                #expect(refusal.code == 134060 && refusal.localizedDescription.contains("ZKEY"))
                #expect(context.hasChanges)
            }
            try folder.execute("UPDATE ZOWNER SET ZKEY = NULL")
            try context.save()
            #expect(try folder.stored("ZNAME", in: "ZOWNER") == ["text 'changed'"])
            #expect(!context.hasChanges)
        }
    }

    @Test("The deletion of an object that cannot be read fails the save and is kept")
    func deletionOfAnUnreadableObject() throws {
        try withUnreadable { context, owner in
            context.delete(owner)
            for _ in 1...2 {
                let refusal = try error { try context.save() }
                #expect(refusal.code == 134060 && refusal.localizedDescription.contains("ZKEY"))
            }
            try folder.execute("UPDATE ZOWNER SET ZKEY = NULL")
            try context.save()
            #expect(try folder.value("SELECT COUNT(*) FROM ZOWNER") == 0.databaseValue)
        }
    }
}
