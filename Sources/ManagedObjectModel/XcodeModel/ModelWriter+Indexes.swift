import CocoaFoundation

extension ModelWriter {
    /// Appends the fetch indexes and the compound indexes of an entity.
    ///
    /// An index that the reader makes of the setting `indexed` or of a compound index by itself is not written.
    func appendIndexes(of entity: NSEntityDescription, to element: inout ModelElement) throws {
        let derived = entity.indexesOfOldSettings(besides: [])
        let stand = derived.elementsEqual(entity.indexes.prefix(derived.count))
        // Of several with one name, which a compiled model may have, the first counts.
        var names = Set(derived.prefix(stand ? derived.count : 0).map(\.name))
        for index in entity.indexes.dropFirst(stand ? derived.count : 0)
        where names.insert(index.name).inserted {
            element.children.append(try self.element(index, in: entity))
        }
        let tuples = try entity.indexedTuples.map { tuple in
            let names = entity.propertyNames(tuple)
            guard names.count == tuple.count else {
                throw Self.inexpressible(
                    "a compound index over something that is not a property", at: entity.name)
            }
            return ModelElement(
                "compoundIndex",
                children: names.map { ModelElement("index", attributes: [.init("value", $0)]) })
        }
        guard !tuples.isEmpty else { return }
        element.children.append(ModelElement("compoundIndexes", children: tuples))
    }

    private func element(
        _ index: NSFetchIndexDescription, in entity: NSEntityDescription
    ) throws -> ModelElement {
        let entityName = entity.name ?? "?"
        let location = "\(entityName).\(index.name)"
        let name = try Self.name(index.name, of: "an index", at: entityName)
        var element = ModelElement("fetchIndex", attributes: [.init("name", name)])
        element["partialIndexPredicate"] = try index.partialIndexPredicate.map {
            try Self.text($0, at: location)
        }
        element.children = try index.elements.map { try self.element($0, at: location) }
        return element
    }

    private func element(
        _ part: NSFetchIndexElementDescription, at location: String
    ) throws -> ModelElement {
        var element = ModelElement("fetchIndexElement")
        if part.isOverExpression {
            guard let description = part.property as? NSExpressionDescription,
                let expression = description.expression
            else {
                throw ModelFileError(.missingValue, "an index element has no expression", element: location)
            }
            let text = try Self.text(expression, at: location)
            if description.name != text { element["property"] = description.name }
            element["expression"] = text
            if description.expressionResultType != .undefinedAttributeType {
                element["expressionType"] = description.expressionResultType.displayName
            }
        } else {
            element["property"] = try Self.name(part.propertyName, of: "an index element", at: location)
        }
        element["type"] = part.collationType == .rTree ? "RTree" : "Binary"
        element["order"] = part.isAscending ? "ascending" : "descending"
        return element
    }
}
