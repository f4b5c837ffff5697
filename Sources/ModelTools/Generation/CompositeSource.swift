import ManagedObjectModel

/// A value type for a composite type of the model.
///
/// The property of a composite attribute is a dictionary, as with Apple's framework. The value type has a property for
/// each element, and converts from and to the dictionary.
struct CompositeSource {
    private struct Element {
        let key: String
        let type: String
        /// The composite type that the element is of.
        let composite: String?
        let isCodable: Bool

        var name: String { SwiftName.escaped(key) }
    }

    let name: String
    private let elements: [Element]
    private let context: ModelContext
    private let isCodable: Bool

    /// - Parameters:
    ///   - definition: the element `<composite>` of the model file.
    ///   - definitions: all of them by name.
    init(
        _ definition: ModelElement, among definitions: [String: ModelElement], _ context: ModelContext
    ) throws {
        let name = definition["name"] ?? ""
        self.name = name
        self.context = context
        guard SwiftName.isIdentifier(name) else {
            throw GenerationError(
                element: name, detail: "the name of the composite type is not a Swift identifier")
        }
        elements = try definition.children(named: "attribute").map { try Self.element($0, name, context) }
        isCodable = Self.isCodable(definition, definitions)
    }

    /// Whether a type and all that it is made of are. The model has been read, so that no type contains itself.
    private static func isCodable(_ definition: ModelElement, _ definitions: [String: ModelElement]) -> Bool {
        var pending = [definition]
        var seen: Set<String> = []
        while let next = pending.popLast() {
            for child in next.children(named: "attribute") {
                if ["Transformable", nil].contains(child["attributeType"]) { return false }
                if let name = child["composite"], seen.insert(name).inserted, let inner = definitions[name] {
                    pending.append(inner)
                }
            }
        }
        return true
    }

    private static func element(
        _ attribute: ModelElement, _ owner: String, _ context: ModelContext
    ) throws -> Element {
        let key = attribute["name"] ?? ""
        let position = "\(owner).\(key)"
        guard SwiftName.isIdentifier(key), !["CodingKeys", "dictionary", "self"].contains(key),
            !SwiftName.wordsBehindDot.contains(key)
        else {
            throw GenerationError(
                element: position, detail: "an element of a composite type cannot have this name in Swift")
        }
        if let composite = attribute["composite"], !composite.isEmpty {
            return Element(
                key: key, type: SwiftName.escaped(composite), composite: composite, isCodable: true)
        }
        let types = context.types
        let type: String
        switch attribute["attributeType"] {
        case "Integer 16": type = types.swift("Int16")
        case "Integer 32": type = types.swift("Int32")
        case "Integer 64": type = types.swift("Int64")
        case "Double": type = types.swift("Double")
        case "Float": type = types.swift("Float")
        case "Boolean": type = types.swift("Bool")
        case "Decimal": type = types.foundation("Decimal")
        case "String": type = types.swift("String")
        case "Date": type = types.foundation("Date")
        case "Binary", "Binary Data": type = types.foundation("Data")
        case "UUID": type = types.foundation("UUID")
        case "URI": type = types.foundation("URL")
        default:
            let description = NSAttributeDescription()
            description.name = position
            description.attributeValueClassName = attribute["customClassName"]
            type = try types.customClass(description) ?? "Any"
        }
        return Element(key: key, type: type, composite: nil, isCodable: true)
    }

    /// The declaration of the type.
    var declaration: String {
        let access = context.options.access.prefix
        let conformances =
            isCodable
            ? ": \(["Codable", "Hashable", "Sendable"].map(context.types.swift).joined(separator: ", "))" : ""
        let dictionary = "[\(context.types.swift("String")): Any]"
        let parameters = elements.map { "\($0.name): \($0.type)? = nil" }.joined(separator: ", ")
        var lines = [
            "/// The values of the composite type \(name): of its elements those that have one.",
            "nonisolated \(access)struct \(SwiftName.escaped(name))\(conformances) {",
        ]
        lines += elements.map { "    \(access)var \($0.name): \($0.type)?" }
        lines += ["", "    \(access)init(\(parameters)) {"]
        lines += elements.map { "        self.\($0.name) = \($0.name)" }
        lines += [
            "    }", "",
            "    /// The values in the dictionary of a composite attribute; `nil` for no dictionary.",
            "    \(access)init?(_ dictionary: \(dictionary)?) {",
            "        guard let dictionary else { return nil }",
        ]
        lines += elements.map(reading)
        lines += [
            "    }", "",
            "    /// The dictionary for a composite attribute.",
            "    \(access)var dictionary: \(dictionary) {",
            "        var dictionary: \(dictionary) = [:]",
        ]
        lines += elements.map { element in
            let value = element.composite == nil ? element.name : "\(element.name)?.dictionary"
            return "        dictionary[\(SwiftName.literal(element.key))] = \(value)"
        }
        lines += ["        return dictionary", "    }", "}"]
        return lines.joined(separator: "\n") + "\n"
    }

    private func reading(_ element: Element) -> String {
        let value = "dictionary[\(SwiftName.literal(element.key))]"
        let dictionary = "[\(context.types.swift("String")): Any]"
        guard element.composite != nil else {
            return element.type == "Any"
                ? "        \(element.name) = \(value)"
                : "        \(element.name) = \(value) as? \(element.type)"
        }
        return "        \(element.name) = \(element.type)(\(value) as? \(dictionary))"
    }
}
