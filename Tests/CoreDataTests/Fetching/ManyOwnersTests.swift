import CoreDataSQL
import Foundation
import GRDB
import ObjectGraph
import Testing

import CoreData
@testable import CoreDataSQLite

/// Prefetched relationships of so many owners that their members may be most of a table, which is then read as a whole.
@Suite struct ManyOwnersTests {
    /// The owner of a member, as an SQL expression of the member's index `i`, which is less than 3000.
    enum Ownership: String, CaseIterable, Sendable {
        case together = "i / 4 + 1"
        case alternating = "i % 750 + 1"
        case oneHasSome = "iif(i % 7 = 0, 375, i % 750 + 1)"
        case mostlyOfOthers = "iif(i % 5 = 0, i % 750 + 1, 2000)"
        case mostlyWithout = "iif(i % 5 = 0, i % 750 + 1, NULL)"
        /// A string, which is not a key.
        case mostlyMistyped = "iif(i % 5 = 0, i % 750 + 1, 'x')"

        var isMostOfTable: Bool { [.together, .alternating, .oneHasSome].contains(self) }
    }

    /// The keys of the members, as an SQL expression of their indexes.
    enum Keys: String, CaseIterable, Sendable {
        case inOrder = "i + 1"
        case backwards = "3000 - i"
        case farApart = "iif(i < 2999, i * 1000003 + 1, 9223372036854775806)"
    }

    /// Shelves with things, which are of two entities if asked for.
    private func model(_ entityCount: Int = 2) -> NSManagedObjectModel {
        let shelf = NSEntityDescription("Shelf", attribute("number", .integer64))
        let thing = NSEntityDescription("Thing", attribute("index", .integer64))
        let part = NSEntityDescription("Part", attribute("note", .string))
        if entityCount == 2 { thing.subentities = [part] }
        let things = NSRelationshipDescription.toMany("things")
        let back = NSRelationshipDescription.toOne("shelf")
        things.joined(from: shelf, to: thing, inverse: back)
        shelf.add(things)
        thing.add(back)
        return NSManagedObjectModel(of: shelf, thing, part)
    }

    private func fill(
        _ folder: StoreFolder, _ ownership: String, _ keys: Keys = .inOrder, entityCount: Int = 2,
        memberCount: Int = 3000
    ) throws {
        try folder.execute(
            """
            INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT, ZNUMBER)
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Shelf'), 1, i FROM n
            """)
        let entity = entityCount == 1 ? "'Thing'" : "iif(i % 3 = 0, 'Part', 'Thing')"
        try folder.execute(
            """
            INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZINDEX, ZSHELF)
            WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(memberCount))
            SELECT \(keys.rawValue), (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = \(entity)), 1, i, \(ownership)
            FROM n WHERE i < \(memberCount)
            """)
    }

    /// The indexes of the members by the numbers of their owners, after prefetching.
    private func prefetched(
        _ coordinator: NSPersistentStoreCoordinator, _ condition: NSPredicate
    ) throws -> [Int64: [Int64]] {
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Shelf")
            request.predicate = condition
            request.relationshipKeyPathsForPrefetching = ["things"]
            var indexes: [Int64: [Int64]] = [:]
            let shelves = try context.fetch(request)
            coordinator.expectReads(0) {
                for shelf in shelves {
                    let things = shelf.value(forKey: "things") as? Set<NSManagedObject> ?? []
                    for thing in things {
                        #expect(thing.value(forKey: "shelf") as? NSManagedObject === shelf)
                    }
                    indexes[number(of: shelf)] = things.map(index).sorted()
                }
            }
            return indexes
        }
    }

    /// The same as the members' own relationship has it.
    private func owned(
        _ coordinator: NSPersistentStoreCoordinator, _ condition: NSPredicate
    ) throws -> [Int64: [Int64]] {
        try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Shelf")
            request.predicate = condition
            let shelves = Set(try context.fetch(request))
            var indexes = Dictionary(uniqueKeysWithValues: shelves.map { (number(of: $0), [Int64]()) })
            for thing in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing")) {
                guard let shelf = thing.value(forKey: "shelf") as? NSManagedObject, shelves.contains(shelf)
                else { continue }
                indexes[number(of: shelf)]?.append(index(thing))
            }
            return indexes.mapValues { $0.sorted() }
        }
    }

    private func number(of shelf: NSManagedObject) -> Int64 { shelf.value(forKey: "number") as? Int64 ?? 0 }

    private func index(_ thing: NSManagedObject) -> Int64 { thing.value(forKey: "index") as? Int64 ?? -1 }

    /// Whether the members of some owners are taken for most of their table.
    private func ownMostRows(
        _ owners: some Sequence<Int64>, _ coordinator: NSPersistentStoreCoordinator,
        for reader: StoreReader = StoreReader()
    ) throws -> Bool {
        let store = try #require(coordinator.persistentStores.first as? SQLiteStore)
        let shelf = try #require(coordinator.managedObjectModel.entitiesByName["Shelf"])
        let things = try #require(shelf.relationshipsByName["things"])
        return try store.ownMostRows(Array(owners), of: things, for: reader)
    }

    @Test(
        "A prefetched relationship of many owners has the members of each, wherever they are in their table",
        arguments: Ownership.allCases, Keys.allCases)
    func members(_ ownership: Ownership, _ keys: Keys) throws {
        for entityCount in [1, 2] {
            let folder = try StoreFolder()
            let model = model(entityCount)
            try folder.make(model)
            try fill(folder, ownership.rawValue, keys, entityCount: entityCount)
            let coordinator = try folder.open(model)
            let isMost = ownership.isMostOfTable && keys != .farApart
            #expect(try ownMostRows(1...750, coordinator) == isMost)
            #expect(try ownMostRows((1...750).filter { $0 != 20 && $0 != 375 }, coordinator) == isMost)
            for format in ["number <= 750", "number <= 750 AND number != 20 AND number != 375"] {
                let condition = NSPredicate(format: format)
                let found = try prefetched(coordinator, condition)
                #expect(try found == owned(coordinator, condition))
                #expect(found.count >= 748)
            }
        }
    }

    @Test("A table is read as a whole for no fewer than 512 owners, two thirds of a table and 24 rows")
    func limits() throws {
        func isMost(_ ownership: String, _ owners: some Sequence<Int64>, memberCount: Int = 3000) throws
            -> Bool
        {
            let folder = try StoreFolder()
            let model = model()
            try folder.make(model)
            try fill(folder, ownership, memberCount: memberCount)
            return try ownMostRows(owners, folder.open(model))
        }
        #expect(try isMost("i % 512 + 1", 1...512))
        #expect(try !isMost("i % 511 + 1", 1...511))
        #expect(try !isMost("i % 512 + 1", 1...512, memberCount: 0))
        #expect(try !isMost("i % 512 + 1", 1...512, memberCount: 23))
        #expect(try isMost("i % 512 + 1", 1...512, memberCount: 24))
        #expect(try isMost("i % 1000 + 1", 1...800))
        #expect(try !isMost("i % 1000 + 1", 1...512))
        // An owner that is given many times does not count as often.
        #expect(try !isMost("i % 1000 + 1", [Int64](repeating: 7, count: 1000)))
        #expect(try !isMost("i % 2 * 5000 + i % 512 + 1", Array(1...512) + Array(1...512)))
    }

    @Test("The statement uses the index of owners, or does not", arguments: [true, false])
    func plan(_ usesIndex: Bool) throws {
        let folder = try StoreFolder()
        let model = model()
        try folder.make(model)
        try fill(folder, Ownership.together.rawValue)
        let coordinator = try folder.open(model)
        let store = try #require(coordinator.persistentStores.first as? SQLiteStore)
        let thing = try #require(coordinator.managedObjectModel.entitiesByName["Thing"])
        let query = FetchQuery(storedEntity: try #require(store.storedEntity(of: thing)))
        let all = Array<Int64>(1...750)
        for owners in [all, all.filter { $0 != 20 }] {
            let keys = KeysInColumn("ZSHELF", owners, usesIndex: usesIndex)
            let statement = try store.rowRequest(for: query, keys: keys).statement
            let plan = try folder.withDatabase { database in
                // No plan depends on the keys themselves.
                let text = statement.text.replacing("?", with: "NULL")
                return try GRDB.Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(text)")
                    .map { $0["detail"] as String }
            }
            #expect(plan.contains { $0.hasPrefix("SEARCH") } == usesIndex, "\(plan)")
            #expect(
                plan.contains { $0.hasPrefix("SCAN") && !$0.contains("VIRTUAL") } == !usesIndex, "\(plan)")
        }
    }

    /// SQLite compares such a column with numbers as strings, unless it is part of an expression.
    @Test("A column of owners that is declared to have strings is read by its index")
    func columnOfStrings() throws {
        let folder = try StoreFolder()
        let model = model()
        try folder.make(model)
        try fill(folder, Ownership.together.rawValue)
        try folder.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = replace(sql, 'ZSHELF INTEGER', 'ZSHELF VARCHAR') WHERE name = 'ZTHING';
            PRAGMA writable_schema = RESET;
            UPDATE ZTHING SET ZSHELF = CAST(ZSHELF AS TEXT);
            """)
        let coordinator = try folder.open(model)
        #expect(try !ownMostRows(1...750, coordinator))
    }

    /// The table is read as a whole, but of others' rows only the key of the owner.
    @Test("Damaged rows of owners that are not fetched are not read")
    func damagedRowsOfOthers() throws {
        let folder = try StoreFolder()
        let model = model()
        try folder.make(model)
        try fill(folder, Ownership.alternating.rawValue)
        try folder.execute("UPDATE ZTHING SET Z_ENT = 99 WHERE ZSHELF = 375")
        let coordinator = try folder.open(model)
        let condition = NSPredicate(format: "number <= 750 AND number != 375")
        #expect(try ownMostRows((1...750).filter { $0 != 375 }, coordinator))
        let found = try prefetched(coordinator, condition)
        #expect(found.count == 749 && found.values.allSatisfy { $0.count == 4 })
        #expect(throws: NSError.self) { try prefetched(coordinator, NSPredicate(format: "number <= 750")) }
    }

    @Test("Unsaved changes and an earlier generation are seen where the members' table is read as a whole")
    func unsavedChangesAndGenerations() throws {
        let folder = try StoreFolder()
        let model = model()
        try folder.make(model)
        try fill(folder, Ownership.alternating.rawValue)
        let coordinator = try folder.open(model)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Shelf")
        request.predicate = NSPredicate(format: "number <= 750")
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
        #expect(try ownMostRows(1...750, coordinator))
        let pinned = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        pinned.persistentStoreCoordinator = coordinator
        try pinned.performAndWait {
            try pinned.setQueryGenerationFrom(.current)
            // A context is pinned by its first read.
            #expect(try pinned.count(for: request) == 750)
        }
        try coordinator.inContext { context in
            let shelves = try context.fetch(request)
            let added = NSEntityDescription.insertNewObject(forEntityName: "Part", into: context)
            added.setValue(9000, forKey: "index")
            added.setValue(shelves[4], forKey: "shelf")
            request.relationshipKeyPathsForPrefetching = ["things"]
            _ = try context.fetch(request)
            let things = shelves[4].value(forKey: "things") as? Set<NSManagedObject> ?? []
            #expect(things.map(index).sorted() == [4, 754, 1504, 2254, 9000])
            try context.save()
        }
        try pinned.performAndWait {
            let things = try pinned.fetch(request)[4].value(forKey: "things") as? Set<NSManagedObject> ?? []
            #expect(things.map(index).sorted() == [4, 754, 1504, 2254])
        }
        #expect(
            try prefetched(coordinator, NSPredicate(format: "number = 5")) == [5: [4, 754, 1504, 2254, 9000]])
    }
}
