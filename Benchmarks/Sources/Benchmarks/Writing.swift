import CoreData
import Foundation
import GRDBSQLite

/// Inserts with an index and under a constraint, updates, deletions.
enum Writing {
    static let names = (0..<8).map { "value\($0)" }

    final class Item: NSManagedObject {
        static let keys = Writing.names.map { ManagedKey<Int64>($0) }
        static let name = ManagedKey<String?>("name")

        func fill(_ index: Int) {
            self[Self.name] = "item \(index)"
            for (position, key) in Self.keys.enumerated() { self[key] = Int64(index &* 31 &+ position) }
        }
    }

    /// A store of items whose name has an index, unique if asked for.
    private static func store(
        _ name: String, _ folder: Folder, isUnique: Bool = false
    ) throws -> NSPersistentStoreCoordinator {
        let (model, entity) = model(
            "Item", [("name", .string)] + names.map { ($0, .integer64) }, class: Item.self)
        if isUnique {
            entity.uniquenessConstraints = [["name"]]
        } else if let name = entity.attributesByName["name"] {
            entity.indexes = [
                NSFetchIndexDescription(
                    name: "byName",
                    elements: [NSFetchIndexElementDescription(property: name, collationType: .binary)])
            ]
        }
        return try .opening(folder.file(name), model)
    }

    private static let insertion = """
        INSERT INTO ZITEM (Z_ENT, Z_OPT, ZNAME, \(names.map { "Z" + $0.uppercased() }.joined(separator: ", "))) \
        VALUES (1, 1, \(Array(repeating: "?", count: 9).joined(separator: ", ")))
        """

    private static func insert(_ count: Int, _ raw: Raw, from first: Int = 0) throws {
        try raw.inTransaction(insertion) { statement in
            for index in first..<first + count {
                Raw.bind(statement, 1, "item \(index)")
                for position in 0..<8 {
                    sqlite3_bind_int64(statement, Int32(position + 2), Int64(index &* 31 &+ position))
                }
                try Raw.run(statement)
            }
        }
    }

    private static func insert(_ count: Int, _ coordinator: NSPersistentStoreCoordinator) throws {
        try coordinator.inContext { context in
            for index in 0..<count { Item(context: context).fill(index) }
            try context.save()
        }
    }

    private static func empty(_ coordinator: NSPersistentStoreCoordinator) throws {
        _ = try coordinator.inContext { context in
            try context.execute(
                NSBatchDeleteRequest(
                    fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")))
        }
    }

    static func insertingIndexed(_ count: Int, _ folder: Folder) throws -> Workload {
        let raw = try Raw(try store("indexed-raw.sqlite", folder).closingOnlyStore())
        let coordinator = try store("indexed.sqlite", folder)
        return Workload(
            name: "insert \(count) × 9 values, one index",
            contestants: [
                .init(name: "SQLite C calls", prepare: { try raw.execute("DELETE FROM ZITEM") }) {
                    try insert(count, raw)
                    return count
                },
                .init(name: "CoreData objects", prepare: { try empty(coordinator) }) {
                    try insert(count, coordinator)
                    return count
                },
            ],
            goals: [.ratio("CoreData objects", to: "SQLite C calls", 2)])
    }

    static func savingEach(_ count: Int, _ folder: Folder) throws -> Workload {
        let raw = try Raw(try store("each-raw.sqlite", folder).closingOnlyStore())
        // As stores are opened.
        try raw.queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
        try insert(count, raw)
        let coordinator = try store("each.sqlite", folder)
        try insert(count, coordinator)
        let context = coordinator.newContext()
        let items = try context.performAndWait { try context.fetch(NSFetchRequest<Item>(entityName: "Item")) }
        nonisolated(unsafe) let all = items
        return Workload(
            name: "\(count) updates, one save each",
            contestants: [
                .init(name: "SQLite C calls") {
                    try raw.with("UPDATE ZITEM SET ZVALUE0 = ZVALUE0 + 1, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?") {
                        for index in 1...count {
                            sqlite3_bind_int64($0, 1, Int64(index))
                            try Raw.run($0)
                        }
                        return count
                    }
                },
                .init(name: "CoreData objects") {
                    try context.performAndWait {
                        for item in all {
                            item[Item.keys[0]] += 1
                            try context.save()
                        }
                        return count
                    }
                },
            ],
            goals: [.each("CoreData objects", of: count, 40, .microseconds, less: "SQLite C calls")])
    }

    static func updating(_ count: Int, _ folder: Folder) throws -> Workload {
        let raw = try Raw(try store("update-raw.sqlite", folder).closingOnlyStore())
        try insert(count, raw)
        let coordinator = try store("update.sqlite", folder)
        try insert(count, coordinator)
        let context = coordinator.newContext()
        let items = try context.performAndWait { try context.fetch(NSFetchRequest<Item>(entityName: "Item")) }
        nonisolated(unsafe) let all = items
        return Workload(
            name: "\(count) updates, one save",
            contestants: [
                .init(name: "SQLite C calls") {
                    try raw.inTransaction(
                        "UPDATE ZITEM SET ZVALUE0 = ZVALUE0 + 1, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?"
                    ) {
                        for index in 1...count {
                            sqlite3_bind_int64($0, 1, Int64(index))
                            try Raw.run($0)
                        }
                        return count
                    }
                },
                .init(name: "CoreData objects") {
                    try context.performAndWait {
                        for item in all { item[Item.keys[0]] += 1 }
                        try context.save()
                        return count
                    }
                },
            ],
            goals: [.ratio("CoreData objects", to: "SQLite C calls", 2)])
    }

    static func deleting(_ count: Int, _ folder: Folder) throws -> Workload {
        let raw = try Raw(try store("delete-raw.sqlite", folder).closingOnlyStore())
        let coordinator = try store("delete.sqlite", folder)
        let context = coordinator.newContext()
        return Workload(
            name: "delete \(count)",
            contestants: [
                .init(
                    name: "SQLite C calls",
                    prepare: {
                        try raw.execute("DELETE FROM ZITEM")
                        try insert(count, raw)
                    }
                ) {
                    let keys = try raw.with("SELECT Z_PK FROM ZITEM") { statement in
                        var keys: [Int64] = []
                        while sqlite3_step(statement) == SQLITE_ROW {
                            keys.append(sqlite3_column_int64(statement, 0))
                        }
                        return keys
                    }
                    try raw.inTransaction("DELETE FROM ZITEM WHERE Z_PK = ?") { statement in
                        for key in keys {
                            sqlite3_bind_int64(statement, 1, key)
                            try Raw.run(statement)
                        }
                    }
                    return keys.count
                },
                .init(name: "CoreData objects", prepare: { try insert(count, coordinator) }) {
                    try context.performAndWait {
                        let items = try context.fetch(NSFetchRequest<Item>(entityName: "Item"))
                        for item in items { context.delete(item) }
                        try context.save()
                        return items.count
                    }
                },
            ],
            goals: [.ratio("CoreData objects", to: "SQLite C calls", 2)])
    }

    /// Ten times as many objects under a uniqueness constraint are to take about ten times as long.
    static func insertingUnique(_ count: Int, _ folder: Folder) throws -> Workload {
        let few = try store("unique-few.sqlite", folder, isUnique: true)
        let many = try store("unique-many.sqlite", folder, isUnique: true)
        return Workload(
            name: "insert \(count) and \(count * 10) under a uniqueness constraint",
            contestants: [
                .init(name: "\(count)", prepare: { try empty(few) }) {
                    try insert(count, few)
                    return 1
                },
                .init(name: "\(count * 10)", prepare: { try empty(many) }) {
                    try insert(count * 10, many)
                    return 1
                },
            ],
            goals: [.ratio("\(count * 10)", to: "\(count)", 11)])
    }
}
