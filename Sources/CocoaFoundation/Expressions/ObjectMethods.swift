/// Objects with methods that `FUNCTION(object, "name:", …)` calls in predicates and expressions.
///
/// On Apple's platforms such an expression sends any message to any object. Linux cannot call a method by its name, so an object answers
/// for itself:
///
/// ```swift
/// extension Price: FunctionResponding {
///     func result(ofFunction name: String, arguments: [Any?]) throws -> Any? {
///         guard name == "addingTax:", let rate = arguments.first as? Double else { throw CocoaError(.featureUnsupported) }
///         return amount * (1 + rate)
///     }
/// }
/// ```
///
/// Strings, numbers, dates and collections answer to the messages that predicates commonly send. A SQLite store cannot call methods in a
/// fetch.
public protocol FunctionResponding {
    /// The result of a method.
    ///
    /// - Parameters:
    ///   - name: the method's name with colons.
    ///   - arguments: its arguments.
    /// - Throws: an error that the evaluation passes on, for example when there is no such method.
    func result(ofFunction name: String, arguments: [Any?]) throws -> Any?
}

/// The methods of values that expressions may call.
enum ObjectMethods {
    /// The result of a method; `nil` of no receiver.
    ///
    /// - Throws: ``PredicateEvaluationError`` when the value has no such method.
    static func result(of name: String, target: Any?, arguments: [Any?]) throws -> Any? {
        guard let target = presentValue(target) else { return nil }
        if let target = target as? any FunctionResponding {
            return try target.result(ofFunction: name, arguments: arguments)
        }
        guard name.filter({ $0 == ":" }).count == arguments.count else {
            throw PredicateEvaluationError(
                .predicate, "The method \(name) does not take \(arguments.count) arguments.")
        }
        guard let argument = arguments.first, arguments.count == 1 else {
            return try value(of: target, withoutArguments: name)
        }
        switch (name, PredicateValue(target), PredicateValue(argument)) {
        case ("valueForKey:", _, .text(let key)), ("valueForKeyPath:", _, .text(let key)):
            return try KeyPathSteps(key).value(of: target)
        case ("objectForKey:", .collection, _):
            return try ElementAccess.element(of: target, at: argument)
        case ("isEqual:", let lhs, let rhs), ("isEqualToString:", let lhs, let rhs),
            ("isEqualToNumber:", let lhs, let rhs), ("isEqualToDate:", let lhs, let rhs):
            return lhs == rhs
        case ("compare:", let lhs, let rhs):
            return lhs.order(rhs)?.rawValue
        case ("hasPrefix:", .text(let text), .text(let part)):
            return TextComparison(options: []).beginsWith(text, part)
        case ("hasSuffix:", .text(let text), .text(let part)):
            return TextComparison(options: []).endsWith(text, part)
        case ("containsString:", .text(let text), .text(let part)):
            return TextComparison(options: []).contains(text, part)
        case ("stringByAppendingString:", .text(let text), .text(let part)):
            return text + part
        case ("componentsSeparatedByString:", .text(let text), .text(let part)):
            return text.components(separatedBy: part)
        case ("dateByAddingTimeInterval:", .date(let date), let seconds) where seconds.isNumber:
            return seconds.doubleValue.map(date.addingTimeInterval)
        case ("timeIntervalSinceDate:", .date(let date), .date(let other)):
            return date.timeIntervalSince(other)
        case ("objectAtIndex:", .collection, let index) where index.isNumber:
            return try ElementAccess.element(of: target, at: argument)
        case ("containsObject:", .collection(let collection), let element):
            return collection.collectionElements.contains { PredicateValue($0) == element }
        default:
            throw unknown(name, target)
        }
    }

    private static func value(of target: Any, withoutArguments name: String) throws -> Any? {
        if let collection = target as? any ValueCollection {
            switch name {
            case "count": return collection.collectionCount
            case "firstObject": return try ElementAccess.element(of: target, at: NSExpression.Symbol.first)
            case "lastObject": return try ElementAccess.element(of: target, at: NSExpression.Symbol.last)
            case "anyObject": return collection.collectionElements.first
            case "allObjects", "allValues": return collection.collectionElements
            default: throw unknown(name, target)
            }
        }
        guard let value = FoundationKeys.value(of: target, forKey: name) else { throw unknown(name, target) }
        return value
    }

    private static func unknown(_ name: String, _ target: Any) -> PredicateEvaluationError {
        PredicateEvaluationError(
            .predicate,
            "\(described(target)) has no method \(name) that expressions may call with these arguments.")
    }
}
