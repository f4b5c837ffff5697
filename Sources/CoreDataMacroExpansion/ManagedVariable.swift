import SwiftSyntax

/// A property with `@Managed`, as it is written.
struct ManagedVariable {
    /// The name as it is written, with backticks where it has them.
    let name: TokenSyntax
    /// The property's type; an optional for one that is unwrapped implicitly.
    let type: TypeSyntax
    /// The property's name in the model, as a Swift expression.
    let key: ExprSyntax
    /// Whether the value is read and written as it is kept.
    let isPrimitive: Bool

    /// The name of the constant that holds the key.
    var keyName: TokenSyntax { "_managedKey_\(raw: name.identifierText)" }

    /// - Throws: a `MacroDiagnostic` about a declaration that cannot have `@Managed`.
    init(_ variable: VariableDeclSyntax, _ attribute: AttributeSyntax) throws(MacroDiagnostic) {
        try Self.checkForm(of: variable)
        guard let binding = variable.bindings.first, variable.bindings.count == 1,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else {
            throw MacroDiagnostic(
                "'@Managed' declares one property: write each with its own 'var'", at: variable)
        }
        name = pattern.identifier.trimmed
        if let initializer = binding.initializer {
            throw MacroDiagnostic(
                "a '@Managed' property has no initial value here: give '\(name.text)' a default value in the "
                    + "model, or set it in 'awakeFromInsert()'", at: initializer)
        }
        if let accessors = binding.accessorBlock {
            throw MacroDiagnostic(
                "'@Managed' writes the accessors of '\(name.text)': leave yours out, or take '@Managed' off and "
                    + "read and write a '@Managed(primitive: true)' property in them", at: accessors)
        }
        guard let annotation = binding.typeAnnotation else {
            throw MacroDiagnostic(
                "a '@Managed' property needs its type written out: 'var \(name.text): String?'", at: pattern)
        }
        type = Self.stored(annotation.type)
        if let dynamicSelf = Self.selfType(in: annotation.type) {
            throw MacroDiagnostic(
                "'Self' cannot be the type of a '@Managed' property: write the name of the class",
                at: dynamicSelf)
        }
        isPrimitive = try Self.isPrimitive(attribute)
        key = try Self.key(attribute, pattern.identifier, isPrimitive: isPrimitive)
    }

    private static func checkForm(of variable: VariableDeclSyntax) throws(MacroDiagnostic) {
        if variable.bindingSpecifier.tokenKind != .keyword(.var) {
            throw MacroDiagnostic(
                "a '@Managed' property is a 'var'; write 'private(set) var' for one that others only read",
                at: variable.bindingSpecifier)
        }
        for modifier in variable.modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.static), .keyword(.class):
                throw MacroDiagnostic(
                    "'@Managed' is for properties of objects, not of the class", at: modifier)
            case .keyword(.lazy), .keyword(.weak), .keyword(.unowned):
                throw MacroDiagnostic(
                    "the object's context keeps the values of '@Managed' properties: leave out "
                        + "'\(modifier.name.text)'", at: modifier)
            default: continue
            }
        }
    }

    /// The type that the key has for the property's type.
    private static func stored(_ type: TypeSyntax) -> TypeSyntax {
        guard let implicit = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return type.trimmed }
        return TypeSyntax(OptionalTypeSyntax(wrappedType: implicit.wrappedType.trimmed))
    }

    private static func selfType(in type: TypeSyntax) -> TokenSyntax? {
        type.tokens(viewMode: .sourceAccurate).first {
            $0.tokenKind == .keyword(.Self) || $0.tokenKind == .identifier("Self")
        }
    }

    private static func isPrimitive(_ attribute: AttributeSyntax) throws(MacroDiagnostic) -> Bool {
        guard let argument = attribute.labelledArguments.first(where: { $0.label?.text == "primitive" })
        else {
            return false
        }
        guard let literal = argument.expression.as(BooleanLiteralExprSyntax.self) else {
            throw MacroDiagnostic("'primitive' is written as 'true' or 'false'", at: argument.expression)
        }
        return literal.literal.tokenKind == .keyword(.true)
    }

    private static func key(
        _ attribute: AttributeSyntax, _ name: TokenSyntax, isPrimitive: Bool
    ) throws(MacroDiagnostic) -> ExprSyntax {
        if let given = attribute.labelledArguments.first(where: { $0.label == nil }) {
            return given.expression.trimmed
        }
        guard isPrimitive else { return "\(literal: name.identifierText)" }
        guard let suffix = PropertyKey.suffix(of: name.identifierText, after: "primitive") else {
            throw MacroDiagnostic(
                """
                '\(name.text)' does not say of which property it is the primitive value: call it 'primitiveTitle' \
                for 'title', or name the property, '@Managed("title", primitive: true)'
                """, at: name)
        }
        return "\(literal: PropertyKey.key(from: suffix))"
    }
}

extension TokenSyntax {
    /// The name without backticks.
    var identifierText: String { identifier?.name ?? text }
}
