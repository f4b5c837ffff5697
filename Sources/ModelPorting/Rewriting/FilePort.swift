import SwiftSyntax

/// Ports one source of a module.
///
/// The tree is walked once; each rewrite notes its edits of the text. What `#if` leaves out on every system but
/// Apple's is left as it is.
final class FilePort: SyntaxVisitor {
    let source: ParsedSource
    let module: ModuleDeclarations
    var edits: TextEdits
    /// The types and extensions around the position.
    private(set) var scopes: [TypeDeclaration] = []
    /// Lines before the first of the source.
    var header: [String] = []
    /// Lines after the last of the source.
    var additions: [String] = []
    private(set) var isConditional = false
    /// The modules that the conditions around ask for with `canImport`.
    private(set) var importableModules: Set<String> = []
    private(set) var diagnostics: [PortDiagnostic] = []
    var importsCoreData = false
    var importsOthers = false
    var importedModules: Set<String> = []
    /// Where in the header the import of Combine goes on, and its position in the source.
    var combineImport: (line: Int, location: AbsolutePosition)?
    /// The frameworks of Apple that are imported on every system.
    var frameworks: [(name: String, location: AbsolutePosition)] = []
    /// Whether members are used that only Combine's publishers have.
    var usesPublishers = false
    /// The names of types, functions and attributes that are used and are not members, each with its first position.
    var usedNames: [String: AbsolutePosition] = [:]
    /// Classes that members were added to.
    var extendedClasses: Set<SyntaxIdentifier> = []
    /// Classes of other files whose members in this one are listed.
    var listed: Set<ObjectIdentifier> = []

    init(_ source: ParsedSource, _ module: ModuleDeclarations) {
        self.source = source
        self.module = module
        edits = TextEdits(source.bytes)
        super.init(viewMode: .sourceAccurate)
    }

    func ported() -> PortedSource {
        // Lines come before it, where it means nothing; only a script has one.
        if let shebang = source.tree.shebang { replace(shebang, with: "") }
        walk(source.tree)
        importPartsOfFoundation()
        warnOfMissingFrameworks()
        let diagnostics = diagnostics.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        let isPorted = !diagnostics.contains { $0.severity == .error }
        return PortedSource(name: source.name, text: isPorted ? text : nil, diagnostics: diagnostics)
    }

    private var text: String {
        var lines = header
        // What Foundation is on Apple's platforms is in our module; each of their frameworks brings it along.
        if !importsCoreData, importsOthers { lines.append("import CoreData") }
        let name = source.name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        lines.append("#sourceLocation(file: \"\(name)\", line: 1)")
        let body = edits.applied()
        guard !additions.isEmpty else { return lines.joined(separator: "\n") + "\n" + body }
        return (lines + [body, "#sourceLocation()"] + additions).joined(separator: "\n") + "\n"
    }

    // MARK: For the rewrites

    /// The innermost type or extension around the position.
    var scope: TypeDeclaration? { scopes.last }

    /// Says why a part of the source cannot be ported.
    func refuse(_ message: String, at node: some SyntaxProtocol) {
        refuse(message, at: node.positionAfterSkippingLeadingTrivia)
    }

    func refuse(_ message: String, at location: AbsolutePosition) { report(.error, message, location) }

    /// Says what will not work as on Apple's platforms.
    func warn(_ message: String, at node: some SyntaxProtocol) {
        warn(message, at: node.positionAfterSkippingLeadingTrivia)
    }

    func warn(_ message: String, at location: AbsolutePosition) { report(.warning, message, location) }

    private func report(
        _ severity: PortDiagnostic.Severity, _ message: String, _ location: AbsolutePosition
    ) {
        // Warnings leave room for errors, without which a broken text would be written.
        let most = severity == .error ? 2 * ParsedSource.maxErrors : ParsedSource.maxErrors
        guard diagnostics.count < most else { return }
        diagnostics.append(source.diagnostic(severity, message, at: location))
    }

    /// Puts a string in place of a node, whose trivia stays.
    func replace(_ node: some SyntaxProtocol, with text: String) {
        edits.replace(range(of: node), with: text)
    }

    /// Removes a node and the blanks after it.
    func remove(_ node: some SyntaxProtocol) {
        let range = range(of: node)
        let blanks = source.bytes[range.upperBound...].prefix { $0 == 32 || $0 == 9 }.count
        edits.replace(range.lowerBound..<range.upperBound + blanks, with: "")
    }

    func insert(_ text: String, before node: some SyntaxProtocol) {
        edits.insert(text, at: node.positionAfterSkippingLeadingTrivia.utf8Offset)
    }

    func insert(_ text: String, after node: some SyntaxProtocol) {
        edits.insert(text, at: node.endPositionBeforeTrailingTrivia.utf8Offset)
    }

    /// Puts a string in place of what is between the end of one node and the end of another.
    func replace(from last: some SyntaxProtocol, to node: some SyntaxProtocol, with text: String) {
        let start = last.endPositionBeforeTrailingTrivia.utf8Offset
        edits.replace(start..<node.endPositionBeforeTrailingTrivia.utf8Offset, with: text)
    }

    private func range(of node: some SyntaxProtocol) -> Range<Int> {
        node.positionAfterSkippingLeadingTrivia.utf8Offset..<node.endPositionBeforeTrailingTrivia.utf8Offset
    }

    // MARK: Conditions

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        let wasConditional = isConditional
        let testedModules = importableModules
        isConditional = true
        for clause in node.clauses {
            if let condition = clause.condition {
                importableModules.formUnion(Conditions.testedModules(in: condition))
            }
        }
        for (clause, _) in Conditions.possibleClauses(of: node) {
            if let elements = clause.elements { walk(elements) }
        }
        isConditional = wasConditional
        importableModules = testedModules
        return .skipChildren
    }

    // MARK: Types

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node)
        if let declaration = scope { portClass(node, declaration) }
        return .visitChildren
    }

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node)
        portProtocol(node)
        return .visitChildren
    }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node)
        portEnumeration(node)
        return .visitChildren
    }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { enter(node) }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind { enter(node) }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node)
        if let declaration = scope { portExtension(declaration) }
        return .visitChildren
    }
    override func visitPost(_ node: ClassDeclSyntax) { leave(node) }
    override func visitPost(_ node: ProtocolDeclSyntax) { leave(node) }
    override func visitPost(_ node: EnumDeclSyntax) { leave(node) }
    override func visitPost(_ node: StructDeclSyntax) { leave(node) }
    override func visitPost(_ node: ActorDeclSyntax) { leave(node) }
    override func visitPost(_ node: ExtensionDeclSyntax) { leave(node) }

    @discardableResult
    private func enter(_ node: some SyntaxProtocol) -> SyntaxVisitorContinueKind {
        if let declaration = module.declaration(node) { scopes.append(declaration) }
        return .visitChildren
    }

    private func leave(_ node: some SyntaxProtocol) {
        if module.declaration(node) != nil { scopes.removeLast() }
    }

    // MARK: Members and expressions

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
        portImport(node)
        return .skipChildren
    }

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind { portAttribute(node) }

    override func visit(_ node: DeclModifierSyntax) -> SyntaxVisitorContinueKind {
        portModifier(node)
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.attributes.contains("NSManaged") { return portManagedVariable(node) }
        checkOverride(node)
        portExtensionOverride(node)
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        if node.attributes.contains("NSManaged") {
            portManagedMethod(node)
        } else {
            portObserverMethod(node)
            checkOverride(node)
            portExtensionOverride(node)
        }
        return .visitChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        portInitializer(node)
        return .visitChildren
    }

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
        switch node.macroName.text {
        case "keyPath":
            portKeyPath(node)
            return .skipChildren
        case "selector":
            portSelector(node)
            return .skipChildren
        default: return .visitChildren
        }
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind { portCall(node) }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind { portCasts(node) }

    override func visit(_ node: IsTypePatternSyntax) -> SyntaxVisitorContinueKind {
        checkPattern(node)
        return .visitChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        portKeyPathString(node)
        checkMainThread(node)
        return .visitChildren
    }

    override func visit(_ node: KeyPathPropertyComponentSyntax) -> SyntaxVisitorContinueKind {
        checkKeyPathString(node)
        return .visitChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        portReference(node)
        return .visitChildren
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        portTypeName(node.name)
        return .visitChildren
    }

    override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
        portMemberType(node)
        return .visitChildren
    }
}
