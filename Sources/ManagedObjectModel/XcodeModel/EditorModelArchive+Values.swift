import CocoaFoundation

// What the archive of a model editor consists of: objects with fields, strings, numbers, arrays and tables.
extension EditorModelArchive {
    /// An object of the archive that is not a plain value.
    struct Object {
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
    func object(at field: Int) throws -> Object? {
        var location = field
        if case .identifier(let reference) = archive.list.nodes[field] {
            guard let target = try archive.object(at: reference) else { return nil }
            location = target
        }
        let fields = try archive.list.fields(of: location)
        try spend(fields.count)
        return Object(className: try classNames.name(of: fields, in: archive), fields: fields)
    }

    func object(_ key: String, of object: Object) throws -> Object? {
        try object.fields[key].flatMap { try self.object(at: $0) }
    }

    func text(_ key: String, of object: Object) throws -> String? {
        try object.fields[key].flatMap { try text(at: $0) }
    }

    func text(at field: Int) throws -> String? {
        switch try node(at: field) {
        case .string(let text):
            try spend(1 + text.utf8.count / 32)
            return text
        case .null: return nil
        case .dictionary:
            // A string of a class that can be changed is an object of its own.
            guard let object = try object(at: field), let content = object.fields["NS.string"] else {
                throw Self.noText
            }
            guard case .string(let text) = archive.list.nodes[content] else { throw Self.noText }
            try spend(1 + text.utf8.count / 32)
            return text
        default: throw Self.noText
        }
    }

    private static var noText: ModelFileError {
        ModelFileError(.malformed, "the archive has a value that should be a string and is not")
    }

    func number(at field: Int) throws -> Int? {
        switch try node(at: field) {
        case .integer(let number): return Int(number)
        case .boolean(let flag): return flag ? 1 : 0
        case .null: return nil
        default:
            throw ModelFileError(.malformed, "the archive has a value that should be a number and is not")
        }
    }

    /// Whether the value says nothing: no object, an empty string, table or array, zero or no.
    func isEmpty(_ field: Int) throws -> Bool {
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

    /// The elements of an array or a set.
    func elements(of field: Int?) throws -> [Int] {
        guard let field, let array = try object(at: field) else { return [] }
        guard let elements = array.fields["NS.objects"], array.fields["NS.keys"] == nil,
            case .array(let elements) = archive.list.nodes[elements]
        else {
            throw ModelFileError(.malformed, "the archive has a \(array.className) that should be an array")
        }
        try spend(elements.count)
        return elements
    }

    /// The entries of a table with strings for keys, in the order of the keys.
    func entries(of table: Object) throws -> [(key: String, value: Int)] {
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
    func storage(_ kind: String, of object: Object) throws -> [(String, Object)] {
        guard let table = try self.object("XDBucketFor\(kind)storage", of: object) else { return [] }
        return try entries(of: table).compactMap { name, field in
            try self.object(at: field).map { (name, $0) }
        }
    }

    private func spend(_ count: Int) throws {
        budget -= count
        guard budget >= 0 else {
            throw ModelFileError(.tooLarge, "the archive expands to a larger model than any real one")
        }
    }

    // MARK: Settings

    /// The settings in all stereotypes of an entity or property, which are taken one by one.
    struct Settings {
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

        /// A string that is not empty.
        mutating func word(_ name: String) throws -> String? {
            try text(name).flatMap { $0.isEmpty ? nil : $0 }
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

    func settings(of object: Object) throws -> Settings {
        var fields: [String: Int] = [:]
        for (_, stereotype) in try storage("Stereotypes", of: object) {
            for (name, property) in try storage("OwnedAttributes", of: stereotype) {
                fields[name] = property.fields["_default"]
            }
        }
        return Settings(fields, self)
    }

    // MARK: Lists

    /// The user info of an entity or property, and whether it takes part in syncing.
    ///
    /// Sync Services of Mac OS X, which are gone, had their settings among the user info, tables and arrays among them.
    /// Today's files have a place for one of them alone, whether the thing takes part, which it does unless it says no.
    /// The others are left out.
    func userInfo(_ field: Int?) throws -> (elements: [ModelElement], isSyncable: Bool) {
        guard let field, let table = try object(at: field) else { return ([], true) }
        var element = ModelElement("userInfo")
        var isSyncable = true
        for (key, value) in try entries(of: table) {
            if key.hasPrefix(Self.syncPrefix) {
                if key == Self.syncPrefix + "Syncable" {
                    isSyncable = try text(at: value).flatMap(ElementSettings.flag) ?? true
                }
                continue
            }
            let text = try userInfoText(value, key)
            element.children.append(
                ModelElement("entry", attributes: [.init("key", key), .init("value", text)]))
        }
        return (element.children.isEmpty ? [] : [element], isSyncable)
    }

    private func userInfoText(_ field: Int, _ key: String) throws -> String {
        do {
            return try text(at: field) ?? ""
        } catch let error as ModelFileError where error.reason == .malformed {
            throw ModelFileError(.unsupportedForm, "the user info for '\(key)' is not a string")
        }
    }

    private static let syncPrefix = "com.apple.syncservices."

    /// Lists of property names, as the elements of a `contents` file hold them.
    func nameLists(
        _ field: Int?, _ listName: String, _ groupName: String, _ elementName: String
    ) throws -> [ModelElement] {
        var list = ModelElement(listName)
        for group in try elements(of: field) {
            var element = ModelElement(groupName)
            for name in try elements(of: group) {
                element.children.append(
                    ModelElement(elementName, attributes: [.init("value", try text(at: name) ?? "")]))
            }
            list.children.append(element)
        }
        return list.children.isEmpty ? [] : [list]
    }
}
