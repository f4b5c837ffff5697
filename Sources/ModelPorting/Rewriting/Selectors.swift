import SwiftSyntax

extension FilePort {
    /// The methods that a sort descriptor can get as a selector.
    private static let comparisons: Set<String> = [
        "compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare",
        "localizedStandardCompare",
    ]

    /// Writes `Selector("localizedStandardCompare:")` for a selector that is understood as a name; others would be
    /// called, which nothing here can do.
    func portSelector(_ node: MacroExpansionExprSyntax) {
        guard let argument = node.arguments.first, node.arguments.count == 1 else {
            refuse("a selector names one method or property: write '#selector(name)'", at: node)
            return
        }
        switch argument.label?.text {
        case "getter":
            guard let path = checkedKeyPath(argument.expression) else { break }
            replace(node, with: "Selector(\(path))")
            return
        case "setter":
            guard let path = checkedKeyPath(argument.expression, text: Self.setter) else { break }
            replace(node, with: "Selector(\(path))")
            return
        case nil:
            guard let name = Self.methodName(argument.expression), Self.comparisons.contains(name) else {
                break
            }
            replace(node, with: "Selector(\"\(name):\")")
            return
        default: break
        }
        refuse(
            "'\(node.trimmedDescription.prefix(80))' names a method to be called by an Objective-C runtime, which is "
                + "not here; write a closure, or call the method; only addObserver(self, selector:name:object:) is rewritten, "
                + "for a method of the class that takes a notification or nothing", at: node)
    }

    /// `setTitle:` for the property `title`.
    private static func setter(_ keys: [String]) -> String {
        let key = keys.last ?? ""
        return "set\(key.prefix(1).uppercased())\(key.dropFirst()):"
    }

    /// The name of a method with one parameter, or without its labels.
    private static func methodName(_ expression: ExprSyntax) -> String? {
        let reference =
            expression.as(DeclReferenceExprSyntax.self)
            ?? expression.as(MemberAccessExprSyntax.self)?.declName
        guard let reference else { return nil }
        if let arguments = reference.argumentNames?.arguments,
            arguments.count != 1 || arguments.first?.name.text != "_"
        {
            return nil
        }
        return reference.baseName.text
    }
}
