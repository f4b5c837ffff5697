import CocoaFoundation

/// The objects of an XML store, as Core Data writes one: a `<database>` of a `<databaseInfo>` and of objects
/// that refer to each other by identifiers.
///
/// Mapping models of Xcode are such stores.
package struct XMLStoreDocument {
    /// One object, with its values and references as they are in the file.
    struct Object {
        /// The identifier in the file, such as `z102`.
        let id: String
        /// The name of the entity in capitals.
        let entity: String
        let line: Int?
        /// The values of attributes by name, the names in small letters.
        fileprivate(set) var attributes: [String: Attribute] = [:]
        /// The identifiers of the destinations of relationships by name.
        fileprivate(set) var relationships: [String: [String]] = [:]
    }

    /// A value of an attribute.
    struct Attribute {
        /// The type in the file: `string`, `int16`, `bool`, `binary`.
        let type: String
        let text: String
        let line: Int?
    }

    /// The objects in the order of the file.
    let objects: [Object]
    /// The metadata of the store.
    let metadata: [String: Any]
    private let positions: [String: Int]

    /// - Parameter root: the tree of the file.
    /// - Throws: `ModelFileError` for an element that an XML store does not have, and for an identifier that
    ///   is there twice.
    init(_ root: ModelElement) throws {
        guard root.name == "database" else {
            throw ModelFileError(
                .malformed, "the file holds a <\(root.name)> and no <database>", line: root.line)
        }
        var objects: [Object] = []
        var positions: [String: Int] = [:]
        var metadata: [String: Any] = [:]
        for element in root.children {
            switch element.name {
            case "databaseInfo":
                for list in element.children(named: "metadata").flatMap({ $0.children(named: "plist") }) {
                    metadata = try list.children.first.map(Self.propertyList) as? [String: Any] ?? [:]
                }
            case "object":
                let object = try Self.object(element)
                guard positions.updateValue(objects.count, forKey: object.id) == nil else {
                    throw ModelFileError(
                        .duplicateName, "there are two objects '\(object.id)'", line: element.line)
                }
                objects.append(object)
            default:
                throw Self.unknown(element, in: root)
            }
        }
        self.objects = objects
        self.positions = positions
        self.metadata = metadata
    }

    /// The object of an identifier; `nil` if there is none.
    func object(_ id: String) -> Object? { positions[id].map { objects[$0] } }

    // MARK: Objects

    private static func object(_ element: ModelElement) throws -> Object {
        let settings = ElementSettings(element)
        var object = Object(
            id: try settings.required("id"), entity: try settings.required("type"), line: element.line)
        for child in element.children {
            let name = try ElementSettings(child).required("name")
            let isNew: Bool
            switch child.name {
            case "attribute":
                let type = try ElementSettings(child).required("type")
                // What is escaped is text; other types are written with letters and digits only.
                let text = type == "string" ? XMLStoreText.unescaped(child.text) : child.text
                let value = Attribute(type: type, text: text, line: child.line)
                isNew = object.attributes.updateValue(value, forKey: name) == nil
            case "relationship":
                let ids = (child["idrefs"] ?? "").split(separator: " ").map(String.init)
                isNew = object.relationships.updateValue(ids, forKey: name) == nil
            default:
                throw unknown(child, in: element)
            }
            guard isNew else {
                throw ModelFileError(
                    .duplicateName, "the object '\(object.id)' has two values of '\(name)'", line: child.line)
            }
        }
        return object
    }

    private static func unknown(_ element: ModelElement, in parent: ModelElement) -> ModelFileError {
        ModelFileError(
            .malformed, "there is a <\(element.name)> in <\(parent.name)>, which does not allow it",
            line: element.line)
    }

    // MARK: Property lists

    /// The value of an element of an XML property list. The depth of the tree is bounded where it is read.
    package static func propertyList(_ element: ModelElement) throws -> Any {
        switch element.name {
        case "string": return element.text
        case "true": return true
        case "false": return false
        case "integer": if let number = Int(element.text) { return number }
        case "real": if let number = Double(element.text) { return number }
        case "data": if let data = Base64.data(element.text) { return data }
        case "date": if let date = try? Date(element.text, strategy: .iso8601) { return date }
        case "array": return try element.children.map(propertyList)
        case "dict":
            var dictionary: [String: Any] = [:]
            var rest = element.children[...]
            while let key = rest.popFirst() {
                guard key.name == "key", let value = rest.popFirst() else {
                    throw ModelFileError(
                        .malformed, "a dictionary of the metadata is not made of keys and values",
                        line: key.line)
                }
                dictionary[key.text] = try propertyList(value)
            }
            return dictionary
        default: break
        }
        throw ModelFileError(
            .invalidValue, "the <\(element.name)> of the metadata cannot be read", line: element.line)
    }
}

/// Data as XML files hold it.
package enum Base64 {
    /// The data of a string; white space in it means nothing.
    package static func data(_ text: String) -> Data? {
        Data(base64Encoded: String(decoding: text.utf8.filter { $0 > 0x20 }, as: UTF8.self))
    }
}

/// Text as XML stores write it.
package enum XMLStoreText {
    /// The text that an XML store has escaped: characters that mean something in XML are `\u` with the two
    /// bytes of their UTF-16 code in the order of a little-endian machine (`\u3c00` is `<`), and a backslash
    /// is two.
    package static func unescaped(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.contains(UInt8(ascii: "\\")) else { return text }
        var units: [UInt16] = []
        var result = ""
        var plain: [UInt8] = []
        func endPlain() {
            result += String(decoding: plain, as: UTF8.self)
            plain.removeAll(keepingCapacity: true)
        }
        func endUnits() {
            result += String(decoding: units, as: UTF16.self)
            units.removeAll(keepingCapacity: true)
        }
        var position = 0
        while position < bytes.count {
            if let unit = unit(bytes[position...]) {
                if units.isEmpty { endPlain() }
                units.append(unit)
                position += 6
                continue
            }
            if !units.isEmpty { endUnits() }
            let isEscaped = bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "\\")])
            plain.append(bytes[position])
            position += isEscaped ? 2 : 1
        }
        endUnits()
        endPlain()
        return result
    }

    private static func unit(_ bytes: ArraySlice<UInt8>) -> UInt16? {
        guard bytes.count >= 6, bytes.starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
            return nil
        }
        let digits = bytes.dropFirst(2).prefix(4)
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)?.byteSwapped
    }
}
