import SwiftSyntax

/// `class func keyPathsForValuesAffectingPublishMonthID() -> Set<String>`, or a class property of that name.
struct Dependency {
    private static let prefix = "keyPathsForValuesAffecting"

    private let key: String
    /// The expression that gives the answer.
    private let answer: String

    /// Nil for any other member.
    init?(_ member: DeclSyntax, of declared: ManagedClass) {
        guard let name = Self.name(of: member), Self.isOfType(member),
            let suffix = PropertyKey.suffix(of: name.identifierText, after: Self.prefix)
        else { return nil }
        key = PropertyKey.key(from: suffix, among: declared.propertyNames)
        answer = member.is(FunctionDeclSyntax.self) ? "\(name.text)()" : name.text
    }

    /// What is wrong with a member that is meant as one but is not.
    static func misuse(_ member: DeclSyntax) -> MacroDiagnostic? {
        guard let name = name(of: member), !isOfType(member),
            PropertyKey.suffix(of: name.identifierText, after: prefix) != nil
        else { return nil }
        return MacroDiagnostic(
            "'\(name.text)' is not found: it is looked up on the class, not the object; write 'class' or 'static' before it",
            at: name, severity: .warning)
    }

    /// The name of a method without parameters and effects, or of a property.
    private static func name(of member: DeclSyntax) -> TokenSyntax? {
        if let function = member.as(FunctionDeclSyntax.self) {
            let isPlain =
                function.signature.parameterClause.parameters.isEmpty
                && function.signature.effectSpecifiers == nil
            return isPlain ? function.name : nil
        }
        guard let variable = member.as(VariableDeclSyntax.self), variable.bindings.count == 1 else {
            return nil
        }
        return variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier
    }

    private static func isOfType(_ member: DeclSyntax) -> Bool {
        member.asProtocol((any WithModifiersSyntax).self)?.modifiers.contains(.static, .class) == true
    }

    /// The statement that enters the answer into the table.
    var registration: String { "table[\"\(key)\"] = \(answer)" }
}
