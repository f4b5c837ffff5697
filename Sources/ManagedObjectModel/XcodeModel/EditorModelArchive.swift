import CocoaFoundation

/// The archive of a model that Xcode 3 kept in the file `elements`, and that mapping models of Xcode embed: the objects of
/// its model editor.
///
/// The editor holds a model as a UML diagram. A package has classes, which are the entities; a class has properties; and
/// what Core Data adds to them are stereotypes, each a table of settings. The archive is turned into the tree of a
/// `contents` file, with the order and the settings that Xcode gives one, and is read as usual from there on.
///
/// What is known of the form are the files that Xcode wrote. An object or setting that is not known and says something is
/// an error with its name.
final class EditorModelArchive {
    let archive: KeyedArchive
    /// How much more is looked at: fields, entries and elements. An archive can refer to one table a thousand
    /// times, so that its size is not a bound.
    var budget: Int
    var classNames = ArchivedClassNames()

    /// How many fields, entries and elements are looked at. An attribute needs about 300.
    static let usualLimit = 5_000_000

    /// Reads the model of an archive.
    ///
    /// - Parameters:
    ///   - data: the archive.
    ///   - limit: how many fields, entries and elements are looked at.
    /// - Throws: `ModelFileError`, without a file and a line.
    static func tree(_ data: Data, limit: Int = usualLimit) throws -> ModelElement {
        try reading(data, limit) { reader in
            let model = try reader.root()
            var tree = try reader.tree(of: model)
            tree.children += try reader.configurations(of: model)
            return tree
        }
    }

    /// Reads the model of an archive without its configurations, on which nothing in a mapping depends.
    ///
    /// - Parameters: as of `tree(_:limit:)`.
    /// - Throws: `ModelFileError`, without a file and a line.
    static func model(_ data: Data, limit: Int = usualLimit) throws -> NSManagedObjectModel {
        try NSManagedObjectModel(tree: reading(data, limit) { try $0.tree(of: $0.root()) })
    }

    private static func reading(
        _ data: Data, _ limit: Int, _ body: (EditorModelArchive) throws -> ModelElement
    ) throws -> ModelElement {
        do {
            return try body(EditorModelArchive(try KeyedArchive(data), limit: limit))
        } catch let error as MalformedPropertyList {
            throw ModelFileError(.malformed, error.description)
        }
    }

    private init(_ archive: KeyedArchive, limit: Int) {
        self.archive = archive
        budget = limit
    }

    // MARK: The model

    private func root() throws -> Object {
        guard let root = archive.top["root"], let model = try object(at: root), model.className == "XDPMModel"
        else {
            throw ModelFileError(.unsupportedForm, "the archive holds no XDPMModel")
        }
        return model
    }

    private func tree(of model: Object) throws -> ModelElement {
        guard let package = try object("_xd_rootPackage", of: model) else {
            throw ModelFileError(.malformed, "the archive holds no package of entities")
        }
        for kind in ["Packages", "Interfaces", "DataTypes"] where try !storage(kind, of: package).isEmpty {
            throw ModelFileError(
                .unsupportedForm, "the package of entities has \(kind) too, which are not known")
        }
        var document = XcodeDocumentSettings()
        // There was nothing else at the time.
        document.set("sourceLanguage", "Objective-C")
        document.set(
            XcodeDocumentSettings.identifierKey, try text("_modelVersionIdentifier", of: model) ?? "")
        var tree = ModelElement("model", attributes: document.attributes)
        var requests: [ModelElement] = []
        for (_, entity) in try storage("Classes", of: package) {
            try tree.children.append(self.entity(entity, &requests))
        }
        tree.children = Self.sorted(tree.children) + Self.sorted(requests)
        return tree
    }

    /// The configurations: by name the entities of each.
    private func configurations(of model: Object) throws -> [ModelElement] {
        guard let table = try object("_configurationsByName", of: model) else { return [] }
        return Self.sorted(
            try entries(of: table).map { name, members in
                let names = try elements(of: members).map { try memberName($0, of: name) }
                return ModelElement(
                    "configuration", attributes: [.init("name", name)],
                    children: Self.sorted(
                        names.map { ModelElement("memberEntity", attributes: [.init("name", $0)]) }))
            })
    }

    private func memberName(_ field: Int, of configuration: String) throws -> String {
        guard let member = try object(at: field), member.className == "XDPMEntity",
            let name = try text("_name", of: member)
        else {
            throw ModelFileError(
                .unsupportedForm, "the configuration holds something that is not an XDPMEntity",
                element: configuration)
        }
        return name
    }

    // MARK: Entities

    private func entity(_ entity: Object, _ requests: inout [ModelElement]) throws -> ModelElement {
        guard entity.className == "XDPMEntity" else {
            throw ModelFileError(.unsupportedForm, "the archive holds a \(entity.className) as an entity")
        }
        let name = try text("_name", of: entity) ?? ""
        return try at(name) {
            var settings = try self.settings(of: entity)
            var element = ModelElement("entity", attributes: [.init("name", name)])
            element["representedClassName"] = try settings.word("XD_PSK_entityClassName")
            element["isAbstract"] = try settings.flag("XD_PSK_isAbstract")
            element["parentEntity"] = try parentName(of: entity)
            element["elementID"] = try settings.word("XD_PSK_elementID")
            element["versionHashModifier"] = try settings.word("XD_PSK_versionHashModifier")
            let userInfo = try userInfo(settings.take("XD_PSK_userInfo"))
            element["syncable"] = userInfo.isSyncable ? "YES" : nil
            // The class that Core Data keeps entities in; it is always the same one.
            _ = settings.take("XD_PSK_classMapping")
            let constraints = settings.take("XDPMUniquenessConstraints")
            let indexes = settings.take("XDPMCompoundIndexes")
            let fetches = settings.take("XD_PSK_fetchRequestsArray")
            try settings.end()

            element.children = try properties(of: entity, named: name)
            element.children += try nameLists(indexes, "compoundIndexes", "compoundIndex", "index")
            element.children += try nameLists(
                constraints, "uniquenessConstraints", "uniquenessConstraint", "constraint")
            element.children += userInfo.elements
            for field in try elements(of: fetches) {
                if let request = try object(at: field) { try requests.append(fetchRequest(request)) }
            }
            return element
        }
    }

    private func parentName(of entity: Object) throws -> String? {
        var names: [String] = []
        for field in try elements(of: entity.fields["XDBucketForGeneralizationsstorage"]) {
            // One that leads nowhere is left from a parent that was taken away.
            if let generalization = try object(at: field),
                let parent = try object("_general", of: generalization)
            {
                names.append(try text("_name", of: parent) ?? "")
            }
        }
        guard names.count <= 1 else {
            throw ModelFileError(
                .unsupportedForm, "the entity has several parents: \(names.joined(separator: ", "))")
        }
        return names.first
    }

    // MARK: Parts

    /// Elements in the order that Xcode gives them.
    static func sorted(_ elements: [ModelElement]) -> [ModelElement] {
        ModelWriter.sorted(elements) { $0["name"] ?? "" }
    }

    /// Reads something, and says in errors where it was.
    func at<Value>(_ location: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as ModelFileError where error.element == nil {
            throw ModelFileError(error.reason, error.detail, element: location)
        }
    }
}

extension XcodeDocumentSettings {
    fileprivate mutating func set(_ name: String, _ value: String) {
        attributes = attributes.map { $0.name == name ? .init(name, value) : $0 }
    }
}
