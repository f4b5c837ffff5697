import CocoaFoundation

/// A dictionary of a property list in the binary or the XML format, that may come from anyone.
struct PropertyListDictionary {
    private indirect enum Value {
        case text(String)
        case data(Data)
        case dictionary([String: Value])
        case other
    }

    private let entries: [String: Value]

    private enum Limit {
        static let depth = 8
        static let objects = 1_000_000
    }

    /// Reads a property list whose outermost object is a dictionary.
    ///
    /// - Throws: `ModelFileError`, without a file.
    init(_ data: Data) throws {
        let root: Value
        if BinaryPropertyList.isBinaryPropertyList(data) {
            root = try ModelFileError.throwing {
                let list = try BinaryPropertyList(data, maximumObjects: Limit.objects)
                try list.checkTree(maximumDepth: Limit.depth, maximumWeight: Limit.objects)
                return try Self.value(of: list, at: list.root)
            }
        } else {
            root = try Self.value(of: Self.xmlRoot(data))
        }
        guard case .dictionary(let entries) = root else {
            throw ModelFileError(.malformed, "the property list holds no dictionary")
        }
        self.entries = entries
    }

    private init(_ entries: [String: Value]) { self.entries = entries }

    private static func value(of list: BinaryPropertyList, at index: Int) throws -> Value {
        switch list.nodes[index] {
        case .string(let text): .text(text)
        case .data(let data): .data(data)
        case .dictionary: .dictionary(try list.fields(of: index).mapValues { try value(of: list, at: $0) })
        default: .other
        }
    }

    // MARK: XML

    /// The element in the `<plist>`. The document type that Apple's writers put before it is passed over.
    private static func xmlRoot(_ data: Data) throws -> ModelElement {
        var text = String(decoding: data, as: UTF8.self)
        if let start = text.range(of: "<!DOCTYPE plist"),
            let end = text[start.upperBound...].firstIndex(of: ">")
        {
            text.replaceSubrange(start.lowerBound...end, with: "")
        }
        let root = try ModelElement(xml: Data(text.utf8))
        guard root.name == "plist", let element = root.children.first, root.children.count == 1 else {
            throw ModelFileError(.malformed, "the file is not a property list", line: root.line)
        }
        return element
    }

    private static func value(of element: ModelElement) throws -> Value {
        switch element.name {
        case "string":
            return .text(element.text)
        case "data":
            guard let data = Data(base64Encoded: element.text, options: .ignoreUnknownCharacters) else {
                throw ModelFileError(.malformed, "the <data> is not in base 64", line: element.line)
            }
            return .data(data)
        case "dict":
            var entries: [String: Value] = [:]
            var rest = element.children[...]
            while let key = rest.popFirst() {
                guard key.name == "key", let next = rest.popFirst() else {
                    throw ModelFileError(
                        .malformed, "a <dict> is not made of keys and values", line: key.line)
                }
                guard entries.updateValue(try value(of: next), forKey: key.text) == nil else {
                    throw ModelFileError(
                        .duplicateName, "the key '\(key.text)' occurs twice", line: key.line)
                }
            }
            return .dictionary(entries)
        default:
            return .other
        }
    }

    // MARK: Entries

    /// A string; `nil` if it is missing.
    func text(_ key: String) throws -> String? {
        switch entries[key] {
        case nil: return nil
        case .text(let text)?: return text
        default: throw wrong(key, "a string")
        }
    }

    /// A dictionary; `nil` if it is missing.
    func dictionary(_ key: String) throws -> PropertyListDictionary? {
        switch entries[key] {
        case nil: return nil
        case .dictionary(let entries)?: return PropertyListDictionary(entries)
        default: throw wrong(key, "a dictionary")
        }
    }

    /// The entries, which all have to be dictionaries.
    func dictionaries() throws -> [String: PropertyListDictionary] {
        try entries.mapValues { value in
            guard case .dictionary(let entries) = value else {
                throw wrong("an entry", "a dictionary")
            }
            return PropertyListDictionary(entries)
        }
    }

    /// The entries, which all have to be strings.
    func texts() throws -> [String: String] {
        try Dictionary(uniqueKeysWithValues: entries.keys.map { ($0, try text($0) ?? "") })
    }

    /// The entries, which all have to be data.
    func allData() throws -> [String: Data] {
        try Dictionary(
            uniqueKeysWithValues: entries.map { key, value in
                guard case .data(let data) = value else { throw wrong(key, "data") }
                return (key, data)
            })
    }

    private func wrong(_ key: String, _ expected: String) -> ModelFileError {
        ModelFileError(.invalidValue, "'\(key)' is not \(expected)")
    }
}
