import CocoaFoundation

extension CompiledModelWriter {
    /// The fetch indexes, compound indexes and uniqueness constraints of an entity, each kind if there are any.
    ///
    /// Apple's compiler writes indexes over several properties a second time, as compound indexes of older versions.
    /// Its framework makes an index of each property that its compiler marked as indexed, so that a store's copy has
    /// those as well, before the others.
    func indexFields(of entity: NSEntityDescription) throws -> ModelArchiveWriter.Fields {
        var fields: ModelArchiveWriter.Fields = []
        let indexes = form == .compiled ? entity.indexes : impliedIndexes(of: entity) + entity.indexes
        if !indexes.isEmpty {
            let places = try indexes.map { try add($0, of: entity) }
            fields.append(
                (
                    "NSFetchIndexDescriptions",
                    archive.addList(ModelArchiveWriter.Collection.mutableArray, places)
                ))
        }
        var tuples = entity.indexedTuples.map(entity.propertyNames)
        for names in indexes.compactMap(\.plainNames) where names.count > 1 && !tuples.contains(names) {
            tuples.append(names)
        }
        if !indexes.isEmpty || !tuples.isEmpty { fields.append(("NSCompoundIndexes", addTuples(tuples))) }
        if !entity.uniquenessConstraints.isEmpty {
            fields.append(("NSUniqueTuples", addTuples(entity.uniquenessConstraintNames)))
        }
        return fields
    }

    private func impliedIndexes(of entity: NSEntityDescription) -> [NSFetchIndexDescription] {
        guard entity.impliesPropertyIndexes else { return [] }
        let names = Set(entity.indexes.map(\.name))
        return entity.ownPropertiesByNameOrder
            .filter { $0.canBeIndexed && !names.contains($0.name) && entity.hasIndexOver($0) }
            .map { property in
                let element = NSFetchIndexElementDescription(
                    propertyName: property.name, collationType: .binary)
                return NSFetchIndexDescription(name: property.name, elements: [element])
            }
    }

    private func add(_ index: NSFetchIndexDescription, of entity: NSEntityDescription) throws -> Int {
        let name = "\(entity.name ?? "?").\(index.name)"
        let place = archive.reserve()
        let elements = try index.elements.map { element in
            var fields: ModelArchiveWriter.Fields = [
                ("NSFetchIndexDescription", .object(place)),
                ("NSPropertyName", .text(element.propertyName)),
                ("NSFetchIndexElementType", .number(Int(element.collationType.rawValue))),
                ("NSAscending", .flag(element.isAscending)),
            ]
            if element.isOverExpression, let description = element.property as? NSExpressionDescription {
                fields.append(("NSProperty", .object(try add(description, for: name))))
            }
            return archive.add(["NSFetchIndexElementDescription"], fields)
        }
        let predicate = try index.partialIndexPredicate.map { try add($0, for: name) }
        let owner = try self.place(of: entity, for: name)
        archive.fill(
            place, ["NSFetchIndexDescription"],
            [
                ("NSIndexName", .text(index.name)),
                ("NSEntity", form == .compiled && entity.isDerived(index) ? .null : .object(owner)),
                ("NSIndexElements", archive.addList(ModelArchiveWriter.Collection.array, elements)),
                ("NSPartialIndexPredicate", predicate.map { .object($0) } ?? .null),
            ])
        return place
    }

    private func add(_ description: NSExpressionDescription, for element: String) throws -> Int {
        let expression = try description.expression.map { try add($0, for: element) }
        return archive.add(
            ["NSExpressionDescription", "NSPropertyDescription"],
            [
                ("NSPropertyName", .text(description.name)),
                ("NSExpression", expression.map { .object($0) } ?? .null),
                ("NSExpressionResultType", .number(Int(description.expressionResultType.rawValue))),
            ])
    }
}

extension NSFetchIndexDescription {
    /// The names of the properties of an index that older versions could have: in ascending binary order of
    /// properties, for all objects. `nil` for any other.
    var plainNames: [String]? {
        guard partialIndexPredicate == nil,
            elements.allSatisfy({ $0.collationType == .binary && !$0.isOverExpression })
        else { return nil }
        return elements.compactMap(\.propertyName)
    }
}

extension NSEntityDescription {
    /// Whether an index stands for a property that is marked as indexed, or for a compound index. Apple's compiler
    /// leaves such ones without their entity.
    fileprivate func isDerived(_ index: NSFetchIndexDescription) -> Bool {
        guard let names = index.plainNames, index.name == names.joined(separator: "_") else { return false }
        if names.count == 1 { return ownProperties.contains { $0.name == names[0] && $0.isIndexedAlone } }
        return indexedTuples.map(propertyNames).contains(names)
    }

    /// Whether an index of the entity is over a property and nothing else. Apple's compiler marks it as indexed.
    func hasIndexOver(_ property: NSPropertyDescription) -> Bool {
        indexes.contains { $0.plainNames == [property.name] }
    }
}
