import CoreData
import GRDB
import Testing

/// Triggers of a file that meddle with what is saved: the save is refused and the store as it was, or what the process
/// shows after a refresh is what the store has.
@Suite struct HostileTriggerTests {
    private static let model = NSManagedObjectModel(
        of: NSEntityDescription("Item", attribute("name", .string), attribute("size", .integer64)))

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func open(with trigger: String) throws -> NSPersistentStoreCoordinator {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            for name in ["one", "two"] { try context.insert("Item", ["name": name, "size": 1]) }
            try context.save()
        }
        try coordinator.close()
        try folder.execute(trigger)
        return try folder.open(Self.model)
    }

    private var stored: [String] {
        get throws {
            try folder.rows("SELECT Z_PK || ' ' || ifnull(ZNAME, '') FROM ZITEM ORDER BY Z_PK").map {
                String.fromDatabaseValue($0[0]) ?? ""
            }
        }
    }

    @Test(
        "A trigger that raises an error undoes the whole save, which succeeds without it",
        arguments: ["ABORT", "FAIL", "ROLLBACK"], ["BEFORE", "AFTER"])
    func raise(_ action: String, _ time: String) throws {
        let coordinator = try open(
            with:
                "CREATE TRIGGER t \(time) UPDATE ON ZITEM WHEN NEW.ZNAME = 'second' BEGIN SELECT RAISE(\(action), 'enough'); END"
        )
        try coordinator.inContext { context in
            let items = try context.all("Item", by: "name")
            items[0].setValue("first", forKey: "name")
            items[1].setValue("second", forKey: "name")
            try context.insert("Item", ["name": "new"])
            for _ in 0..<2 {
                let refusal = try error { try context.save() }
                #expect(refusal.domain == NSCocoaErrorDomain)
                #expect(refusal.localizedDescription.contains("enough"), "\(refusal.localizedDescription)")
                #expect(context.hasChanges)
                #expect(try stored == ["1 one", "2 two"])
            }
            // Another context of the same store is not disturbed.
            try coordinator.inContext { other in
                #expect(try other.all("Item").count == 2)
                try other.insert("Item", ["name": "other"])
                try other.save()
            }
            try folder.execute("DROP TRIGGER t")
            try context.save()
        }
        try coordinator.close()
        #expect(try stored == ["1 first", "2 second", "3 other", "4 new"])
    }

    @Test(
        "An object whose row a trigger deletes does not exist after a refresh, or the save fails",
        arguments: ["BEFORE", "AFTER"])
    func deletionOfTheWrittenRow(_ time: String) throws {
        let coordinator = try open(
            with:
                "CREATE TRIGGER t \(time) UPDATE ON ZITEM BEGIN DELETE FROM ZITEM WHERE Z_PK = OLD.Z_PK; END")
        try coordinator.inContext { context in
            let item = try context.all("Item", by: "name")[0]
            item.setValue("changed", forKey: "name")
            do {
                try context.save()
                #expect(try stored == ["2 two"])
                context.refreshAllObjects()
                #expect(try context.all("Item").map { $0.value(forKey: "name") as? String } == ["two"])
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain)
                #expect(context.hasChanges)
                #expect(try stored == ["1 one", "2 two"])
                context.rollback()
                #expect(item.value(forKey: "name") as? String == "one")
            }
        }
        try coordinator.close()
    }

    @Test("A fetch does not return an inserted object that a trigger deleted")
    func deletionOfTheInsertedRow() throws {
        let coordinator = try open(
            with: "CREATE TRIGGER t AFTER INSERT ON ZITEM BEGIN DELETE FROM ZITEM WHERE Z_PK = NEW.Z_PK; END")
        try coordinator.inContext { context in
            let new = try context.insert("Item", ["name": "new"])
            do {
                try context.save()
                context.refresh(new, mergeChanges: false)
                #expect(try context.all("Item").count == 2)
                new.setValue("changed", forKey: "name")
                #expect(throws: (any Error).self) { try context.save() }
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain)
            }
            #expect(try stored == ["1 one", "2 two"])
        }
        try coordinator.close()
    }

    @Test("A trigger that takes the next key makes the whole save fail")
    func stolenKey() throws {
        let coordinator = try open(
            with: """
                CREATE TRIGGER t AFTER INSERT ON ZITEM WHEN NEW.ZNAME LIKE 'new%' BEGIN
                INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (NEW.Z_PK + 1, NEW.Z_ENT, 1, 'evil'); END
                """)
        try coordinator.inContext { context in
            for name in ["new one", "new two"] { try context.insert("Item", ["name": name]) }
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain)
            #expect(context.insertedObjects.count == 2)
            #expect(try stored == ["1 one", "2 two"])
            context.rollback()
            try context.insert("Item", ["name": "new"])
            try context.save()
            // A further one does not get the key that the trigger has used.
            try context.insert("Item", ["name": "last"])
            try context.save()
            #expect(
                try context.all("Item", by: "name").map { $0.value(forKey: "name") as? String } == [
                    "evil", "last", "new", "one", "two",
                ])
        }
        try coordinator.close()
        #expect(try stored == ["1 one", "2 two", "3 new", "4 evil", "5 last"])
    }

    @Test("A trigger that increases the version causes a conflict at the next save")
    func increasedVersion() throws {
        let coordinator = try open(
            with:
                "CREATE TRIGGER t AFTER UPDATE OF ZNAME ON ZITEM BEGIN UPDATE ZITEM SET Z_OPT = Z_OPT + 5, ZSIZE = 9 WHERE Z_PK = NEW.Z_PK; END"
        )
        try coordinator.inContext { context in
            let item = try context.all("Item", by: "name")[0]
            item.setValue("changed", forKey: "name")
            try context.save()
            item.setValue("again", forKey: "name")
            let refusal = try error { try context.save() }
            #expect(refusal.code == 133020)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            context.refresh(item, mergeChanges: true)
            #expect(item.value(forKey: "name") as? String == "again")
            #expect(item.value(forKey: "size") as? Int == 9)
        }
        try coordinator.close()
        #expect(try stored == ["1 again", "2 two"])
    }

    @Test("A save succeeds only with its changes when a trigger restores the old row")
    func restoredRow() throws {
        let coordinator = try open(
            with: """
                CREATE TRIGGER t BEFORE UPDATE ON ZITEM BEGIN DELETE FROM ZITEM WHERE Z_PK = OLD.Z_PK;
                INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (OLD.Z_PK, OLD.Z_ENT, OLD.Z_OPT, OLD.ZNAME); END
                """)
        try coordinator.inContext { context in
            let item = try context.all("Item", by: "name")[0]
            item.setValue("changed", forKey: "name")
            do {
                try context.save()
                #expect(try stored == ["1 changed", "2 two"])
            } catch let error as NSError {
                #expect(error.domain == NSCocoaErrorDomain)
                #expect(context.hasChanges)
                #expect(try stored == ["1 one", "2 two"])
            }
        }
        try coordinator.close()
    }
}
