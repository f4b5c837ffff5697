import SwiftSyntax

extension TokenSyntax {
    /// The name without backticks.
    var identifierText: String { identifier?.name ?? text }
}

extension AttributeListSyntax {
    /// The attribute of a name; nil when there is none, or only one under `#if`.
    func attribute(named name: String) -> AttributeSyntax? {
        for case .attribute(let attribute) in self where attribute.baseName == name { return attribute }
        return nil
    }

    func contains(_ name: String) -> Bool { attribute(named: name) != nil }
}

extension AttributeSyntax {
    var baseName: String { attributeName.trimmedDescription }

    /// What is between the parentheses of `@objc(…)`.
    var objectiveCName: String? {
        guard baseName == "objc", let arguments else { return nil }
        let text = arguments.tokens(viewMode: .sourceAccurate).map(\.text).joined()
        return text.isEmpty ? nil : text
    }
}

extension DeclModifierListSyntax {
    func contains(_ keywords: Keyword...) -> Bool {
        contains { modifier in keywords.contains { modifier.name.tokenKind == .keyword($0) } }
    }

    /// The access modifier of the declaration; nil for the default. Those of setters do not count.
    var access: Keyword? {
        let levels: [Keyword] = [.open, .public, .package, .internal, .fileprivate, .private]
        for modifier in self where modifier.detail == nil {
            if let level = levels.first(where: { modifier.name.tokenKind == .keyword($0) }) { return level }
        }
        return nil
    }
}

extension PatternBindingSyntax {
    /// The name that the binding declares.
    var name: TokenSyntax? { pattern.as(IdentifierPatternSyntax.self)?.identifier }
}

extension VariableDeclSyntax {
    /// The bindings with their types: in `first, last: String` the type is that of both.
    var typedBindings: [(binding: PatternBindingSyntax, type: TypeSyntax?)] {
        var type: TypeSyntax?
        let reversed = bindings.reversed().map { binding -> (PatternBindingSyntax, TypeSyntax?) in
            if let annotation = binding.typeAnnotation {
                type = annotation.type
            } else if binding.initializer != nil {
                type = nil
            }
            return (binding, type)
        }
        return reversed.reversed()
    }
}

extension AccessorBlockSyntax {
    /// Whether the value can be read at once and without errors.
    var isPlain: Bool {
        guard case .accessors(let list) = accessors else { return true }
        return list.allSatisfy { $0.effectSpecifiers == nil }
    }
}

extension FunctionParameterListSyntax {
    /// The labels as callers write them.
    var labels: [String] { map(\.firstName.text) }
}

extension TypeSyntax {
    /// The name of the type without `?`, `!` and the collection around it: what the next name of a key path is a
    /// property of.
    var nameOfElement: String {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.nameOfElement }
        if let implicit = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return implicit.wrappedType.nameOfElement
        }
        if let array = self.as(ArrayTypeSyntax.self) { return array.element.nameOfElement }
        if let named = self.as(IdentifierTypeSyntax.self),
            ["Set", "Array", "Optional"].contains(named.name.text),
            case .type(let element)? = named.genericArgumentClause?.arguments.first?.argument
        {
            return element.nameOfElement
        }
        return trimmedDescription
    }
}

extension SyntaxProtocol {
    /// The text without line ends and comments, each of which counts as a blank.
    ///
    /// - Parameter text: what is written for a token.
    func oneLine(_ text: (TokenSyntax) -> String = { $0.text }) -> String {
        var line = ""
        for token in tokens(viewMode: .sourceAccurate) {
            if !line.isEmpty, !token.leadingTrivia.isEmpty, line.last != " " { line += " " }
            line += text(token)
            if !token.trailingTrivia.isEmpty { line += " " }
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}

extension Trivia {
    var containsNewlines: Bool { contains(where: \.isNewline) }
}
