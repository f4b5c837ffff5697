import SwiftSyntax

extension FilePort {
    /// Takes out the attributes that speak to the Objective-C runtime.
    func portAttribute(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        switch node.baseName {
        case "objc", "objcMembers", "nonobjc", "NSManaged":
            warnOfLostName(node)
            remove(node)
        case "IBOutlet", "IBAction", "IBSegueAction", "IBInspectable", "IBDesignable", "GKInspectable":
            warn(
                "'@\(node.baseName)' is dropped: there is no Interface Builder here; connect it in code",
                at: node)
            remove(node)
        case "NSCopying":
            refuse(
                "'@NSCopying' needs the Objective-C runtime: write a setter that keeps 'newValue.copy()'",
                at: node)
        case "NSApplicationMain", "UIApplicationMain":
            refuse(
                "'@\(node.baseName)' is for programs on Apple's platforms: write '@main' on a type with a 'static func main()'",
                at: node)
        default:
            return .visitChildren
        }
        return .skipChildren
    }

    /// A class that is not managed is known by its Objective-C name to archives, which no rewrite can follow.
    private func warnOfLostName(_ node: AttributeSyntax) {
        guard let name = node.objectiveCName, let declaration = scope, declaration.kind == .classType,
            node.parent?.parent?.as(ClassDeclSyntax.self)?.name.text == declaration.name,
            name != declaration.name,
            !module.isManaged(declaration)
        else { return }
        warn(
            "the Objective-C name '\(name)' is dropped: archives and NSClassFromString know the class as "
                + "'\(declaration.name)' of its module; NSKeyedArchiver.setClassName(_:for:) and "
                + "NSKeyedUnarchiver.setClass(_:forClassName:) give archives the other name", at: node)
    }

    func portModifier(_ node: DeclModifierSyntax) {
        guard let declared = node.parent?.parent else { return }
        let attributes = declared.asProtocol((any WithAttributesSyntax).self)?.attributes
        switch node.name.tokenKind {
        case .keyword(.optional):
            refuse(
                "an optional requirement needs the Objective-C runtime: give it a default in an extension of the "
                    + "protocol", at: node)
        case .keyword(.override) where scope?.kind == .typeExtension:
            portOverrideModifier(node, of: declared)
        case .keyword(.dynamic):
            let isManaged = module.isManaged(scope)
            guard isManaged || attributes?.contains("objc") == true else { return }
            remove(node)
            if isManaged, let variable = declared.as(VariableDeclSyntax.self) {
                notifyOfChanges(of: variable)
            }
            if !isManaged, let variable = declared.as(VariableDeclSyntax.self) {
                warn(
                    "changes of this property are not observed: only managed objects, and classes that conform to "
                        + "KeyValueObserving, report theirs; conform to it, and call willChangeValue(forKey:) and "
                        + "didChangeValue(forKey:) around them", at: variable.bindingSpecifier)
            }
        default: return
        }
    }

    /// Lets a `dynamic` property of a managed class, which is not one of the model, notify observers of its changes, as its
    /// setter does with an Objective-C runtime.
    private func notifyOfChanges(of node: VariableDeclSyntax) {
        let isExposed =
            node.attributes.contains("objc")
            || scope.flatMap(module.extended)?.attributes.contains("objcMembers") == true
        guard isExposed, !node.attributes.contains("NSManaged"), !node.modifiers.contains(.static, .class),
            node.bindingSpecifier.tokenKind == .keyword(.var)
        else { return }
        for binding in node.bindings {
            guard let name = binding.name else { continue }
            if let block = binding.accessorBlock {
                guard case .accessors(let accessors) = block.accessors,
                    accessors.contains(where: { $0.accessorSpecifier.tokenKind != .keyword(.get) }),
                    !block.tokens(viewMode: .sourceAccurate).contains(where: { $0.text == "willChangeValue" })
                else { continue }
            } else if node.bindings.count == 1, !node.modifiers.contains(.lazy) {
                let key = node.attributes.attribute(named: "objc")?.objectiveCName ?? name.identifierText
                insert(
                    " { willSet { willChangeValue(forKey: \"\(key)\") } didSet { didChangeValue(forKey: \"\(key)\") } }",
                    after: binding)
                continue
            }
            warn(
                "changes of this property are not observed: call willChangeValue(forKey:) and didChangeValue(forKey:) "
                    + "around them", at: name)
        }
    }

    /// An `@objc` protocol is for classes alone.
    func portProtocol(_ node: ProtocolDeclSyntax) {
        guard node.attributes.contains("objc") else { return }
        guard let first = node.inheritanceClause?.inheritedTypes.first else {
            insert(": AnyObject", after: node.name)
            return
        }
        let inherited = node.inheritanceClause?.inheritedTypes.map { $0.type.trimmedDescription } ?? []
        if inherited.contains(where: ["AnyObject", "class", "NSObjectProtocol"].contains) { return }
        insert("AnyObject, ", before: first)
    }

    /// An `@objc` enumeration can be the type of an `@NSManaged` property.
    func portEnumeration(_ node: EnumDeclSyntax) {
        guard node.attributes.contains("objc"), let rawType = node.inheritanceClause?.inheritedTypes.first,
            ["Int", "Int16", "Int32", "Int64"].contains(rawType.type.trimmedDescription)
        else { return }
        insert(", CoreData.ManagedComponent", after: rawType.type)
    }
}
