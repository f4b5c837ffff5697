import CocoaFoundation

extension ModelBuilder {
    /// Adds the indexes of an entity: those of properties marked as indexed, then compound indexes, then
    /// fetch indexes.
    ///
    /// Apple's model compiler makes fetch indexes of the first two kinds, which are settings of older
    /// versions of Xcode, and names them after the properties.
    func addIndexes(to entity: NSEntityDescription, _ element: ModelElement) throws {
        let tuples = try element.children(named: "compoundIndexes")
            .flatMap { $0.children(named: "compoundIndex") }
            .map { try Self.values(of: "index", in: $0, of: entity.name ?? "") }
            .filter { !$0.isEmpty }
        entity.indexedTuples = tuples
        let named = try element.children(named: "fetchIndex").map {
            try fetchIndex(ElementSettings($0, in: entity.name))
        }
        // An index that the file itself names goes before one that is derived from an old setting.
        let derived = entity.indexesOfOldSettings(besides: named.map(\.name))
        entity.indexes = derived + named
        entity.impliesPropertyIndexes = true
    }

    private func fetchIndex(_ settings: ElementSettings) throws -> NSFetchIndexDescription {
        let elements = try settings.element.children(named: "fetchIndexElement").map {
            try indexElement(ElementSettings($0, in: settings.location))
        }
        let index = NSFetchIndexDescription(name: try settings.required("name"), elements: elements)
        if let text = settings.text("partialIndexPredicate") {
            do {
                index.partialIndexPredicate = try NSPredicate(parsing: text)
            } catch {
                throw settings.error(.invalidValue, "the predicate '\(text)' cannot be read: \(error)")
            }
        }
        return index
    }

    private func indexElement(_ settings: ElementSettings) throws -> NSFetchIndexElementDescription {
        let type = settings.text("type") ?? "Binary"
        let collation: NSFetchIndexElementType
        switch type.lowercased().filter(\.isLetter) {
        case "binary": collation = .binary
        case "rtree": collation = .rTree
        default: throw settings.error(.invalidValue, "the index type '\(type)' is unknown")
        }
        let element: NSFetchIndexElementDescription
        if let text = settings.text("expression") {
            let description = NSExpressionDescription()
            description.name = settings.text("property") ?? text
            description.expression = try expression(text, settings)
            if let type = settings.text("expressionType") {
                description.expressionResultType = try AttributeReader.type(named: type, settings)
            }
            element = NSFetchIndexElementDescription(property: description, collationType: collation)
        } else {
            element = NSFetchIndexElementDescription(
                propertyName: try settings.required("property"), collationType: collation)
        }
        switch settings.text("order") ?? "ascending" {
        case "ascending": element.isAscending = true
        case "descending": element.isAscending = false
        case let order: throw settings.error(.invalidValue, "the order '\(order)' is unknown")
        }
        return element
    }
}
