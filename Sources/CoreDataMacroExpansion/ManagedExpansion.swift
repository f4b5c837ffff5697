import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Managed var title: String?`: accessors, and the key that they use.
package enum ManagedExpansion {}

extension ManagedExpansion: AccessorMacro {
    package static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        do {
            let variable = try managedVariable(node, declaration, context)
            let location: ExprSyntax =
                variable.isPrimitive
                ? "self[primitive: Self.\(variable.keyName)]" : "self[Self.\(variable.keyName)]"
            return ["get { \(location) }", "set { \(location) = newValue }"]
        } catch {
            context.report(error)
            // Without a getter the compiler would complain of the macro beside.
            return canHaveGetter(declaration) ? ["get { fatalError() }"] : []
        }
    }

    private static func canHaveGetter(_ declaration: some DeclSyntaxProtocol) -> Bool {
        guard let variable = declaration.as(VariableDeclSyntax.self) else { return false }
        return variable.bindingSpecifier.tokenKind == .keyword(.var)
            && !variable.bindings.contains { $0.accessorBlock?.isPlainGetter == true }
    }

    /// What is wrong is reported once, here and not for the peer.
    private static func managedVariable(
        _ node: AttributeSyntax, _ declaration: some DeclSyntaxProtocol, _ context: some MacroExpansionContext
    ) throws(MacroDiagnostic) -> ManagedVariable {
        guard let variable = declaration.as(VariableDeclSyntax.self) else {
            throw MacroDiagnostic("'@Managed' is for properties; methods have '@ManagedAccessor'", at: node)
        }
        try context.checkMembership(node, for: "properties")
        return try ManagedVariable(variable, node)
    }
}

extension ManagedExpansion: PeerMacro {
    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let variable = try? managedVariable(node, declaration, context)
        else { return [] }
        return [
            """
            private nonisolated static let \(variable.keyName) = \
            _ManagedKey<\(variable.type)>(\(variable.key))
            """
        ]
    }
}
