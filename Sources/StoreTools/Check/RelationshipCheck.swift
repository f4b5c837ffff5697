import CoreDataSQL
import CoreData

/// Whether the foreign keys of an entity's rows lead to objects, and those lead back.
struct RelationshipCheck {
    private let contents: any StoreContents
    private let entity: SQLEntity
    private var schema: SQLSchema { contents.schema }

    init(_ contents: any StoreContents, _ entity: SQLEntity) {
        self.contents = contents
        self.entity = entity
    }

    func findings() throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        for query in ReferenceFaults(schema).dangling(of: entity) {
            findings += try report(
                query.all, .error, .danglingReference, query.property,
                "it leads to a key that no \(query.destination.name) has")
        }
        for query in ReferenceFaults(schema).wrongEntities(of: entity) {
            findings += try report(
                query.all, .error, .wrongEntity, query.property,
                "it leads to a row that is not a \(query.destination.name), or not of the entity that is stored with the key"
            )
        }
        for query in ReferenceFaults(schema).oneSided(of: entity) {
            findings += try report(
                query.all, .error, .inverseMismatch, query.property,
                "it leads to an object whose '\(query.inverse)' does not lead back")
        }
        for slot in entity.storedEntity.layout.slots
        where slot.isStored && slot.kind == .toMany && slot.isOrdered {
            if let relationship = slot.relationship { findings += try orders(of: relationship, slot) }
        }
        return findings
    }

    /// Whatever is in an ordered relationship has a position in it.
    private func orders(
        of relationship: NSRelationshipDescription, _ slot: PropertySlot
    ) throws -> [StoreFinding] {
        guard relationship.entity === entity.storedEntity.entity, let links = schema.links(of: relationship),
            let order = links.order
        else { return [] }
        return try report(
            RowFaults(schema).missingPositions(links, order), .warning, .missingOrder, slot.name,
            "a destination has no position in the order")
            + report(
                RowFaults(schema).sharedPositions(links, order), .warning, .duplicateOrder, slot.name,
                "several destinations have the same position in the order")
    }

    private func report(
        _ statement: SQLStatement, _ severity: StoreFinding.Severity, _ code: StoreFinding.Code,
        _ property: String, _ message: String
    ) throws -> [StoreFinding] {
        let rows = try contents.connection.found(statement)
        return [StoreFinding(severity, code, rows, of: entity.name, property: property, message)].compactMap(
            \.self)
    }
}
