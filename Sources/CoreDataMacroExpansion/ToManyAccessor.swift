import SwiftSyntax
import SwiftSyntaxBuilder

/// A method that changes a to-many relationship, known by its name and the labels of its parameters.
struct ToManyAccessor {
    /// What the method does, as the methods of `ToManyRelationship` are called.
    private enum Change {
        case add, remove, removeAt, insert, replace
    }

    private let change: Change
    /// The relationship's name in the model, as a Swift expression.
    private let key: ExprSyntax
    /// The names of the parameters inside the method.
    private let parameters: [TokenSyntax]

    private static let forms: [(prefix: String, labels: [String], change: Change)] = [
        ("addTo", ["_"], .add), ("removeFrom", ["_"], .remove), ("removeFrom", ["at"], .removeAt),
        ("insertInto", ["_", "at"], .insert), ("replace", ["at", "with"], .replace),
    ]

    /// - Throws: a `MacroDiagnostic` about an unknown method.
    init(_ function: FunctionDeclSyntax, _ attribute: AttributeSyntax) throws(MacroDiagnostic) {
        try Self.checkForm(of: function)
        let declared = Array(function.signature.parameterClause.parameters)
        let labels = declared.map(\.firstName.text)
        let name = function.name.identifierText
        let matching = Self.forms.lazy.compactMap { form -> (Substring, Change)? in
            guard form.labels == labels else { return nil }
            return PropertyKey.suffix(of: name, after: form.prefix).map { ($0, form.change) }
        }
        guard let (suffix, change) = matching.first else {
            throw MacroDiagnostic(
                """
                '\(name)(\(labels.map { "\($0):" }.joined()))' is not an accessor of a to-many relationship; for 'pages' \
                they are 'addToPages(_:)', 'removeFromPages(_:)', 'insertIntoPages(_:at:)', 'removeFromPages(at:)' \
                and 'replacePages(at:with:)'
                """, at: function.name)
        }
        self.change = change
        key =
            attribute.labelledArguments.first?.expression.trimmed
            ?? "\(literal: PropertyKey.key(from: suffix))"
        parameters = declared.map { ($0.secondName ?? $0.firstName).trimmed }
    }

    private static func checkForm(of function: FunctionDeclSyntax) throws(MacroDiagnostic) {
        if let body = function.body {
            throw MacroDiagnostic("'@ManagedAccessor' writes the body: leave yours out", at: body)
        }
        for modifier in function.modifiers where modifier.name.tokenKind.isTypeLevel {
            throw MacroDiagnostic(
                "'@ManagedAccessor' is for methods of objects, not of the class", at: modifier)
        }
        if let effects = function.signature.effectSpecifiers {
            throw MacroDiagnostic("a '@ManagedAccessor' method cannot be 'throws' or 'async'", at: effects)
        }
        if let result = function.signature.returnClause {
            throw MacroDiagnostic("a '@ManagedAccessor' method returns nothing", at: result)
        }
    }

    /// The one statement of the method.
    var body: CodeBlockItemSyntax {
        let relationship: ExprSyntax = "_ToManyRelationship(of: self, named: \(key))"
        return switch change {
        case .add: "\(relationship).add(\(parameters[0]))"
        case .remove: "\(relationship).remove(\(parameters[0]))"
        case .removeAt: "\(relationship).remove(at: \(parameters[0]))"
        case .insert: "\(relationship).insert(\(parameters[0]), at: \(parameters[1]))"
        case .replace: "\(relationship).replace(at: \(parameters[0]), with: \(parameters[1]))"
        }
    }
}

extension TokenKind {
    fileprivate var isTypeLevel: Bool { self == .keyword(.static) || self == .keyword(.class) }
}
