import CoreData
import GRDB
import Testing

/// What triggers of strangers report of derived attributes.
@Suite struct HostileReportTests {
    private static let model: NSManagedObjectModel = {
        let item = NSEntityDescription(
            "Item", attribute("name", .string), attribute("note", .string),
            derived("size", .integer64, "parts.@count"))
        let part = NSEntityDescription("Part")
        pair(item.relate("parts", to: part, many: true), part.relate("item", to: item))
        return NSManagedObjectModel(of: item, part)
    }()

    private let folder: StoreFolder

    /// A store with one object, and a table that has many rows.
    init() throws {
        folder = try StoreFolder()
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert("Item", ["name": "old", "note": "kept"])
            try context.save()
        }
        try coordinator.close()
        try folder.execute(
            """
            CREATE TABLE n (i INTEGER PRIMARY KEY);
            INSERT INTO n WITH RECURSIVE m(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM m WHERE i < 400) SELECT i FROM m;
            """)
    }

    /// Reports when the object changes. `arguments` are entity, key, attribute and value.
    private func report(_ arguments: String, from tables: String) throws {
        try folder.execute(
            """
            CREATE TRIGGER evil AFTER UPDATE ON ZITEM BEGIN
            SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZITEM', \(arguments)) FROM \(tables); END
            """)
    }

    /// Each new name made the search among the known ones longer.
    @Test("Reports of unknown attributes by triggers are ignored")
    func unknownNamesAreNotKept() throws {
        try report("NEW.Z_ENT, NEW.Z_PK, 'x' || a.i || ' ' || b.i, 'bad'", from: "n a, n b")
        try folder.open(Self.model).inContext { context in
            let item = try context.only("Item")
            item.setValue("new", forKey: "name")
            try context.save()
            #expect(item.value(forKey: "name") as? String == "new")
            #expect(item.value(forKey: "note") as? String == "kept")
        }
    }

    @Test("The last report of an attribute by triggers counts", arguments: ["size", "ZSIZE"])
    func lastReportCounts(_ name: String) throws {
        try folder.execute("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (9, 1, 1, 'other')")
        try report("1, 9, '\(name)', i", from: "(SELECT i FROM n ORDER BY i)")
        try folder.open(Self.model).inContext { context in
            let items = try context.all("Item", by: "name")
            #expect(items.map { $0.value(forKey: "size") as? Int } == [0, 0])
            items[0].setValue("new", forKey: "name")
            try context.save()
            #expect(items.map { $0.value(forKey: "size") as? Int } == [0, 400])
        }
    }

    @Test("Triggers that report too much fail the save", arguments: ["1", "77", "4294967297"])
    func excessiveReportsFailTheSave(_ entity: String) throws {
        try report("\(entity), i, 'note', zeroblob(1000000)", from: "n")
        try folder.open(Self.model).inContext { context in
            let item = try context.only("Item")
            item.setValue("new", forKey: "name")
            guard entity == "1" else {
                // Of entities that are not there nothing is kept.
                try context.save()
                return
            }
            let refusal = try error { try context.save() }
            #expect(refusal.domain == NSCocoaErrorDomain)
            #expect(refusal.localizedDescription.contains("triggers report more than 256 MB"))
            #expect(context.hasChanges)
        }
        #expect(
            try folder.value("SELECT ZNAME FROM ZITEM") == (entity == "1" ? "old" : "new").databaseValue)
    }
}
