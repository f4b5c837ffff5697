import CoreData
import Foundation
import GRDBSQLite

/// To-many relationships, prefetched.
enum Relationships {
    final class Owner: NSManagedObject {
        static let number = ManagedKey<Int64>("number")
        static let parts = ManagedKey<Set<Part>>("parts")
    }

    final class Part: NSManagedObject {
        static let weight = ManagedKey<Int64>("weight")
        static let owner = ManagedKey<Owner?>("owner")
    }

    private static func model() -> NSManagedObjectModel {
        for type in [Owner.self, Part.self] { NSManagedObjectModel.register(type) }
        let (owners, owner) = Benchmarks.model("Owner", [("number", .integer64)], class: Owner.self)
        let (_, part) = Benchmarks.model("Part", [("weight", .integer64)], class: Part.self)
        let parts = NSRelationshipDescription()
        parts.name = "parts"
        parts.destinationEntity = part
        parts.maxCount = 0
        let back = NSRelationshipDescription()
        back.name = "owner"
        back.destinationEntity = owner
        back.maxCount = 1
        parts.inverseRelationship = back
        back.inverseRelationship = parts
        _ = owners
        let model = NSManagedObjectModel()
        owner.properties.append(parts)
        part.properties.append(back)
        model.entities = [owner, part]
        return model
    }

    static func prefetching(_ owners: Int, _ parts: Int, _ folder: Folder) throws -> Workload {
        let file = folder.file("parts.sqlite")
        let coordinator = try NSPersistentStoreCoordinator.opening(file, model())
        try coordinator.inContext { context in
            for index in 0..<owners {
                let owner = Owner(context: context)
                owner[Owner.number] = Int64(index)
                for position in 0..<parts {
                    let part = Part(context: context)
                    part[Part.weight] = Int64(position)
                    part[Part.owner] = owner
                }
            }
            try context.save()
        }
        let raw = try Raw(file.path)
        return Workload(
            name: "\(owners) owners × \(parts) parts, prefetched",
            contestants: [
                .init(name: "SQLite C calls, one join") {
                    try raw.with(
                        """
                        SELECT o.Z_PK, o.ZNUMBER, p.Z_PK, p.ZWEIGHT FROM ZOWNER o JOIN ZPART p ON p.ZOWNER = o.Z_PK \
                        ORDER BY o.Z_PK
                        """
                    ) { statement in
                        struct Plain { var key: Int64, number: Int64, parts: [(key: Int64, weight: Int64)] }
                        var found: [Plain] = []
                        while sqlite3_step(statement) == SQLITE_ROW {
                            let key = sqlite3_column_int64(statement, 0)
                            if found.last?.key != key {
                                found.append(
                                    Plain(key: key, number: sqlite3_column_int64(statement, 1), parts: []))
                            }
                            found[found.count - 1].parts.append(
                                (sqlite3_column_int64(statement, 2), sqlite3_column_int64(statement, 3)))
                        }
                        return found.reduce(0) { sum, owner in
                            owner.parts.reduce(sum &+ Int(owner.number)) { $0 &+ Int($1.weight) }
                        }
                    }
                },
                .init(name: "CoreData objects") {
                    try coordinator.inContext { context in
                        let request = NSFetchRequest<Owner>(entityName: "Owner")
                        request.relationshipKeyPathsForPrefetching = ["parts"]
                        return try context.fetch(request).reduce(0) { sum, owner in
                            owner[Owner.parts].reduce(sum &+ Int(owner[Owner.number])) {
                                $0 &+ Int($1[Part.weight])
                            }
                        }
                    }
                },
            ],
            goals: [.ratio("CoreData objects", to: "SQLite C calls, one join", 1.7)])
    }
}
