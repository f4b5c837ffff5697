import SwiftSyntax

/// Finds the types of a source and those of their members that have a meaning for Core Data.
final class DeclarationReader: SyntaxVisitor {
    private let source: ParsedSource
    private(set) var declarations: [(id: SyntaxIdentifier, declaration: TypeDeclaration)] = []
    /// What type aliases stand for.
    private(set) var aliases: [String: String] = [:]
    /// The names of variables and parameters that hold selectors.
    private(set) var selectors: Set<String> = []
    private var open: [TypeDeclaration] = []
    private var conditions: [String] = []
    private var functionDepth = 0

    init(_ source: ParsedSource) {
        self.source = source
        super.init(viewMode: .sourceAccurate)
        walk(source.tree)
    }

    // MARK: Types

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, .classType, node.name, node.inheritanceClause, node.genericParameterClause != nil)
    }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, .otherType, node.name, node.inheritanceClause, node.genericParameterClause != nil)
    }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, .otherType, node.name, node.inheritanceClause, node.genericParameterClause != nil)
    }

    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, .otherType, node.name, node.inheritanceClause, node.genericParameterClause != nil)
    }

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
        enter(node, .protocolType, node.name, node.inheritanceClause, false)
    }

    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
        let extended = node.extendedType.trimmedDescription
        return enter(node, .typeExtension, .identifier(extended), node.inheritanceClause, false)
    }

    override func visitPost(_ node: ClassDeclSyntax) { open.removeLast() }
    override func visitPost(_ node: StructDeclSyntax) { open.removeLast() }
    override func visitPost(_ node: EnumDeclSyntax) { open.removeLast() }
    override func visitPost(_ node: ActorDeclSyntax) { open.removeLast() }
    override func visitPost(_ node: ProtocolDeclSyntax) { open.removeLast() }
    override func visitPost(_ node: ExtensionDeclSyntax) { open.removeLast() }

    private func enter(
        _ node: some DeclGroupSyntax, _ kind: TypeDeclaration.Kind, _ name: TokenSyntax,
        _ inheritance: InheritanceClauseSyntax?, _ isGeneric: Bool
    ) -> SyntaxVisitorContinueKind {
        let outer = open.last
        let isPrivate = node.modifiers.contains(.private, .fileprivate)
        let declaration = TypeDeclaration(
            kind, name: (outer.map { "\($0.name)." } ?? "") + name.text,
            inherited: inheritance?.inheritedTypes.map { $0.type.trimmedDescription } ?? [], source: source,
            conditions: conditions, attributes: node.attributes, modifiers: node.modifiers,
            isGeneric: isGeneric,
            isHidden: functionDepth > 0 || outer?.isHidden == true
                || outer != nil && isPrivate && kind != .typeExtension,
            isPrivate: outer?.isPrivate == true || isPrivate && kind != .typeExtension)
        declarations.append((node.id, declaration))
        open.append(declaration)
        return .visitChildren
    }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
        if open.isEmpty { aliases[node.name.identifierText] = node.initializer.value.trimmedDescription }
        return .skipChildren
    }

    // MARK: Places

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        for (clause, condition) in Conditions.possibleClauses(of: node) {
            guard let elements = clause.elements else { continue }
            if let condition { conditions.append(condition) }
            walk(elements)
            if condition != nil { conditions.removeLast() }
        }
        return .skipChildren
    }

    override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind {
        functionDepth += 1
        return .visitChildren
    }
    override func visitPost(_ node: CodeBlockSyntax) { functionDepth -= 1 }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        functionDepth += 1
        return .visitChildren
    }
    override func visitPost(_ node: ClosureExprSyntax) { functionDepth -= 1 }

    override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind {
        functionDepth += 1
        return .visitChildren
    }
    override func visitPost(_ node: AccessorBlockSyntax) { functionDepth -= 1 }

    // MARK: Members

    /// The type whose member a declaration is; nil for one at the top or in a function.
    private func owner(of node: some SyntaxProtocol) -> TypeDeclaration? {
        guard node.parent?.is(MemberBlockItemSyntax.self) == true else { return nil }
        return open.last
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
        owner(of: node)?.initializers.append(
            (
                node.signature.parameterClause.parameters.labels, node.modifiers.contains(.convenience),
                node.positionAfterSkippingLeadingTrivia
            ))
        return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let owner = owner(of: node) else { return .visitChildren }
        noteOverride(DeclSyntax(node), node.modifiers, owner)
        if node.modifiers.contains(.static, .class) {
            if let binding = node.bindings.first, node.bindings.count == 1, let name = binding.name,
                let suffix = Self.dependencySuffix(name.identifierText)
            {
                add(
                    .dependency(suffix: suffix, isMethod: false, result: binding.typeAnnotation?.type), name,
                    node.attributes, node.modifiers, owner)
            }
            return .visitChildren
        }
        let isManaged = node.attributes.contains("NSManaged")
        if isManaged { owner.hasManagedMembers = true }
        for (binding, type) in node.typedBindings {
            guard let name = binding.name else { continue }
            let key = node.attributes.attribute(named: "objc")?.objectiveCName ?? name.identifierText
            owner.properties.append(
                PropertyDeclaration(
                    name: name.identifierText, key: key, elementType: type.map(\.nameOfElement)))
            if isManaged {
                add(.stored(key: key), name, node.attributes, node.modifiers, owner)
            } else if isReadable(node, binding, owner) {
                add(.custom(key: key), name, node.attributes, node.modifiers, owner)
            }
        }
        return .visitChildren
    }

    private func noteOverride(
        _ member: DeclSyntax, _ modifiers: DeclModifierListSyntax, _ owner: TypeDeclaration
    ) {
        guard owner.kind == .typeExtension, modifiers.contains(.override) else { return }
        owner.overrides.append(ExtensionOverride(member: member, conditions: conditions))
        owner.overrideConditions[member.id] = conditions
    }

    private func isReadable(
        _ node: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ owner: TypeDeclaration
    ) -> Bool {
        guard let name = binding.name?.identifierText,
            !["description", "debugDescription", "hash"].contains(name),
            !owner.isOfMainActor(node.attributes, node.modifiers),
            !node.attributes.trimmedDescription.contains("unavailable")
        else { return false }
        return binding.accessorBlock?.isPlain != false
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let owner = owner(of: node) else { return .visitChildren }
        if node.attributes.contains("NSManaged") { owner.hasManagedMembers = true }
        noteOverride(DeclSyntax(node), node.modifiers, owner)
        let name = node.name.identifierText
        let parameters = node.signature.parameterClause.parameters
        if !node.modifiers.contains(.static, .class), node.genericParameterClause == nil {
            let effects = node.signature.effectSpecifiers
            owner.methods.append(
                MethodDeclaration(
                    name: name, labels: parameters.labels, parameterTypes: parameters.map(\.type),
                    isMainActor: owner.isOfMainActor(node.attributes, node.modifiers),
                    isAsynchronous: effects?.asyncSpecifier != nil,
                    throwsErrors: effects?.throwsClause != nil,
                    returnsValue: node.signature.returnClause != nil))
        }
        if name == "observeValue", parameters.labels == ["forKeyPath", "of", "change", "context"] {
            owner.observesByMethod = true
        }
        if node.modifiers.contains(.static, .class) {
            if parameters.isEmpty, node.signature.effectSpecifiers == nil,
                let suffix = Self.dependencySuffix(name), let result = node.signature.returnClause?.type
            {
                add(
                    .dependency(suffix: suffix, isMethod: true, result: result), node.name, node.attributes,
                    node.modifiers, owner)
            }
        } else if let pointee = node.validatedType, let suffix = KeyName.suffix(of: name, after: "validate") {
            let throwsErrors = node.signature.effectSpecifiers?.throwsClause != nil
            add(
                .validator(suffix: suffix, pointee: pointee, throwsErrors: throwsErrors), node.name,
                node.attributes, node.modifiers, owner)
        }
        return .visitChildren
    }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        if let name = node.name,
            Self.isSelector(node.typeAnnotation?.type) || Self.isSelector(node.initializer?.value)
        {
            selectors.insert(name.identifierText)
        }
        return .visitChildren
    }

    override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
        if let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier,
            Self.isSelector(node.typeAnnotation?.type) || Self.isSelector(node.initializer?.value)
        {
            selectors.insert(name.identifierText)
        }
        return .visitChildren
    }

    override func visit(_ node: FunctionParameterSyntax) -> SyntaxVisitorContinueKind {
        if Self.isSelector(node.type) { selectors.insert((node.secondName ?? node.firstName).identifierText) }
        return .visitChildren
    }

    private static func isSelector(_ type: TypeSyntax?) -> Bool {
        guard let type else { return false }
        return ["Selector", "Selector?", "Selector!"].contains(type.trimmedDescription)
    }

    private static func isSelector(_ value: ExprSyntax?) -> Bool {
        if let call = value?.as(FunctionCallExprSyntax.self) {
            return ["Selector", "NSSelectorFromString"].contains(call.calledExpression.trimmedDescription)
        }
        return value?.as(MacroExpansionExprSyntax.self)?.macroName.text == "selector"
    }

    private static func dependencySuffix(_ name: String) -> Substring? {
        KeyName.suffix(of: name, after: "keyPathsForValuesAffecting").flatMap { $0 == "Value" ? nil : $0 }
    }

    private func add(
        _ role: CodedMember.Role, _ name: TokenSyntax, _ attributes: AttributeListSyntax,
        _ modifiers: DeclModifierListSyntax, _ owner: TypeDeclaration
    ) {
        if attributes.contains("nonobjc") { return }
        let ofExtension = owner.kind == .typeExtension
        let access = modifiers.access ?? (ofExtension ? owner.modifiers.access : nil)
        let isExposed =
            attributes.contains("objc") || attributes.contains("NSManaged") || modifiers.contains(.override)
            || ofExtension && owner.attributes.contains("objc")
        owner.members.append(
            CodedMember(
                role: role, name: name.text, isExposed: isExposed, conditions: conditions,
                isPrivate: access == .private || access == .fileprivate,
                isOfMainActor: owner.isOfMainActor(attributes, modifiers), source: source,
                location: name.positionAfterSkippingLeadingTrivia))
    }
}

extension FunctionDeclSyntax {
    /// What the pointer of a method `validate…(_ value: AutoreleasingUnsafeMutablePointer<T?>)` points to.
    var validatedType: TypeSyntax? {
        let parameters = signature.parameterClause.parameters
        guard let parameter = parameters.first, parameters.count == 1, parameter.firstName.text == "_",
            signature.returnClause == nil, signature.effectSpecifiers?.asyncSpecifier == nil
        else { return nil }
        var type = parameter.type
        if let implicit = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { type = implicit.wrappedType }
        guard let pointer = type.as(IdentifierTypeSyntax.self),
            pointer.name.text == "AutoreleasingUnsafeMutablePointer",
            case .type(let pointee)? = pointer.genericArgumentClause?.arguments.first?.argument
        else { return nil }
        return pointee
    }
}
