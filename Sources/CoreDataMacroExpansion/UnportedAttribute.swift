import SwiftDiagnostics
import SwiftSyntax

/// `@NSManaged`, which has no accessors where there is no Objective-C runtime.
enum UnportedAttribute {
    /// What is wrong with a member that has the attribute; nil for any other.
    static func diagnostic(about member: DeclSyntax) -> MacroDiagnostic? {
        guard let attributes = member.asProtocol((any WithAttributesSyntax).self)?.attributes,
            let attribute = attributes.attribute(named: "NSManaged")
        else { return nil }
        let macro: TokenSyntax = member.is(FunctionDeclSyntax.self) ? "ManagedAccessor" : "Managed"
        let name = attribute.attributeName
        let replacement = IdentifierTypeSyntax(name: macro)
            .with(\.leadingTrivia, name.leadingTrivia).with(\.trailingTrivia, name.trailingTrivia)
        return MacroDiagnostic(
            "'@NSManaged' needs the Objective-C runtime: write '@\(macro.text)'", at: attribute,
            fixIts: [
                FixIt(
                    message: Correction(message: "replace '@NSManaged' with '@\(macro.text)'"),
                    changes: [.replace(oldNode: Syntax(name), newNode: Syntax(replacement))])
            ])
    }
}
