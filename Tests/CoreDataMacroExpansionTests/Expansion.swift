import Foundation
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

import CoreDataMacroExpansion

/// The macros by the names that they have in source.
private var macros: [String: MacroSpec] {
    [
        "Managed": MacroSpec(type: ManagedExpansion.self),
        "ManagedAccessor": MacroSpec(type: ManagedAccessorExpansion.self),
        "ManagedObject": MacroSpec(type: ManagedObjectExpansion.self),
    ]
}

/// Expects that the macros in a source write what is expected, without complaint.
func expectExpansion(
    of source: String, _ expanded: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source, expandedSource: expanded, macroSpecs: macros,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
}

/// Expects that the complaints about a source offer corrections that give another source.
func expectCorrection(
    of source: String, _ corrected: String, expanded: String, _ diagnostics: DiagnosticSpec...,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source, expandedSource: expanded, diagnostics: diagnostics, macroSpecs: macros,
        fixedSource: corrected,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
}

/// Expands the macros in a source.
///
/// - Returns: the complaints about it, each with the text that it points at and how many characters come before.
func messages(about source: String) -> [(message: String, excerpt: String, offset: Int, isError: Bool)] {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "Test", fullFilePath: "Test.swift")])
    _ = file.expand(macroSpecs: macros) { node in
        BasicMacroExpansionContext(sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
    }
    return context.diagnostics.map { diagnostic in
        let node = diagnostic.node
        return (
            diagnostic.message, node.trimmedDescription, offset(of: node, in: source, context),
            diagnostic.diagMessage.severity == .error
        )
    }
}

/// How many bytes come before a node in the source that it is part of.
private func offset(of node: Syntax, in source: String, _ context: BasicMacroExpansionContext) -> Int {
    let position = node.positionAfterSkippingLeadingTrivia
    // A property with accessors is expanded as a copy, whose place the context does not know.
    if context.location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath) == nil,
        node.root.is(VariableDeclSyntax.self), let range = source.range(of: node.root.description)
    {
        return source.utf8.distance(from: source.startIndex, to: range.lowerBound) + position.utf8Offset
    }
    return context.location(for: position, anchoredAt: node, fileName: "Test.swift").offset
}
