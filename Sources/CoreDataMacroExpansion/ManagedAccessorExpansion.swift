import SwiftSyntax
import SwiftSyntaxMacros

/// `@ManagedAccessor func addToPages(_ value: Page)`: the body.
package enum ManagedAccessorExpansion: BodyMacro {
    package static func expansion(
        of node: AttributeSyntax,
        providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
        in context: some MacroExpansionContext
    ) throws -> [CodeBlockItemSyntax] {
        do {
            return [try accessor(node, Syntax(declaration), context).body]
        } catch {
            context.report(error)
            // Without a body the compiler would complain of that beside.
            return ["fatalError()"]
        }
    }

    private static func accessor(
        _ node: AttributeSyntax, _ declaration: Syntax, _ context: some MacroExpansionContext
    ) throws(MacroDiagnostic) -> ToManyAccessor {
        guard let function = declaration.as(FunctionDeclSyntax.self) else {
            throw MacroDiagnostic("'@ManagedAccessor' is for methods; properties have '@Managed'", at: node)
        }
        try context.checkMembership(node, for: "methods")
        return try ToManyAccessor(function, node)
    }
}
