import SwiftSyntax
import SwiftSyntaxMacros

/// `@ManagedAccessor func addToPages(_ value: Page)`: the body.
enum ManagedAccessorMacro: BodyMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
        in context: some MacroExpansionContext
    ) throws -> [CodeBlockItemSyntax] {
        do {
            return [try accessor(node, Syntax(declaration), context).body]
        } catch {
            context.report(error)
            return []
        }
    }

    private static func accessor(
        _ node: AttributeSyntax, _ declaration: Syntax, _ context: some MacroExpansionContext
    ) throws(Complaint) -> ToManyAccessor {
        guard let function = declaration.as(FunctionDeclSyntax.self),
            context.lexicalContext.first?.isClassOrExtension ?? true
        else {
            throw Complaint(
                "'@ManagedAccessor' is for methods of a class that inherits from NSManagedObject, and of its "
                    + "extensions", at: node)
        }
        return try ToManyAccessor(function, node)
    }
}
