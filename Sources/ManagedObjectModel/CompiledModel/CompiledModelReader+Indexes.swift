import CocoaFoundation

extension CompiledModelReader {
    /// Adds the fetch indexes, the compound indexes of older versions and the uniqueness constraints of an entity.
    ///
    /// Apple's compiler also marks properties as indexed, and writes compound indexes, for fetch indexes over just
    /// these. What is left are settings of their own, for which an index is made unless the archive has it: archives
    /// from before there were fetch indexes do not.
    func addIndexes(of object: ArchivedObject, to entity: NSEntityDescription) throws {
        entity.uniquenessConstraints = try tuples("NSUniqueTuples", of: object)
        let named =
            try (object.objects("NSFetchIndexDescriptions", of: "NSFetchIndexDescription") ?? [])
            .map { index in
                var index = index
                index.element = "\(object.element ?? "?").\(try index.text("NSIndexName") ?? "?")"
                // An index of an inherited property may name the superentity.
                if let owner = try index.object("NSEntity"), owner.position != object.position,
                    !entity.lineage.contains(where: { $0 === entitiesByIndex[owner.position] })
                {
                    throw index.error(.invalidValue, "the index belongs to another entity")
                }
                return try fetchIndex(index)
            }
        var namesByTuple: [[String]: Set<String>] = [:]
        for index in named { namesByTuple[index.columnNames, default: []].insert(index.name) }
        func isSetting(_ names: [String]) -> Bool {
            namesByTuple[names]?.contains(names.joined(separator: "_")) ?? true
        }
        for property in entity.ownProperties where property.isIndexedAlone {
            property.isIndexedAlone = isSetting([property.name])
        }
        var settings = try tuples("NSCompoundIndexes", of: object).filter(isSetting)
        // Some frameworks left these out of a store's copy when they made indexes of them.
        var known = Set(settings)
        for index in named {
            guard let names = index.plainNames, names.count > 1, index.name == names.joined(separator: "_"),
                known.insert(names).inserted
            else { continue }
            settings.append(names)
        }
        entity.indexedTuples = settings
        let names = named.map(\.name)
        entity.indexes = entity.indexesOfOldSettings(entity.ownPropertiesByNameOrder, besides: names) + named
        entity.allowsEqualIndexNames = Set(names).count < names.count
        entity.impliesPropertyIndexes = form == .compiled
    }

    private func fetchIndex(_ object: ArchivedObject) throws -> NSFetchIndexDescription {
        let elements = try object.objects("NSIndexElements", of: "NSFetchIndexElementDescription") ?? []
        let index = NSFetchIndexDescription(
            name: try object.required("NSIndexName"),
            elements: try elements.map { element in
                var element = element
                element.element = object.element
                return try indexElement(element)
            })
        index.partialIndexPredicate = try expressions.predicate("NSPartialIndexPredicate", of: object)
        return index
    }

    private func indexElement(_ object: ArchivedObject) throws -> NSFetchIndexElementDescription {
        try object.named { try archive.make(1) }
        let type = try object.number("NSFetchIndexElementType") ?? 0
        guard let collation = UInt(exactly: type).flatMap(NSFetchIndexElementType.init) else {
            throw object.error(.invalidValue, "the index type \(type) is unknown")
        }
        let element: NSFetchIndexElementDescription
        if let description = try object.object("NSIndexedProperty", of: "NSExpressionDescription") {
            element = NSFetchIndexElementDescription(
                property: try expressionDescription(description), collationType: collation)
        } else {
            element = NSFetchIndexElementDescription(
                propertyName: try object.required("NSPropertyName"), collationType: collation)
        }
        element.isAscending = try object.flag("NSAscending")
        return element
    }

    private func expressionDescription(_ object: ArchivedObject) throws -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = try object.text("NSPropertyName") ?? ""
        description.expression = try expressions.expression("NSExpression", of: object)
        let type = try object.number("NSExpressionType") ?? 0
        guard let known = UInt(exactly: type).flatMap(NSAttributeType.init) else {
            throw object.error(.invalidValue, "the result type \(type) is unknown")
        }
        description.expressionResultType = known
        return description
    }

    /// Lists of names of properties. A model that was made in code may name them by their descriptions.
    private func tuples(_ key: String, of object: ArchivedObject) throws -> [[String]] {
        try (object.objects(key, of: "NSArray") ?? []).map { tuple in
            try object.named { try tuple.list() }.map { index in
                try object.named { try archive.make(1) }
                if try archive.isObject(index), let member = try archive.object(at: index, what: key),
                    member.isOf("NSPropertyDescription")
                {
                    return try member.required("NSPropertyName")
                }
                guard let name = try object.named({ try archive.text(at: index, what: "a name in '\(key)'") })
                else { throw object.error(.invalidValue, "a name in '\(key)' is null") }
                return name
            }
        }
    }
}
