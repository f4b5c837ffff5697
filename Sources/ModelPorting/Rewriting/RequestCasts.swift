import SwiftSyntax

extension FilePort {
    /// Classes whose type parameters do not exist at run time on Apple's platforms, so that casts between their types succeed.
    static let castClasses: Set<String> = ["NSFetchRequest", "NSFetchedResultsController"]

    /// Writes `NSFetchRequest<Book>.cast(request)` for `request as? NSFetchRequest<Book>`, for `as!` and for `is`.
    func portCasts(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let elements = Array(node.elements)
        var written: Set<Int> = []
        // The last cast of several is the outermost.
        for index in elements.indices.reversed() {
            guard index > 0, index + 1 < elements.count, let cast = RequestCast(elements[index]),
                let type = elements[index + 1].as(TypeExprSyntax.self)?.type
            else { continue }
            switch castTarget(type) {
            case .none: continue
            case .part(let name): refuseCast(of: name, at: elements[index])
            case .whole(let target, let isOptional):
                if cast == .coercion {
                    guard elements[index - 1].is(PatternExprSyntax.self) else { continue }
                    refuseCastPattern(target, at: elements[index])
                    continue
                }
                var first = index - 1
                while first >= 2, elements[first].is(TypeExprSyntax.self) { first -= 2 }
                let (start, end) = cast.call(target, isOptional: isOptional)
                insert(start, before: Self.innermost(elements[first]))
                replace(from: elements[index - 1], to: type, with: end)
                written.formUnion([index, index + 1])
            }
        }
        guard !written.isEmpty else { return .visitChildren }
        for index in elements.indices where !written.contains(index) { walk(elements[index]) }
        return .skipChildren
    }

    /// `case is NSFetchRequest<Book>`
    func checkPattern(_ node: IsTypePatternSyntax) {
        switch castTarget(node.type) {
        case .none: return
        case .part(let name): refuseCast(of: name, at: node)
        case .whole(let target, _): refuseCastPattern(target, at: node)
        }
    }

    private func refuseCastPattern(_ target: String, at node: some SyntaxProtocol) {
        refuse(
            "a pattern cannot match a generic request or controller here, whose parameters exist at run time: "
                + "write 'if let request = \(target).cast(value)' before it", at: node)
    }

    private func refuseCast(of name: String, at node: some SyntaxProtocol) {
        refuse(
            "a cast to a type made of '\(name)' always fails here, since generic parameters exist at run time: cast each "
                + "element with '\(name)<Type>.cast(element)'", at: node)
    }

    private enum CastTarget {
        case none
        /// One of the classes, as it is written.
        case whole(String, isOptional: Bool)
        /// A collection or the like of one of the classes.
        case part(String)
    }

    private func castTarget(_ type: TypeSyntax, isOptional: Bool = false) -> CastTarget {
        if let optional = type.as(OptionalTypeSyntax.self) {
            return castTarget(optional.wrappedType, isOptional: true)
        }
        if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1,
            let only = tuple.elements.first, only.firstName == nil
        {
            return castTarget(only.type, isOptional: isOptional)
        }
        let named: (name: String, hasArguments: Bool)? =
            if let identifier = type.as(IdentifierTypeSyntax.self) {
                (identifier.name.text, identifier.genericArgumentClause != nil)
            } else if let member = type.as(MemberTypeSyntax.self) {
                (member.name.text, member.genericArgumentClause != nil)
            } else {
                nil
            }
        if let named {
            if named.hasArguments, Self.castClasses.contains(named.name),
                module.type(named: named.name) == nil
            {
                return .whole(module.portedText(of: type), isOptional: isOptional)
            }
            if !named.hasArguments, let alias = module.alias(named.name),
                Self.castClasses.contains(where: {
                    alias.hasPrefix("\($0)<") || alias.hasPrefix("CoreData.\($0)<")
                })
            {
                return .whole(named.name, isOptional: isOptional)
            }
        }
        // A function's type says what it is called with, which no cast changes on Apple's platforms either.
        if type.is(FunctionTypeSyntax.self) { return .none }
        let tokens = type.tokens(viewMode: .sourceAccurate)
        let inner = zip(tokens, tokens.dropFirst()).first {
            Self.castClasses.contains($0.text) && $1.text == "<" && module.type(named: $0.text) == nil
        }
        return inner.map { .part($0.0.text) } ?? .none
    }

    /// The expression after `try` and `await`, which precede the whole cast.
    private static func innermost(_ expression: ExprSyntax) -> ExprSyntax {
        var inner = expression
        while true {
            if let attempt = inner.as(TryExprSyntax.self) {
                inner = attempt.expression
            } else if let wait = inner.as(AwaitExprSyntax.self) {
                inner = wait.expression
            } else {
                return inner
            }
        }
    }
}

/// The operator of a cast.
private enum RequestCast {
    case conditional, forced, test, coercion

    init?(_ element: ExprSyntax) {
        if element.is(UnresolvedIsExprSyntax.self) {
            self = .test
        } else if let cast = element.as(UnresolvedAsExprSyntax.self) {
            switch cast.questionOrExclamationMark?.text {
            case "?": self = .conditional
            case "!": self = .forced
            default: self = .coercion
            }
        } else {
            return nil
        }
    }

    /// What is written before and after the value.
    func call(_ target: String, isOptional: Bool) -> (start: String, end: String) {
        switch self {
        case .test: ("(\(target).cast(", ") != nil)")
        case .forced where !isOptional: ("\(target).cast(", ")!")
        default: ("\(target).cast(", ")")
        }
    }
}
