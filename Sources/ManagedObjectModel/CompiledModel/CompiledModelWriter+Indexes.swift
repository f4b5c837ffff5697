import CocoaFoundation

extension CompiledModelWriter {
    /// The fetch indexes, compound indexes and uniqueness constraints of an entity, each kind if there are any.
    ///
    /// Apple's compiler writes indexes over several properties a second time, as compound indexes of older versions.
    /// Its framework makes an index of each property that its compiler marked as indexed, so that a store's copy has
    /// those as well, before the others.
    func indexFields(of entity: NSEntityDescription) throws -> ModelArchiveWriter.Fields {
        var fields: ModelArchiveWriter.Fields = []
        let indexes = form == .compiled ? entity.indexes : entity.impliedIndexes + entity.indexes
        if !indexes.isEmpty {
            let settings = OldIndexSettings(entity)
            let positions = try indexes.map { index in
                let isDerived = form == .compiled && settings.imply(index)
                return try add(index, of: entity, isDerived: isDerived)
            }
            fields.append(
                (
                    "NSFetchIndexDescriptions",
                    archive.addList(ModelArchiveWriter.Collection.mutableArray, positions)
                ))
        }
        var tuples = entity.indexedTuples.map(entity.propertyNames)
        var known = Set(tuples)
        for names in indexes.compactMap(\.plainNames) where names.count > 1 && known.insert(names).inserted {
            tuples.append(names)
        }
        if !indexes.isEmpty || !tuples.isEmpty { fields.append(("NSCompoundIndexes", addTuples(tuples))) }
        if !entity.uniquenessConstraints.isEmpty {
            fields.append(("NSUniqueTuples", addTuples(entity.uniquenessConstraintNames)))
        }
        return fields
    }

    /// - Parameter isDerived: whether the index stands for an older setting. Apple's compiler leaves such ones without
    ///   their entity.
    private func add(
        _ index: NSFetchIndexDescription, of entity: NSEntityDescription, isDerived: Bool
    ) throws -> Int {
        let name = "\(entity.name ?? "?").\(index.name)"
        let position = archive.reserve()
        let elements = try index.elements.map { element in
            var fields: ModelArchiveWriter.Fields = [
                ("NSFetchIndexDescription", .object(position)),
                ("NSPropertyName", .text(element.propertyName)),
                ("NSFetchIndexElementType", .number(Int(element.collationType.rawValue))),
                ("NSAscending", .flag(element.isAscending)),
            ]
            if element.isOverExpression, let description = element.property as? NSExpressionDescription {
                fields.append(("NSIndexedProperty", .object(try add(description, for: name))))
            }
            return archive.add(["NSFetchIndexElementDescription"], fields)
        }
        let predicate = try index.partialIndexPredicate.map { try add($0, for: name) }
        let owner = try self.position(of: entity, for: name)
        archive.fill(
            position, ["NSFetchIndexDescription"],
            [
                ("NSIndexName", .text(index.name)),
                ("NSEntity", isDerived ? .null : .object(owner)),
                ("NSIndexElements", archive.addList(ModelArchiveWriter.Collection.array, elements)),
                ("NSPartialIndexPredicate", predicate.map { .object($0) } ?? .null),
            ])
        return position
    }

    private func add(_ description: NSExpressionDescription, for element: String) throws -> Int {
        let expression = try description.expression.map { try add($0, for: element) }
        return archive.add(
            ["NSExpressionDescription", "NSPropertyDescription"],
            [
                ("NSEntity", .null),
                ("NSPropertyName", .text(description.name)),
                ("NSRenamingIdentifier", .text(description.renamingIdentifier)),
                ("NSIsOptional", .flag(true)),
                ("NSIsReadOnly", .flag(true)),
                ("_P", .number(PropertyBits.ofExpressions)),
                ("NSExpression", expression.map { .object($0) } ?? .null),
                ("NSExpressionType", .number(Int(description.expressionResultType.rawValue))),
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

extension NSFetchIndexDescription {
    /// What Apple's compiler calls the elements where it writes an index as an older setting, whatever its order and
    /// condition: the names of properties, and `self` and `entity` for what every row has.
    var columnNames: [String] {
        elements.map { element in
            guard element.isOverExpression,
                let expression = (element.property as? NSExpressionDescription)?.expression
            else { return element.propertyName ?? "" }
            switch expression.kind {
            case .evaluatedObject: return "self"
            case .keyPath(_, let path): return path
            default: return element.propertyName ?? ""
            }
        }
    }
}

extension NSEntityDescription {
    /// The names of the properties that an index is over alone. Apple's compiler marks these as indexed.
    var namesOfIndexedProperties: Set<String> {
        Set(indexes.compactMap(\.plainNames).filter { $0.count == 1 }.flatMap(\.self))
    }
}

/// The settings of an entity with which models requested indexes before there were fetch indexes.
private struct OldIndexSettings {
    private let tuples: Set<[String]>

    init(_ entity: NSEntityDescription) {
        let alone = entity.ownProperties.filter(\.isIndexedAlone).map { [$0.name] }
        tuples = Set(alone + entity.indexedTuples.map(entity.propertyNames))
    }

    /// Whether an index is the one that such a setting stands for.
    func imply(_ index: NSFetchIndexDescription) -> Bool {
        guard let names = index.plainNames, tuples.contains(names) else { return false }
        return index.name == names.joined(separator: "_")
    }
}
