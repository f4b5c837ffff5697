import CoreData
import Foundation
import GRDB
import GRDBSQLite

/// Rows of ten integers, as objects, as GRDB records and as structs filled by SQLite's C calls.
enum Numbers {
    static let names = (0..<10).map { "value\($0)" }

    static func model() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Number"
        entity.managedObjectClassName = "Number"
        entity.properties = names.map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.type = .integer64
            attribute.isOptional = false
            attribute.defaultValue = 0
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    struct Plain {
        var values: (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64)
    }
}

final class Number: NSManagedObject {
    static let keys = Numbers.names.map { ManagedKey<Int64>($0) }
    static let key0 = ManagedKey<Int64>("value0")
    static let key1 = ManagedKey<Int64>("value1")
    static let key2 = ManagedKey<Int64>("value2")
    static let key3 = ManagedKey<Int64>("value3")
    static let key4 = ManagedKey<Int64>("value4")
    static let key5 = ManagedKey<Int64>("value5")
    static let key6 = ManagedKey<Int64>("value6")
    static let key7 = ManagedKey<Int64>("value7")
    static let key8 = ManagedKey<Int64>("value8")
    static let key9 = ManagedKey<Int64>("value9")

    var sum: Int64 {
        self[Self.key0] &+ self[Self.key1] &+ self[Self.key2] &+ self[Self.key3] &+ self[Self.key4]
            &+ self[Self.key5] &+ self[Self.key6] &+ self[Self.key7] &+ self[Self.key8] &+ self[Self.key9]
    }
}

struct NumberRecord: FetchableRecord, PersistableRecord {
    static let databaseTableName = "ZNUMBER"
    var values: [Int64]

    init(row: GRDB.Row) { values = (0..<10).map { row[$0] } }

    func encode(to container: inout PersistenceContainer) throws {
        for (index, value) in values.enumerated() { container["ZVALUE\(index)"] = value }
    }
}

extension Numbers {
    static let columns = (0..<10).map { "ZVALUE\($0)" }.joined(separator: ", ")

    /// A store with so many rows.
    static func filled(_ count: Int, _ file: URL) throws -> NSPersistentStoreCoordinator {
        let coordinator = try NSPersistentStoreCoordinator.opening(file, model())
        try coordinator.inContext { context in
            for index in 0..<count {
                let number = Number(context: context)
                for (position, key) in Number.keys.enumerated() {
                    number[key] = Int64(index &* 31 &+ position)
                }
            }
            try context.save()
        }
        return coordinator
    }

    /// Fetch all rows and read none of their values, beside copying what SQLite steps to.
    static func faulting(_ count: Int, _ folder: Folder) throws -> Workload {
        let coordinator = try filled(count, folder.file("faults.sqlite"))
        let raw = try Raw(folder.file("faults.sqlite").path)
        return Workload(
            name: "fetch \(count) as faults, nothing read",
            contestants: [
                .init(name: "SQLite C calls, copied") {
                    try raw.with("SELECT Z_PK, Z_OPT, \(columns) FROM ZNUMBER") { statement in
                        var values: [Int64] = []
                        var rows = 0
                        while sqlite3_step(statement) == SQLITE_ROW {
                            for index in 0..<Int32(12) {
                                values.append(sqlite3_column_int64(statement, index))
                            }
                            rows += 1
                        }
                        return values.count == rows * 12 ? rows : 0
                    }
                },
                .init(name: "CoreData faults") {
                    try coordinator.inContext {
                        try $0.fetch(NSFetchRequest<Number>(entityName: "Number")).count
                    }
                },
            ],
            goals: [.ratio("CoreData faults", to: "SQLite C calls, copied", 1.3)])
    }

    /// Fetch all rows and read every value.
    static func fetching(_ count: Int, _ folder: Folder) throws -> Workload {
        let coordinator = try filled(count, folder.file("numbers.sqlite"))
        let queue = try DatabaseQueue(path: folder.file("numbers.sqlite").path)
        let sql = "SELECT \(columns) FROM ZNUMBER"
        return Workload(
            name: "fetch \(count) × 10 integers, read all",
            contestants: [
                .init(name: "SQLite C calls into structs") {
                    try queue.read { database in
                        let statement = try database.cachedStatement(sql: sql).sqliteStatement
                        var rows: [Plain] = []
                        while sqlite3_step(statement) == SQLITE_ROW {
                            func value(_ index: Int32) -> Int64 { sqlite3_column_int64(statement, index) }
                            rows.append(
                                Plain(
                                    values: (
                                        value(0), value(1), value(2), value(3), value(4), value(5), value(6),
                                        value(7),
                                        value(8), value(9)
                                    )))
                        }
                        sqlite3_reset(statement)
                        return rows.reduce(0) { sum, row in
                            let v = row.values
                            let total = v.0 &+ v.1 &+ v.2 &+ v.3 &+ v.4 &+ v.5 &+ v.6 &+ v.7 &+ v.8 &+ v.9
                            return sum &+ Int(total)
                        }
                    }
                },
                .init(name: "GRDB records") {
                    try queue.read { database in
                        try NumberRecord.fetchAll(database, sql: sql).reduce(0) { sum, record in
                            sum &+ Int(record.values.reduce(0, &+))
                        }
                    }
                },
                .init(name: "CoreData objects") {
                    let context = NSManagedObjectContext(.privateQueue)
                    context.persistentStoreCoordinator = coordinator
                    return try context.performAndWait {
                        let request = NSFetchRequest<Number>(entityName: "Number")
                        return try context.fetch(request).reduce(0) { $0 &+ Int($1.sum) }
                    }
                },
            ],
            goals: [
                .ratio("CoreData objects", to: "SQLite C calls into structs", 1.5),
                .ratio("CoreData objects", to: "GRDB records", 1),
            ])
    }

    /// Insert rows in one transaction.
    static func inserting(_ count: Int, _ folder: Folder) throws -> Workload {
        func store(_ name: String) throws -> NSPersistentStoreCoordinator {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
            try coordinator.addPersistentStore(type: .sqlite, at: folder.file(name))
            return coordinator
        }
        // The same schema for all three.
        let raw = try DatabasePool(path: try store("raw.sqlite").closingOnlyStore())
        let records = try DatabasePool(path: try store("records.sqlite").closingOnlyStore())
        let coordinator = try store("objects.sqlite")
        let parameters = Array(repeating: "?", count: 12).joined(separator: ", ")
        return Workload(
            name: "insert \(count) × 10 integers, one save",
            contestants: [
                .init(name: "SQLite C calls, prepared") {
                    try raw.write { database in
                        let statement = try database.cachedStatement(
                            sql: "INSERT INTO ZNUMBER (Z_ENT, Z_OPT, \(columns)) VALUES (\(parameters))"
                        ).sqliteStatement
                        for row in 0..<count {
                            sqlite3_reset(statement)
                            sqlite3_bind_int64(statement, 1, 1)
                            sqlite3_bind_int64(statement, 2, 1)
                            for position in 0..<10 {
                                sqlite3_bind_int64(
                                    statement, Int32(position + 3), Int64(row &* 31 &+ position))
                            }
                            guard sqlite3_step(statement) == SQLITE_DONE else {
                                throw Workload.Failure(description: "insert failed")
                            }
                        }
                        sqlite3_reset(statement)
                    }
                    return count
                },
                .init(name: "GRDB records") {
                    try records.write { database in
                        for row in 0..<count {
                            var record = NumberRecord(values: [])
                            record.values = (0..<10).map { Int64(row &* 31 &+ $0) }
                            try record.insert(database)
                        }
                    }
                    return count
                },
                .init(name: "CoreData objects") {
                    let context = NSManagedObjectContext(.privateQueue)
                    context.persistentStoreCoordinator = coordinator
                    return try context.performAndWait {
                        for row in 0..<count {
                            let number = Number(context: context)
                            for (position, key) in Number.keys.enumerated() {
                                number[key] = Int64(row &* 31 &+ position)
                            }
                        }
                        try context.save()
                        return count
                    }
                },
            ],
            goals: [.ratio("CoreData objects", to: "SQLite C calls, prepared", 2)])
    }
}

extension NumberRecord {
    init(values: [Int64]) { self.values = values }
}
