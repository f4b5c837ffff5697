import CocoaFoundation

/// Makes a mapping model of the objects of an `xcmapping.xml`.
///
/// The editor stores what the developer changed; the rest is made when the mapping model is compiled, and here.
/// A mapping is named after its entities (`BookToBook`), an attribute without an expression takes the value of
/// the source's attribute of the same name, and a relationship the objects that were made of its destinations.
struct XcodeMappingReader {
    let document: XMLStoreDocument
    let root: XMLStoreDocument.Object
    let sourceModelPath: String?
    let destinationModelPath: String?
    let sourceModel: NSManagedObjectModel?
    let destinationModel: NSManagedObjectModel?

    /// The identifiers of the mappings that have been taken.
    private var taken: Set<String> = []
    private let hashes = VersionHashes()
    /// The entity mappings by the names of their entities.
    var names: [EntityNames: [String]] = [:]

    /// The entities of a mapping.
    struct EntityNames: Hashable {
        let source: String
        let destination: String
    }

    /// What is known of an entity mapping before its properties are read.
    struct EntityMappingOutline {
        let object: XMLStoreDocument.Object
        let name: String
        let source: NSEntityDescription?
        let destination: NSEntityDescription?
    }

    /// Finds the mapping model among the objects and reads the models that it embeds.
    ///
    /// - Throws: `ModelFileError`, without a file.
    init(_ document: XMLStoreDocument) throws {
        self.document = document
        for object in document.objects {
            guard let known = Self.attributes[object.entity] else {
                throw ModelFileError(
                    .unsupportedForm, "objects of the type '\(object.entity)' are not known",
                    element: object.id, line: object.line)
            }
            try Self.check(object, known)
        }
        let roots = document.objects.filter { $0.entity == "XDDEVMAPPINGMODEL" }
        guard let root = roots.first, roots.count == 1 else {
            throw ModelFileError(
                roots.isEmpty ? .missingValue : .duplicateName,
                "the file has \(roots.count) mapping models; there must be one", line: roots.last?.line)
        }
        self.root = root
        sourceModelPath = root.text("sourcemodelpath")
        destinationModelPath = root.text("destinationmodelpath")
        sourceModel = try Self.embeddedModel(root, "sourcemodeldata")
        destinationModel = try Self.embeddedModel(root, "destinationmodeldata")
    }

    /// What may be said of each type of object. Anything else could change what a mapping does.
    private static let attributes: [String: Set<String>] = [
        "XDDEVMAPPINGMODEL": [
            "sourcemodelpath", "sourcemodeldata", "destinationmodelpath", "destinationmodeldata",
            "entitymappings",
        ],
        "XDDEVENTITYMAPPING": [
            "name", "mappingtypename", "mappingnumber", "sourcename", "destinationname",
            "autogenerateexpression", "sourcefilterpredicatestring", "migrationpolicyclassname",
            "userinfodata", "mappingmodel", "attributemappings", "relationshipmappings",
        ],
        "XDDEVATTRIBUTEMAPPING": ["name", "valueexpressiondata", "userinfodata", "entitymapping"],
        "XDDEVRELATIONSHIPMAPPING": [
            "name", "valueexpressiondata", "userinfodata", "autogenerateexpression", "sourcekeypath",
            "sourcemappingname", "entitymapping",
        ],
    ]

    private static func check(_ object: XMLStoreDocument.Object, _ known: Set<String>) throws {
        let names =
            Array(object.attributes.filter { !$0.value.text.isEmpty }.keys) + object.relationships.keys
        if let name = names.sorted().first(where: { !known.contains($0) }) {
            throw ModelFileError(
                .unsupportedForm, "the setting '\(name)' of \(object.entity) is not known",
                element: object.text("name") ?? object.id, line: object.line)
        }
    }

    private static func embeddedModel(
        _ root: XMLStoreDocument.Object, _ name: String
    ) throws -> NSManagedObjectModel? {
        guard let data = try root.data(name) else { return nil }
        do {
            let model = try EditorModelArchive.model(data)
            // Its tables are looked up for every property.
            model.makeImmutable()
            return model
        } catch let error as ModelFileError {
            throw ModelFileError(
                error.reason, "the model in '\(name)' cannot be read: \(error.detail)",
                element: error.element,
                line: root.attributes[name]?.line)
        }
    }

    // MARK: Entity mappings

    /// The mapping model.
    ///
    /// - Throws: `ModelFileError`, without a file.
    mutating func mappingModel() throws -> NSMappingModel {
        let outlines = try entityMappingOutlines()
        var seen: Set<String> = []
        for outline in outlines {
            guard seen.insert(outline.name).inserted else {
                throw outline.error(.duplicateName, "there are two entity mappings of this name")
            }
            if let source = outline.object.text("sourcename"),
                let destination = outline.object.text("destinationname")
            {
                names[EntityNames(source: source, destination: destination), default: []].append(outline.name)
            }
        }
        let model = NSMappingModel()
        model.entityMappings = try outlines.map { try entityMapping($0) }
        return model
    }

    /// The entity mappings in the order of their numbers.
    private mutating func entityMappingOutlines() throws -> [EntityMappingOutline] {
        let objects = try destinations("entitymappings", of: root, type: "XDDEVENTITYMAPPING", "the model")
        let numbered = try objects.enumerated().map { index, object in
            (number: try object.number("mappingnumber") ?? Int.max, index: index, object: object)
        }
        return try numbered.sorted { ($0.number, $0.index) < ($1.number, $1.index) }.map {
            try entityMappingOutline($0.object)
        }
    }

    private func entityMappingOutline(_ object: XMLStoreDocument.Object) throws -> EntityMappingOutline {
        let source = object.text("sourcename")
        let destination = object.text("destinationname")
        let name = object.text("name") ?? [source, destination].compactMap { $0 }.joined(separator: "To")
        let outline = EntityMappingOutline(
            object: object, name: name, source: source.flatMap { sourceModel?.entitiesByName[$0] },
            destination: destination.flatMap { destinationModel?.entitiesByName[$0] })
        guard !name.isEmpty else {
            throw outline.error(.missingValue, "the entity mapping has neither a name nor entities")
        }
        if let source, sourceModel != nil, outline.source == nil {
            throw outline.error(.unknownName, "the source entity '\(source)' is not in the source model")
        }
        if let destination, destinationModel != nil, outline.destination == nil {
            throw outline.error(
                .unknownName, "the destination entity '\(destination)' is not in the destination model")
        }
        return outline
    }

    private mutating func entityMapping(_ outline: EntityMappingOutline) throws -> NSEntityMapping {
        let object = outline.object
        let mapping = NSEntityMapping()
        mapping.name = outline.name
        mapping.sourceEntityName = object.text("sourcename")
        mapping.destinationEntityName = object.text("destinationname")
        mapping.sourceEntityVersionHash = outline.source.map { hashes.digest(of: $0) }
        mapping.destinationEntityVersionHash = outline.destination.map { hashes.digest(of: $0) }
        mapping.entityMigrationPolicyClassName = object.text("migrationpolicyclassname")
        mapping.userInfo = try userInfo(of: object, in: outline.name)
        let attributes = try destinations(
            "attributemappings", of: object, type: "XDDEVATTRIBUTEMAPPING", outline.name)
        let relationships = try destinations(
            "relationshipmappings", of: object, type: "XDDEVRELATIONSHIPMAPPING", outline.name)
        mapping.attributeMappings = try propertyMappings(attributes, in: outline, attributeExpression)
        mapping.relationshipMappings = try propertyMappings(
            relationships, in: outline, relationshipExpression)
        mapping.sourceExpression = try sourceExpression(outline)
        mapping.mappingType = try mappingType(of: mapping, outline, changes: attributes + relationships)
        return mapping
    }

    /// The type that the file says, or, as usually it says none, the one that follows from the rest.
    private func mappingType(
        of mapping: NSEntityMapping, _ outline: EntityMappingOutline, changes: [XMLStoreDocument.Object]
    ) throws -> NSEntityMappingType {
        switch outline.object.text("mappingtypename") ?? "Undefined" {
        case "Undefined": break
        case "Custom": return .customEntityMappingType
        case "Add": return .addEntityMappingType
        case "Remove": return .removeEntityMappingType
        case "Copy": return .copyEntityMappingType
        case "Transform": return .transformEntityMappingType
        case let name: throw outline.error(.invalidValue, "the mapping type '\(name)' is unknown")
        }
        if mapping.entityMigrationPolicyClassName != nil { return .customEntityMappingType }
        switch (mapping.sourceEntityName, mapping.destinationEntityName) {
        case (nil, nil): return .undefinedEntityMappingType
        case (nil, _): return .addEntityMappingType
        case (_, nil): return .removeEntityMappingType
        case (let source, let destination):
            let isUnchanged = changes.allSatisfy { change in
                ["valueexpressiondata", "sourcekeypath", "sourcemappingname"].allSatisfy {
                    change.text($0) == nil
                }
            }
            let isCopy =
                source == destination && isUnchanged && mapping.sourceEntityVersionHash != nil
                && mapping.sourceEntityVersionHash == mapping.destinationEntityVersionHash
                && outline.object.text("sourcefilterpredicatestring") == nil
            return isCopy ? .copyEntityMappingType : .transformEntityMappingType
        }
    }

    /// The fetch of the source objects, which the filter of the developer may narrow.
    private func sourceExpression(_ outline: EntityMappingOutline) throws -> NSExpression? {
        guard let source = outline.object.text("sourcename") else { return nil }
        guard try outline.object.flag("autogenerateexpression") ?? true else {
            throw outline.error(
                .unsupportedForm,
                "an entity mapping with its own fetch is not supported: no file that has one "
                    + "is known")
        }
        guard let filter = outline.object.text("sourcefilterpredicatestring") else {
            return MappingExpression.sourceInstances(ofEntityNamed: source)
        }
        do {
            _ = try NSPredicate(parsing: filter)
        } catch {
            throw outline.error(.invalidValue, "the filter '\(filter)' cannot be read: \(error)")
        }
        return MappingExpression.sourceInstances(ofEntityNamed: source, predicate: filter)
    }

    // MARK: References

    /// The destinations of a relationship, each of which no other object has.
    private mutating func destinations(
        _ name: String, of object: XMLStoreDocument.Object, type: String, _ outline: String
    ) throws -> [XMLStoreDocument.Object] {
        try (object.relationships[name] ?? []).map { id in
            guard let destination = document.object(id) else {
                throw ModelFileError(
                    .unknownName, "'\(name)' refers to '\(id)', which is not in the file", element: outline,
                    line: object.line)
            }
            guard destination.entity == type else {
                throw ModelFileError(
                    .invalidValue, "'\(name)' refers to '\(id)', which is a \(destination.entity)",
                    element: outline, line: object.line)
            }
            guard taken.insert(id).inserted else {
                throw ModelFileError(
                    .duplicateName, "'\(id)' is referred to twice", element: outline, line: object.line)
            }
            return destination
        }
    }
}

extension XcodeMappingReader.EntityMappingOutline {
    func error(_ reason: ModelFileError.Reason, _ detail: String) -> ModelFileError {
        ModelFileError(reason, detail, element: name, line: object.line)
    }
}
