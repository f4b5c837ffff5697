import SwiftSyntax

extension AttributeSyntax {
    /// The arguments of the attribute.
    var labelledArguments: [LabeledExprSyntax] {
        guard case .argumentList(let arguments) = arguments else { return [] }
        return Array(arguments)
    }

    /// The name of the attribute, without its module's.
    var baseName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }
}

extension AttributeListSyntax {
    /// The attribute of a name, written directly or in `#if`.
    func attribute(named name: String) -> AttributeSyntax? {
        for element in self {
            if case .attribute(let attribute) = element, attribute.baseName == name { return attribute }
        }
        return nil
    }
}

extension DeclModifierListSyntax {
    /// Whether one of the modifiers is written, without an argument: `private(set)` is not `private`.
    func contains(_ keywords: Keyword...) -> Bool {
        contains { modifier in
            modifier.detail == nil && keywords.contains { modifier.name.tokenKind == .keyword($0) }
        }
    }
}
