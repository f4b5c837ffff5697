import CocoaFoundation

extension ModelBuilder {
    /// Makes a relationship, not yet connected to its destination.
    func relationship(_ settings: ElementSettings) throws -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        let isToMany = try settings.flag("toMany")
        relationship.maxCount = try settings.countIfPresent("maxCount") ?? (isToMany ? 0 : 1)
        relationship.minCount = try settings.countIfPresent("minCount") ?? 0
        relationship.isOrdered = try settings.flag("ordered")
        relationship.isSyncable = try settings.flag("syncable")
        let rule = settings.text("deletionRule") ?? "Nullify"
        guard let deleteRule = Self.deleteRules[rule] else {
            throw settings.error(.invalidValue, "the delete rule '\(rule)' is unknown")
        }
        relationship.deleteRule = deleteRule
        return relationship
    }

    private static let deleteRules: [String: NSDeleteRule] = [
        "No Action": .noActionDeleteRule,
        "Nullify": .nullifyDeleteRule,
        "Cascade": .cascadeDeleteRule,
        "Deny": .denyDeleteRule,
    ]

    /// The relationships that each entity itself declares, by name.
    func ownRelationships() -> [ObjectIdentifier: [String: NSRelationshipDescription]] {
        var tables: [ObjectIdentifier: [String: NSRelationshipDescription]] = [:]
        for entity in entities.values {
            let own = entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }
            tables[ObjectIdentifier(entity)] = Dictionary(own.map { ($0.name, $0) }) { first, _ in first }
        }
        return tables
    }

    /// Connects the relationships of an entity with their destinations and inverses.
    func connectRelationships(
        of entity: NSEntityDescription, _ element: ModelElement,
        among relationships: [ObjectIdentifier: [String: NSRelationshipDescription]]
    ) throws {
        let own = relationships[ObjectIdentifier(entity)] ?? [:]
        for child in element.children(named: "relationship") {
            let settings = ElementSettings(child, in: entity.name)
            guard let relationship = own[child["name"] ?? ""] else { continue }
            let destinationName = try settings.required("destinationEntity")
            guard let destination = entities[destinationName] else {
                throw settings.error(.unknownName, "the destination '\(destinationName)' is not in the model")
            }
            relationship.destinationEntity = destination
            guard let inverseName = settings.text("inverseName") else {
                guard let inverseEntity = settings.text("inverseEntity") else { continue }
                throw settings.error(
                    .missingValue, "'inverseEntity' is '\(inverseEntity)', but there is no 'inverseName'")
            }
            // Looked up level by level: making the table of all relationships for each of them would take a
            // time that grows with the square of their number.
            let inverse = destination.lineage.reversed().lazy
                .compactMap { relationships[ObjectIdentifier($0)]?[inverseName] }.first
            guard let inverse else {
                throw settings.error(
                    .unknownName, "the inverse '\(inverseName)' is not a relationship of '\(destinationName)'"
                )
            }
            if let entityName = settings.text("inverseEntity"), inverse.owner?.name != entityName {
                throw settings.error(
                    .unknownName,
                    "the inverse '\(inverseName)' of '\(destinationName)' is declared by "
                        + "'\(inverse.owner?.name ?? "?")', not by '\(entityName)'")
            }
            relationship.inverseRelationship = inverse
        }
    }
}
