import CoreDataSQL
import CoreData

/// What of a dump has to wait until all of its objects are there, in temporary tables: memory does not grow with it.
final class ImportSpool {
    /// What an object of the dump has for a to-many relationship.
    struct List {
        let relationship: NSRelationshipDescription
        let owner: SQLEntity
        let ownerKey: Int64
        var destinations: [(object: ObjectReference, entity: SQLEntity)] = []
    }

    private let schema: SQLSchema
    private var relationships: [NSRelationshipDescription] = []
    private var relationshipNumbers: [ObjectIdentifier: Int64] = [:]
    private var listCount: Int64 = 0

    private let objects: ScratchTable
    private let references: ScratchTable
    private let lists: ScratchTable

    init(_ snapshot: StoreSnapshot) throws {
        schema = snapshot.schema
        let connection = snapshot.connection
        objects = try ScratchTable(
            connection, "OpenCoreDataWaitingObject",
            [("entity", .string(length: nil)), ("dump", .integer), ("json", .string(length: nil))])
        references = try ScratchTable(
            connection, "OpenCoreDataWaitingReference",
            [
                ("owner", .integer), ("given", .integer), ("slot", .integer), ("entity", .integer),
                ("dump", .integer),
            ])
        lists = try ScratchTable(
            connection, "OpenCoreDataWaitingList",
            [
                ("list", .integer), ("relationship", .integer), ("owner", .integer), ("given", .integer),
                ("entity", .integer), ("dump", .integer),
            ])
    }

    func removeTables() throws {
        for table in [objects, references, lists] { try table.remove() }
    }

    // MARK: Objects

    /// Keeps an object that has no key yet.
    func add(_ object: ObjectReference, _ values: [String: JSONValue]) throws {
        var json = JSONText()
        json.value(.object(values))
        try objects.insert([.text(object.entity), .integer(object.key), .text(json.text)])
    }

    func forEachObject(_ body: (ObjectReference, [String: JSONValue]) throws -> Void) throws {
        try objects.forEachRow { row in
            guard case .object(let values) = try JSONValue(parsing: row.string(2)) else { return }
            try body(ObjectReference(entity: row.string(0), key: row.integer(1)), values)
        }
    }

    // MARK: To-one relationships

    /// Keeps what an object has for a to-one relationship: the destination has no key yet.
    func add(
        _ waiting: ObjectBuilder.WaitingReference, of key: Int64, _ entity: SQLEntity
    ) throws {
        try references.insert(
            [
                Int64(entity.number), key, Int64(waiting.slot), Int64(waiting.entity.number),
                waiting.object.key,
            ].map(SQLValue.integer))
    }

    /// Hands out the entity, key and slot of what leads, and where to.
    func forEachReference(
        _ body: (SQLEntity, Int64, PropertySlot, ObjectReference, SQLEntity) throws -> Void
    ) throws {
        try references.forEachRow { row in
            guard let owner = entity(row.integer(0)), let destination = entity(row.integer(3)) else { return }
            try body(
                owner, row.integer(1), owner.storedEntity.layout.slots[Int(row.integer(2))],
                ObjectReference(entity: destination.name, key: row.integer(4)), destination)
        }
    }

    private func entity(_ number: Int64) -> SQLEntity? { schema.entity(Int32(truncatingIfNeeded: number)) }

    // MARK: To-many relationships

    func add(_ list: List) throws {
        let relationship = number(list.relationship)
        listCount += 1
        // An empty list says something too.
        let positions = list.destinations.map { (Int64($0.entity.number), $0.object.key) }
        for (entity, key) in positions.isEmpty ? [(0, 0)] : positions {
            try lists.insert(
                [listCount, relationship, Int64(list.owner.number), list.ownerKey, entity, key]
                    .map(SQLValue.integer))
        }
    }

    private func number(_ relationship: NSRelationshipDescription) -> Int64 {
        let id = ObjectIdentifier(relationship)
        if let known = relationshipNumbers[id] { return known }
        relationships.append(relationship)
        relationshipNumbers[id] = Int64(relationships.count - 1)
        return Int64(relationships.count - 1)
    }

    func forEachList(_ body: (List) throws -> Void) throws {
        var number: Int64 = 0
        var list: List?
        try lists.forEachRow { row in
            guard let owner = entity(row.integer(2)) else { return }
            if row.integer(0) != number {
                if let list { try body(list) }
                number = row.integer(0)
                list = List(
                    relationship: relationships[Int(row.integer(1))], owner: owner, ownerKey: row.integer(3))
            }
            guard let destination = entity(row.integer(4)) else { return }
            list?.destinations.append(
                (ObjectReference(entity: destination.name, key: row.integer(5)), destination))
        }
        if let list { try body(list) }
    }
}
