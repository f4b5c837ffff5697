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
                // Whoever sees the class makes its objects.
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
                + "objects are made: declare that too, or make this one convenient", at: other.place)
    }
}
