import SwiftSyntax

extension FilePort {
    /// Writes the body of `@NSManaged func addToPages(_ value: Page)`, on its line.
    func portManagedMethod(_ node: FunctionDeclSyntax) {
        guard let scope else {
            refuse(
                "'@NSManaged' is for members of a class: write it in a class that inherits from NSManagedObject",
                at: node)
            return
        }
        if let body = node.body {
            refuse("an '@NSManaged' method has no body: drop the attribute, or the body", at: body)
            return
        }
        let selector = node.attributes.attribute(named: "objc")?.objectiveCName
        let keys = module.keys(of: scope)
        if let accessor = ToManyMethod(node, selector: selector, keys: keys) {
            insert(" { \(accessor.statement) }", after: node.signature)
        } else if let accessor = PrimitiveMethod(
            node, keys: keys, type: { [module] in module.portedText(of: $0) })
        {
            insert(" \(accessor.text)", after: node.signature)
        } else {
            refuse(
                """
                '\(node.name.text)' is not an accessor that Core Data writes: for 'pages' they are addToPages(_:), \
                removeFromPages(_:), insertIntoPages(_:at:), removeFromPages(at:), replacePages(at:with:), those of \
                key-value coding such as addPagesObject(_:), primitivePages() and setPrimitivePages(_:)
                """, at: node.name)
        }
    }
}

/// A method that changes a to-many relationship, known by its name or by its selector.
struct ToManyMethod {
    /// As the methods of `ToManyRelationship` are called.
    private enum Change {
        case add, remove, removeAt, insert, replace
    }

    private let change: Change
    private let key: String
    private let parameters: [String]

    private static let names: [(prefix: String, labels: [String], change: Change)] = [
        ("addTo", ["_"], .add), ("removeFrom", ["_"], .remove), ("removeFrom", ["at"], .removeAt),
        ("insertInto", ["_", "at"], .insert), ("replace", ["at", "with"], .replace),
    ]

    private static let selectors: [(prefix: String, ends: [String], change: Change)] = [
        ("insertObject:in", ["AtIndex:"], .insert), ("insert", [":atIndexes:"], .insert),
        ("removeObjectFrom", ["AtIndex:"], .removeAt), ("remove", ["AtIndexes:"], .removeAt),
        ("replaceObjectIn", ["AtIndex:withObject:"], .replace), ("add", ["Object:", ":"], .add),
        ("remove", ["Object:", ":"], .remove),
    ]

    /// - Parameters:
    ///   - selector: what `@objc(…)` says.
    ///   - keys: the keys of the class's properties.
    init?(_ function: FunctionDeclSyntax, selector: String?, keys: KnownKeys) {
        let declared = Array(function.signature.parameterClause.parameters)
        guard function.signature.returnClause == nil, function.signature.effectSpecifiers == nil,
            let found = Self.bySelector(selector) ?? Self.byName(function)
                ?? Self.bySelector(Self.selector(of: function)),
            declared.count == ([.insert, .replace].contains(found.change) ? 2 : 1)
        else { return nil }
        change = found.change
        key = KeyName.key(from: found.suffix, among: keys)
        parameters = declared.map { ($0.secondName ?? $0.firstName).text }
    }

    private static func byName(_ function: FunctionDeclSyntax) -> (suffix: Substring, change: Change)? {
        let labels = function.signature.parameterClause.parameters.labels
        let name = function.name.identifierText
        for form in names where form.labels == labels {
            if let suffix = KeyName.suffix(of: name, after: form.prefix) { return (suffix, form.change) }
        }
        return nil
    }

    private static func bySelector(_ selector: String?) -> (suffix: Substring, change: Change)? {
        guard let selector else { return nil }
        if let found = replacingSeveral(selector) { return found }
        for form in selectors {
            guard let rest = KeyName.suffix(of: selector, after: form.prefix) else { continue }
            for end in form.ends where rest.hasSuffix(end) && rest.count > end.count {
                let suffix = rest.dropLast(end.count)
                if !suffix.contains(":") { return (suffix, form.change) }
            }
        }
        return nil
    }

    /// `replacePagesAtIndexes:withPages:` says the key twice.
    private static func replacingSeveral(_ selector: String) -> (suffix: Substring, change: Change)? {
        let pieces = selector.split(separator: ":")
        guard pieces.count == 2, let first = KeyName.suffix(of: String(pieces[0]), after: "replace"),
            first.hasSuffix("AtIndexes"), pieces[1].hasPrefix("with")
        else { return nil }
        let suffix = first.dropLast("AtIndexes".count)
        return suffix == pieces[1].dropFirst("with".count) && !suffix.isEmpty ? (suffix, .replace) : nil
    }

    /// The selector that a method has without `@objc(…)`, where its first parameter has no label.
    private static func selector(of function: FunctionDeclSyntax) -> String? {
        let labels = function.signature.parameterClause.parameters.labels
        guard labels.first == "_" else { return nil }
        return ([function.name.identifierText] + labels.dropFirst()).map { "\($0):" }.joined()
    }

    /// The one statement of the method.
    var statement: String {
        let relationship = "_ToManyRelationship(of: self, named: \"\(key)\")"
        return switch change {
        case .add: "\(relationship).add(\(parameters[0]))"
        case .remove: "\(relationship).remove(\(parameters[0]))"
        case .removeAt: "\(relationship).remove(at: \(parameters[0]))"
        case .insert: "\(relationship).insert(\(parameters[0]), at: \(parameters[1]))"
        case .replace: "\(relationship).replace(at: \(parameters[0]), with: \(parameters[1]))"
        }
    }
}

/// `primitiveTitle() -> String?` and `setPrimitiveTitle(_ value: String?)`.
private struct PrimitiveMethod {
    let text: String

    /// - Parameter ported: what is written for a type.
    init?(_ function: FunctionDeclSyntax, keys: KnownKeys, type ported: (TypeSyntax) -> String) {
        let name = function.name.identifierText
        let parameters = function.signature.parameterClause.parameters
        guard function.signature.effectSpecifiers == nil else { return nil }
        let constant = "_managedKey_\(name)"
        let type: String
        let suffix: Substring
        let body: String
        if parameters.isEmpty, let result = function.signature.returnClause?.type,
            let found = KeyName.suffix(of: name, after: "primitive")
        {
            (type, suffix, body) = (ported(result), found, "self[primitive: Self.\(constant)]")
        } else if parameters.labels == ["_"], function.signature.returnClause == nil,
            let parameter = parameters.first,
            let found = KeyName.suffix(of: name, after: "setPrimitive")
        {
            let value = (parameter.secondName ?? parameter.firstName).text
            (type, suffix) = (ported(parameter.type), found)
            body = "self[primitive: Self.\(constant)] = \(value)"
        } else {
            return nil
        }
        let stored = type.hasSuffix("!") ? "\(type.dropLast())?" : type
        text =
            "{ \(body) }; private nonisolated static let \(constant) = "
            + "_ManagedKey<\(stored)>(\"\(KeyName.key(from: suffix, among: keys))\")"
    }
}
