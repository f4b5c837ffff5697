import CoreData
import Foundation
import GRDBSQLite

/// Finding single objects.
enum Lookups {
    final class Entry: NSManagedObject {
        static let code = ManagedKey<Int64>("code")
        static let text = ManagedKey<String?>("text")
    }

    private static func filled(_ count: Int, _ file: URL) throws -> NSPersistentStoreCoordinator {
        let (model, entity) = model("Entry", [("code", .integer64), ("text", .string)], class: Entry.self)
        if let code = entity.attributesByName["code"] {
            entity.indexes = [
                NSFetchIndexDescription(
                    name: "byCode",
                    elements: [NSFetchIndexElementDescription(property: code, collationType: .binary)])
            ]
        }
        let coordinator = try NSPersistentStoreCoordinator.opening(file, model)
        try coordinator.inContext { context in
            for index in 0..<count {
                let entry = Entry(context: context)
                entry[Entry.code] = Int64(index)
                entry[Entry.text] = "entry \(index)"
            }
            try context.save()
        }
        return coordinator
    }

    static func byAttribute(_ turns: Int, _ folder: Folder) throws -> Workload {
        let count = turns * 10
        let coordinator = try filled(count, folder.file("lookup.sqlite"))
        let raw = try Raw(folder.file("lookup.sqlite").path)
        return Workload(
            name: "fetch one of \(count) by an indexed attribute, \(turns) times",
            contestants: [
                .init(name: "SQLite C calls") {
                    try raw.with("SELECT Z_PK, Z_OPT, ZCODE, ZTEXT FROM ZENTRY WHERE ZCODE = ?") {
                        statement in
                        var found = 0
                        for turn in 0..<turns {
                            sqlite3_bind_int64(statement, 1, Int64(turn &* 7919 % count))
                            while sqlite3_step(statement) == SQLITE_ROW {
                                found &+= Int(sqlite3_column_int64(statement, 2))
                            }
                            sqlite3_reset(statement)
                        }
                        return found
                    }
                },
                .init(name: "CoreData objects") {
                    try coordinator.inContext { context in
                        var found = 0
                        for turn in 0..<turns {
                            let request = NSFetchRequest<Entry>(entityName: "Entry")
                            request.predicate = NSPredicate(
                                format: "code == %lld", Int64(turn &* 7919 % count))
                            for entry in try context.fetch(request) { found &+= Int(entry[Entry.code]) }
                        }
                        return found
                    }
                },
                .init(name: "CoreData objects, one request") {
                    try coordinator.inContext { context in
                        let request = NSFetchRequest<Entry>(entityName: "Entry")
                        let condition = NSPredicate(format: "code == $code")
                        var found = 0
                        for turn in 0..<turns {
                            let code = Int64(turn &* 7919 % count)
                            request.predicate = condition.withSubstitutionVariables(["code": code])
                            for entry in try context.fetch(request) { found &+= Int(entry[Entry.code]) }
                        }
                        return found
                    }
                },
            ],
            goals: [
                .each("CoreData objects", of: turns, 12, .microseconds),
                .each("CoreData objects, one request", of: turns, 4, .microseconds, less: "SQLite C calls"),
            ])
    }

    static func byID(_ count: Int, _ folder: Folder) throws -> Workload {
        let coordinator = try filled(count, folder.file("ids.sqlite"))
        let ids = try coordinator.inContext { context in
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Entry")
            request.resultType = .managedObjectIDResultType
            return try context.fetch(request)
        }
        func load() throws -> Int {
            try coordinator.inContext { context in
                try ids.reduce(0) { sum, id in
                    guard let entry = try context.existingObject(with: id) as? Entry else { return sum }
                    return sum &+ Int(entry[Entry.code])
                }
            }
        }
        return Workload(
            name: "object by ID, \(count) times",
            contestants: [
                .init(name: "row in the cache", prepare: { _ = try load() }, run: load),
                // With this staleness interval no cached row is fresh enough.
                .init(name: "row in the store") {
                    try coordinator.inContext { context in
                        context.stalenessInterval = 0
                        return try ids.reduce(0) { sum, id in
                            guard let entry = try context.existingObject(with: id) as? Entry else {
                                return sum
                            }
                            return sum &+ Int(entry[Entry.code])
                        }
                    }
                },
            ],
            goals: [
                .each("row in the cache", of: count, 1, .microseconds),
                .each("row in the store", of: count, 6, .microseconds),
            ])
    }
}
