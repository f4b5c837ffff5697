import CoreDataSQL
import CoreData
import GRDB

/// What of a dump has to wait until all of its objects are there, in temporary tables: memory does not grow with it.
final class ImportSpool {
    /// What an object of the dump has for a to-many relationship.
    struct List {
        let relationship: NSRelationshipDescription
        let owner: SQLEntity
        let ownerKey: Int64
        var destinations: [(object: ObjectReference, entity: SQLEntity)] = []
    }

    private let database: Database
    private let schema: SQLSchema
    private var relationships: [NSRelationshipDescription] = []
    private var relationshipNumbers: [ObjectIdentifier: Int64] = [:]
    private var listCount: Int64 = 0

    private static let objects = "temp.OpenCoreDataWaitingObject"
    private static let references = "temp.OpenCoreDataWaitingReference"
    private static let lists = "temp.OpenCoreDataWaitingList"
    private static var tables: [String] { [objects, references, lists] }

    init(_ store: StoreImport) throws {
        database = store.snapshot.database
        schema = store.snapshot.schema
        for table in Self.tables { try database.execute(sql: "DROP TABLE IF EXISTS \(table)") }
        try database.execute(
            sql: """
                CREATE TABLE \(Self.objects) (entity TEXT, key INTEGER, json TEXT);
                CREATE TABLE \(Self.references) (owner INTEGER, key INTEGER, slot INTEGER, entity INTEGER, dump INTEGER);
                CREATE TABLE \(Self.lists) (
                    list INTEGER, relationship INTEGER, owner INTEGER, key INTEGER, entity INTEGER, dump INTEGER)
                """)
    }

    func removeTables() throws {
        for table in Self.tables { try database.execute(sql: "DROP TABLE \(table)") }
    }

    private func insert(_ table: String, _ arguments: StatementArguments, count: Int) throws {
        let places = Array(repeating: "?", count: count).joined(separator: ", ")
        try database.cachedStatement(sql: "INSERT INTO \(table) VALUES (\(places))").execute(
            arguments: arguments)
    }

    // MARK: Objects

    /// Keeps an object that has no key yet.
    func add(_ object: ObjectReference, _ values: [String: JSONValue]) throws {
        var json = JSONText()
        json.value(.object(values))
        try insert(Self.objects, [object.entity, object.key, json.text], count: 3)
    }

    func forEachObject(_ body: (ObjectReference, [String: JSONValue]) throws -> Void) throws {
        let rows = try GRDB.Row.fetchCursor(database, sql: "SELECT entity, key, json FROM \(Self.objects)")
        while let row = try rows.next() {
            guard let name = String.fromDatabaseValue(row[0]), let key = Int64.fromDatabaseValue(row[1]),
                let text = String.fromDatabaseValue(row[2]),
                case .object(let values) = try JSONValue(parsing: text)
            else { continue }
            try body(ObjectReference(entity: name, key: key), values)
        }
    }

    // MARK: To-one relationships

    /// Keeps what an object has for a to-one relationship: the destination has no key yet.
    func add(
        _ waiting: ObjectBuilder.WaitingReference, of key: Int64, _ entity: SQLEntity
    ) throws {
        try insert(
            Self.references,
            [
                Int64(entity.number), key, Int64(waiting.slot), Int64(waiting.entity.number),
                waiting.object.key,
            ], count: 5)
    }

    /// Hands out the entity, key and slot of what leads, and where to.
    func forEachReference(
        _ body: (SQLEntity, Int64, PropertySlot, ObjectReference, SQLEntity) throws -> Void
    ) throws {
        let rows = try GRDB.Row.fetchCursor(
            database, sql: "SELECT owner, key, slot, entity, dump FROM \(Self.references)")
        while let row = try rows.next() {
            let numbers = Array(row.databaseValues).compactMap { Int64.fromDatabaseValue($0) }
            guard numbers.count == 5, let owner = schema.entity(Int32(truncatingIfNeeded: numbers[0])),
                let entity = schema.entity(Int32(truncatingIfNeeded: numbers[3]))
            else { continue }
            try body(
                owner, numbers[1], owner.home.layout.slots[Int(numbers[2])],
                ObjectReference(entity: entity.name, key: numbers[4]), entity)
        }
    }

    // MARK: To-many relationships

    func add(_ list: List) throws {
        let relationship = number(list.relationship)
        listCount += 1
        // An empty list says something too.
        let places = list.destinations.map { (Int64($0.entity.number), $0.object.key) }
        for (entity, key) in places.isEmpty ? [(0, 0)] : places {
            try insert(
                Self.lists,
                [listCount, relationship, Int64(list.owner.number), list.ownerKey, entity, key], count: 6)
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
        let rows = try GRDB.Row.fetchCursor(
            database,
            sql: "SELECT list, relationship, owner, key, entity, dump FROM \(Self.lists) ORDER BY rowid")
        var number: Int64 = 0
        var list: List?
        while let row = try rows.next() {
            let numbers = Array(row.databaseValues).compactMap { Int64.fromDatabaseValue($0) }
            guard numbers.count == 6, let owner = schema.entity(Int32(truncatingIfNeeded: numbers[2])) else {
                continue
            }
            if numbers[0] != number {
                if let list { try body(list) }
                number = numbers[0]
                list = List(
                    relationship: relationships[Int(numbers[1])], owner: owner, ownerKey: numbers[3])
            }
            guard let entity = schema.entity(Int32(truncatingIfNeeded: numbers[4])) else { continue }
            list?.destinations.append((ObjectReference(entity: entity.name, key: numbers[5]), entity))
        }
        if let list { try body(list) }
    }
}
