import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ManagedObject final class Book: NSManagedObject`: what there is no runtime to ask for.
package enum ManagedObjectExpansion: MemberMacro {
    package static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        do {
            let declared = try ManagedClass(declaration, node)
            for member in declared.body.declarations {
                let diagnostic =
                    UnportedAttribute.diagnostic(about: member) ?? Dependency.misuse(member)
                    ?? Validator.misuse(member, of: declared)
                if let diagnostic { context.report(diagnostic) }
            }
            let tables = [
                declared.table("registeredDependencies", of: "_ManagedDependencies") {
                    Dependency($0, of: declared)?.registration
                },
                declared.table("registeredValidators", of: "_ManagedValidators") {
                    Validator($0, of: declared)?.registration
                },
            ]
            return PropertyList(of: declared).members + tables.compactMap(\.self)
        } catch {
            context.report(error)
            return []
        }
    }
}
