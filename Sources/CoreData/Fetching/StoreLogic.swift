import CocoaFoundation
import Foundation

/// Evaluates predicates on objects in memory with the logic of a store.
///
/// SQL's logic has three values: a comparison with a missing value is unknown, and what is unknown is not found.
/// `NSPredicate.evaluate(with:)` has two, and finds that nil is not equal to "x". A fetch must give one answer for
/// saved and unsaved objects; it is the store's.
enum StoreLogic {
    /// Whether a fetch with this predicate finds the object.
    ///
    /// - Throws: `PredicateEvaluationError` for a predicate that cannot be evaluated.
    static func isMet(_ predicate: NSPredicate, by object: Any) throws -> Bool {
        try value(predicate, object) ?? false
    }

    /// Nil for unknown.
    private static func value(_ predicate: NSPredicate, _ object: Any) throws -> Bool? {
        switch predicate.shape {
        case .value(let value): return value
        case .opaque: return predicate.evaluate(with: object)
        case .comparison(let comparison): return try value(comparison, object)
        case .compound(let type, let parts): return try value(type, parts, object)
        }
    }

    private static func value(
        _ type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate], _ object: Any
    ) throws -> Bool? {
        switch type {
        case .not:
            return try parts.first.flatMap { try value($0, object) }.map { !$0 }
        case .and:
            var isUnknown = false
            for part in parts {
                guard let value = try value(part, object) else {
                    isUnknown = true
                    continue
                }
                if !value { return false }
            }
            return isUnknown ? nil : true
        case .or:
            var isUnknown = false
            for part in parts {
                guard let value = try value(part, object) else {
                    isUnknown = true
                    continue
                }
                if value { return true }
            }
            return isUnknown ? nil : false
        @unknown default:
            return nil
        }
    }

    private static func value(_ comparison: NSComparisonPredicate, _ object: Any) throws -> Bool? {
        let isNilTest = [comparison.leftExpression, comparison.rightExpression].contains { expression in
            if case .constant(let value) = expression.kind { return presentValue(value) == nil }
            return false
        }
        if comparison.isAboutNoValues { return false }
        // No text is known to be in nothing, or to be like it.
        if isNilTest, comparison.isAboutText { return nil }
        if !isNilTest, comparison.comparisonPredicateModifier == .direct {
            for expression in [comparison.leftExpression, comparison.rightExpression] {
                // Only what is read from the object can be missing.
                switch expression.kind {
                case .keyPath, .function: break
                default: continue
                }
                if presentValue(try expression.value(with: object, context: nil)) == nil { return nil }
            }
        }
        do {
            return try (comparisonOfTexts(comparison, object) ?? comparison).matches(object)
        } catch let error as PredicateEvaluationError where error.cause == .values {
            return false
        }
    }

    /// A comparison of a URL or a UUID with text, as one of texts; nil for any other. Stores let the text stand for both.
    private static func comparisonOfTexts(
        _ comparison: NSComparisonPredicate, _ object: Any
    ) throws -> NSComparisonPredicate? {
        let expressions = [comparison.leftExpression, comparison.rightExpression]
        let hasText = expressions.contains { expression in
            guard case .constant(let value?) = expression.kind else {
                if case .aggregate = expression.kind { return true }
                return false
            }
            return value is String
                || (value as? [Any])?.contains { $0 is String } ?? (value is Set<AnyHashable>)
        }
        guard hasText else { return nil }
        let values = try expressions.map { try $0.value(with: object, context: nil) }
        guard values.contains(where: { $0 is URL || $0 is UUID }) else { return nil }
        let texts = values.map { NSExpression(forConstantValue: text($0)) }
        return NSComparisonPredicate(
            leftExpression: texts[0], rightExpression: texts[1],
            modifier: comparison.comparisonPredicateModifier, type: comparison.predicateOperatorType,
            options: comparison.options)
    }

    /// URLs and UUIDs as texts, those in collections, too.
    private static func text(_ value: Any?) -> Any? {
        switch value {
        case let url as URL: url.absoluteString
        case let uuid as UUID: uuid.uuidString
        case let text as String: UUID(uuidString: text)?.uuidString ?? text
        case let array as [Any]: array.map { text($0) ?? NSNull() }
        case let set as Set<AnyHashable>: set.map { text($0.base) ?? NSNull() }
        default: value
        }
    }
}

extension NSComparisonPredicate {
    fileprivate var isAboutText: Bool {
        switch predicateOperatorType {
        case .beginsWith, .endsWith, .like, .matches, .contains: true
        default: false
        }
    }

    /// Whether it asks for one of no values. In SQL, too, that is false, not unknown, for a missing value.
    fileprivate var isAboutNoValues: Bool {
        guard predicateOperatorType == .in else { return false }
        switch rightExpression.kind {
        case .constant(let array as [Any]): return array.isEmpty
        case .constant(let set as Set<AnyHashable>): return set.isEmpty
        case .constant(let set as NSSet): return set.count == 0
        case .aggregate(let parts): return parts.isEmpty
        default: return false
        }
    }
}
