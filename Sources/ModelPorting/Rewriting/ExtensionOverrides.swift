import SwiftSyntax

// A member of an extension overrides another only with the Objective-C runtime. Here the class overrides it, in a line of its
// own, and calls the extension's member under another name, so that the source's lines stay where they are.

extension FilePort {
    /// With the name of the class: extensions of its superclass may override the same member.
    private static func prefix(_ type: TypeDeclaration) -> String {
        "_override_\(type.name.replacing(".", with: "_"))_"
    }

    /// Gives a method of an extension that overrides another a name of its own.
    func portExtensionOverride(_ node: FunctionDeclSyntax) {
        guard node.modifiers.contains(.override), isInExtension(node), !Self.isObserverMethod(node) else {
            return
        }
        switch overridingClass(of: DeclSyntax(node)) {
        case .success(let type): replace(node.name, with: Self.prefix(type) + node.name.identifierText)
        case .failure(let obstacle): refuseOverride(node.modifiers, obstacle.reason)
        }
    }

    /// Gives a property of an extension that overrides another a name of its own.
    func portExtensionOverride(_ node: VariableDeclSyntax) {
        guard node.modifiers.contains(.override), isInExtension(node) else { return }
        switch overridingClass(of: DeclSyntax(node)) {
        case .success(let type):
            if let name = node.bindings.first?.name {
                replace(name, with: Self.prefix(type) + name.identifierText)
            }
        case .failure(let obstacle): refuseOverride(node.modifiers, obstacle.reason)
        }
    }

    /// Takes out what a member of an extension has no more when it overrides nothing. Only for members that are ported.
    func portOverrideModifier(_ modifier: DeclModifierSyntax, of declared: Syntax) {
        if let function = declared.as(FunctionDeclSyntax.self), Self.isObserverMethod(function) { return }
        guard declared.is(FunctionDeclSyntax.self) || declared.is(VariableDeclSyntax.self) else {
            refuse("an initializer of an extension overrides nothing: move it into the class", at: modifier)
            return
        }
        remove(modifier)
    }

    private func isInExtension(_ node: some SyntaxProtocol) -> Bool {
        scope?.kind == .typeExtension && node.parent?.is(MemberBlockItemSyntax.self) == true
    }

    private func refuseOverride(_ modifiers: DeclModifierListSyntax, _ reason: String) {
        guard let location = modifiers.first(where: { $0.name.tokenKind == .keyword(.override) }) else {
            return
        }
        refuse(
            "only the Objective-C runtime lets a member of an extension override another, and \(reason): move it into the "
                + "class", at: location)
    }

    private struct Obstacle: Error {
        let reason: String
    }

    /// The class that overrides for a member of an extension, or why none can.
    private func overridingClass(of member: DeclSyntax) -> Result<TypeDeclaration, Obstacle> {
        guard let scope, let type = module.extended(scope), type.kind == .classType else {
            return .failure(Obstacle(reason: "the class is in another module"))
        }
        let conditions = scope.overrideConditions[member.id] ?? []
        if !Set(conditions).subtracting(type.conditions).isEmpty {
            return .failure(Obstacle(reason: "this one is compiled under a condition"))
        }
        guard ForwardedMember(member, of: scope, module) != nil else {
            return .failure(Obstacle(reason: "the class cannot pass its call on"))
        }
        return .success(type)
    }

    /// The overrides of a class that call those of its extensions, each in one line.
    func forwardedOverrides(of type: TypeDeclaration) -> [String] {
        module.parts(of: type).flatMap { part in
            part.overrides.compactMap { override in
                if let function = override.member.as(FunctionDeclSyntax.self),
                    Self.isObserverMethod(function)
                {
                    return nil
                }
                guard Set(override.conditions).subtracting(type.conditions).isEmpty else { return nil }
                return ForwardedMember(override.member, of: part, module)?.text(prefix: Self.prefix(type))
            }
        }
    }
}

/// A member of an extension that the class overrides for it.
private struct ForwardedMember {
    /// What precedes the name, `override` included.
    private let start: String
    private let name: String
    /// What follows the name.
    private let end: (_ call: String) -> String
    private let isOfClass: Bool

    init?(_ member: DeclSyntax, of owner: TypeDeclaration, _ module: ModuleDeclarations) {
        if let function = member.as(FunctionDeclSyntax.self) {
            self.init(function, owner, module)
        } else if let variable = member.as(VariableDeclSyntax.self) {
            self.init(variable, owner, module)
        } else {
            return nil
        }
    }

    private init?(_ node: FunctionDeclSyntax, _ owner: TypeDeclaration, _ module: ModuleDeclarations) {
        guard node.genericParameterClause == nil, node.body != nil else { return nil }
        var parameters: [String] = []
        var arguments: [String] = []
        for (index, parameter) in node.signature.parameterClause.parameters.enumerated() {
            guard parameter.ellipsis == nil else { return nil }
            let label = parameter.firstName.text
            let type = module.portedText(of: parameter.type)
            let isInout = type.hasPrefix("inout ")
            parameters.append("\(label) value\(index): \(type)")
            arguments.append((label == "_" ? "" : "\(label): ") + (isInout ? "&" : "") + "value\(index)")
        }
        let effects = node.signature.effectSpecifiers
        let marks =
            (effects?.throwsClause == nil ? "" : "try ") + (effects?.asyncSpecifier == nil ? "" : "await ")
        let result = node.signature.returnClause.map { " -> \(module.portedText(of: $0.type))" } ?? ""
        let effectText = effects.map { " \($0.oneLine())" } ?? ""
        name = node.name.identifierText
        isOfClass = node.modifiers.contains(.static, .class)
        start = Self.start(node.attributes, node.modifiers, owner) + "func "
        end = { call in
            "(\(parameters.joined(separator: ", ")))\(effectText)\(result) "
                + "{ \(marks)\(call)(\(arguments.joined(separator: ", "))) }"
        }
    }

    private init?(_ node: VariableDeclSyntax, _ owner: TypeDeclaration, _ module: ModuleDeclarations) {
        guard let binding = node.bindings.first, node.bindings.count == 1, binding.initializer == nil,
            let variable = binding.name, let type = binding.typeAnnotation?.type,
            let block = binding.accessorBlock
        else { return nil }
        var isSettable = false
        if case .accessors(let accessors) = block.accessors {
            for accessor in accessors {
                switch accessor.accessorSpecifier.tokenKind {
                case .keyword(.get):
                    guard accessor.effectSpecifiers == nil else { return nil }
                case .keyword(.set): isSettable = true
                default: return nil
                }
            }
        }
        name = variable.identifierText
        isOfClass = node.modifiers.contains(.static, .class)
        start = Self.start(node.attributes, node.modifiers, owner) + "var "
        let typeText = module.portedText(of: type)
        end = { [isSettable] call in
            isSettable
                ? ": \(typeText) { get { \(call) } set { \(call) = newValue } }" : ": \(typeText) { \(call) }"
        }
    }

    private static func start(
        _ attributes: AttributeListSyntax, _ modifiers: DeclModifierListSyntax, _ owner: TypeDeclaration
    ) -> String {
        let kept: Set<String> = ["public", "package", "open", "class", "static", "nonisolated", "override"]
        let actor = owner.isOfMainActor(attributes, modifiers) ? "@MainActor " : ""
        // What an extension says of all its members.
        let access = modifiers.access == nil ? owner.modifiers.filter { kept.contains($0.name.text) } : []
        return actor
            + (access + modifiers.filter { kept.contains($0.name.text) })
            .map { $0.trimmedDescription + " " }.joined()
    }

    func text(prefix: String) -> String {
        "\(start)\(name)\(end("\(isOfClass ? "" : "self.")\(prefix)\(name)"))"
    }
}
