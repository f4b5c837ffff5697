import CoreDataSQL
import CoreData
import GRDB

/// Whether the rows of an entity are ones that its model allows.
struct EntityCheck {
    private let snapshot: StoreSnapshot
    private let entity: SQLEntity
    private var schema: SQLSchema { snapshot.schema }

    init(_ snapshot: StoreSnapshot, _ entity: SQLEntity) {
        self.snapshot = snapshot
        self.entity = entity
    }

    func findings() throws -> [StoreFinding] {
        var findings = try numbers()
        if entity.home.entity.superentity == nil { findings += try unknownEntities() }
        guard !entity.home.entity.isAbstract else { return findings }
        for column in entity.columns where column.role == .value {
            let slot = entity.home.layout.slots[column.slot]
            findings += try invalidValues(column, slot)
            if column.rowSlot == column.slot, !slot.property.isOptional, !slot.isDerived {
                findings += try missingValues(column, slot)
            }
        }
        return findings
    }

    /// `Z_PRIMARYKEY` has the entity under its number.
    private func numbers() throws -> [StoreFinding] {
        let row = try GRDB.Row.fetchOne(
            snapshot.database, sql: "SELECT Z_ENT, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_NAME = ?",
            arguments: [entity.name])
        let parent = entity.home.entity.superentity.flatMap(schema.entity(of:))?.number ?? 0
        let found = row.flatMap { Int64.fromDatabaseValue($0[0]) }
        let foundParent = row.flatMap { Int64.fromDatabaseValue($0[1]) } ?? 0
        guard let found else {
            return [
                StoreFinding(
                    .error, .entityNumbers, entity: entity.name, "Z_PRIMARYKEY does not have the entity")
            ]
        }
        guard found == Int64(entity.number), foundParent == Int64(parent) else {
            return [
                StoreFinding(
                    .error, .entityNumbers, entity: entity.name,
                    "Z_PRIMARYKEY has number \(found), superentity \(foundParent); the model has \(entity.number), \(parent)"
                )
            ]
        }
        return []
    }

    /// Rows of a table whose entity is not one of the table's, or abstract.
    private func unknownEntities() throws -> [StoreFinding] {
        let concrete = entity.familyNumbers.filter {
            schema.entity($0).map { !$0.home.entity.isAbstract } ?? false
        }
        let list = concrete.map(String.init).joined(separator: ", ")
        return try report(
            "FROM \(schema.quoted(entity.table)) s WHERE s.Z_ENT IS NULL OR s.Z_ENT NOT IN (\(list))", .error,
            .unknownEntity, property: nil, "rows of table \(entity.table) are of no entity that it is for")
    }

    private func missingValues(_ column: SQLColumn, _ slot: PropertySlot) throws -> [StoreFinding] {
        try report(
            "\(source) AND s.\(schema.quoted(column.name)) IS NULL", .warning, .mandatoryValue,
            property: slot.name, "there is no value, and the model demands one")
    }

    /// Values that cannot be read as what the model says they are.
    private func invalidValues(_ column: SQLColumn, _ slot: PropertySlot) throws -> [StoreFinding] {
        try Examples(snapshot.database, entity.name).report(
            MistypedValues(snapshot, entity).objects(column), .error, .invalidValue, property: slot.name,
            "the value is not of the type that the model says")
    }

    private var source: String {
        "FROM \(schema.quoted(entity.table)) s WHERE s.Z_ENT = \(entity.number)"
    }

    private func report(
        _ source: String, _ severity: StoreFinding.Severity, _ code: StoreFinding.Code, property: String?,
        _ message: String
    ) throws -> [StoreFinding] {
        try Examples(snapshot.database, entity.name).report(
            "SELECT s.Z_PK \(source)", severity, code, property: property, message)
    }
}

/// Counts the rows that a statement finds, and names the first of them.
struct Examples {
    private static let limit = 5
    private let database: Database
    private let entity: String

    init(_ database: Database, _ entity: String) {
        self.database = database
        self.entity = entity
    }

    /// - Parameter sql: a statement whose rows begin with the key of an object.
    func report(
        _ sql: String, _ severity: StoreFinding.Severity, _ code: StoreFinding.Code, property: String?,
        _ message: String
    ) throws -> [StoreFinding] {
        let rows = try GRDB.Row.fetchCursor(database, sql: sql)
        return try report(
            { try rows.next().map { Int64.fromDatabaseValue($0[0]) } }, severity, code, property: property,
            message)
    }

    /// - Parameter next: gives the key of an object after the other, or nil in it for one that has none.
    func report(
        _ next: () throws -> Int64??, _ severity: StoreFinding.Severity, _ code: StoreFinding.Code,
        property: String?, _ message: String
    ) throws -> [StoreFinding] {
        var count = 0
        var examples: [String] = []
        while let key = try next() {
            count += 1
            guard examples.count < Self.limit, let key else { continue }
            let object = "\(ObjectReference(entity: entity, key: key))"
            if !examples.contains(object) { examples.append(object) }
        }
        guard count > 0 else { return [] }
        return [
            StoreFinding(
                severity, code, entity: entity, property: property, count: count, objects: examples,
                message)
        ]
    }
}
