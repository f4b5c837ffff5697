import SwiftSyntax

extension FilePort {
    /// Writes `addObserver(self, name: n, object: o) { observer, note in observer.changed(note) }` for
    /// `addObserver(self, selector: #selector(changed(_:)), name: n, object: o)`.
    ///
    /// - Returns: nil where the call is not of this kind, or its method is not known.
    func portTargetCall(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind? {
        guard let member = node.calledExpression.as(MemberAccessExprSyntax.self),
            member.declName.baseName.text == "addObserver", node.trailingClosure == nil,
            node.arguments.map({ $0.label?.text ?? "_" }) == ["_", "selector", "name", "object"],
            let parenthesis = node.rightParen
        else { return nil }
        let arguments = Array(node.arguments)
        guard arguments[0].expression.trimmedDescription == "self",
            let selector = arguments[1].expression.as(MacroExpansionExprSyntax.self),
            selector.macroName.text == "selector", let scope, let type = module.extended(scope),
            type.kind == .classType, let named = selector.arguments.first, named.label == nil,
            let method = observingMethod(named.expression, of: type),
            let call = Self.call(of: method)
        else { return nil }
        let isMainActor = method.isMainActor || module.lineage(of: type).contains(where: \.isMainActor)
        replace(
            member.declName.baseName, with: isMainActor ? "_addMainActorObserver" : "_addObserver")
        remove(arguments[1])
        insert(" { \(call) }", after: parenthesis)
        walk(node.calledExpression)
        for argument in [arguments[2], arguments[3]] { walk(argument) }
        return .skipChildren
    }

    /// The method of a class, or of an ancestor, that a selector names.
    private func observingMethod(_ expression: ExprSyntax, of type: TypeDeclaration) -> MethodDeclaration? {
        let reference: DeclReferenceExprSyntax
        if let plain = expression.as(DeclReferenceExprSyntax.self) {
            reference = plain
        } else if let member = expression.as(MemberAccessExprSyntax.self),
            let base = member.base?.as(DeclReferenceExprSyntax.self)
        {
            let owner = base.baseName.text
            guard
                ["self", "Self"].contains(owner)
                    || module.type(named: owner, in: type.name).map({ named in
                        module.lineage(of: type).contains { $0 === named }
                    }) == true
            else { return nil }
            reference = member.declName
        } else {
            return nil
        }
        let labels = reference.argumentNames?.arguments.map(\.name.text)
        for ancestor in module.lineage(of: type) {
            let methods = module.summary(of: ancestor).methods[reference.baseName.identifierText] ?? []
            let fitting = labels.map { labels in methods.filter { $0.labels == labels } } ?? methods
            if fitting.count == 1 { return fitting[0] }
            if !fitting.isEmpty { return nil }
        }
        return nil
    }

    /// The inside of the closure that calls a method with a notification; nil where it takes something else.
    private static func call(of method: MethodDeclaration) -> String? {
        guard !method.isAsynchronous, !method.throwsErrors, !method.returnsValue else { return nil }
        guard let type = method.parameterTypes.first else {
            return "observer, _ in observer.\(method.name)()"
        }
        guard method.parameterTypes.count == 1, let label = method.labels.first else { return nil }
        let value: String
        switch type.nameOfElement {
        case "Notification", "Foundation.Notification", "Any": value = "note"
        case "NSNotification", "AnyObject", "NSObject":
            value = "NSNotification(name: note.name, object: note.object, userInfo: note.userInfo)"
        default: return nil
        }
        return "observer, note in observer.\(method.name)(\(label == "_" ? "" : "\(label): ")\(value))"
    }
}
