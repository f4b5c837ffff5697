import CocoaFoundation

/// Makes a model of the tree of a model file.
///
/// Entities and their properties come first. What refers to others by name (superentities, destinations,
/// inverses, configurations) is connected when all names are known. Elements and attributes that mean
/// nothing here, such as the positions of the entities in the diagram, are skipped.
struct ModelBuilder {
    let root: ModelElement
    var entities: [String: NSEntityDescription] = [:]
    /// The entity elements in the order of the file, with the entities made of them.
    private(set) var built: [(element: ModelElement, entity: NSEntityDescription)] = []
    private let composites: CompositeTypes

    init(_ root: ModelElement) {
        self.root = root
        composites = CompositeTypes(root)
    }

    /// Fills a new model.
    ///
    /// - Throws: `ModelFileError` for the first thing that is wrong.
    mutating func build(_ model: NSManagedObjectModel) throws {
        guard root.name == "model" else {
            throw ModelFileError(
                .malformed, "the file holds a <\(root.name)> and no <model>", line: root.line)
        }
        try composites.check()
        for element in root.children(named: "entity") { try addEntity(element) }
        try connectInheritance()
        let relationships = ownRelationships()
        for (element, entity) in built { try connectRelationships(of: entity, element, among: relationships) }
        model.entities = built.map(\.entity)
        try addConfigurations(to: model)
        try addFetchRequests(to: model)
        // The text that the developer gave the version, even if it is empty, as in compiled models.
        model.versionIdentifiers = [root["userDefinedModelVersionIdentifier"] ?? ""]
    }

    // MARK: Entities

    private mutating func addEntity(_ element: ModelElement) throws {
        let settings = ElementSettings(element)
        let name = try settings.required("name")
        let entity = NSEntityDescription()
        entity.name = name
        guard entities.updateValue(entity, forKey: name) == nil else {
            throw settings.error(.duplicateName, "there are two entities of this name")
        }
        built.append((element, entity))
        entity.managedObjectClassName = settings.text("representedClassName")
        entity.isAbstract = try settings.flag("isAbstract")
        entity.isSyncable = try settings.flag("syncable")
        entity.codeGenerationType = settings.text("codeGenerationType")
        entity.versionHashModifier = settings.text("versionHashModifier")
        entity.renamingIdentifier = settings.text("elementID")
        entity.userInfo = try settings.userInfo() ?? [:]
        if let text = settings.text("coreSpotlightDisplayNameExpression") {
            entity.coreSpotlightDisplayNameExpression = try expression(text, settings)
        }
        entity.properties = try properties(element, entity: name)
        try addIndexes(to: entity, element)
        entity.uniquenessConstraints = try element.children(named: "uniquenessConstraints")
            .flatMap { $0.children(named: "uniquenessConstraint") }
            .map { try Self.values(of: "constraint", in: $0, of: name) }
    }

    /// The names of properties in the parts of a constraint or a compound index.
    static func values(of part: String, in element: ModelElement, of entity: String) throws -> [String] {
        try element.children(named: part).map {
            try ElementSettings($0, in: entity).required("value")
        }
    }

    private func properties(_ element: ModelElement, entity: String) throws -> [NSPropertyDescription] {
        var names: Set<String> = []
        var properties: [NSPropertyDescription] = []
        for child in element.children {
            let settings = ElementSettings(child, in: entity)
            let property: NSPropertyDescription
            switch child.name {
            case "attribute": property = try AttributeReader(settings, composites: composites).attribute()
            case "relationship": property = try relationship(settings)
            case "fetchedProperty": property = try fetchedProperty(settings)
            default: continue
            }
            try Self.readCommonSettings(settings, into: property)
            guard names.insert(property.name).inserted else {
                throw settings.error(.duplicateName, "the entity has two properties of this name")
            }
            properties.append(property)
        }
        return properties
    }

    /// Reads the settings that all kinds of properties share.
    static func readCommonSettings(_ settings: ElementSettings, into property: NSPropertyDescription) throws {
        property.name = try settings.required("name")
        property.isOptional = try settings.flag("optional")
        if !(property is NSFetchedPropertyDescription) {
            property.isTransient = try settings.flag("transient")
        }
        property.isIndexedAlone = try settings.flag("indexed")
        property.isIndexedBySpotlight = try settings.flag("spotlightIndexingEnabled")
        property.isInExternalRecord = try settings.flag("storedInTruthFile")
        property.versionHashModifier = settings.text("versionHashModifier")
        property.renamingIdentifier = settings.text("elementID")
        property.userInfo = try settings.userInfo() ?? [:]
    }

    /// Parses the text of an expression in a setting.
    func expression(_ text: String, _ settings: ElementSettings) throws -> NSExpression {
        do {
            return try NSExpression(parsing: text)
        } catch {
            throw settings.error(.invalidValue, "the expression '\(text)' cannot be read: \(error)")
        }
    }

    // MARK: Configurations

    private func addConfigurations(to model: NSManagedObjectModel) throws {
        var names: Set<String> = []
        for element in root.children(named: "configuration") {
            let settings = ElementSettings(element)
            let name = try settings.required("name")
            guard names.insert(name).inserted else {
                throw settings.error(.duplicateName, "there are two configurations of this name")
            }
            let members = try element.children(named: "memberEntity").map { member in
                let memberName = try ElementSettings(member).required("name")
                guard let entity = entities[memberName] else {
                    throw settings.error(
                        .unknownName,
                        "the configuration has an entity '\(memberName)' that is not in the model")
                }
                return entity
            }
            model.setMembers(members, ofConfiguration: name)
        }
    }
}
