import SwiftSyntax

extension FilePort {
    /// `observeValue(forKeyPath:of:change:context:)` overrides nothing here: it is the requirement of a protocol.
    func portObserverMethod(_ node: FunctionDeclSyntax) {
        guard Self.isObserverMethod(node), let scope, !inheritsObserverMethod(scope) else { return }
        for modifier in node.modifiers where modifier.name.tokenKind == .keyword(.override) {
            remove(modifier)
        }
    }

    /// Lets a class with the method conform to the protocol.
    func portObserver(_ node: ClassDeclSyntax, _ declaration: TypeDeclaration) {
        guard module.summary(of: declaration).observesByMethod,
            !inheritsObserverMethod(declaration),
            let last = node.inheritanceClause?.inheritedTypes.last
        else { return }
        insert(", CoreData.KeyValueObserver", after: last.type)
    }

    /// `super.observeValue(…)`, with which Apple's `NSObject` raises an exception.
    func portObserverCall(_ node: FunctionCallExprSyntax) -> Bool {
        guard let member = node.calledExpression.as(MemberAccessExprSyntax.self),
            member.base?.is(SuperExprSyntax.self) == true, member.declName.baseName.text == "observeValue",
            let scope, !inheritsObserverMethod(scope)
        else { return false }
        replace(
            node,
            with:
                "fatalError(\"An observeValue(forKeyPath:of:change:context:) message was received but not handled.\")"
        )
        return true
    }

    private func inheritsObserverMethod(_ declaration: TypeDeclaration) -> Bool {
        guard let type = module.extended(declaration) else { return false }
        return module.lineage(of: type).dropFirst().contains { module.summary(of: $0).observesByMethod }
    }

    static func isObserverMethod(_ node: FunctionDeclSyntax) -> Bool {
        node.name.text == "observeValue"
            && node.signature.parameterClause.parameters.labels == ["forKeyPath", "of", "change", "context"]
    }
}
