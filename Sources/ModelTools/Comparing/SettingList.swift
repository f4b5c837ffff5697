import ManagedObjectModel

/// The settings of a description by Apple's names, with their values as text.
struct SettingList {
    typealias Entry = (name: String, value: String?)

    private(set) var settings: [Entry] = []

    private mutating func add(_ name: String, _ value: String?) { settings.append((name, value)) }
    private mutating func add(_ name: String, _ value: Bool) { settings.append((name, value ? "YES" : "NO")) }

    // MARK: Entities

    init(entity: NSEntityDescription) {
        add("managedObjectClassName", entity.managedObjectClassName)
        add("isAbstract", entity.isAbstract)
        add("superentity", entity.superentity?.name)
        add("versionHashModifier", entity.versionHashModifier)
        add("renamingIdentifier", entity.renamingIdentifier)
        add("uniquenessConstraints", Self.list(entity.uniquenessConstraintNames.map(Self.tuple)))
        for index in entity.indexes { add("index '\(index.name)'", Self.text(of: index)) }
        add("compoundIndexes", Self.list(entity.indexedTuples.map { Self.tuple($0.map(Self.name)) }))
        add("coreSpotlightDisplayNameExpression", entity.spotlightExpression?.description)
        add("userInfo", ValueText.text(of: entity.userInfo))
        add("codeGenerationType", entity.codeGenerationType)
        add("syncable", entity.isSyncable)
    }

    private static func text(of index: NSFetchIndexDescription) -> String {
        let elements = index.elements.map { element in
            let expression = (element.property as? NSExpressionDescription)?.expression?.description
            let words = [
                expression ?? element.propertyName ?? "?", element.collationType == .rTree ? "R-tree" : nil,
                element.isAscending ? nil : "descending",
            ]
            return words.compactMap { $0 }.joined(separator: " ")
        }
        let condition = index.partialIndexPredicate.map { " where \($0.formatString)" } ?? ""
        return elements.joined(separator: ", ") + condition
    }

    private static func name(_ element: Any) -> String {
        (element as? NSPropertyDescription)?.name ?? element as? String ?? "?"
    }

    private static func tuple(_ names: [String]) -> String { "(" + names.joined(separator: ", ") + ")" }

    private static func list(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    // MARK: Properties

    init(property: NSPropertyDescription) {
        add("isOptional", property.isOptional)
        add("isTransient", property.isTransient)
        switch property {
        case let attribute as NSAttributeDescription: add(attribute)
        case let relationship as NSRelationshipDescription: add(relationship)
        case let fetched as NSFetchedPropertyDescription:
            if let request = fetched.fetchRequest { settings += SettingList(request: request).settings }
            add("syncable", fetched.isSyncable)
        default: break
        }
        add("isIndexed", property.isIndexedAlone)
        add("isIndexedBySpotlight", property.isIndexedBySpotlight)
        add("isStoredInExternalRecord", property.isInExternalRecord)
        add("versionHashModifier", property.versionHashModifier)
        add("renamingIdentifier", property.renamingIdentifier)
        let warnings = property.validationWarnings
        add(
            "validationPredicates",
            Self.list(
                property.validationPredicates.enumerated().map { index, predicate in
                    let warning = warnings.indices.contains(index) ? " [\(warnings[index])]" : ""
                    return predicate.formatString + warning
                }))
        add("userInfo", ValueText.text(of: property.userInfo))
    }

    private mutating func add(_ attribute: NSAttributeDescription) {
        add("attributeType", attribute.attributeType.displayName)
        add("attributeValueClassName", attribute.attributeValueClassName)
        add("defaultValue", attribute.defaultValue.map(ValueText.text))
        add("valueTransformerName", attribute.valueTransformerName)
        add("allowsExternalBinaryDataStorage", attribute.allowsExternalBinaryDataStorage)
        add("preservesValueInHistoryOnDeletion", attribute.preservesValueInHistoryOnDeletion)
        add("allowsCloudEncryption", attribute.allowsCloudEncryption)
        add("usesScalarValueType", attribute.usesScalarValueType.map { $0 ? "YES" : "NO" })
        add("syncable", attribute.isSyncable)
        if let derived = attribute as? NSDerivedAttributeDescription {
            add("derivationExpression", derived.derivationExpression?.description)
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            add("elements", Self.list(Self.elements(composite, inside: [])))
        }
    }

    /// The elements with their types and what else their settings say. One that contains itself is left out inside.
    private static func elements(
        _ composite: NSCompositeAttributeDescription, inside enclosing: [NSCompositeAttributeDescription]
    ) -> [String] {
        let path = enclosing + [composite]
        return composite.elements.flatMap { element -> [String] in
            if let nested = element as? NSCompositeAttributeDescription {
                guard !path.contains(where: { $0 === nested }) else { return [] }
                return elements(nested, inside: path).map { "\(nested.name).\($0)" }
            }
            let words = [
                element.name, element.attributeType.displayName, element.isOptional ? "optional" : nil,
                element.defaultValue.map { "= \(ValueText.text($0))" },
            ]
            return [words.compactMap { $0 }.joined(separator: " ")]
        }
    }

    private mutating func add(_ relationship: NSRelationshipDescription) {
        add("destinationEntity", relationship.destinationEntityName)
        add("inverseRelationship", relationship.inverseRelationshipName)
        add("deleteRule", relationship.deleteRule.displayName)
        add("minCount", "\(relationship.minCount)")
        add("maxCount", "\(relationship.maxCount)")
        add("isOrdered", relationship.isOrdered)
        add("syncable", relationship.isSyncable)
    }

    // MARK: Fetch requests

    init(request: NSFetchRequest<any NSFetchRequestResult>) {
        add("entity", request.entityName)
        add("predicate", request.predicate?.formatString)
        let order = (request.sortDescriptors ?? []).map {
            "\($0.key ?? "?") \($0.ascending ? "ascending" : "descending")"
        }
        add("sortDescriptors", Self.list(order))
        add("fetchLimit", "\(request.fetchLimit)")
        add("fetchOffset", "\(request.fetchOffset)")
        add("fetchBatchSize", "\(request.fetchBatchSize)")
        add("resultType", "\(request.resultType.rawValue)")
        add("includesSubentities", request.includesSubentities)
        add("includesPropertyValues", request.includesPropertyValues)
        add("includesPendingChanges", request.givenIncludesPendingChanges)
        add("returnsObjectsAsFaults", request.returnsObjectsAsFaults)
        add("returnsDistinctResults", request.returnsDistinctResults)
    }
}
