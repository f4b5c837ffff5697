import SwiftSyntax

/// `class func keyPathsForValuesAffectingPublishMonthID() -> Set<String>`.
struct Dependency {
    private let key: String
    private let method: TokenSyntax

    /// Nil for any other member.
    init?(_ member: DeclSyntax, of declared: ManagedClass) {
        guard let function = member.as(FunctionDeclSyntax.self),
            let suffix = PropertyKey.suffix(
                of: function.name.identifierText, after: "keyPathsForValuesAffecting"),
            function.modifiers.contains(.static, .class),
            function.signature.parameterClause.parameters.isEmpty, function.signature.effectSpecifiers == nil
        else { return nil }
        key = PropertyKey.key(from: suffix, among: declared.propertyNames)
        method = function.name.trimmed
    }

    /// The statement that enters the method's answer into the table.
    var registration: String { "table[\"\(key)\"] = \(method.text)()" }
}
