import CocoaFoundation
import Foundation

/// Evaluates predicates on objects in memory with the logic of a store.
///
/// SQL's logic has three values: a comparison with a missing value is unknown, and what is unknown is not found.
/// `NSPredicate.evaluate(with:)` has two, and finds that nil is not equal to "x". A fetch must give one answer for
/// saved and unsaved objects; it is the store's.
enum StoreLogic {
    /// Whether a fetch with this predicate finds the object.
    static func isMet(_ predicate: NSPredicate, by object: NSManagedObject) -> Bool {
        value(predicate, object) ?? false
    }

    /// Nil for unknown.
    private static func value(_ predicate: NSPredicate, _ object: NSManagedObject) -> Bool? {
        switch predicate.shape {
        case .value(let value): return value
        case .opaque: return predicate.evaluate(with: object)
        case .comparison(let comparison): return value(comparison, object)
        case .compound(let type, let parts): return value(type, parts, object)
        }
    }

    private static func value(
        _ type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate], _ object: NSManagedObject
    ) -> Bool? {
        switch type {
        case .not:
            return parts.first.flatMap { value($0, object) }.map { !$0 }
        case .and:
            var isUnknown = false
            for part in parts {
                guard let value = value(part, object) else {
                    isUnknown = true
                    continue
                }
                if !value { return false }
            }
            return isUnknown ? nil : true
        case .or:
            var isUnknown = false
            for part in parts {
                guard let value = value(part, object) else {
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

    private static func value(_ comparison: NSComparisonPredicate, _ object: NSManagedObject) -> Bool? {
        let isNilTest = [comparison.leftExpression, comparison.rightExpression].contains { expression in
            if case .constant(let value) = expression.kind { return presentValue(value) == nil }
            return false
        }
        if comparison.isAboutNoValues { return false }
        if !isNilTest, comparison.comparisonPredicateModifier == .direct {
            for expression in [comparison.leftExpression, comparison.rightExpression] {
                // Only what is read from the object can be missing.
                switch expression.kind {
                case .keyPath, .function: break
                default: continue
                }
                if presentValue(expression.expressionValue(with: object, context: nil)) == nil { return nil }
            }
        }
        return comparison.evaluate(with: object)
    }
}

extension NSComparisonPredicate {
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
