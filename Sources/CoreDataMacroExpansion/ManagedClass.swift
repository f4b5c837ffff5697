import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A class with `@ManagedObject`, as it is written.
struct ManagedClass {
    let name: TokenSyntax
    /// The type after the colon.
    let superclass: TypeSyntax
    let isFinal: Bool
    /// The word that makes a member as visible as the class; nil for none.
    let access: Keyword?
    let body: ClassBody
    /// The names of the properties in extensions that the attribute lists: with the macros' accessors, and with
    /// accessors of the class's own.
    let listed: (stored: [String], custom: [String])
    /// The names of all properties that the class body declares or the attribute lists.
    let propertyNames: Set<String>

    /// - Throws: a `MacroDiagnostic` about a declaration that is not a class of managed objects.
    init(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax) throws(MacroDiagnostic) {
        guard let declaration = declaration.as(ClassDeclSyntax.self) else {
            throw Self.notAClass(declaration, attribute)
        }
        if let parameters = declaration.genericParameterClause {
            throw MacroDiagnostic(
                "a class of managed objects cannot be generic: an entity names one class", at: parameters
            )
        }
        guard !declaration.isWithoutSuperclass,
            let superclass = declaration.inheritanceClause?.inheritedTypes.first?.type
        else { throw Self.noSuperclass(declaration) }
        name = declaration.name.trimmed
        self.superclass = superclass.trimmed
        isFinal = declaration.modifiers.contains(.final)
        access = [Keyword.open, .public, .package].first { declaration.modifiers.contains($0) }
        body = ClassBody(declaration.memberBlock.members)
        let declared = Set(body.propertyNames)
        listed = (
            stored: try Self.names(attribute, under: "stored", besides: declared),
            custom: try Self.names(attribute, under: "custom", besides: declared)
        )
        propertyNames = declared.union(listed.stored).union(listed.custom)
        try refuseOwnLists()
    }

    private static func notAClass(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax)
        -> MacroDiagnostic
    {
        if declaration.is(ExtensionDeclSyntax.self) {
            return MacroDiagnostic(
                """
                '@ManagedObject' belongs on the class itself: name the properties of its extensions there, \
                '@ManagedObject(stored: "title", custom: "summary")'
                """, at: attribute)
        }
        return MacroDiagnostic(
            "'@ManagedObject' is for classes: managed objects have an identity, and their class inherits from "
                + "NSManagedObject", at: attribute)
    }

    private static func noSuperclass(_ declaration: ClassDeclSyntax) -> MacroDiagnostic {
        let name = declaration.name
        let message = "'\(name.text)' needs a superclass: NSManagedObject, or a class that inherits from it"
        guard let clause = declaration.inheritanceClause else {
            let correction = TokenSyntax.identifier(
                "\(name.text): NSManagedObject", leadingTrivia: name.leadingTrivia,
                trailingTrivia: name.trailingTrivia)
            let fixIt = FixIt(
                message: Correction(message: "inherit from NSManagedObject"),
                changes: [.replace(oldNode: Syntax(name), newNode: Syntax(correction))])
            return MacroDiagnostic(message, at: name, fixIts: [fixIt])
        }
        return MacroDiagnostic(message, at: clause.inheritedTypes.first.map(Syntax.init) ?? Syntax(name))
    }

    private func refuseOwnLists() throws(MacroDiagnostic) {
        let generated = ["managedProperties", "registeredDependencies", "registeredValidators"]
        for variable in body.variables where variable.modifiers.contains(.override) {
            for binding in variable.bindings where generated.contains(binding.pattern.trimmedDescription) {
                throw MacroDiagnostic(
                    """
                    '@ManagedObject' writes '\(binding.pattern.trimmedDescription)': leave yours out, and name \
                    properties of extensions by '@ManagedObject(stored: "title", custom: "summary")'
                    """, at: binding.pattern)
            }
        }
    }

    /// The string literals after a label of the attribute.
    private static func names(
        _ attribute: AttributeSyntax, under label: String, besides declared: Set<String>
    ) throws(MacroDiagnostic) -> [String] {
        var names: [String] = []
        var current: String?
        for argument in attribute.labelledArguments {
            current = argument.label?.text ?? current
            guard current == label else { continue }
            guard
                let name = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue,
                name.isValidSwiftIdentifier(for: .memberAccess)
            else {
                throw MacroDiagnostic(
                    "name a property by a string literal, \"title\"", at: argument.expression)
            }
            if declared.contains(name) {
                throw MacroDiagnostic(
                    "'\(name)' is in the class's body, where '@ManagedObject' finds it: name properties of "
                        + "extensions only", at: argument.expression)
            }
            names.append(name)
        }
        return names
    }
}

extension ManagedClass {
    /// Whether the superclass is NSManagedObject itself.
    var inheritsDirectly: Bool {
        ["NSManagedObject", "CoreData.NSManagedObject"].contains(superclass.description)
    }

    /// The modifiers before an override of a class property: as visible as the class, and open with it.
    var overrideModifiers: String {
        (access.map { "\(TokenSyntax.keyword($0).text) " } ?? "") + "override class"
    }

    /// The modifier of a member that subclasses use but do not override; with a space after it.
    var staticAccess: String {
        access.map { "\(TokenSyntax.keyword($0 == .open ? .public : $0).text) " } ?? ""
    }

    /// An override that adds entries for the members of the class to its superclass's table; nil when none has
    /// one.
    func table(_ name: String, of type: String, _ entry: (DeclSyntax) -> String?) -> DeclSyntax? {
        let entries = body.statements { entry($0).map { [$0] } ?? [] }
        guard !entries.isEmpty else { return nil }
        return """
            \(raw: overrideModifiers) var \(raw: name): \(raw: type) {
                var table: \(raw: type) = [:]
                table.merge(super.\(raw: name)) { $1 }
                \(raw: entries.joined(separator: "\n"))
                return table
            }
            """
    }
}
