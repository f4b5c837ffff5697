import CoreDataMacroExpansion
import SwiftCompilerPlugin
import SwiftSyntax
import SwiftSyntaxMacros

/// What the compiler runs: the macros that `CoreDataMacros` declares.
///
/// The compiler finds a macro by its name in this module. What the macros do is in a library, which the tests can use:
/// SwiftPM builds all that is tested together with a macro's own module for the compiler's use, a second time.
@main struct CoreDataMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ManagedMacro.self, ManagedAccessorMacro.self, ManagedObjectMacro.self,
    ]
}

enum ManagedMacro: AccessorMacro, PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        try ManagedExpansion.expansion(of: node, providingAccessorsOf: declaration, in: context)
    }

    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try ManagedExpansion.expansion(of: node, providingPeersOf: declaration, in: context)
    }
}

enum ManagedAccessorMacro: BodyMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
        in context: some MacroExpansionContext
    ) throws -> [CodeBlockItemSyntax] {
        try ManagedAccessorExpansion.expansion(of: node, providingBodyFor: declaration, in: context)
    }
}

enum ManagedObjectMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        try ManagedObjectExpansion.expansion(
            of: node, providingMembersOf: declaration, conformingTo: protocols, in: context)
    }
}
