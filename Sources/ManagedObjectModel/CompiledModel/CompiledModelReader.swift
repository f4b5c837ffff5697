import CocoaFoundation

/// Makes a model of the archive that Apple's model compiler wrote (`.mom`), or that a store holds a copy of.
///
/// Entities and their properties come first, and what refers to them is connected when all are there. The keys and
/// their meaning are those of archives of Apple's tools; where several versions of them differ, all are read.
struct CompiledModelReader {
    let form: CompiledModelForm
    let archive: ModelArchive
    private let root: ArchivedObject
    /// The entities with the objects that they are made of, in the order of their names.
    private(set) var built: [(object: ArchivedObject, entity: NSEntityDescription)] = []
    private(set) var entitiesByIndex: [Int: NSEntityDescription] = [:]
    private(set) var entitiesByName: [String: NSEntityDescription] = [:]
    /// The properties with the objects that they are made of.
    private var members: [(object: ArchivedObject, property: NSPropertyDescription)] = []
    private(set) var propertiesByIndex: [Int: NSPropertyDescription] = [:]
    let expressions: ArchivedExpressions
    private let elementCount = CompositeElementCount()

    /// - Throws: `ModelFileError` for data that is not the archive of a model.
    init(_ data: Data, form: CompiledModelForm) throws {
        self.form = form
        archive = try ModelArchive(data)
        root = try archive.root()
        expressions = ArchivedExpressions(archive)
        guard root.isOf("NSManagedObjectModel") else {
            throw ModelFileError(
                .malformed, "the archive holds an object of the class \(root.className), not a model")
        }
    }

    /// Fills a new model.
    ///
    /// - Throws: `ModelFileError` for the first thing that is wrong.
    mutating func build(_ model: NSManagedObjectModel) throws {
        for (name, index) in try root.entries("NSEntities") ?? [] {
            try addEntity(try root.member(at: index, of: "NSEntityDescription", in: "NSEntities"), name)
        }
        try connectInheritance()
        for (object, entity) in builtFromRoots() { try addProperties(of: object, to: entity) }
        let relationships = ownRelationships()
        for (object, property) in members {
            switch property {
            case let relationship as NSRelationshipDescription:
                try connect(relationship, object, among: relationships)
            case let fetched as NSFetchedPropertyDescription:
                fetched.fetchRequest = try object.object("NSFetchRequest", of: "NSFetchRequest").map {
                    try fetchRequest($0, named: fetched.qualifiedName)
                }
            default: break
            }
        }
        for (object, entity) in built { try addIndexes(of: object, to: entity) }
        model.entities = built.map(\.entity)
        try addConfigurations(to: model)
        for (name, index) in try root.entries("NSFetchRequestTemplates") ?? [] {
            let object = try root.member(at: index, of: "NSFetchRequest", in: "NSFetchRequestTemplates")
            let request = try fetchRequest(object, named: name)
            model.templates[name] = request
            model.bind(request, in: entitiesByName)
        }
        model.versionIdentifiers = Set(try identifiers())
    }

    // MARK: Entities

    private mutating func addEntity(_ object: ArchivedObject, _ key: String) throws {
        var object = object
        object.element = key
        let name = try object.required("NSEntityName")
        guard name == key else {
            throw object.error(.invalidValue, "the entity has the name '\(name)'")
        }
        let entity = NSEntityDescription()
        entity.name = name
        guard entitiesByIndex.updateValue(entity, forKey: object.position) == nil else {
            throw object.error(.duplicateName, "the entity is in the model under two names")
        }
        entitiesByName[name] = entity
        built.append((object, entity))
        entity.managedObjectClassName = try object.text("NSClassNameForEntity")
        entity.isAbstract = try object.flag("NSIsAbstract")
        entity.versionHashModifier = try object.text("NSVersionHashModifier")
        if let identifier = try object.text("NSRenamingIdentifier"), identifier != name {
            entity.renamingIdentifier = identifier
        }
        entity.userInfo = try object.dictionary("NSUserInfo") ?? [:]
        if let expression = try expressions.expression("NSCoreSpotlightDisplayNameExpression", of: object) {
            entity.coreSpotlightDisplayNameExpression = expression
        }
    }

    /// Adds the properties that an entity itself declares, after those of its superentities.
    ///
    /// The archive of Apple's compiler lists no others. In the copies that stores have, an entity also has the
    /// inherited ones: as proxies, or as copies that name the entity as theirs.
    private mutating func addProperties(of object: ArchivedObject, to entity: NSEntityDescription) throws {
        let above = entity.superentity?.propertiesByName ?? [:]
        var own: [NSPropertyDescription] = []
        for (name, index) in try object.entries("NSProperties") ?? [] {
            var member = try object.member(at: index, of: "NSObject", in: "NSProperties")
            member.element = "\(entity.name ?? "?").\(name)"
            if member.isOf("_NSPropertyDescriptionProxy") {
                guard let underlying = try member.object("NSUnderlyingProperty"), let property = above[name],
                    propertiesByIndex[underlying.position] === property
                else {
                    throw member.error(.unknownName, "the property is inherited, but from no superentity")
                }
                continue
            }
            guard try member.object("NSEntity")?.position == object.position else {
                throw member.error(.invalidValue, "the property belongs to another entity")
            }
            let property: NSPropertyDescription
            if let inherited = above[name] {
                property = inherited
            } else {
                property = try PropertyReader(member, expressions, elementCount).property()
                guard property.name == name else {
                    throw member.error(.invalidValue, "the property has the name '\(property.name)'")
                }
                members.append((member, property))
                own.append(property)
            }
            guard propertiesByIndex.updateValue(property, forKey: member.position) == nil else {
                throw member.error(.duplicateName, "the property is in the model under two names")
            }
        }
        entity.properties = own
    }

    /// The entities, each after its superentity.
    private func builtFromRoots() -> [(object: ArchivedObject, entity: NSEntityDescription)] {
        let objects = Dictionary(built.map { (ObjectIdentifier($0.entity), $0.object) }) { first, _ in first }
        return built.filter { $0.entity.superentity == nil }.flatMap(\.entity.selfAndDescendants)
            .compactMap { entity in objects[ObjectIdentifier(entity)].map { ($0, entity) } }
    }

    /// Connects entities with their superentities.
    private func connectInheritance() throws {
        var parents: [String: String] = [:]
        var children: [String: [NSEntityDescription]] = [:]
        for (object, entity) in built {
            guard let parent = try object.object("NSSuperentity") else { continue }
            guard let name = entity.name, let parentName = entitiesByIndex[parent.position]?.name else {
                throw object.error(.unknownName, "the superentity is not in the model")
            }
            parents[name] = parentName
            children[parentName, default: []].append(entity)
        }
        for (object, entity) in built {
            for (name, index) in try object.entries("NSSubentities") ?? [] {
                let child = try object.member(at: index, of: "NSEntityDescription", in: "NSSubentities")
                guard parents[name] == entity.name, entitiesByIndex[child.position]?.name == name else {
                    throw object.error(
                        .invalidValue, "the subentity '\(name)' does not inherit from the entity")
                }
            }
        }
        var counts: [String: Int] = [:]
        for (object, entity) in built {
            counts[entity.name ?? ""] = try object.entries("NSProperties")?.count
        }
        try InheritanceTree(parents: parents, propertyCounts: counts).check(built.compactMap(\.entity.name))
        for (parentName, subentities) in children { entitiesByName[parentName]?.subentities = subentities }
    }

    // MARK: Relationships

    /// The relationships that each entity itself declares, by name.
    private func ownRelationships() -> [ObjectIdentifier: [String: NSRelationshipDescription]] {
        var tables: [ObjectIdentifier: [String: NSRelationshipDescription]] = [:]
        for (_, entity) in built {
            let own = entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }
            tables[ObjectIdentifier(entity)] = Dictionary(own.map { ($0.name, $0) }) { first, _ in first }
        }
        return tables
    }

    private func connect(
        _ relationship: NSRelationshipDescription, _ object: ArchivedObject,
        among relationships: [ObjectIdentifier: [String: NSRelationshipDescription]]
    ) throws {
        let destination: NSEntityDescription
        if let target = try object.object("NSDestinationEntity") {
            guard let entity = entitiesByIndex[target.position] else {
                throw object.error(.unknownName, "the destination is not in the model")
            }
            destination = entity
        } else {
            let name = try object.required("_NSDestinationEntityName")
            guard let entity = entitiesByName[name] else {
                throw object.error(.unknownName, "the destination '\(name)' is not in the model")
            }
            destination = entity
        }
        relationship.destinationEntity = destination
        if let target = try object.object("NSInverseRelationship") {
            let underlying = try target.object("NSUnderlyingProperty") ?? target
            guard let inverse = propertiesByIndex[underlying.position] as? NSRelationshipDescription,
                destination.hasProperty(inverse)
            else {
                throw object.error(
                    .unknownName, "the inverse is not a relationship of '\(destination.name ?? "?")'")
            }
            relationship.inverseRelationship = inverse
        } else if let name = try object.text("_NSInverseRelationshipName"), !name.isEmpty {
            let inverse = destination.lineage.reversed().lazy
                .compactMap { relationships[ObjectIdentifier($0)]?[name] }.first
            guard let inverse else {
                throw object.error(
                    .unknownName,
                    "the inverse '\(name)' is not a relationship of '\(destination.name ?? "?")'")
            }
            relationship.inverseRelationship = inverse
        }
    }

    // MARK: The rest of the model

    private func addConfigurations(to model: NSManagedObjectModel) throws {
        for (name, index) in try root.entries("NSConfigurations") ?? [] {
            let members = try root.members(at: index, of: "NSEntityDescription", in: "NSConfigurations")
            let entities = try members.map { member in
                guard let entity = entitiesByIndex[member.position] else {
                    throw ModelFileError(
                        .unknownName, "the configuration has an entity that is not in the model",
                        element: name)
                }
                return entity
            }
            model.setMembers(
                entities.sorted { ($0.name ?? "").utf8Precedes($1.name ?? "") }, ofConfiguration: name)
        }
    }

    private func identifiers() throws -> [AnyHashable] {
        try (root.elements("NSVersionIdentifiers") ?? []).map { index in
            switch try root.value(at: index) {
            case let text as String: return text
            // `NSDecimalNumber.hash` of Foundation on Linux calls itself without end.
            case let number as NSNumber where !(number is NSDecimalNumber): return number
            default:
                throw root.error(.invalidValue, "a version identifier is neither a string nor a number")
            }
        }
    }
}
