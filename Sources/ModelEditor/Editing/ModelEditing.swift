import ModelTools

/// The tree of a model file while it is edited.
struct ModelEditing {
    var root: ModelElement

    init(_ root: ModelElement) { self.root = root }

    /// The largest text of a setting.
    private static let longestText = 64 * 1024

    /// Makes a change.
    ///
    /// - Returns: the position of the element that was changed, which another name may have moved; `nil` if it is gone.
    /// - Throws: `EditError` if it cannot be made; the tree stays as it was.
    mutating func perform(_ edit: ModelEdit) throws -> [Int]? {
        let before = root
        do {
            return try apply(edit)
        } catch {
            root = before
            throw error
        }
    }

    private mutating func apply(_ edit: ModelEdit) throws -> [Int]? {
        switch edit {
        case .add(let kind, let parent): return try add(kind, to: parent)
        case .remove(let path):
            try remove(path)
            return nil
        case .rename(let path, let name): return try rename(path, name)
        case .set(let path, let setting, let value):
            try set(path, setting, value)
            return path
        case .setType(let path, let type, let composite):
            try setType(path, type, composite)
            return path
        case .setDerived(let path, let isDerived):
            try setDerived(path, isDerived)
            return path
        case .setToMany(let path, let isToMany):
            try setToMany(path, isToMany)
            return path
        case .setDestination(let path, let entity):
            try setDestination(path, entity)
            return path
        case .setInverse(let path, let name):
            try setInverse(path, name)
            return path
        case .setUserInfo(let path, let entries):
            try setUserInfo(path, entries)
            return path
        case .setConstraints(let path, let constraints):
            try setConstraints(path, constraints)
            return path
        case .setIndexElements(let path, let elements):
            try setIndexElements(path, elements)
            return path
        case .setMembers(let path, let names):
            try setMembers(path, names)
            return path
        }
    }

    // MARK: What all edits use

    /// The element at a position, which has to be of one of some kinds.
    func element(_ path: [Int], _ kinds: ElementKind...) throws -> ModelElement {
        let element = try root.element(at: path)
        guard let kind = element.kind, kinds.isEmpty || kinds.contains(kind) else {
            throw EditError("This cannot be done with <\(element.name)>.")
        }
        return element
    }

    mutating func change(_ path: [Int], _ body: (inout ModelElement) throws -> Void) throws {
        try root.change(at: path, body)
    }

    /// Changes every element of the tree of a kind.
    mutating func changeAll(_ names: Set<String>, _ body: (inout ModelElement) -> Void) {
        Self.changeAll(&root, names, body)
    }

    /// The depth of a tree is bounded by its reader.
    private static func changeAll(
        _ element: inout ModelElement, _ names: Set<String>, _ body: (inout ModelElement) -> Void
    ) {
        for index in element.children.indices {
            if names.contains(element.children[index].name) { body(&element.children[index]) }
            changeAll(&element.children[index], names, body)
        }
    }

    /// - Throws: `EditError` for a string that no model file can hold.
    static func check(_ text: String, setting: String) throws {
        guard text.utf8.count <= longestText else {
            throw EditError("The text is longer than \(longestText) bytes.", setting: setting)
        }
        let isPrintable = text.unicodeScalars.allSatisfy {
            $0.value >= 0x20
                ? $0.value != 0xFFFE && $0.value != 0xFFFF : [0x09, 0x0A, 0x0D].contains($0.value)
        }
        guard isPrintable else {
            throw EditError("The text contains a control character.", setting: setting)
        }
    }

    // MARK: Settings

    private mutating func set(_ path: [Int], _ name: String, _ value: String?) throws {
        let element = try element(path)
        guard let kind = element.kind, let setting = kind.settings.first(where: { $0.name == name }),
            !kind.connectedSettings.contains(name)
        else {
            throw EditError("<\(element.name)> has no setting '\(name)' that can be set.", setting: name)
        }
        if let value { try Self.check(value, setting: name) }
        // An empty string is a default value of a string, and no value of anything else.
        let isEmptyDefault = name == "defaultValueString" && element["attributeType"] == "String"
        var value = value.flatMap { $0.isEmpty && !isEmptyDefault ? nil : $0 }
        if name == "userDefinedModelVersionIdentifier" { value = value ?? "" }
        if let value { try check(value, setting) }
        if kind == .entity, name == "parentEntity", let value {
            try checkParent(value, of: element["name"] ?? "")
        }
        try change(path) { $0.setInOrder(name, value) }
    }

    private func check(_ value: String, _ setting: ElementKind.Setting) throws {
        let name = setting.name
        switch setting.form {
        case .text: break
        case .mark:
            guard value == "YES" else { throw EditError("'\(name)' must be YES or missing.", setting: name) }
        case .choice:
            guard ["YES", "NO"].contains(value) else {
                throw EditError("'\(name)' must be YES or NO.", setting: name)
            }
        case .count:
            guard let number = Int32(value), number >= 0 else {
                throw EditError("The value must be a whole number from 0 to \(Int32.max).", setting: name)
            }
        case .number:
            guard let number = Double(value), number.isFinite else {
                throw EditError("The value must be a number.", setting: name)
            }
        case .oneOf(let values):
            guard values.contains(value) else {
                throw EditError("'\(name)' is one of \(values.joined(separator: ", ")).", setting: name)
            }
        }
    }

    private func checkParent(_ parent: String, of entity: String) throws {
        let parents = Dictionary(
            root.children(named: "entity").map { ($0["name"] ?? "", $0["parentEntity"] ?? "") }
        ) { first, _ in first }
        guard parents[parent] != nil else {
            throw EditError("There is no entity '\(parent)'.", setting: "parentEntity")
        }
        var seen: Set<String> = []
        var next = parent
        while !next.isEmpty, seen.insert(next).inserted {
            guard next != entity else {
                throw EditError(
                    "'\(entity)' cannot inherit from '\(parent)', which inherits from it.",
                    setting: "parentEntity")
            }
            next = parents[next] ?? ""
        }
    }
}
