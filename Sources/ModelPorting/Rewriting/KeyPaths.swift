import SwiftSyntax

extension FilePort {
    /// Writes the text of `#keyPath(Person.address.city)`, with the same names beside it for the compiler to check.
    func portKeyPath(_ node: MacroExpansionExprSyntax) {
        guard let argument = node.arguments.first, node.arguments.count == 1,
            let path = checkedKeyPath(argument.expression)
        else {
            refuse(
                "a key path is written as names with dots between them: write '#keyPath(Type.name)'", at: node
            )
            return
        }
        replace(node, with: path)
    }

    /// The text of a key path with its check; nil, without a message, for anything but a key path.
    ///
    /// - Parameter text: makes the text from the keys.
    func checkedKeyPath(
        _ expression: ExprSyntax, text: ([String]) -> String = { $0.joined(separator: ".") }
    ) -> String? {
        guard var names = Self.names(in: expression), !names.isEmpty else { return nil }
        let root = takeRoot(from: &names)
        guard let root, !names.isEmpty else { return nil }
        var keys: [String] = []
        var type = module.type(named: root, in: scope?.name ?? "")
        for name in names {
            let property = type.flatMap { module.property(name.identifierText, of: $0) }
            keys.append(property?.key ?? name.identifierText)
            type = property?.elementType.flatMap { element in
                module.type(named: element, in: type?.name ?? "")
            }
        }
        let members = names.map(\.text).joined(separator: ".")
        return "CoreData._checkedKeyPath(\"\(text(keys))\", "
            + "CoreData._KeyPathCheck<\(root)>().\(members))"
    }

    /// Takes the names of the type off; without any, the type is the one around the key path.
    private func takeRoot(from names: inout [TokenSyntax]) -> String? {
        guard let first = names.first else { return nil }
        let around = scope.map { module.extended($0)?.name ?? $0.name }
        if first.text == "Self" || first.text == "self" {
            names.removeFirst()
            return around
        }
        let ownType = scope.flatMap(module.extended)
        if let ownType, module.property(first.identifierText, of: ownType) != nil { return around }
        var root: [TokenSyntax] = []
        while let next = names.first, names.count > 1 {
            let name = (root + [next]).map(\.text).joined(separator: ".")
            let outer =
                root.isEmpty
                ? nil : module.type(named: root.map(\.text).joined(separator: "."), in: around ?? "")
            if let outer, module.property(next.identifierText, of: outer) != nil { break }
            let isKnown = module.type(named: name, in: around ?? "") != nil
            guard isKnown || next.text.first?.isUppercase == true else { break }
            root.append(next)
            names.removeFirst()
        }
        return root.isEmpty ? around : root.map(\.text).joined(separator: ".")
    }

    /// The names of `a.b.c`.
    private static func names(in expression: ExprSyntax) -> [TokenSyntax]? {
        var names: [TokenSyntax] = []
        var rest: ExprSyntax? = expression
        while let current = rest {
            if let member = current.as(MemberAccessExprSyntax.self), member.declName.argumentNames == nil {
                names.append(member.declName.baseName)
                guard let base = member.base else { return nil }
                rest = base
            } else if let reference = current.as(DeclReferenceExprSyntax.self), reference.argumentNames == nil
            {
                names.append(reference.baseName)
                rest = nil
            } else {
                return nil
            }
        }
        return names.reversed()
    }

    /// The name that the Objective-C runtime has for a key path; there is none here.
    private static let keyPathString = "_kvcKeyPathString"

    /// Writes `CoreData.KeyPathNames.name(of: keyPath)` for `keyPath._kvcKeyPathString`.
    func portKeyPathString(_ node: MemberAccessExprSyntax) {
        guard node.declName.baseName.text == Self.keyPathString, let base = node.base else { return }
        if let optional = base.as(OptionalChainingExprSyntax.self) {
            replace(
                from: optional.expression, to: node, with: ".flatMap { CoreData.KeyPathNames.name(of: $0) }")
            return
        }
        insert("CoreData.KeyPathNames.name(of: ", before: base)
        replace(from: base, to: node, with: ")")
    }

    /// The same in an extension of `KeyPath`, without a key path before it.
    func portKeyPathString(_ node: DeclReferenceExprSyntax) {
        guard node.baseName.text == Self.keyPathString else { return }
        replace(node, with: "CoreData.KeyPathNames.name(of: self)")
    }

    /// `paths.map(\._kvcKeyPathString)`
    func checkKeyPathString(_ node: KeyPathPropertyComponentSyntax) {
        guard node.declName.baseName.text == Self.keyPathString else { return }
        refuse(
            "'\(Self.keyPathString)' needs the Objective-C runtime: write the closure "
                + "'{ CoreData.KeyPathNames.name(of: $0) }'", at: node)
    }
}
