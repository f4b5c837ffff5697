import CocoaFoundation

/// What executes the request of a fetch expression: a managed object context.
package protocol FetchExpressionContext: AnyObject {
    /// The result of a request, or the number of objects that it finds.
    func result(of request: NSPersistentStoreRequest, countOnly: Bool) throws -> Any?
}

/// The type of a fetch expression.
public var NSFetchRequestExpressionType: NSExpression.ExpressionType { .fetchRequest }

/// An expression for the result of a fetch: `FETCH(request, context, countOnly)`.
///
/// It has no archived form, since no archive of Apple's was at hand.
open class NSFetchRequestExpression: NSExpression {
    /// The expression for the fetch request.
    open var requestExpression: NSExpression { request }

    /// The expression for the managed object context.
    open var contextExpression: NSExpression { context }

    /// Whether the value is the number of objects instead of the objects.
    open var isCountOnlyRequest: Bool { countOnly }

    private let request: NSExpression
    private let context: NSExpression
    private let countOnly: Bool

    init(request: NSExpression, context: NSExpression, countOnly: Bool) {
        self.request = request
        self.context = context
        self.countOnly = countOnly
        super.init(expressionType: .fetchRequest)
    }

    /// Fetch expressions are not archived.
    public required init?(coder: NSCoder) { nil }

    /// Lets format strings have `FETCH(…)`.
    package static func registerFormat() {
        _ = registration
    }

    private static let registration: Void = FetchExpressions.install { request, context, countOnly in
        guard case .constant(let flag) = countOnly.kind, let flag = flag as? Bool else {
            throw PredicateEvaluationError(
                .predicate, "whether to count must be YES or NO, not \(countOnly).")
        }
        return expression(forFetch: request, context: context, countOnly: flag)
    }

    /// Makes an expression for the result of a fetch.
    ///
    /// - Parameters:
    ///   - fetch: the expression for the request.
    ///   - context: the expression for the context that executes it.
    ///   - countFlag: whether the value is the number of objects.
    open class func expression(
        forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
    ) -> NSExpression {
        NSFetchRequestExpression(request: fetch, context: context, countOnly: countFlag)
    }

    open override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        do {
            return try value(with: object, context: context)
        } catch {
            fatalError("The expression \(self) cannot be evaluated: \(error)")
        }
    }

    open override func value(with object: Any?, context variables: NSMutableDictionary? = nil) throws -> Any?
    {
        guard let request = try request.value(with: object, context: variables) as? NSPersistentStoreRequest
        else {
            throw PredicateEvaluationError(.predicate, "\(requestExpression) is no fetch request.")
        }
        guard
            let context = try context.value(with: object, context: variables) as? any FetchExpressionContext
        else {
            throw PredicateEvaluationError(.predicate, "\(contextExpression) is no managed object context.")
        }
        return try context.result(of: request, countOnly: countOnly)
    }

    open override var description: String { "FETCH(\(request), \(context), \(countOnly ? "YES" : "NO"))" }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSFetchRequestExpression else { return false }
        return request == other.request && context == other.context && countOnly == other.countOnly
    }

    open override var hash: Int { request.hash }
}
