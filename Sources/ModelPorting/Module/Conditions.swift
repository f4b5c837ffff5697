import SwiftSyntax

/// The conditions of `#if` as they are where the ported sources are compiled: on none of Apple's systems.
enum Conditions {
    private static let appleSystems: Set<String> = [
        "iOS", "macOS", "OSX", "tvOS", "watchOS", "visionOS", "xrOS",
    ]

    /// Whether a condition holds; nil when that depends on the build.
    static func value(of condition: ExprSyntax) -> Bool? {
        if let literal = condition.as(BooleanLiteralExprSyntax.self) {
            return literal.literal.tokenKind == .keyword(.true)
        }
        if let tuple = condition.as(TupleExprSyntax.self), let only = tuple.elements.first,
            tuple.elements.count == 1
        {
            return value(of: only.expression)
        }
        if let negation = condition.as(PrefixOperatorExprSyntax.self), negation.operator.text == "!" {
            return value(of: negation.expression).map(!)
        }
        if let sequence = condition.as(SequenceExprSyntax.self) { return value(of: sequence) }
        guard let call = condition.as(FunctionCallExprSyntax.self) else { return nil }
        let argument = call.arguments.first?.expression.trimmedDescription ?? ""
        switch call.calledExpression.trimmedDescription {
        case "os": return appleSystems.contains(argument) ? false : nil
        case "canImport": return AppleModules.names.contains(argument) ? false : nil
        case "targetEnvironment": return ["simulator", "macCatalyst"].contains(argument) ? false : nil
        case "_runtime": return argument == "_ObjC" ? false : nil
        default: return nil
        }
    }

    /// `a && b || c`, as the parser leaves it: operands and operators one after another.
    private static func value(of sequence: SequenceExprSyntax) -> Bool? {
        var alternatives: [[Bool?]] = [[]]
        for element in sequence.elements {
            guard let operation = element.as(BinaryOperatorExprSyntax.self) else {
                alternatives[alternatives.count - 1].append(value(of: element))
                continue
            }
            switch operation.operator.text {
            case "&&": continue
            case "||": alternatives.append([])
            default: return nil
            }
        }
        let values = alternatives.map { operands -> Bool? in
            if operands.contains(false) { return false }
            return operands.contains(nil) ? nil : true
        }
        if values.contains(true) { return true }
        return values.contains(nil) ? nil : false
    }

    /// The modules that a condition checks with `canImport`.
    static func testedModules(in condition: ExprSyntax) -> Set<String> {
        let visitor = ImportabilityVisitor(viewMode: .sourceAccurate)
        visitor.walk(condition)
        return visitor.modules
    }

    /// The clauses of an `#if` that may be compiled, and for each the condition under which it is; nil for always.
    static func possibleClauses(
        of conditional: IfConfigDeclSyntax
    ) -> [(clause: IfConfigClauseSyntax, condition: String?)] {
        var clauses: [(IfConfigClauseSyntax, String?)] = []
        var refused: [String] = []
        for clause in conditional.clauses {
            let value = clause.condition.map(value(of:)) ?? true
            if value == false { continue }
            let own = clause.condition.map { "(\($0.oneLine()))" }
            let all = refused + (value == true ? [] : [own].compactMap(\.self))
            clauses.append((clause, all.isEmpty ? nil : all.joined(separator: " && ")))
            if value == true { break }
            if let own { refused.append("!\(own)") }
        }
        return clauses
    }
}

/// Collects the modules that a condition checks.
private final class ImportabilityVisitor: SyntaxVisitor {
    var modules: Set<String> = []

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if node.calledExpression.trimmedDescription == "canImport", let first = node.arguments.first {
            modules.insert(first.expression.trimmedDescription)
        }
        return .visitChildren
    }
}
