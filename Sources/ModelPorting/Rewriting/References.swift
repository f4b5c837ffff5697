import SwiftSyntax

extension FilePort {
    /// Classes that Foundation has as empty shells; ours are meant.
    static let ownClasses: Set<String> = ["NSExpression", "NSComparisonPredicate"]

    /// What is ours and has no like in Foundation here, where a source names Foundation all the same.
    private static let ownNames: Set<String> = ownClasses.union([
        "NSKeyValueChange", "NSKeyValueChangeKey", "NSKeyValueObservation", "NSKeyValueObservedChange",
        "NSKeyValueObservingOptions", "NSKeyValueSetMutationKind", "NSSecureUnarchiveFromDataTransformer",
        "NSValueTransformerName", "UndoManager", "ValueTransformer",
    ])

    /// Whether `Foundation.Name` is to be `CoreData.Name`.
    static func isOwn(_ name: String) -> Bool { ownNames.contains(name) }

    /// Functions of the Objective-C runtime, beside all that begin with `objc_`.
    private static let runtimeFunctions: Set<String> = [
        "class_addMethod", "class_copyMethodList", "class_copyPropertyList", "class_getClassMethod",
        "class_getInstanceMethod", "class_getName", "class_getSuperclass", "class_replaceMethod",
        "class_respondsToSelector", "method_exchangeImplementations", "method_getImplementation",
        "method_setImplementation", "object_getClass", "object_setClass", "property_getName", "sel_getName",
        "sel_registerName",
    ]

    func portTypeName(_ name: TokenSyntax) {
        if usedNames[name.text] == nil { usedNames[name.text] = name.positionAfterSkippingLeadingTrivia }
        if Self.ownClasses.contains(name.text), module.type(named: name.text) == nil {
            insert("CoreData.", before: name)
        }
        if name.text == "AutoreleasingUnsafeMutablePointer" { replace(name, with: "UnsafeMutablePointer") }
    }

    /// `Foundation.NSExpression` as a type.
    func portMemberType(_ node: MemberTypeSyntax) {
        guard Self.isOwn(node.name.text),
            let base = node.baseType.as(IdentifierTypeSyntax.self),
            base.name.text == "Foundation"
        else { return }
        replace(base, with: "CoreData")
    }

    func portReference(_ node: DeclReferenceExprSyntax) {
        if let member = node.parent?.as(MemberAccessExprSyntax.self), member.declName.id == node.id {
            if AppleModules.publisherMembers.contains(node.baseName.text) { usesPublishers = true }
            // `Foundation.NSExpression`
            if Self.isOwn(node.baseName.text),
                let base = member.base?.as(DeclReferenceExprSyntax.self),
                base.baseName.text == "Foundation"
            {
                replace(base, with: "CoreData")
            }
            return
        }
        portTypeName(node.baseName)
        portKeyPathString(node)
        let name = node.baseName.text
        guard name.hasPrefix("objc_") || Self.runtimeFunctions.contains(name) else { return }
        let advice =
            switch name {
            case "objc_getAssociatedObject", "objc_setAssociatedObject", "objc_removeAssociatedObjects":
                ": keep the value in a property, or in a dictionary by the object"
            case "objc_sync_enter", "objc_sync_exit": ": use NSLock, or the context's queue"
            case "class_getName", "class_getSuperclass", "object_getClass":
                ": use type(of:), String(reflecting:), or a cast"
            case "property_getName", "class_copyPropertyList": ": use Mirror, or the entity's properties"
            default: ": call a closure that can be set, or override the method"
            }
        refuse("'\(name)' is a function of the Objective-C runtime, which is not here\(advice)", at: node)
    }

    /// `Thread.isMainThread` compiles and says something else.
    func checkMainThread(_ node: MemberAccessExprSyntax) {
        guard node.declName.baseName.text == "isMainThread",
            ["Thread", "Thread.current", "Foundation.Thread"].contains(node.base?.trimmedDescription)
        else { return }
        warn(
            "'Thread.isMainThread' is false here on the main queue of a program with an asynchronous 'main': write "
                + "'dispatchPrecondition(condition: .onQueue(.main))', or '@MainActor' on what needs it",
            at: node)
    }

    /// Calls of what only an Objective-C runtime can do.
    func portCall(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if portObserverCall(node) { return .skipChildren }
        if let kind = portTargetCall(node) { return kind }
        portOwnInitializer(node)
        let labels = node.arguments.map { $0.label?.text ?? "_" }
        if let member = node.calledExpression.as(MemberAccessExprSyntax.self) {
            return checkCall(node, of: member.declName.baseName, labels)
        }
        if let reference = node.calledExpression.as(DeclReferenceExprSyntax.self) {
            if reference.baseName.text == "unsafeBitCast", Self.mentionsSelector(node) {
                refuse(
                    "a selector or an implementation cannot be called through a cast here: keep a closure, and call it",
                    at: node)
                return .skipChildren
            }
            return checkCall(node, of: reference.baseName, labels)
        }
        return .visitChildren
    }

    private func checkCall(
        _ node: FunctionCallExprSyntax, of name: TokenSyntax, _ labels: [String]
    ) -> SyntaxVisitorContinueKind {
        switch (name.text, labels) {
        case ("Bundle", ["identifier"]):
            warn(
                "'Bundle(identifier:)' finds here only what the program has loaded as a bundle: write 'Bundle.module', "
                    + "'Bundle(for:)' or 'Bundle(path:)'", at: name)
            return .visitChildren
        case ("performSelector", _),
            ("perform", _) where takesSelector(node):
            refuse("a method cannot be called by its selector here: call it", at: name)
        case ("responds", ["to"]), ("instancesRespond", ["to"]):
            refuse("nothing here knows an object's methods by their selectors: test for a protocol", at: name)
        case ("method", ["for"]), ("instanceMethod", ["for"]), ("methodSignature", ["for"]):
            refuse(
                "there is no Objective-C runtime that could give a method: keep a closure, and call it",
                at: name)
        default: return .visitChildren
        }
        return .skipChildren
    }

    private func takesSelector(_ node: FunctionCallExprSyntax) -> Bool {
        guard let first = node.arguments.first, first.label == nil else { return false }
        let reference =
            first.expression.as(DeclReferenceExprSyntax.self)
            ?? first.expression.as(MemberAccessExprSyntax.self)?.declName
        if let reference, module.isSelector(reference.baseName.identifierText, in: source) { return true }
        if node.arguments.dropFirst().contains(where: { ["afterDelay", "inModes"].contains($0.label?.text) })
        {
            return true
        }
        if let call = first.expression.as(FunctionCallExprSyntax.self) {
            return ["Selector", "NSSelectorFromString"].contains(call.calledExpression.trimmedDescription)
        }
        return first.expression.as(MacroExpansionExprSyntax.self)?.macroName.text == "selector"
    }

    private static func mentionsSelector(_ node: FunctionCallExprSyntax) -> Bool {
        let words: Set<String> = ["selector", "Selector", "IMP", "convention", "NSSelectorFromString"]
        return node.tokens(viewMode: .sourceAccurate).contains { words.contains($0.text) }
    }
}

extension ModuleDeclarations {
    /// A type as it is written in what is added to a source: in one line, and with our classes for Foundation's.
    ///
    /// - Parameter scope: the type inside which it was written; its names are those that are understood outside then.
    ///   With nil they stay as they are.
    func portedText(of type: TypeSyntax, in scope: String? = nil) -> String {
        type.oneLine { [self] token in
            guard let named = token.parent?.as(IdentifierTypeSyntax.self), named.name.id == token.id else {
                return token.text
            }
            if let member = named.parent?.as(MemberTypeSyntax.self), member.baseType.id == named.id,
                token.text == "Foundation", FilePort.isOwn(member.name.text)
            {
                return "CoreData"
            }
            let declared = self.type(named: token.text, in: scope ?? "")
            if declared == nil, FilePort.ownClasses.contains(token.text) { return "CoreData.\(token.text)" }
            return scope == nil ? token.text : declared?.name ?? token.text
        }
    }
}
