import SwiftSyntax

extension FilePort {
    static let designatedLabels = ["entity", "insertInto"]

    /// `init(entity:insertInto:)` and `init(context:)` are required here: objects of a class that only the program's run
    /// knows are made with them.
    func portInitializer(_ node: InitializerDeclSyntax) {
        let labels = node.signature.parameterClause.parameters.labels
        guard [Self.designatedLabels, ["context"]].contains(labels), module.isManaged(scope) else { return }
        let isRequired = node.modifiers.contains(.required)
        if !isRequired, !node.modifiers.contains(.override), node.modifiers.contains(.convenience) {
            insert("required ", before: node.modifiers)
        }
        for modifier in node.modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.override):
                if isRequired { remove(modifier) } else { replace(modifier, with: "required") }
            case .keyword(.private), .keyword(.fileprivate):
                // The initializer is as visible as the class.
                remove(modifier)
            default: continue
            }
        }
    }

    /// A class with other initialisers of its own has not inherited the one that makes its objects. On Apple's
    /// platforms the program would stop there.
    func checkInitializers(of declaration: TypeDeclaration) {
        let own = declaration.initializers
        guard let other = own.first(where: { !$0.isConvenience }),
            !own.contains(where: { $0.labels == Self.designatedLabels })
        else { return }
        refuse(
            "'\(declaration.name)' declares a designated initializer and not init(entity:insertInto:), with which its "
                + "objects are made: declare that too, or make this one convenient", at: other.location)
    }

    private static let storeLabels = ["persistentStoreCoordinator", "configurationName", "at", "options"]

    /// The initializer with which a coordinator makes a store, for a class that declares others and so has not inherited it. It
    /// stops the program as on Apple's platforms, where such an object cannot be made either.
    func missingStoreInitializer(of declaration: TypeDeclaration) -> String? {
        guard isStore(declaration),
            declaration.initializers.contains(where: { !$0.isConvenience }),
            !declaration.initializers.contains(where: { $0.labels == Self.storeLabels })
        else { return nil }
        let access =
            declaration.modifiers.access.flatMap { [.open, .public].contains($0) ? "public " : nil } ?? ""
        return "\(access)override init(persistentStoreCoordinator root: NSPersistentStoreCoordinator?, "
            + "configurationName name: String?, at url: URL, options: [AnyHashable: Any]? = nil) "
            + "{ fatalError(\"use of unimplemented initializer 'init(persistentStoreCoordinator:configurationName:at:options:)'"
            + " for class '\(declaration.name)'\") }"
    }

    private func isStore(_ declaration: TypeDeclaration) -> Bool {
        let stores: Set<String> = ["NSAtomicStore", "NSIncrementalStore", "NSPersistentStore"]
        let root = module.lineage(of: declaration).last?.inherited.first ?? ""
        return stores.contains(root) || stores.contains { root == "CoreData.\($0)" }
    }

    /// A subclass of a store says again that it is `Sendable`, which stores are here.
    func portStore(_ node: ClassDeclSyntax, _ declaration: TypeDeclaration) {
        guard isStore(declaration), !declaration.inherited.contains(where: { $0.hasSuffix("Sendable") }),
            let last = node.inheritanceClause?.inheritedTypes.last
        else { return }
        insert(", @unchecked Sendable", after: last.type)
    }

    /// The framework's classes whose initializers are not `required`, so that a class method cannot call them on `self`.
    private static let frameworkClasses: Set<String> = [
        "NSAttributeDescription", "NSEntityDescription", "NSFetchRequest", "NSManagedObjectContext",
        "NSManagedObjectModel", "NSPersistentContainer", "NSPersistentStoreCoordinator",
        "NSPersistentStoreDescription", "NSRelationshipDescription",
    ]

    /// Writes the class's name in `self.init(managedObjectModel:)` and `Self(managedObjectModel:)` of a class method in an
    /// extension of a class of the framework.
    func portOwnInitializer(_ node: FunctionCallExprSyntax) {
        let receiver: Syntax
        if let member = node.calledExpression.as(MemberAccessExprSyntax.self),
            member.declName.baseName.tokenKind == .keyword(.`init`),
            let base = member.base?.as(DeclReferenceExprSyntax.self),
            ["self", "Self"].contains(base.baseName.text)
        {
            receiver = Syntax(base)
        } else if let reference = node.calledExpression.as(DeclReferenceExprSyntax.self),
            reference.baseName.text == "Self"
        {
            receiver = Syntax(reference)
        } else {
            return
        }
        guard let scope, scope.kind == .typeExtension, Self.frameworkClasses.contains(scope.name),
            module.extended(scope) == nil, let method = Self.classMember(around: node)
        else { return }
        if method.returnsSelf {
            refuse(
                "only the Objective-C runtime makes objects of a class that has no required initializer: write "
                    + "'\(scope.name)' instead of 'Self', here and as the result", at: receiver)
            return
        }
        replace(receiver, with: scope.name)
    }

    /// The method or property of the class, and not of its objects, that a position is in.
    private static func classMember(around node: some SyntaxProtocol) -> ClassMember? {
        var parent = node.parent
        while let current = parent {
            if let function = current.as(FunctionDeclSyntax.self) {
                guard function.modifiers.contains(.static, .class) else {
                    // A function in a function.
                    if function.parent?.is(MemberBlockItemSyntax.self) == true { return nil }
                    parent = current.parent
                    continue
                }
                let result = function.signature.returnClause?.type.nameOfElement
                return ClassMember(returnsSelf: result == "Self")
            }
            if let variable = current.as(VariableDeclSyntax.self),
                variable.modifiers.contains(.static, .class)
            {
                return ClassMember(
                    returnsSelf: variable.bindings.first?.typeAnnotation?.type.nameOfElement == "Self")
            }
            if current.is(MemberBlockSyntax.self) { return nil }
            parent = current.parent
        }
        return nil
    }
}

/// A method or property of a class.
private struct ClassMember {
    let returnsSelf: Bool
}
