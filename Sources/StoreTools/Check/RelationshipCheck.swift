import CoreDataSQL
import CoreData
import GRDB

/// Whether the foreign keys of an entity's rows lead to objects, and those lead back.
struct RelationshipCheck {
    private let snapshot: StoreSnapshot
    private let entity: SQLEntity
    private let examples: Examples
    private var schema: SQLSchema { snapshot.schema }

    init(_ snapshot: StoreSnapshot, _ entity: SQLEntity) {
        self.snapshot = snapshot
        self.entity = entity
        examples = Examples(snapshot.database, entity.name)
    }

    func findings() throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        for query in DanglingReferences(schema).toOne(of: entity) {
            findings += try examples.report(
                query.sql, .error, .danglingReference, property: query.property,
                "it leads to a key that no \(query.destination.name) has")
        }
        for query in DanglingReferences(schema).wrongEntities(of: entity) {
            findings += try examples.report(
                query.sql, .error, .wrongEntity, property: query.property,
                "it leads to a row that is not a \(query.destination.name), or of another entity than it says"
            )
        }
        for query in DanglingReferences(schema).oneSided(of: entity) {
            findings += try examples.report(
                query.sql, .error, .inverseMismatch, property: query.property,
                "it leads to an object whose '\(query.inverse)' does not lead back")
        }
        for slot in entity.home.layout.slots where slot.isStored && slot.kind == .toMany && slot.isOrdered {
            if let relationship = slot.relationship { findings += try orders(of: relationship, slot) }
        }
        return findings
    }

    /// Whatever is in an ordered relationship has a position in it.
    private func orders(
        of relationship: NSRelationshipDescription, _ slot: PropertySlot
    ) throws -> [StoreFinding] {
        guard relationship.entity === entity.home.entity, let links = schema.links(of: relationship),
            let order = links.order
        else { return [] }
        let (table, owner) = (schema.quoted(links.table), "l.\(schema.quoted(links.owner))")
        let place = "l.\(schema.quoted(order))"
        var findings = try examples.report(
            "SELECT \(owner) FROM \(table) l WHERE \(owner) NOT NULL AND \(place) IS NULL", .warning,
            .missingOrder, property: slot.name, "a destination has no place in the order")
        // A destination's key may be that of an owner of another entity, where both have this number.
        let number = links.ownerEntity.map { ", l.\(schema.quoted($0))" } ?? ""
        findings += try examples.report(
            """
            SELECT \(owner) FROM \(table) l WHERE \(owner) NOT NULL AND \(place) NOT NULL \
            GROUP BY \(owner)\(number), \(place) HAVING count(*) > 1
            """, .warning, .duplicateOrder, property: slot.name,
            "several destinations have the same place in the order")
        return findings
    }
}

/// Whether the rows of join tables lead to objects. Apple's framework leaves some that no object shows.
struct JoinTableCheck {
    private let snapshot: StoreSnapshot
    private var schema: SQLSchema { snapshot.schema }

    init(_ snapshot: StoreSnapshot) { self.snapshot = snapshot }

    func findings() throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        for entity in schema.entities {
            let inherited = entity.home.layout.superlayout?.slots.count ?? 0
            for slot in entity.home.layout.slots[inherited...] where slot.kind == .toMany && slot.isStored {
                guard let relationship = slot.relationship, relationship.keepsOwnLinks,
                    let links = schema.links(of: relationship)
                else { continue }
                findings += try ends(of: relationship, links, entity)
                if links.kind == .joinTable { findings += try duplicates(relationship, links, entity) }
            }
        }
        return findings
    }

    private func ends(
        of relationship: NSRelationshipDescription, _ links: SQLLinks, _ entity: SQLEntity
    ) throws -> [StoreFinding] {
        guard let destination = relationship.destinationEntity.flatMap(schema.entity(of:)) else { return [] }
        var findings: [StoreFinding] = []
        let table = schema.quoted(links.table)
        let ends = [
            (links.owner, entity, entity.name),
            (links.destination, destination, relationship.destinationEntity?.name ?? ""),
        ]
        for (column, end, name) in ends where links.kind == .joinTable || column == links.owner {
            let key = "l.\(schema.quoted(column))"
            let family = end.familyNumbers.map(String.init).joined(separator: ", ")
            let isSet = links.kind == .joinTable ? "1" : "\(key) NOT NULL"
            findings += try Examples(snapshot.database, name).report(
                """
                SELECT \(key) FROM \(table) l WHERE \(isSet) AND NOT EXISTS \
                (SELECT 1 FROM \(schema.quoted(end.table)) d WHERE d.Z_PK = \(key) AND d.Z_ENT IN (\(family)))
                """, .warning, .danglingLink, property: nil,
                "a link is left in table \(links.table) of a \(name) that is not there any more"
            )
            .map { finding in
                var finding = finding
                finding.entity = entity.name
                finding.property = relationship.name
                return finding
            }
        }
        return findings
    }

    /// Tables of old stores have no key that keeps a pair from being there twice.
    private func duplicates(
        _ relationship: NSRelationshipDescription, _ links: SQLLinks, _ entity: SQLEntity
    ) throws -> [StoreFinding] {
        let (first, second) = (schema.quoted(links.owner), schema.quoted(links.destination))
        return try Examples(snapshot.database, entity.name).report(
            """
            SELECT \(first) FROM \(schema.quoted(links.table)) GROUP BY \(first), \(second) HAVING count(*) > 1
            """, .warning, .duplicateLink, property: relationship.name, "a link is there more than once")
    }
}
