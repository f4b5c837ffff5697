import CocoaFoundation

extension NSEntityDescription {
    /// What the version hash of the entity depends on for which no hash of Apple's framework is at hand, so that ours
    /// may differ from Apple's: in words, sorted. Empty for almost all entities.
    ///
    /// - Complexity: O(*p*) of the properties, inherited ones included.
    package var uncertainHashRules: [String] {
        var found: Set<String> = []
        for ancestor in lineage {
            if let name = ancestor.name, !name.utf8.allSatisfy({ $0 < 0x80 }) {
                found.insert(Rule.foreignName)
            }
            let constraints = ancestor.uniquenessConstraintNames.map { $0.joined(separator: ".") }
            if Set(constraints).count > 1 { found.insert(Rule.constraints) }
            for property in ancestor.ownProperties where !property.isTransient {
                found.formUnion(property.uncertainHashRules)
            }
        }
        var names: Set<String> = []
        for property in lineage.flatMap(\.ownProperties) where !names.insert(property.name).inserted {
            found.insert(Rule.redefinition)
        }
        return found.sorted()
    }
}

extension NSPropertyDescription {
    fileprivate var uncertainHashRules: [String] {
        var found: [String] = []
        if !name.utf8.allSatisfy({ $0 < 0x80 }) { found.append(Rule.foreignName) }
        if isMarkedReadOnly { found.append(Rule.readOnly) }
        switch self {
        case let derived as NSDerivedAttributeDescription:
            if derived.filteringPredicate != nil || derived.versionHashModifier != nil {
                found.append(Rule.derivedSettings)
            }
            switch derived.derivation {
            case .now, .value, .text(.canonical, _), .aggregate(.count, _): break
            default: found.append(Rule.function)
            }
        case let composite as NSCompositeAttributeDescription:
            for element in composite.elements {
                if element is NSCompositeAttributeDescription { found.append(Rule.nesting) }
                if element.versionHashModifier != nil || element.allowsExternalBinaryDataStorage
                    || element.preservesValueInHistoryOnDeletion || element is NSDerivedAttributeDescription
                {
                    found.append(Rule.elementSettings)
                }
            }
        case let attribute as NSAttributeDescription:
            if attribute.attributeType == .objectIDAttributeType { found.append(Rule.objectID) }
            if attribute.allowsExternalBinaryDataStorage && attribute.preservesValueInHistoryOnDeletion {
                found.append(Rule.externalAndPreserved)
            }
        case let relationship as NSRelationshipDescription:
            if relationship.minCount > 1 || relationship.maxCount > 1 { found.append(Rule.counts) }
        default: break
        }
        return found
    }
}

private enum Rule {
    static let foreignName = "names beyond ASCII"
    static let constraints = "several uniqueness constraints"
    static let redefinition = "redefined properties"
    static let readOnly = "read-only properties"
    static let derivedSettings = "derived attributes with a predicate or hash modifier"
    static let function = "derivations by other functions than now, canonical: and count:"
    static let nesting = "nested composite attributes"
    static let elementSettings = "elements of composite attributes with settings of their own"
    static let objectID = "attributes for object IDs"
    static let externalAndPreserved = "values that are both external and preserved after deletion"
    static let counts = "relationships with counts above 1"
}
