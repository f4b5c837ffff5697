import CocoaFoundation

extension ModelElement {
    /// Makes the tree of a `contents` file of a model: what the model editor would write for it.
    ///
    /// Entities, properties, configurations and fetch requests are in the editor's order, by their names.
    ///
    /// - Parameter document: what the file says about itself as a document.
    /// - Throws: `ModelFileError` with the entity and property if a setting has no place in the file
    ///   (`.inexpressible`), and for a model of which no file can be made that is read again and has the same version
    ///   hashes.
    package init(model: NSManagedObjectModel, document: XcodeDocumentSettings = .init()) throws {
        var writer = ModelWriter(model, document)
        self = try writer.root()
        let hashes = model.entityVersionHashesByName
        let again = try NSManagedObjectModel(tree: self).entityVersionHashesByName
        if let name = hashes.keys.filter({ hashes[$0] != again[$0] }).min() {
            throw ModelFileError(
                .inexpressible,
                "the entity would have another version hash when it is read from the model file again",
                element: name)
        }
    }
}

/// Makes the tree of a model file of a model: the inverse of `ModelBuilder`.
struct ModelWriter {
    private let model: NSManagedObjectModel
    private let document: XcodeDocumentSettings
    var composites = CompositeTypeTable()

    init(_ model: NSManagedObjectModel, _ document: XcodeDocumentSettings) {
        self.model = model
        self.document = document
    }

    mutating func root() throws -> ModelElement {
        guard model.localizationDictionary?.isEmpty ?? true else {
            throw Self.inexpressible("the localization dictionary; it belongs in strings files", at: nil)
        }
        var root = ModelElement("model", attributes: document.attributes)
        root[XcodeDocumentSettings.identifierKey] = try versionIdentifier()
        for entity in Self.sorted(model.entities, by: { $0.name ?? "" }) {
            root.children.append(try element(entity))
        }
        root.children += composites.elements()
        for (name, request) in Self.sorted(Array(model.fetchRequestTemplatesByName), by: { $0.key }) {
            root.children.append(try element(request, name: name, location: name))
        }
        for name in Self.sorted(model.configurations, by: { $0 }) {
            root.children.append(try configuration(name))
        }
        if let layout = document.layout { root.children.append(layout) }
        return root
    }

    private func versionIdentifier() throws -> String {
        let identifiers = model.versionIdentifiers.filter { $0 != AnyHashable("") }
        let texts = identifiers.compactMap { $0 as? String }
        guard identifiers.count <= 1, texts.count == identifiers.count else {
            throw Self.inexpressible(
                "more than one version identifier, or one that is not a string", at: nil)
        }
        return texts.first ?? ""
    }

    private func configuration(_ name: String) throws -> ModelElement {
        var element = ModelElement("configuration", attributes: [.init("name", name)])
        if document.cloudKitConfigurations.contains(name) { element["usedWithCloudKit"] = "YES" }
        for entity in model.entities(forConfigurationName: name) ?? [] {
            let member = try Self.name(entity.name, of: "an entity of the configuration '\(name)'", at: nil)
            element.children.append(ModelElement("memberEntity", attributes: [.init("name", member)]))
        }
        return element
    }

    // MARK: Entities

    private mutating func element(_ entity: NSEntityDescription) throws -> ModelElement {
        let name = try Self.name(entity.name, of: "an entity", at: nil)
        var element = ModelElement("entity", attributes: [.init("name", name)])
        element["representedClassName"] = entity.explicitClassName
        element["parentEntity"] = try entity.superentity.map {
            try Self.name($0.name, of: "the superentity", at: name)
        }
        element.setFlag("isAbstract", entity.isAbstract)
        element["elementID"] = entity.explicitRenamingIdentifier
        element["versionHashModifier"] = entity.versionHashModifier
        element["coreSpotlightDisplayNameExpression"] = try entity.spotlightExpression.map {
            try Self.text($0, at: name)
        }
        element.setFlag("syncable", entity.isSyncable)
        element["codeGenerationType"] = entity.codeGenerationType
        try appendProperties(of: entity, to: &element)
        try appendIndexes(of: entity, to: &element)
        try appendConstraints(of: entity, to: &element)
        try Self.appendUserInfo(entity.userInfo, to: &element, at: name)
        return element
    }

    private func appendConstraints(of entity: NSEntityDescription, to element: inout ModelElement) throws {
        let constraints = zip(entity.uniquenessConstraints, entity.uniquenessConstraintNames)
        let elements = try constraints.map { tuple, names in
            guard names.count == tuple.count else {
                throw Self.inexpressible(
                    "a uniqueness constraint over something that is not a property", at: entity.name)
            }
            return ModelElement(
                "uniquenessConstraint",
                children: names.map { ModelElement("constraint", attributes: [.init("value", $0)]) })
        }
        guard !elements.isEmpty else { return }
        element.children.append(ModelElement("uniquenessConstraints", children: elements))
    }

    // MARK: Parts

    static func appendUserInfo(
        _ info: [AnyHashable: Any]?, to element: inout ModelElement, at location: String
    ) throws {
        guard let info, !info.isEmpty else { return }
        let entries = try info.map { key, value in
            guard let key = key as? String, let value = value as? String else {
                throw inexpressible("the user info for '\(key)', which is not a string", at: location)
            }
            return (key: key, value: value)
        }
        element.children.append(
            ModelElement(
                "userInfo",
                children: sorted(entries, by: { $0.key }).map {
                    ModelElement("entry", attributes: [.init("key", $0.key), .init("value", $0.value)])
                }))
    }

    /// The text of an expression, which the reader turns back into the expression.
    static func text(_ expression: NSExpression, at location: String) throws -> String {
        let text = expression.description
        guard let parsed = try? NSExpression(parsing: text), parsed.isEquivalent(to: expression) else {
            throw inexpressible("the expression '\(text)', which cannot be written as text", at: location)
        }
        return text
    }

    /// The text of a predicate, which the reader turns back into the predicate.
    static func text(_ predicate: NSPredicate, at location: String) throws -> String {
        let text = predicate.formatString
        guard let parsed = try? NSPredicate(parsing: text), parsed.isEquivalent(to: predicate) else {
            throw inexpressible("the predicate '\(text)', which cannot be written as text", at: location)
        }
        return text
    }

    static func name(_ name: String?, of what: String, at location: String?) throws -> String {
        guard let name, !name.isEmpty else {
            throw ModelFileError(.missingValue, "\(what) has no name", element: location)
        }
        return name
    }

    static func inexpressible(_ setting: String, at location: String?) -> ModelFileError {
        ModelFileError(.inexpressible, "a model file cannot hold \(setting)", element: location)
    }

    /// The order of the model editor: by name without regard to case.
    static func sorted<Element>(_ elements: [Element], by name: (Element) -> String) -> [Element] {
        elements.map { (name: name($0), folded: name($0).lowercased(), element: $0) }
            .sorted { a, b in
                a.folded == b.folded ? a.name.utf8Precedes(b.name) : a.folded.utf8Precedes(b.folded)
            }
            .map(\.element)
    }
}

extension ModelElement {
    /// Says YES, or leaves the setting out.
    mutating func setFlag(_ attribute: String, _ value: Bool) {
        if value { self[attribute] = "YES" }
    }
}
