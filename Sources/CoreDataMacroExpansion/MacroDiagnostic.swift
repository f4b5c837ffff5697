import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// What is wrong with a declaration, and what to write instead.
struct MacroDiagnostic: Error, DiagnosticMessage {
    let message: String
    /// The part of the source that the compiler points at.
    let location: Syntax
    let severity: DiagnosticSeverity
    let fixIts: [FixIt]

    init(
        _ message: String, at location: some SyntaxProtocol, severity: DiagnosticSeverity = .error,
        fixIts: [FixIt] = []
    ) {
        self.message = message
        self.location = Syntax(location)
        self.severity = severity
        self.fixIts = fixIts
    }

    var diagnosticID: MessageID { MessageID(domain: "CoreDataMacros", id: message) }
}

extension MacroExpansionContext {
    func report(_ diagnostic: MacroDiagnostic) {
        diagnose(Diagnostic(node: diagnostic.location, message: diagnostic, fixIts: diagnostic.fixIts))
    }
}

/// The name of a correction that the compiler offers.
struct Correction: FixItMessage {
    let message: String
    var fixItID: MessageID { MessageID(domain: "CoreDataMacros", id: message) }
}
