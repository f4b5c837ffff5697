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
        guard let (function, suffix) = Self.candidate(member), function.signature.returnClause == nil,
            !function.modifiers.contains(.static, .class), function.genericParameterClause == nil,
            function.signature.effectSpecifiers?.asyncSpecifier == nil,
            let parameter = function.signature.parameterClause.parameters.first,
            parameter.firstName.tokenKind == .wildcard, parameter.type.isInoutOptional
        else { return nil }
        key = PropertyKey.key(from: suffix, among: declared.propertyNames)
        method = function.name.trimmed
        parameterType = parameter.type.trimmed
        throwsErrors = Self.throwsErrors(function)
        owner = declared.name
    }

    /// What is wrong with a method that is meant as a validator but is not: it is named as one, for a property of
    /// the class, and throws.
    static func misuse(_ member: DeclSyntax, of declared: ManagedClass) -> MacroDiagnostic? {
        guard Validator(member, of: declared) == nil, let (function, suffix) = candidate(member),
            declared.propertyNames.contains(PropertyKey.key(from: suffix, among: declared.propertyNames)),
            throwsErrors(function), let parameter = function.signature.parameterClause.parameters.first
        else { return nil }
        return MacroDiagnostic(
            """
            '\(function.name.text)' does not run when the object is saved: a validator is a method \
            '\(function.name.text)(_ value: inout T?) throws', with the property's type for 'T'
            """, at: parameter, severity: .warning)
    }

    /// A method of one parameter whose name begins as a validator's, and what follows there.
    private static func candidate(_ member: DeclSyntax) -> (FunctionDeclSyntax, Substring)? {
        guard let function = member.as(FunctionDeclSyntax.self),
            function.signature.parameterClause.parameters.count == 1,
            !inherited.contains(function.name.identifierText),
            let suffix = PropertyKey.suffix(of: function.name.identifierText, after: "validate")
        else { return nil }
        return (function, suffix)
    }

    private static func throwsErrors(_ function: FunctionDeclSyntax) -> Bool {
        function.signature.effectSpecifiers?.throwsClause != nil
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
