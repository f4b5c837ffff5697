/// Whose rules decide what a missing value means.
enum EvaluationLogic: Sendable {
    /// Those of `NSPredicate`: a missing value differs from every other.
    case predicate
    /// Those of a store: a comparison with a missing value is unknown, and what is unknown is not found.
    case store
}

/// The rules and the values of variables during one evaluation.
///
/// A subquery opens an inner scope for its iterator; an assignment writes to the dictionary that the caller
/// gave, or, without one, to the outermost scope.
final class EvaluationScope {
    let logic: EvaluationLogic
    private let outer: EvaluationScope?
    private let context: NSMutableDictionary?
    private var values: [String: Any?]

    /// The outermost scope.
    init(
        context: NSMutableDictionary?, values: [String: Any] = [:], logic: EvaluationLogic = .predicate
    ) {
        self.logic = logic
        outer = nil
        self.context = context
        self.values = values
    }

    /// A scope with one more variable.
    init(inside outer: EvaluationScope, _ variable: String, _ value: Any?) {
        self.outer = outer
        logic = outer.logic
        context = nil
        values = [variable: value]
    }

    /// The value of a variable.
    ///
    /// - Throws: ``PredicateEvaluationError`` when it has none.
    func value(of variable: String) throws -> Any? {
        var scope: EvaluationScope? = self
        while let current = scope {
            if let value = current.values[variable] { return presentValue(value) }
            if let value = current.context?.object(forKey: variable) { return presentValue(value) }
            scope = current.outer
        }
        throw PredicateEvaluationError(.predicate, "The variable $\(variable) has no value.")
    }

    /// Gives a variable a value.
    func assign(_ value: Any?, to variable: String) {
        if let outer { return outer.assign(value, to: variable) }
        values[variable] = value
        context?[variable] = presentValue(value) ?? NSNull()
    }

    /// All variables, for code that knows no scopes: blocks and subclasses. The caller's own dictionary when
    /// nothing was added to it.
    var dictionary: NSMutableDictionary {
        if let context, values.isEmpty { return context }
        let dictionary = NSMutableDictionary()
        var scope: EvaluationScope? = self
        while let current = scope {
            if let context = current.context as? [String: Any] {
                for (variable, value) in context where dictionary.object(forKey: variable) == nil {
                    dictionary[variable] = value
                }
            }
            for (variable, value) in current.values where dictionary.object(forKey: variable) == nil {
                dictionary[variable] = presentValue(value) ?? NSNull()
            }
            scope = current.outer
        }
        return dictionary
    }
}
