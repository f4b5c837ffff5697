import SwiftSyntax
import SwiftSyntaxMacros

extension MacroExpansionContext {
    /// Checks that a declaration is a member of a class that may inherit from NSManagedObject, or of an extension.
    ///
    /// - Parameters:
    ///   - attribute: the macro's attribute on the declaration.
    ///   - members: what the macro is for, as its users call them.
    func checkMembership(_ attribute: AttributeSyntax, for members: String) throws(MacroDiagnostic) {
        let owner = lexicalContext.first
        if owner?.is(ExtensionDeclSyntax.self) == true { return }
        guard let owner = owner?.as(ClassDeclSyntax.self) else {
            throw MacroDiagnostic(
                """
                '@\(attribute.baseName)' is for \(members) of a class that inherits from NSManagedObject, and of \
                its extensions
                """, at: attribute)
        }
        if owner.isWithoutSuperclass {
            throw MacroDiagnostic(
                """
                '@\(attribute.baseName)' is for \(members) of managed objects: '\(owner.name.text)' does not \
                inherit from NSManagedObject
                """, at: attribute)
        }
    }
}

extension ClassDeclSyntax {
    /// Whether the class certainly does not inherit from NSManagedObject: what follows its colon, if anything, is
    /// a protocol that everyone knows, or NSObject.
    var isWithoutSuperclass: Bool {
        guard let first = inheritanceClause?.inheritedTypes.first?.type else { return true }
        let known: Set = [
            "NSObject", "AnyObject", "Any", "Identifiable", "Equatable", "Hashable", "Comparable", "Codable",
            "Encodable", "Decodable", "Sendable", "Observable", "CustomStringConvertible", "Error",
        ]
        return first.as(IdentifierTypeSyntax.self).map { known.contains($0.name.text) }
            ?? first.is(CompositionTypeSyntax.self)
    }
}
