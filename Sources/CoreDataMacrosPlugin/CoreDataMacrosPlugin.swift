import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// What the compiler runs: the macros that `CoreDataMacros` declares.
@main struct CoreDataMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        ManagedMacro.self, ManagedAccessorMacro.self, ManagedObjectMacro.self,
    ]
}
