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
/// ```swift
/// let books = NSFetchRequestExpression.expression(
///     forFetch: NSExpression(forConstantValue: request), context: NSExpression(forConstantValue: context), countOnly: false)
/// fetch.predicate = NSPredicate(format: "favorite IN %@", books)
/// ```
///
/// Its value is the array of found objects, or with `countOnly` their number. In a fetch it is evaluated once, before the statement runs.
/// `value(with:context:)` throws a `PredicateEvaluationError` when an operand is not a request or not a context, and the error of the
/// fetch.
///
/// An archive holds the expressions for the request and the context, as Apple's compiled mapping models have them: variables, key paths
/// and functions. A request or a context itself cannot be archived.
open class NSFetchRequestExpression: NSExpression, @unchecked Sendable {
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

    // MARK: Coding

    private enum Key {
        static let request = "NSFRExpression"
        static let context = "NSMOCExpression"
        static let countOnly = "NSCountOnlyFlag"
        static let type = "NSExpressionType"
    }

    /// Reads an expression from a keyed archive.
    ///
    /// - Returns: `nil` when the archive's expression is not complete.
    public required init?(coder: NSCoder) {
        guard let request = PredicateArchive.expression(forKey: Key.request, coder),
            let context = PredicateArchive.expression(forKey: Key.context, coder),
            coder.containsValue(forKey: Key.countOnly)
        else { return nil }
        self.request = request
        self.context = context
        countOnly = coder.decodeBool(forKey: Key.countOnly)
        super.init(expressionType: .fetchRequest)
    }

    /// Writes the expression to a keyed archive.
    ///
    /// - Precondition: the request and the context are variables or other expressions that can be archived, and no objects.
    open override func encode(with coder: NSCoder) {
        for part in [request, context] where part.isObject {
            fatalError(
                "\(self) cannot be archived: its request and its context must be variables or key paths, not objects"
            )
        }
        coder.encode(Int(NSExpression.ExpressionType.fetchRequest.rawValue), forKey: Key.type)
        coder.encode(request, forKey: Key.request)
        coder.encode(context, forKey: Key.context)
        coder.encode(countOnly, forKey: Key.countOnly)
    }

    /// Lets format strings have `FETCH(…)`, and archives Apple's name of the class.
    package static func registerFormat() {
        _ = registration
        _ = nameRegistration
    }

    private static let nameRegistration: Void = {
        let name = "NSFetchRequestExpression"
        NSKeyedUnarchiver.setClass(NSFetchRequestExpression.self, forClassName: name)
        NSKeyedArchiver.setClassName(name, for: NSFetchRequestExpression.self)
    }()

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
            throw PredicateEvaluationError(.predicate, "\(requestExpression) is not a fetch request.")
        }
        guard
            let context = try context.value(with: object, context: variables) as? any FetchExpressionContext
        else {
            throw PredicateEvaluationError(
                .predicate, "\(contextExpression) is not a managed object context.")
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

extension NSFetchRequestExpression: CompositeExpression {
    package func replacingOwnParts(_ part: (NSExpression) throws -> NSExpression) rethrows -> NSExpression {
        // A client's own class makes its own.
        guard type(of: self) == NSFetchRequestExpression.self else { return self }
        return NSFetchRequestExpression(
            request: try part(request), context: try part(context), countOnly: countOnly)
    }
}

extension NSExpression {
    /// Whether the expression is a request or a context itself.
    fileprivate var isObject: Bool {
        guard case .constant(let value?) = kind else { return false }
        return value is NSPersistentStoreRequest || value is any FetchExpressionContext
    }
}
