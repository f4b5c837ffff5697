import SwiftSyntax

extension FilePort {
    /// Writes the accessors of `@NSManaged var title: String?`, on its line.
    func portManagedVariable(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let scope, scope.kind == .classType || scope.kind == .typeExtension else {
            refuse("'@NSManaged' is for members of a class", at: node.attributes)
            return .skipChildren
        }
        if let type = module.extended(scope), type.kind != .classType || type.inherited.isEmpty {
            refuse(
                "'@NSManaged' is for members of a class that inherits from NSManagedObject",
                at: node.attributes)
            return .skipChildren
        }
        if module.extended(scope)?.isGeneric == true {
            refuse("a class of managed objects has no type parameters: an entity names one class", at: node)
            return .skipChildren
        }
        for modifier in node.modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.static), .keyword(.class):
                refuse("'@NSManaged' is for properties of objects, not of the class", at: modifier)
            case .keyword(.weak), .keyword(.unowned):
                // The context keeps the values.
                remove(modifier)
            default: continue
            }
        }
        guard node.bindingSpecifier.tokenKind == .keyword(.var) else {
            refuse("an '@NSManaged' property is a 'var'", at: node.bindingSpecifier)
            return .visitChildren
        }
        portBindings(of: node, in: scope)
        return .visitChildren
    }

    private func portBindings(of node: VariableDeclSyntax, in scope: TypeDeclaration) {
        let objectiveCName = node.attributes.attribute(named: "objc")?.objectiveCName
        let modifiers = node.modifiers.filter { !["weak", "unowned", "dynamic"].contains($0.name.text) }
            .map { $0.trimmedDescription + " " }.joined()
        for (binding, type) in node.typedBindings {
            guard let name = binding.name else {
                refuse("an '@NSManaged' property has a name", at: binding)
                continue
            }
            guard let type else {
                refuse("an '@NSManaged' property needs its type", at: binding)
                continue
            }
            guard !edits.isFull else {
                refuse("the ported text becomes too long here: divide the file", at: binding)
                return
            }
            let typeText = module.portedText(of: type)
            if let superfluous = binding.initializer.map(Syntax.init)
                ?? binding.accessorBlock.map(Syntax.init)
            {
                refuse("an '@NSManaged' property has neither a value nor accessors here", at: superfluous)
                continue
            }
            let accessor = ManagedAccessor(
                name: name.identifierText, type: typeText, objectiveCName: objectiveCName,
                keys: module.keys(of: scope), modelKeys: module.modelKeys(of: scope))
            if binding.typeAnnotation == nil { insert(": \(typeText)", after: name) }
            let end = binding.typeAnnotation.map { Syntax($0) } ?? Syntax(name)
            insert(" \(accessor.text)", after: end)
            // `a: Int, b: Int` are two declarations then.
            if let comma = binding.trailingComma { replace(comma, with: "; \(modifiers)var") }
        }
    }
}

/// The accessors of a property, and the constant with its key, in one line.
struct ManagedAccessor {
    private let name: String
    private let type: String
    private let key: String
    private let isPrimitive: Bool

    /// - Parameters:
    ///   - keys: the keys of the class's properties.
    ///   - modelKeys: those that the model tells of.
    init(name: String, type: String, objectiveCName: String?, keys: KnownKeys, modelKeys: Set<String>) {
        self.name = name
        self.type = type.hasSuffix("!") ? "\(type.dropLast())?" : type
        let key = objectiveCName ?? name
        if !modelKeys.contains(key), let suffix = KeyName.suffix(of: key, after: "primitive") {
            isPrimitive = true
            self.key = KeyName.key(from: suffix, among: keys)
        } else {
            isPrimitive = false
            self.key = key
        }
    }

    var text: String {
        let constant = "_managedKey_\(name)"
        let place = isPrimitive ? "self[primitive: Self.\(constant)]" : "self[Self.\(constant)]"
        return "{ get { \(place) } set { \(place) = newValue } }; "
            + "private nonisolated static let \(constant) = _ManagedKey<\(type)>(\"\(key)\")"
    }
}
