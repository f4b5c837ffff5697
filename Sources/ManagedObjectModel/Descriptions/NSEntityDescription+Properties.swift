import CocoaFoundation

extension NSEntityDescription {
    /// The relationships, inherited ones included, whose destination is the entity.
    public func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
        properties.compactMap { $0 as? NSRelationshipDescription }.filter { $0.destinationEntity == entity }
    }

    /// All properties in a fixed order: those of the superentity first, in its order, then the entity's own
    /// by name.
    ///
    /// An index into the list of an entity is valid in the lists of its subentities as well.
    package var allProperties: [NSPropertyDescription] {
        if let tables { return tables.allProperties }
        return lineage.flatMap { $0.ownPropertiesByNameOrder }
    }

    /// The entity's own properties in the order of their names, compared byte by byte.
    var ownPropertiesByNameOrder: [NSPropertyDescription] {
        ownProperties.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// The properties that come from the superentity, in the order of `properties`.
    var inheritedProperties: [NSPropertyDescription] {
        lineage.dropLast().flatMap(\.ownProperties)
    }

    /// Whether the property is the entity's or one that it inherits.
    package func hasProperty(_ property: NSPropertyDescription) -> Bool {
        lineage.contains { $0 === property.owner }
    }

    /// Replaces the entity's own properties; inherited ones in the array are left out.
    func setOwnProperties(_ new: [NSPropertyDescription]) {
        let ancestors = lineage.dropLast()
        let own = new.filter { property in !ancestors.contains { $0 === property.owner } }
        for property in ownProperties where property.owner === self { property.owner = nil }
        for property in own {
            if let owner = property.owner, owner !== self {
                fatalError(
                    "Property '\(property.name)' belongs to entity '\(owner.name ?? "?")' already: add a copy of it "
                        + "to entity '\(name ?? "?")'")
            }
            property.owner = self
        }
        ownProperties = own
    }

    /// The names that a tuple of names and descriptions means.
    func propertyNames(_ tuple: [Any]) -> [String] {
        tuple.compactMap { ($0 as? NSPropertyDescription)?.name ?? $0 as? String }
    }

    /// The uniqueness constraints that the entity itself declares, as names.
    package var uniquenessConstraintNames: [[String]] { uniquenessConstraints.map(propertyNames) }

    /// All indexes that a store keeps for the entity, of each name one: `indexes`, the ones from the deprecated setting
    /// `compoundIndexes`, under the names that Apple's model compiler gives to them, and the ones that follow
    /// from its marks, see ``impliesPropertyIndexes``.
    package var storeIndexes: [NSFetchIndexDescription] { tables?.storeIndexes ?? indexesForStores(indexes) }

    func indexesForStores(_ indexes: [NSFetchIndexDescription]) -> [NSFetchIndexDescription] {
        let old = indexesOfOldSettings(ownPropertiesByNameOrder, besides: indexes.map(\.name))
        let more = old + impliedIndexes
        for index in more { index.join(self) }
        var names: Set<String> = []
        return (indexes + more).filter { names.insert($0.name).inserted }
    }

    /// An index of each property that a fetch index of another name is over alone, where Apple's framework makes one.
    var impliedIndexes: [NSFetchIndexDescription] {
        guard impliesPropertyIndexes else { return [] }
        let names = Set(indexes.map(\.name))
        let indexed = namesOfIndexedProperties
        return
            ownPropertiesByNameOrder
            .filter { $0.canBeIndexed && !names.contains($0.name) && indexed.contains($0.name) }
            .map { property in
                let element = NSFetchIndexElementDescription(
                    propertyName: property.name, collationType: .binary)
                return NSFetchIndexDescription(name: property.name, elements: [element])
            }
    }

    /// The indexes that the settings `isIndexed` and `compoundIndexes` stand for, in the order of the
    /// properties.
    ///
    /// - Parameters:
    ///   - properties: the entity's own properties in the order that counts; in the order of the entity if missing.
    ///   - names: the names of indexes that there are already and that are not made once more.
    func indexesOfOldSettings(
        _ properties: [NSPropertyDescription]? = nil, besides names: [String]
    ) -> [NSFetchIndexDescription] {
        let alone = indexesOfMarks(properties, besides: names)
        return alone
            + indexes(over: indexedTuples.map(propertyNames), besides: names + alone.map(\.name))
    }

    /// The indexes that the setting `isIndexed` stands for.
    func indexesOfMarks(
        _ properties: [NSPropertyDescription]? = nil, besides names: [String]
    ) -> [NSFetchIndexDescription] {
        let marked = (properties ?? ownProperties).filter { $0.isIndexedAlone && $0.canBeIndexed }
        return marked.isEmpty ? [] : indexes(over: marked.map { [$0.name] }, besides: names)
    }

    private func indexes(over tuples: [[String]], besides names: [String]) -> [NSFetchIndexDescription] {
        var taken = Set(names)
        return tuples.compactMap { names in
            let name = names.joined(separator: "_")
            guard !names.isEmpty, taken.insert(name).inserted else { return nil }
            let elements = names.map {
                NSFetchIndexElementDescription(propertyName: $0, collationType: .binary)
            }
            return NSFetchIndexDescription(name: name, elements: elements)
        }
    }

    /// Whether the settings are the same. What only concerns the files of the model editor, such as the kind of
    /// code to generate, is left out: a compiled model does not have it and is the same model.
    func hasSameSettings(as other: NSEntityDescription) -> Bool {
        name == other.name
            && managedObjectClassName == other.managedObjectClassName
            && isAbstract == other.isAbstract
            && superentity?.name == other.superentity?.name
            && Set(subentities.map(\.name)) == Set(other.subentities.map(\.name))
            && versionHashModifier == other.versionHashModifier
            && renamingIdentifier == other.renamingIdentifier
            && areEqual(userInfo ?? [:], other.userInfo ?? [:])
            && uniquenessConstraintNames == other.uniquenessConstraintNames
            && indexes == other.indexes
            && indexedTuples.map(propertyNames) == other.indexedTuples.map(other.propertyNames)
            && areEqual(spotlightExpression, other.spotlightExpression)
            && ownPropertiesByNameOrder == other.ownPropertiesByNameOrder
    }
}

extension NSPropertyDescription {
    /// Whether a store has a column for the property. The model editor of old lets anything be marked as
    /// indexed.
    var canBeIndexed: Bool {
        if let relationship = self as? NSRelationshipDescription, relationship.isToMany { return false }
        return !isTransient && !isFetched
    }
}
