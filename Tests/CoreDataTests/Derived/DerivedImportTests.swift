import CoreData
import GRDB
import GRDBSQLite
import Testing

/// An import takes time in proportion to what it brings, however many children the owner has already.
///
/// Work is counted in steps of SQLite's machine, not in seconds.
@Suite struct DerivedImportTests {
    private static let model: NSManagedObjectModel = {
        let owner = NSEntityDescription(
            "Owner", derived("count", .integer64, "parts.@count"),
            derived("total", .decimal, "parts.price.@sum"),
            derived("weight", .double, "parts.weight.@sum"))
        let part = NSEntityDescription(
            "Part", attribute("price", .decimal), attribute("weight", .double),
            derived("changed", .date, "now()"))
        pair(owner.relate("parts", to: part, many: true), part.relate("owner", to: owner))
        return NSManagedObjectModel(of: owner, part)
    }()

    /// The steps that a change by plain SQL takes when an owner has `count` parts.
    private func steps(_ count: Int, _ sql: String) throws -> Int {
        let folder = try StoreFolder()
        try folder.make(Self.model)
        try folder.execute(
            """
            INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1), (2, 1, 1);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO ZPART (Z_PK, Z_ENT, Z_OPT, ZOWNER, ZPRICE, ZWEIGHT) SELECT i, 2, 1, 1, 1.25, 0.5 FROM n;
            """)
        return try folder.steps(sql)
    }

    @Test(
        "Changing one child costs about the same with fifty siblings as with five thousand",
        arguments: [
            "INSERT INTO ZPART (Z_ENT, Z_OPT, ZOWNER, ZPRICE, ZWEIGHT) VALUES (2, 1, 1, 9.99, 7)",
            "UPDATE ZPART SET ZPRICE = 2.5, ZWEIGHT = 8 WHERE Z_PK = 7", "DELETE FROM ZPART WHERE Z_PK = 7",
            "UPDATE ZPART SET ZOWNER = 2 WHERE Z_PK = 7",
        ])
    func costIsIndependentOfSiblings(_ sql: String) throws {
        let (few, many) = (try steps(50, sql), try steps(5000, sql))
        #expect(few > 0)
        #expect(many < few * 2, "\(few) steps among 50, \(many) among 5000")
    }

    @Test("Counts and sums are right after four saves of 5000 children each")
    func manyChildrenOfOneOwner() throws {
        let folder = try StoreFolder()
        let coordinator = try folder.open(Self.model)
        let id = try coordinator.inContext { context in
            let owner = try context.insert("Owner")
            try context.save()
            return owner.objectID
        }
        for _ in 0..<4 {
            try coordinator.inContext { context in
                let owner = context.object(with: id)
                for _ in 0..<5000 {
                    let part = try context.insert("Part")
                    part.setValue(NSDecimalNumber(string: "0.01"), forKey: "price")
                    part.setValue(0.5, forKey: "weight")
                    part.setValue(owner, forKey: "owner")
                }
                try context.save()
            }
        }
        try coordinator.inContext { context in
            let owner = try context.existingObject(with: id)
            #expect(owner.value(forKey: "count") as? Int == 20_000)
            #expect(owner.value(forKey: "total") as? NSDecimalNumber == 200)
            #expect(owner.value(forKey: "weight") as? Double == 10_000)
        }
    }
}

extension StoreFolder {
    /// How many steps SQLite's machine takes for a statement, to the nearest ten.
    fileprivate func steps(_ sql: String) throws -> Int {
        final class Counter { var count = 0 }
        let counter = Counter()
        return try withDatabase { database in
            let pointer = Unmanaged.passUnretained(counter).toOpaque()
            sqlite3_progress_handler(
                database.sqliteConnection, 10,
                { pointer in
                    if let pointer {
                        Unmanaged<Counter>.fromOpaque(pointer).takeUnretainedValue().count += 10
                    }
                    return 0
                }, pointer)
            try database.execute(sql: sql)
            sqlite3_progress_handler(database.sqliteConnection, 0, nil, nil)
            return counter.count
        }
    }
}
