import SwiftSyntax

extension FilePort {
    /// Writes the accessors of `@NSManaged var title: String?`, on its line.
    func portManagedVariable(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        guard let scope, scope.kind == .classType || scope.kind == .typeExtension else {
            refuse(
                "'@NSManaged' is for members of a class: write it in a class that inherits from NSManagedObject",
                at: node.attributes)
            return .skipChildren
        }
        if let type = module.extended(scope), type.kind != .classType || type.inherited.isEmpty {
            refuse(
                "'@NSManaged' is for members of a class that inherits from NSManagedObject: let this one, or drop it",
                at: node.attributes)
            return .skipChildren
        }
        if module.extended(scope)?.isGeneric == true {
            refuse(FilePort.genericClassRefusal, at: node)
            return .skipChildren
        }
        for modifier in node.modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.static), .keyword(.class):
                refuse(
                    "'@NSManaged' is for properties of objects, not of the class: drop one of the two",
                    at: modifier)
            case .keyword(.weak), .keyword(.unowned):
                // The context keeps the values.
                remove(modifier)
            default: continue
            }
        }
        guard node.bindingSpecifier.tokenKind == .keyword(.var) else {
            refuse("an '@NSManaged' property is a 'var': write 'var'", at: node.bindingSpecifier)
            return .visitChildren
        }
        portBindings(of: node, in: scope)
        return .visitChildren
    }

    private func portBindings(of node: VariableDeclSyntax, in scope: TypeDeclaration) {
        let objectiveCName = node.attributes.attribute(named: "objc")?.objectiveCName
        // `filter` of a syntax list would copy the whole tree.
        let modifiers = node.modifiers.map { $0 }.filter {
            !["weak", "unowned", "dynamic"].contains($0.name.text)
        }.map { $0.trimmedDescription + " " }.joined()
        for (binding, type) in node.typedBindings {
            guard let name = binding.name else {
                refuse("an '@NSManaged' property has a name: write one for each", at: binding)
                continue
            }
            guard let type else {
                refuse("an '@NSManaged' property needs its type: write it behind the name", at: binding)
                continue
            }
            guard !edits.isFull else {
                refuse("the ported text becomes too long here: divide the file", at: binding)
                return
            }
            if let reason = refusal(of: type, in: scope) { refuse(reason, at: type) }
            let typeText = module.portedText(of: type)
            if let superfluous = binding.initializer.map(Syntax.init)
                ?? binding.accessorBlock.map(Syntax.init)
            {
                refuse(
                    "an '@NSManaged' property has neither a value nor accessors here: let the model have the default value, "
                        + "and give accessors to a property of another name", at: superfluous)
                continue
            }
            let accessor = ManagedAccessor(
                name: name.identifierText, type: typeText, objectiveCName: objectiveCName,
                keys: module.keys(of: scope), modelKeys: module.modelKeys(of: scope),
                isUnwrapped: isKeptAsObject(type, in: scope))
            if binding.typeAnnotation == nil { insert(": \(typeText)", after: name) }
            let end = binding.typeAnnotation.map { Syntax($0) } ?? Syntax(name)
            insert(" \(accessor.text)", after: end)
            // `a: Int, b: Int` are two declarations then.
            if let comma = binding.trailingComma { replace(comma, with: "; \(modifiers)var") }
        }
    }
}

/// Types of properties.
extension FilePort {
    /// Numbers that no attribute has, with what holds their values.
    private static let otherNumbers = [
        "Int8": "Int16", "UInt": "Int", "UInt8": "Int16", "UInt16": "Int32", "UInt32": "Int64",
        "UInt64": "Int64", "CGFloat": "Double", "Float16": "Float", "Float80": "Double",
    ]

    /// Types of transformed values, beside the module's own classes and protocols, that have no value to stand for none.
    private static let objects: Set<String> = [
        "Any", "AnyObject", "NSObject", "NSCoding", "NSSecureCoding", "NSCopying", "NSURL", "NSUUID",
        "NSAttributedString", "NSMutableAttributedString", "NSManagedObjectID", "NSExpression", "NSPredicate",
    ]

    /// Why no property has a type; nil when one may.
    private func refusal(of type: TypeSyntax, in scope: TypeDeclaration) -> String? {
        let name = type.nameOfElement
        let declared = module.type(named: name, in: scope.name)
        if declared == nil, let number = Self.otherNumbers[name] {
            return "a property cannot be a '\(name)' here: write '\(number)'"
        }
        if let declared, declared.attributes.contains("objc"), let raw = declared.inherited.first,
            let number = Self.otherNumbers[raw]
        {
            return "the raw values of '\(name)' are of '\(raw)', which no property is here: write '\(number)'"
        }
        return nil
    }

    /// Whether a property of the type, which is not optional, has a value that only optional properties have here.
    private func isKeptAsObject(_ type: TypeSyntax, in scope: TypeDeclaration) -> Bool {
        if type.is(CompositionTypeSyntax.self) { return true }
        if let some = type.as(SomeOrAnyTypeSyntax.self) { return isKeptAsObject(some.constraint, in: scope) }
        if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1,
            let only = tuple.elements.first
        {
            return isKeptAsObject(only.type, in: scope)
        }
        guard let named = type.as(IdentifierTypeSyntax.self), named.genericArgumentClause == nil else {
            return false
        }
        guard let declared = module.type(named: named.name.text, in: scope.name) else {
            return Self.objects.contains(named.name.text)
        }
        switch declared.kind {
        case .protocolType: return true
        case .classType:
            // What another module's class is, is not known here.
            let root = module.lineage(of: declared).last?.inherited.first ?? "NSObject"
            return !module.isManaged(declared) && ["NSObject", "NSCoding", "NSSecureCoding"].contains(root)
        case .otherType, .typeExtension: return false
        }
    }
}

/// The accessors of a property, and the constant with its key, in one line.
struct ManagedAccessor {
    private let name: String
    private let type: String
    private let key: String
    private let isPrimitive: Bool
    private let isUnwrapped: Bool

    /// - Parameters:
    ///   - keys: the keys of the class's properties.
    ///   - modelKeys: those from the model.
    ///   - isUnwrapped: whether the key is that of an optional value, though the property is not optional.
    init(
        name: String, type: String, objectiveCName: String?, keys: KnownKeys, modelKeys: Set<String>,
        isUnwrapped: Bool
    ) {
        self.name = name
        self.isUnwrapped = isUnwrapped
        self.type = isUnwrapped ? "(\(type))?" : type.hasSuffix("!") ? "\(type.dropLast())?" : type
        let key = objectiveCName ?? name
        if let property = KeyName.keyOfPrimitive(key, among: keys, modelKeys: modelKeys) {
            isPrimitive = true
            self.key = property
        } else {
            isPrimitive = false
            self.key = key
        }
    }

    var text: String {
        let constant = "_managedKey_\(name)"
        let access = isPrimitive ? "self[primitive: Self.\(constant)]" : "self[Self.\(constant)]"
        return "{ get { \(access)\(isUnwrapped ? "!" : "") } set { \(access) = newValue } }; "
            + "private nonisolated static let \(constant) = _ManagedKey<\(type)>(\"\(key)\")"
    }
}
