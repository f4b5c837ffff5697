import CocoaFoundation

extension XcodeMappingReader {
    /// The mappings of properties in the order of their names.
    func propertyMappings(
        _ objects: [XMLStoreDocument.Object], in outline: EntityMappingOutline,
        _ expression: (XMLStoreDocument.Object, String, EntityMappingOutline) throws -> NSExpression?
    ) throws -> [NSPropertyMapping] {
        var names: Set<String> = []
        let mappings = try objects.map { object in
            guard let name = object.text("name") else {
                throw ModelFileError(
                    .missingValue, "a property mapping has no name", element: outline.name, line: object.line)
            }
            let element = "\(outline.name).\(name)"
            guard names.insert(name).inserted else {
                throw ModelFileError(
                    .duplicateName, "there are two mappings of this property", element: element,
                    line: object.line)
            }
            let mapping = NSPropertyMapping()
            mapping.name = name
            mapping.userInfo = try userInfo(of: object, in: element)
            mapping.valueExpression =
                try archivedExpression(of: object, in: element) ?? expression(object, name, outline)
            return mapping
        }
        return mappings.sorted { ($0.name ?? "").utf8Precedes($1.name ?? "") }
    }

    /// The expression of an attribute for which the developer wrote none: the value of the attribute of the
    /// same name, if the source has one.
    func attributeExpression(
        _ object: XMLStoreDocument.Object, _ name: String, _ outline: EntityMappingOutline
    ) throws -> NSExpression? {
        guard let source = try source(of: outline, for: name) else { return nil }
        return source.attributesByName[name] == nil ? nil : MappingExpression.sourceValue(name)
    }

    /// The expression of a relationship for which the developer wrote none: the objects that a mapping made
    /// of what a key path leads to, which are both chosen in the editor, or those that were made of the
    /// destinations of the relationship of the same name.
    func relationshipExpression(
        _ object: XMLStoreDocument.Object, _ name: String, _ outline: EntityMappingOutline
    ) throws -> NSExpression? {
        if let mappingName = object.text("sourcemappingname") {
            guard let keyPath = object.text("sourcekeypath") else {
                throw ModelFileError(
                    .missingValue, "the relationship has the mapping '\(mappingName)' but no key path",
                    element: "\(outline.name).\(name)", line: object.line)
            }
            let sources: NSExpression
            do {
                sources = try NSExpression(parsing: keyPath)
            } catch {
                throw ModelFileError(
                    .invalidValue, "the key path '\(keyPath)' cannot be read: \(error)",
                    element: "\(outline.name).\(name)", line: object.line)
            }
            return MappingExpression.destinationInstances(ofMappingNamed: mappingName, from: sources)
        }
        guard try object.flag("autogenerateexpression") ?? true,
            let relationship = try source(of: outline, for: name)?.relationshipsByName[name]
        else { return nil }
        return generatedExpression(of: relationship, outline)
    }

    /// The objects of the one mapping between the destinations' entities; where there is none or several,
    /// or where the destinations can be of subentities, those made by any mapping.
    private func generatedExpression(
        of relationship: NSRelationshipDescription, _ outline: EntityMappingOutline
    ) -> NSExpression {
        let destination = outline.destination?.relationshipsByName[relationship.name]?.destinationEntity
        if let source = relationship.destinationEntity, source.subentities.isEmpty,
            let sourceName = source.name,
            let destinationName = destination?.name,
            let mappings = names[EntityNames(source: sourceName, destination: destinationName)],
            let mapping = mappings.first, mappings.count == 1
        {
            return MappingExpression.destinationInstances(
                ofMappingNamed: mapping, from: MappingExpression.sourceValue(relationship.name))
        }
        return MappingExpression.destinationInstances(ofRelationshipNamed: relationship.name)
    }

    /// The source entity of a mapping; `nil` if it has none.
    private func source(of outline: EntityMappingOutline, for property: String) throws -> NSEntityDescription?
    {
        if outline.source == nil, outline.object.text("sourcename") != nil {
            throw ModelFileError(
                .missingValue,
                "the file does not hold the source model, without which the expression of a "
                    + "property that has none of its own is not known",
                element: "\(outline.name).\(property)",
                line: outline.object.line)
        }
        return outline.source
    }

    // MARK: Archives

    private func archivedExpression(
        of object: XMLStoreDocument.Object, in element: String
    ) throws -> NSExpression? {
        guard let data = try object.data("valueexpressiondata") else { return nil }
        PredicateArchive.registerClassNames()
        do {
            guard let expression = try KeyedArchiveReader.root(of: [NSExpression.self], from: data) else {
                return nil
            }
            return expression as? NSExpression
        } catch {
            throw ModelFileError(
                .invalidValue, "the value expression cannot be read: \(error.localizedDescription)",
                element: element, line: object.line)
        }
    }

    /// The notes of the developer: a dictionary.
    func userInfo(of object: XMLStoreDocument.Object, in element: String) throws -> [AnyHashable: Any]? {
        guard let data = try object.data("userinfodata") else { return nil }
        do {
            let dictionary = try KeyedArchiveReader.root(of: [NSDictionary.self], from: data)
            return (dictionary as? NSDictionary) as? [AnyHashable: Any]
        } catch {
            throw ModelFileError(
                .invalidValue, "the user info cannot be read: \(error.localizedDescription)",
                element: element, line: object.line)
        }
    }
}

extension XMLStoreDocument.Object {
    /// The text of an attribute; `nil` if it is missing or empty.
    func text(_ name: String) -> String? {
        attributes[name].flatMap { $0.text.isEmpty ? nil : $0.text }
    }

    /// A whole number.
    func number(_ name: String) throws -> Int? {
        guard let text = text(name) else { return nil }
        guard let number = Int(text) else { throw invalid(name, "a number") }
        return number
    }

    /// Yes (1) or no (0).
    func flag(_ name: String) throws -> Bool? {
        guard let text = text(name) else { return nil }
        guard let flag = ElementSettings.flag(text) else { throw invalid(name, "1 or 0") }
        return flag
    }

    /// Data, which the file holds as base64.
    func data(_ name: String) throws -> Data? {
        guard let text = text(name) else { return nil }
        guard attributes[name]?.type == "binary", let data = Base64.data(text) else {
            throw invalid(name, "data in base64")
        }
        return data
    }

    private func invalid(_ name: String, _ expected: String) -> ModelFileError {
        ModelFileError(
            .invalidValue, "'\(name)' of \(entity) is not \(expected)", element: text("name") ?? id,
            line: attributes[name]?.line)
    }
}
