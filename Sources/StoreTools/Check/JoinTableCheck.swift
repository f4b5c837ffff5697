import CoreDataSQL
import CoreData

/// Whether the rows of join tables lead to objects. Apple's framework leaves some that no object shows.
struct JoinTableCheck {
    private let contents: any StoreContents
    private var schema: SQLSchema { contents.schema }

    init(_ contents: any StoreContents) { self.contents = contents }

    func findings() throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        for entity in schema.entities {
            let inherited = entity.storedEntity.layout.superlayout?.slots.count ?? 0
            for slot in entity.storedEntity.layout.slots[inherited...]
            where slot.kind == .toMany && slot.isStored {
                guard let relationship = slot.relationship, relationship.keepsOwnLinks,
                    let links = schema.links(of: relationship)
                else { continue }
                findings += try ends(of: relationship, links, entity)
                guard links.kind == .joinTable else { continue }
                let rows = try contents.connection.found(RowFaults(schema).duplicateLinks(links))
                let finding = StoreFinding(
                    .warning, .duplicateLink, rows, of: entity.name, property: relationship.name,
                    "a link is stored more than once")
                if let finding { findings.append(finding) }
            }
        }
        return findings
    }

    private func ends(
        of relationship: NSRelationshipDescription, _ links: SQLLinks, _ entity: SQLEntity
    ) throws -> [StoreFinding] {
        guard let destination = relationship.destinationEntity.flatMap(schema.entity(of:)) else { return [] }
        var findings: [StoreFinding] = []
        let ends = [
            (links.owner, entity, entity.name),
            (links.destination, destination, relationship.destinationEntity?.name ?? ""),
        ]
        for (column, end, name) in ends where links.kind == .joinTable || column == links.owner {
            let rows = try contents.connection.found(RowFaults(schema).danglingLinks(links, column, end))
            let finding = StoreFinding(
                .warning, .danglingLink, rows, of: name, property: relationship.name,
                "a link is left in table \(links.table) of a \(name) that does not exist any more")
            guard var finding else { continue }
            finding.entity = entity.name
            findings.append(finding)
        }
        return findings
    }
}
