import CocoaFoundation

/// Writes a model as the keyed archive that Apple's model compiler makes of it, or as the copy that a store holds.
///
/// Classes, keys and values are those of Apple's archives; the order of the objects and whether two fields share an
/// object are not.
final class CompiledModelWriter {
    /// The versions of Apple's compiler and Xcode whose output ours is like. Older ones wrote no such keys.
    enum CompilerVersion {
        static let tool = 22757.0
        static let xcode = 150_300
    }

    let form: CompiledModelForm
    let archive = ModelArchiveWriter()
    private let model: NSManagedObjectModel
    let modelIndex: Int
    private let entitiesByName: [String: NSEntityDescription]
    private var entityIndexes: [ObjectIdentifier: Int] = [:]
    private var indexedNames: [ObjectIdentifier: Set<String>] = [:]
    private var propertyIndexes: [PropertyKey: Int] = [:]

    /// A property in an entity, which in a store's copy may also be one that the entity inherits.
    private struct PropertyKey: Hashable {
        let property: ObjectIdentifier
        let entity: ObjectIdentifier
    }

    init(_ model: NSManagedObjectModel, form: CompiledModelForm) {
        self.model = model
        self.form = form
        entitiesByName = model.entitiesByName
        modelIndex = archive.reserve()
    }

    /// The archive.
    ///
    /// - Throws: `ModelFileError` for a model that contradicts itself, and for a value that cannot be archived.
    func write() throws -> Data {
        var names: Set<String> = []
        for entity in model.entities {
            guard let name = entity.name, !name.isEmpty else {
                throw ModelFileError(.missingValue, "an entity has no name")
            }
            guard names.insert(name).inserted else {
                throw ModelFileError(.duplicateName, "there are two entities of this name", element: name)
            }
            guard entity.rootEntity.superentity == nil else {
                throw ModelFileError(.cycle, "the entity inherits from itself", element: name)
            }
            entityIndexes[ObjectIdentifier(entity)] = archive.reserve()
        }
        for entity in model.entities {
            for property in properties(of: entity) {
                let key = PropertyKey(
                    property: ObjectIdentifier(property), entity: ObjectIdentifier(entity))
                propertyIndexes[key] = archive.reserve()
            }
        }
        for entity in model.entities { try write(entity) }
        archive.fill(modelIndex, ["NSManagedObjectModel"], try modelFields())
        return try archive.finish(root: modelIndex)
    }

    /// The properties that an entity has in the archive.
    private func properties(of entity: NSEntityDescription) -> [NSPropertyDescription] {
        form == .compiled ? entity.ownProperties : entity.properties
    }

    /// The model's entity of a name.
    func entity(named name: String) -> NSEntityDescription? { entitiesByName[name] }

    /// Whether an index of the entity that declares the property is over nothing else.
    func isSolelyIndexed(_ property: NSPropertyDescription) -> Bool {
        guard let owner = property.owner else { return false }
        if let known = indexedNames[ObjectIdentifier(owner)] { return known.contains(property.name) }
        let names = owner.namesOfIndexedProperties
        indexedNames[ObjectIdentifier(owner)] = names
        return names.contains(property.name)
    }

    /// The index of an entity of the model.
    func position(of entity: NSEntityDescription, for element: String) throws -> Int {
        guard let position = entityIndexes[ObjectIdentifier(entity)] else {
            throw ModelFileError(
                .unknownName, "the entity '\(entity.name ?? "?")' is not in the model", element: element)
        }
        return position
    }

    /// The index of a property in an entity that has it, or in the one that declares it.
    func position(
        of property: NSPropertyDescription, in entity: NSEntityDescription?, for element: String
    ) throws -> Int {
        for holder in [entity, property.owner] {
            guard let holder else { continue }
            let key = PropertyKey(property: ObjectIdentifier(property), entity: ObjectIdentifier(holder))
            if let position = propertyIndexes[key] { return position }
        }
        throw ModelFileError(
            .unknownName, "the property '\(property.qualifiedName)' is not in the model", element: element)
    }

    // MARK: The model

    private func modelFields() throws -> ModelArchiveWriter.Fields {
        var fields: ModelArchiveWriter.Fields = []
        if form == .compiled {
            fields.append(("CDMCompilerToolVersion", .real(CompilerVersion.tool)))
            fields.append(("CDMCompilerXcodeVersion", .number(CompilerVersion.xcode)))
        }
        let configurations = try model.configurationMembers.map { name, members in
            let positions = try members.map { try position(of: $0, for: "configuration \(name)") }
            return (
                key: name,
                position: archive.add(ModelArchiveWriter.Collection.set, [("NS.objects", .list(positions))])
            )
        }
        if !configurations.isEmpty {
            let table = archive.addDictionary(
                ModelArchiveWriter.Collection.mutableDictionary, configurations)
            fields.append(("NSConfigurations", table))
        }
        fields.append(("NSEntities", try entityTable()))
        let requests = try model.fetchRequestTemplatesByName.map { name, request in
            (key: name, position: try add(request, for: name))
        }
        fields.append(
            (
                "NSFetchRequestTemplates",
                requests.isEmpty
                    ? .null
                    : archive.addDictionary(ModelArchiveWriter.Collection.mutableDictionary, requests)
            ))
        let identifiers = try model.versionIdentifiers.map { identifier in
            try archive.position(of: identifier.base, for: "the model")
        }
        let identifierSet = archive.addList(ModelArchiveWriter.Collection.set, identifiers.sorted())
        fields.append(("NSVersionIdentifiers", identifierSet))
        return fields
    }

    private func entityTable() throws -> ModelArchiveWriter.Value {
        let entries = try model.entities.map { entity in
            (key: entity.name ?? "", position: try position(of: entity, for: entity.name ?? ""))
        }
        guard form == .storeCopy else {
            return archive.addDictionary(ModelArchiveWriter.Collection.mutableDictionary, entries)
        }
        let sorted = entries.sorted { $0.key.utf8Precedes($1.key) }
        let strategy = archive.add(
            ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy"],
            [
                (
                    "keys",
                    archive.addList(
                        ModelArchiveWriter.Collection.array, sorted.map { archive.position(of: $0.key) })
                ),
                ("length", .number(sorted.count)), ("version", .number(1)),
            ])
        let table = archive.add(
            [
                "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary",
            ],
            [
                ("searchMapping", .object(strategy)),
                ("values", archive.addList(ModelArchiveWriter.Collection.array, sorted.map(\.position))),
                ("emptyToken", .text(Self.emptySlot)), ("version", .number(1)),
            ])
        return .object(table)
    }

    /// What stands for a missing value in a table with known keys. It is the same in all of Apple's archives.
    private static let emptySlot = "__empty_slot_token_4c24_98dc_ac1e_b773__"

    // MARK: Entities

    private func write(_ entity: NSEntityDescription) throws {
        let name = entity.name ?? ""
        let properties = try properties(of: entity).map { property in
            let position = try position(of: property, in: entity, for: property.qualifiedName)
            try write(property, of: entity, at: position)
            return (key: property.name, position: position)
        }
        let subentities = try entity.subentities.map {
            (key: $0.name ?? "", position: try position(of: $0, for: name))
        }
        let superentity = try entity.superentity.map { try position(of: $0, for: name) }
        var fields: ModelArchiveWriter.Fields = [
            ("NSManagedObjectModel", .object(modelIndex)),
            ("NSEntityName", .text(name)),
            ("NSClassNameForEntity", .text(entity.explicitClassName)),
            ("NSRenamingIdentifier", .text(entity.renamingIdentifier)),
            ("NSVersionHashModifier", .text(entity.versionHashModifier)),
            ("NSUserInfo", try archive.addValue(entity.userInfo ?? [:], for: name)),
            (
                "NSProperties",
                archive.addDictionary(ModelArchiveWriter.Collection.mutableDictionary, properties)
            ),
            (
                "NSSubentities",
                archive.addDictionary(ModelArchiveWriter.Collection.mutableDictionary, subentities)
            ),
            ("NSSuperentity", superentity.map { .object($0) } ?? .null),
        ]
        if entity.isAbstract { fields.append(("NSIsAbstract", .flag(true))) }
        if let expression = entity.spotlightExpression {
            fields.append(("NSCoreSpotlightDisplayNameExpression", .object(try add(expression, for: name))))
        }
        fields += try indexFields(of: entity)
        archive.fill(try position(of: entity, for: name), ["NSEntityDescription"], fields)
    }

    /// Writes lists of names.
    func addTuples(_ tuples: [[String]]) -> ModelArchiveWriter.Value {
        let lists = tuples.map { tuple in
            archive.add(
                ModelArchiveWriter.Collection.mutableArray,
                [("NS.objects", .list(tuple.map { archive.position(of: $0) }))])
        }
        return archive.addList(ModelArchiveWriter.Collection.mutableArray, lists)
    }
}
