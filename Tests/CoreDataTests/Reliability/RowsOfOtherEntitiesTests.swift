import GRDB
import Testing

import CoreData
@testable import CoreDataSQLite
@testable import ObjectGraph

/// Rows, of a table that several entities share, that are of another entity than what is done with them supposes: triggers
/// can report anything, and other programs can put another entity's row where an object was read from.
@Suite struct RowsOfOtherEntitiesTests {
    private static let model: NSManagedObjectModel = {
        let many = (0..<80).map { attribute(String(format: "a%02d", $0), .integer64) }
        let wide = NSEntityDescription("Wide")
        wide.properties = many
        let two = NSEntityDescription("Two", attribute("big", .integer64), attribute("other", .integer64))
        let item = NSEntityDescription(
            "Item", attribute("name", .string), attribute("number", .integer64),
            composite("parts", attribute("text", .string)), subentities: [wide, two])
        pair(item.relate("friends", to: item, many: true), item.relate("admirers", to: item, many: true))
        return NSManagedObjectModel(of: item, wide, two)
    }()

    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func make(_ entity: String, _ values: [String: Any]) throws {
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            try context.insert(entity, values)
            try context.save()
        }
        try coordinator.close()
    }

    private func number(of entity: String) throws -> DatabaseValue {
        try folder.value("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = ?", [entity])
    }

    /// The join table of the only relationship between many.
    private func linkTable() throws -> String {
        let name = try folder.value(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
        return try #require(String.fromDatabaseValue(name))
    }

    // MARK: Reports of triggers

    @Test(
        "A trigger's report for another entity changes no row",
        arguments: [("Wide", "a70"), ("Wide", "a00"), ("Two", "big"), ("Two", "name")])
    func reportsOfAnotherEntity(_ entity: String, _ attribute: String) throws {
        // All bits set: taken for null bits, they would have slots skipped.
        try make("Item", ["name": "old", "number": -1, "parts": ["text": "part"]])
        try folder.execute(
            """
            CREATE TRIGGER t AFTER UPDATE ON ZITEM BEGIN SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZITEM',
            (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)'), NEW.Z_PK, '\(attribute)', 4702111234474983745); END
            """)
        let coordinator = try folder.open(Self.model)
        func check(_ item: NSManagedObject) {
            #expect(item.value(forKey: "name") as? String == "new")
            #expect(item.value(forKey: "number") as? Int == -1)
            #expect((item.value(forKey: "parts") as? [String: Any])?["text"] as? String == "part")
        }
        try coordinator.inContext { context in
            let item = try context.only("Item")
            item.setValue("new", forKey: "name")
            try context.save()
            check(item)
            context.refresh(item, mergeChanges: false)
            check(item)
        }
        // From the row cache, and from the file.
        try coordinator.inContext { check(try $0.existingObject(with: try $0.only("Item").objectID)) }
        try coordinator.close()
        try folder.open(Self.model).inContext { check(try $0.only("Item")) }
    }

    @Test("A row is not combined with values of another entity")
    func foreignValuesAreRefused() throws {
        try make("Item", ["name": "old"])
        let coordinator = try folder.open(Self.model)
        let store = try #require(coordinator.persistentStores.first as? SQLiteStore)
        let entities = Self.model.entitiesByName
        let item = try #require(entities["Item"].flatMap { store.storedEntity(of: $0) })
        let two = try #require(entities["Two"].flatMap { store.storedEntity(of: $0) })
        let row = try #require(try store.row(of: item, 1, notBefore: -.infinity, for: StoreReader()))
        let values = [DerivedValue(attribute: "name", value: .text("new"))]
        #expect(try row.replacing(values, item).string(try #require(item.layout.index(of: "name"))) == "new")
        let refusal = try error { _ = try row.replacing(values, two) }
        #expect(refusal.localizedDescription.contains("of entity number 1, not of 'Two'"))
    }

    // MARK: Rows that became another entity's

    struct Case: Sendable, CustomTestStringConvertible {
        let from: String
        let to: String
        let policy: NSMergePolicyType
        /// Whether the row's version is counted up as well.
        let countsUp: Bool
        /// Whether another context has the new row in the row cache.
        let isCached: Bool
        var testDescription: String {
            "\(from) → \(to), \(policy), \(countsUp ? "new" : "same") version\(isCached ? ", cached" : "")"
        }
    }

    private static let cases: [Case] = {
        var all: [Case] = []
        let policies: [NSMergePolicyType] = [
            .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType, .rollbackMergePolicyType,
        ]
        for policy in policies {
            for (from, to) in [("Wide", "Item"), ("Item", "Two"), ("Two", "Wide")] {
                for countsUp in [true, false] {
                    for isCached in [true, false] {
                        all.append(
                            Case(from: from, to: to, policy: policy, countsUp: countsUp, isCached: isCached))
                    }
                }
            }
        }
        return all
    }()

    private static let changed = ["Wide": "a70", "Item": "number", "Two": "big"]

    /// The row that others have put there.
    private func foreignRow() throws -> [DatabaseValue] {
        try #require(
            try folder.rows(
                "SELECT Z_PK, Z_ENT, Z_OPT, ZNAME, ZNUMBER, ZBIG, ZA70 FROM ZITEM WHERE Z_PK = 1"
            ).first)
    }

    private func turn(_ sample: Case) throws -> [DatabaseValue] {
        try folder.execute(
            """
            UPDATE ZITEM SET Z_ENT = ?, ZNAME = 'foreign', ZBIG = 8589934592, ZA70 = 4398046511104,
            Z_OPT = Z_OPT + ?
            """, [try number(of: sample.to), sample.countsUp ? 1 : 0])
        return try foreignRow()
    }

    @Test(
        "Merge policies treat an object whose row became another entity's as deleted",
        arguments: cases)
    func conflicts(_ sample: Case) throws {
        try make(sample.from, ["name": "old", "parts": ["text": "part"]])
        let coordinator = try folder.open(Self.model)
        let context = coordinator.context()
        context.mergePolicy = NSMergePolicy(merge: sample.policy)
        try context.performAndWait {
            let object = try context.only(sample.from)
            let id = object.objectID
            #expect(object.value(forKey: "name") as? String == "old")
            let foreign = try turn(sample)
            if sample.isCached { _ = try coordinator.inContext { try $0.all("Item") } }
            object.setValue(7, forKey: try #require(Self.changed[sample.from]))
            switch sample.policy {
            case .errorMergePolicyType:
                let refusal = try error { try context.save() }
                #expect(refusal.code == CocoaError.Code.managedObjectMerge.rawValue)
                let conflicts = refusal.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
                #expect(conflicts?.count == 1 && conflicts?.first?.newVersionNumber == 0)
                #expect(conflicts?.first?.persistedSnapshot == nil)
                #expect(object.hasChanges && object.managedObjectContext === context)
            case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
                try context.save()
                #expect(object.managedObjectContext == nil)
                #expect(try folder.value("SELECT COUNT(*) FROM ZITEM") == 1.databaseValue)
            case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
                try context.save()
                // It insists on its values: a row of its own, beside the foreign one, under a key of its own.
                #expect(object.managedObjectContext === context && object.objectID != id)
                #expect(object.value(forKey: "name") as? String == "old")
                #expect((object.value(forKey: "parts") as? [String: Any])?["text"] as? String == "part")
                #expect(
                    try folder.rows("SELECT Z_PK, Z_ENT, ZNAME FROM ZITEM WHERE Z_PK <> 1") == [
                        [2.databaseValue, try number(of: sample.from), "old".databaseValue]
                    ])
            }
            #expect(try foreignRow() == foreign)
        }
    }

    @Test(
        "Deleting an object leaves a row that became another entity's and its join rows",
        arguments: [true, false])
    func deletions(_ countsUp: Bool) throws {
        try make("Two", ["name": "old"])
        try folder.open(Self.model).inContext { context in
            let object = try context.only("Two")
            object.willAccessValue(forKey: nil)
            let foreign = try turn(
                Case(
                    from: "Two", to: "Item", policy: .errorMergePolicyType, countsUp: countsUp,
                    isCached: false))
            let links = try linkTable()
            try folder.execute("INSERT INTO \(links) VALUES (1, 1)")
            context.delete(object)
            try context.save()
            #expect(object.managedObjectContext == nil)
            #expect(try foreignRow() == foreign)
            #expect(try folder.value("SELECT COUNT(*) FROM \(links)") == 1.databaseValue)
        }
    }

    @Test("Conflict detection finds an object whose row became another entity's", arguments: [true, false])
    func detectedConflicts(_ isReadOnly: Bool) throws {
        try make("Wide", ["name": "old"])
        let coordinator = try folder.open(Self.model)
        try coordinator.inContext { context in
            let object = try context.only("Wide")
            object.willAccessValue(forKey: nil)
            let sample = Case(
                from: "Wide", to: "Item", policy: .errorMergePolicyType, countsUp: false, isCached: false)
            let foreign = try turn(sample)
            context.detectConflicts(for: object)
            coordinator.persistentStores.first?.isReadOnly = isReadOnly
            object.setValue("transient", forKey: "name")
            object.setValue("old", forKey: "name")
            if !isReadOnly { try context.insert("Two") }
            let refusal = try error { try context.save() }
            #expect(refusal.code == CocoaError.Code.managedObjectMerge.rawValue)
            #expect(try foreignRow() == foreign)
        }
    }

    @Test("A number outside of the range of entities matches no entity")
    func numbersOutOfRange() throws {
        try make("Item", ["name": "old"])
        let coordinator = try folder.open(Self.model)
        let store = try #require(coordinator.persistentStores.first as? SQLiteStore)
        let item = try #require(Self.model.entitiesByName["Item"])
        let friends = try #require(item.relationshipsByName["friends"])
        try folder.execute("INSERT INTO \(try linkTable()) VALUES (1, 1)")
        let found = try FetchInspection.links(of: friends, owner: 1, in: store, FetchCancellation())
        #expect(found.objects.count == 1)
        for number in ["4294967296", "4294967297", "-9223372036854775808"] {
            try folder.execute("UPDATE ZITEM SET Z_ENT = \(number)")
            let none = try FetchInspection.links(of: friends, owner: 1, in: store, FetchCancellation())
            #expect(none.objects.isEmpty)
        }
    }

    @Test("A key whose entity is that of another table is left out, and the context can be used further")
    func keysOfAnotherTable() throws {
        let special = NSEntityDescription("Special")
        let model = NSManagedObjectModel(
            of: NSEntityDescription("Item", attribute("name", .string), subentities: [special]), special,
            NSEntityDescription("Note", attribute("text", .string)))
        let folder = try StoreFolder()
        let first = try folder.open(model)
        try first.inContext { context in
            for name in ["a", "b", "c"] { try context.insert("Item", ["name": name]) }
            try context.insert("Note")
            try context.save()
        }
        try first.close()
        try folder.execute(
            "UPDATE ZITEM SET Z_ENT = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Note') WHERE Z_PK = 2")
        let coordinator = try folder.open(model)
        try coordinator.inContext { context throws in
            for _ in 0..<3 {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.includesPropertyValues = false
                #expect(try context.fetch(request).map(\.entity.name) == ["Item", "Item"])
                #expect(context.registeredObjects.isEmpty)
            }
        }
    }
}
