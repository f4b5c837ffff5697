import CoreDataSQL
import CoreData

/// Whether the rows of an entity are ones that its model allows.
struct EntityCheck {
    private let contents: any StoreContents
    private let entity: SQLEntity
    private var schema: SQLSchema { contents.schema }

    init(_ contents: any StoreContents, _ entity: SQLEntity) {
        self.contents = contents
        self.entity = entity
    }

    func findings() throws -> [StoreFinding] {
        var findings = try numbers()
        if entity.storedEntity.entity.superentity == nil { findings += try unknownEntities() }
        guard !entity.storedEntity.entity.isAbstract else { return findings }
        for column in entity.columns where column.role == .value {
            let slot = entity.storedEntity.layout.slots[column.slot]
            findings += try invalidValues(column, slot)
            if column.rowSlot == column.slot, !slot.property.isOptional, !slot.isDerived {
                findings += try missingValues(column, slot)
            }
        }
        return findings
    }

    /// `Z_PRIMARYKEY` has the entity under its number.
    private func numbers() throws -> [StoreFinding] {
        var row: (number: Int64?, parent: Int64?)?
        try contents.connection.forEachRow(of: RowFaults(schema).numbers(of: entity)) {
            row = row ?? ($0.wholeNumber(0), $0.wholeNumber(1))
        }
        let parent = entity.storedEntity.entity.superentity.flatMap(schema.entity(of:))?.number ?? 0
        let foundParent = row?.parent ?? 0
        guard let found = row?.number else {
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

    /// Rows of a table whose number is not that of one of the table's entities, or of an abstract one.
    private func unknownEntities() throws -> [StoreFinding] {
        try report(
            RowFaults(schema).unknownEntities(of: entity), .error, .unknownEntity, property: nil,
            entity.sharesTable || entity.storedEntity.entity.isAbstract
                ? "rows of table \(entity.table) belong to none of its entities"
                : "rows of table \(entity.table) have another number than its entity; it is not read")
    }

    private func missingValues(_ column: SQLColumn, _ slot: PropertySlot) throws -> [StoreFinding] {
        try report(
            RowFaults(schema).missingValues(column, of: entity), .warning, .mandatoryValue,
            property: slot.name, "the value is missing, and the model requires one")
    }

    /// Values that cannot be read as what the model says they are.
    private func invalidValues(_ column: SQLColumn, _ slot: PropertySlot) throws -> [StoreFinding] {
        var rows = FoundRows()
        try contents.forEachMistypedRow(of: entity, column, keys: nil) { key in
            rows.add(key)
            return true
        }
        let finding = StoreFinding(
            .error, .invalidValue, rows, of: entity.name, property: slot.name,
            "the value is not of the type in the model")
        return [finding].compactMap(\.self)
    }

    private func report(
        _ statement: SQLStatement, _ severity: StoreFinding.Severity, _ code: StoreFinding.Code,
        property: String?, _ message: String
    ) throws -> [StoreFinding] {
        let rows = try contents.connection.found(statement)
        return [StoreFinding(severity, code, rows, of: entity.name, property: property, message)].compactMap(
            \.self)
    }
}

extension StoreFinding {
    /// - Parameters:
    ///   - rows: those concerned.
    ///   - entity: the entity whose objects have the keys.
    /// - Returns: nil for no rows.
    init?(
        _ severity: Severity, _ code: Code, _ rows: FoundRows, of entity: String, property: String? = nil,
        _ message: String
    ) {
        guard !rows.isEmpty else { return nil }
        self.init(
            severity, code, entity: entity, property: property, count: rows.count,
            objects: rows.keys.map { "\(ObjectReference(entity: entity, key: $0))" }, message)
    }
}
