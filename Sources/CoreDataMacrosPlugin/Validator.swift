import SwiftSyntax

/// `func validateTitle(_ value: inout String?) throws`.
struct Validator {
    private let key: String
    private let method: TokenSyntax
    private let parameterType: TypeSyntax
    private let throwsErrors: Bool
    private let owner: TokenSyntax

    /// The methods of NSManagedObject that begin as a validator does.
    private static let inherited: Set<String> = [
        "validateForInsert", "validateForUpdate", "validateForDelete", "validateValue",
    ]

    /// Nil for any other member.
    init?(_ member: DeclSyntax, of declared: ManagedClass) {
        guard let function = member.as(FunctionDeclSyntax.self),
            let suffix = PropertyKey.suffix(of: function.name.identifierText, after: "validate"),
            !Self.inherited.contains(function.name.identifierText),
            !function.modifiers.contains(.static, .class), function.genericParameterClause == nil,
            function.signature.effectSpecifiers?.asyncSpecifier == nil, function.signature.returnClause == nil,
            let parameter = function.signature.parameterClause.parameters.first,
            function.signature.parameterClause.parameters.count == 1, parameter.firstName.tokenKind == .wildcard,
            parameter.type.isInoutOptional
        else { return nil }
        key = PropertyKey.key(from: suffix, among: declared.propertyNames)
        method = function.name.trimmed
        parameterType = parameter.type.trimmed
        throwsErrors = function.signature.effectSpecifiers?.throwsClause != nil
        owner = declared.name
    }

    /// The statement that enters the method into the table.
    var registration: String {
        let call = (throwsErrors ? "try " : "") + "object.\(method.text)(&value)"
        return "table[\"\(key)\"] = .method { (object: \(owner.text), value: \(parameterType)) in \(call) }"
    }
}

extension TypeSyntax {
    /// Whether the type is `inout T?` or `inout Optional<T>`.
    fileprivate var isInoutOptional: Bool {
        guard let attributed = self.as(AttributedTypeSyntax.self),
            attributed.specifiers.contains(where: { $0.trimmedDescription == "inout" })
        else { return false }
        if attributed.baseType.is(OptionalTypeSyntax.self) { return true }
        return attributed.baseType.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
    }
}
