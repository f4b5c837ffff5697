import CocoaFoundation

/// The archive of a model that a mapping model of Xcode embeds: the objects of its model editor.
///
/// The editor holds a model as a UML diagram. A package has classes, which are the entities; a class has
/// properties; and what Core Data adds to them are stereotypes, each a table of settings. The archive is turned
/// into the tree of a `contents` file, of which a model is made as usual. Configurations are passed over,
/// because nothing in a mapping depends on them.
final class EditorModelArchive {
    private let archive: KeyedArchive
    /// How much more is looked at: fields, entries and elements. An archive can refer to one table a thousand
    /// times, so that its size is no bound.
    private var budget: Int
    private var classNames = ArchivedClassNames()

    /// Reads the model of an archive.
    ///
    /// - Parameters:
    ///   - data: the archive.
    ///   - limit: how many fields, entries and elements are looked at. An attribute needs about 300.
    /// - Throws: `ModelFileError`, without a file and a line.
    static func model(_ data: Data, limit: Int = 5_000_000) throws -> NSManagedObjectModel {
        do {
            let reader = EditorModelArchive(try KeyedArchive(data), limit: limit)
            return try NSManagedObjectModel(tree: reader.tree())
        } catch let error as MalformedPropertyList {
            throw ModelFileError(.malformed, error.description)
        }
    }

    private init(_ archive: KeyedArchive, limit: Int) {
        self.archive = archive
        budget = limit
    }

    // MARK: The model

    private func tree() throws -> ModelElement {
        guard let root = archive.top["root"], let model = try object(at: root), model.className == "XDPMModel"
        else {
            throw ModelFileError(.unsupportedForm, "the archive holds no XDPMModel")
        }
        guard let package = try object("_xd_rootPackage", of: model) else {
            throw ModelFileError(.malformed, "the archive holds no package of entities")
        }
        var tree = ModelElement("model")
        tree["userDefinedModelVersionIdentifier"] = try text("_modelVersionIdentifier", of: model)
        var requests: [ModelElement] = []
        for (_, entity) in try storage("Classes", of: package) {
            try tree.children.append(self.entity(entity, &requests))
        }
        tree.children += requests
        return tree
    }

    private func entity(
        _ entity: Object, _ requests: inout [ModelElement]
    ) throws -> ModelElement {
        guard entity.className == "XDPMEntity" else {
            throw ModelFileError(.unsupportedForm, "the archive holds a \(entity.className) as an entity")
        }
        var settings = try self.settings(of: entity)
        var element = ModelElement("entity")
        element["name"] = try text("_name", of: entity)
        element["representedClassName"] = try settings.text("XD_PSK_entityClassName")
        element["isAbstract"] = try settings.flag("XD_PSK_isAbstract")
        element["elementID"] = try settings.text("XD_PSK_elementID")
        element["versionHashModifier"] = try settings.text("XD_PSK_versionHashModifier")
        element["parentEntity"] = try parentName(of: entity)
        _ = settings.take("XD_PSK_classMapping")
        let userInfo = settings.take("XD_PSK_userInfo")
        let constraints = settings.take("XDPMUniquenessConstraints")
        let indexes = settings.take("XDPMCompoundIndexes")
        let fetches = settings.take("XD_PSK_fetchRequestsArray")
        try settings.end()

        for (_, property) in try storage("OwnedAttributes", of: entity) {
            try element.children.append(self.property(property))
        }
        element.children += try self.userInfo(userInfo)
        element.children.append(
            try nameLists(constraints, "uniquenessConstraints", "uniquenessConstraint", "constraint"))
        element.children.append(try nameLists(indexes, "compoundIndexes", "compoundIndex", "index"))
        for field in try elements(of: fetches) {
            if let request = try object(at: field) { try requests.append(fetchRequest(request)) }
        }
        return element
    }

    private func parentName(of entity: Object) throws -> String? {
        for field in try elements(of: entity.fields["XDBucketForGeneralizationsstorage"]) {
            if let generalization = try object(at: field),
                let parent = try object("_general", of: generalization)
            {
                return try text("_name", of: parent)
            }
        }
        return nil
    }

    // MARK: Properties

    private func property(_ property: Object) throws -> ModelElement {
        var settings = try self.settings(of: property)
        var element: ModelElement
        switch property.className {
        case "XDPMAttribute":
            element = ModelElement("attribute")
            try readAttribute(&settings, into: &element)
        case "XDPMRelationship":
            element = ModelElement("relationship")
            try readRelationship(&settings, into: &element)
        case "XDPMFetchedProperty":
            element = ModelElement("fetchedProperty")
            if let field = settings.take("XD_PFP_fetchRequestKey"), let request = try object(at: field) {
                try element.children.append(fetchRequest(request))
            }
        case let other:
            throw ModelFileError(.unsupportedForm, "the archive holds a \(other) as a property")
        }
        element["name"] = try text("_name", of: property)
        element["optional"] = try settings.flag("XD_PPSK_isOptional")
        element["transient"] = try settings.flag("XD_PPSK_isTransient")
        element["indexed"] = try settings.flag("XD_PPSK_isIndexed")
        element["spotlightIndexingEnabled"] = try settings.flag("XD_PPSK_isSpotlightIndexed")
        element["storedInTruthFile"] = try settings.flag("XD_PPSK_isStoredInTruthFile")
        element["elementID"] = try settings.text("XD_PPSK_elementID")
        element["versionHashModifier"] = try settings.text("XD_PPSK_versionHashModifier")
        element.children += try userInfo(settings.take("XD_PPSK_userInfo"))
        try settings.end()
        return element
    }

    private func readAttribute(_ settings: inout Settings, into element: inout ModelElement) throws {
        if let number = try settings.number("XD_PAttK_attributeType"), number != 0 {
            guard let type = UInt(exactly: number).flatMap(NSAttributeType.init(rawValue:)) else {
                throw ModelFileError(.invalidValue, "the archive has an attribute of type \(number)")
            }
            element["attributeType"] = type.displayName
        }
        element["defaultValueString"] = try settings.text("XD_PAttK_defaultValueAsString")
        element["minValueString"] = try settings.text("XD_PAttK_minValueString")
        element["maxValueString"] = try settings.text("XD_PAttK_maxValueString")
        element["regularExpressionString"] = try settings.text("XD_PAttK_regularExpressionString")
        element["valueTransformerName"] = try settings.text("XD_PAttK_valueTransformerName")
        element["allowsExternalBinaryDataStorage"] =
            try settings.flag("XD_PAttK_allowsExternalBinaryDataStorage")
    }

    private func readRelationship(
        _ settings: inout Settings, into element: inout ModelElement
    ) throws {
        element["toMany"] = try settings.flag("XD_PRK_isToMany")
        element["ordered"] = try settings.flag("XD_PRK_ordered")
        element["minCount"] = try settings.number("XD_PRK_minCount").map(String.init)
        element["maxCount"] = try settings.number("XD_PRK_maxCount").map(String.init)
        switch try settings.number("XD_PRK_deleteRule") {
        case 0: element["deletionRule"] = "No Action"
        case 1, nil: element["deletionRule"] = "Nullify"
        case 2: element["deletionRule"] = "Cascade"
        case 3: element["deletionRule"] = "Deny"
        case let rule?: throw ModelFileError(.invalidValue, "the archive has the delete rule \(rule)")
        }
        if let field = settings.take("XD_PRK_destination"), let destination = try object(at: field) {
            element["destinationEntity"] = try text("_name", of: destination)
        }
        if let field = settings.take("XD_PRK_inverseRelationship"), let inverse = try object(at: field) {
            element["inverseName"] = try text("_name", of: inverse)
        }
    }

    private func fetchRequest(_ request: Object) throws -> ModelElement {
        var element = ModelElement("fetchRequest")
        element["name"] = try text("_name", of: request)
        element["predicateString"] = try text("_predicateString", of: request)
        if let entity = try object("_entity", of: request) {
            element["entity"] = try text("_name", of: entity)
        }
        return element
    }

    // MARK: Values

    private func userInfo(_ field: Int?) throws -> [ModelElement] {
        guard let field, let table = try object(at: field) else { return [] }
        var element = ModelElement("userInfo")
        for (key, value) in try entries(of: table) {
            element.children.append(
                ModelElement(
                    "entry", attributes: [.init("key", key), .init("value", try text(at: value) ?? "")]))
        }
        return element.children.isEmpty ? [] : [element]
    }

    /// Lists of property names, as the elements of a `contents` file hold them.
    private func nameLists(
        _ field: Int?, _ listName: String, _ groupName: String, _ elementName: String
    ) throws -> ModelElement {
        var list = ModelElement(listName)
        for group in try elements(of: field) {
            var element = ModelElement(groupName)
            for name in try elements(of: group) {
                element.children.append(
                    ModelElement(elementName, attributes: [.init("value", try text(at: name) ?? "")]))
            }
            list.children.append(element)
        }
        return list
    }

    // MARK: Objects of the archive

    /// An object of the archive that is not a plain value.
    fileprivate struct Object {
        let className: String
        let fields: [String: Int]
    }

    private func node(at field: Int) throws -> BinaryPropertyList.Node {
        guard case .identifier(let reference) = archive.list.nodes[field] else {
            return archive.list.nodes[field]
        }
        return try archive.object(at: reference).map { archive.list.nodes[$0] } ?? .null
    }

    /// The object that a field refers to; `nil` for the null object.
    private func object(at field: Int) throws -> Object? {
        var place = field
        if case .identifier(let reference) = archive.list.nodes[field] {
            guard let target = try archive.object(at: reference) else { return nil }
            place = target
        }
        let fields = try archive.list.fields(of: place)
        try spend(fields.count)
        return Object(className: try classNames.name(of: fields, in: archive), fields: fields)
    }

    private func object(_ key: String, of object: Object) throws -> Object? {
        try object.fields[key].flatMap { try self.object(at: $0) }
    }

    private func text(_ key: String, of object: Object) throws -> String? {
        try object.fields[key].flatMap { try text(at: $0) }
    }

    fileprivate func text(at field: Int) throws -> String? {
        switch try node(at: field) {
        case .string(let text):
            try spend(1 + text.utf8.count / 32)
            return text
        case .null: return nil
        default: throw ModelFileError(.malformed, "the archive has a value that should be text and is not")
        }
    }

    fileprivate func number(at field: Int) throws -> Int? {
        switch try node(at: field) {
        case .integer(let number): return Int(number)
        case .boolean(let flag): return flag ? 1 : 0
        case .null: return nil
        default:
            throw ModelFileError(.malformed, "the archive has a value that should be a number and is not")
        }
    }

    /// Whether the value says nothing: no object, an empty text, table or array, zero or no.
    fileprivate func isEmpty(_ field: Int) throws -> Bool {
        switch try node(at: field) {
        case .null, .boolean(false), .integer(0): return true
        case .string(let text): return text.isEmpty
        case .dictionary:
            guard let elements = try object(at: field)?.fields["NS.objects"] else { return false }
            if case .array(let elements) = archive.list.nodes[elements] { return elements.isEmpty }
            return false
        default: return false
        }
    }

    /// The elements of an array.
    private func elements(of field: Int?) throws -> [Int] {
        guard let field, let array = try object(at: field) else { return [] }
        guard let elements = array.fields["NS.objects"],
            case .array(let elements) = archive.list.nodes[elements]
        else {
            throw ModelFileError(.malformed, "the archive has a \(array.className) that should be an array")
        }
        try spend(elements.count)
        return elements
    }

    /// The entries of a table with texts for keys, in the order of the keys.
    private func entries(of table: Object) throws -> [(key: String, value: Int)] {
        guard let keys = table.fields["NS.keys"], case .array(let keys) = archive.list.nodes[keys],
            let values = table.fields["NS.objects"], case .array(let values) = archive.list.nodes[values],
            keys.count == values.count
        else {
            throw ModelFileError(.malformed, "the archive has a \(table.className) that should be a table")
        }
        try spend(keys.count)
        return try zip(keys, values).map { (key: try text(at: $0) ?? "", value: $1) }
            .sorted { $0.key.utf8Precedes($1.key) }
    }

    /// What an object of the editor holds of a kind, by name.
    private func storage(_ kind: String, of object: Object) throws -> [(String, Object)] {
        guard let table = try self.object("XDBucketFor\(kind)storage", of: object) else { return [] }
        return try entries(of: table).compactMap { name, field in
            try self.object(at: field).map { (name, $0) }
        }
    }

    private func spend(_ count: Int) throws {
        budget -= count
        guard budget >= 0 else {
            throw ModelFileError(.tooLarge, "the archive stands for a larger model than any real one")
        }
    }

    // MARK: Settings

    /// The settings in all stereotypes of an entity or property, which are taken one by one.
    fileprivate struct Settings {
        private var fields: [String: Int]
        private let archive: EditorModelArchive

        init(_ fields: [String: Int], _ archive: EditorModelArchive) {
            self.fields = fields
            self.archive = archive
        }

        mutating func take(_ name: String) -> Int? { fields.removeValue(forKey: name) }

        mutating func text(_ name: String) throws -> String? {
            try take(name).flatMap { try archive.text(at: $0) }
        }

        mutating func number(_ name: String) throws -> Int? {
            try take(name).flatMap { try archive.number(at: $0) }
        }

        /// `YES`, or `nil` for no.
        mutating func flag(_ name: String) throws -> String? {
            let isSet = try number(name) ?? 0 != 0
            return isSet ? "YES" : nil
        }

        /// Makes sure that no setting is left that says something.
        func end() throws {
            for (name, field) in fields.sorted(by: { $0.key < $1.key }) where try !archive.isEmpty(field) {
                throw ModelFileError(
                    .unsupportedForm, "the archive has a setting '\(name)' that is not known")
            }
        }
    }

    private func settings(of object: Object) throws -> Settings {
        var fields: [String: Int] = [:]
        for (_, stereotype) in try storage("Stereotypes", of: object) {
            for (name, property) in try storage("OwnedAttributes", of: stereotype) {
                fields[name] = property.fields["_default"]
            }
        }
        return Settings(fields, self)
    }
}
