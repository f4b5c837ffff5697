import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The value that a condition requires of one property. Among many results, a changed object can enter only those whose
/// required value it has.
///
/// Found in comparisons that the condition joins with AND. Each is read so that it leaves out too little and never too
/// much: the whole condition is then evaluated for the remaining objects.
struct RequiredValue {
    enum Values {
        /// Numbers; dates as seconds since 2001.
        case range(lower: Double, upper: Double)
        case one(Single)
    }

    /// A value that is equal to no other.
    enum Single: Hashable {
        case text(String)
        case object(ObjectKey)
    }

    let key: String
    let values: Values

    /// Nil if the condition makes no such comparison of a property that objects of all of the entities have.
    init?(_ condition: NSPredicate?, _ entities: [NSEntityDescription]) {
        guard let condition, let entity = entities.first else { return nil }
        let layouts = entities.map(EntityLayout.layout)
        var parts = [condition]
        if case .compound(.and, _) = condition.shape { parts = condition.chainedParts }
        let found = parts.compactMap { part -> RequiredValue? in
            guard case .comparison(let comparison) = part.shape else { return nil }
            return RequiredValue(comparison, EntityLayout.layout(of: entity))
        }
        // A value that the class computes may differ from the object's.
        let usable = found.filter { required in
            layouts.allSatisfy {
                $0.classProperties.custom[required.key] == nil && $0.index(of: required.key) != nil
            }
        }
        guard let best = usable.first(where: \.isSingle) ?? usable.first else { return nil }
        self = usable.reduce(best) { $0.narrowed(by: $1) }
    }

    private init(key: String, values: Values) {
        self.key = key
        self.values = values
    }

    private init?(_ comparison: NSComparisonPredicate, _ layout: EntityLayout) {
        guard comparison.comparisonPredicateModifier == .direct, comparison.options.isEmpty else {
            return nil
        }
        var type = comparison.predicateOperatorType
        let key: String
        let constant: Any
        switch (comparison.leftExpression.kind, comparison.rightExpression.kind) {
        case (.keyPath(let operand, let path), .constant(let value?)):
            guard case .evaluatedObject = operand.kind else { return nil }
            (key, constant) = (path, value)
        case (.constant(let value?), .keyPath(let operand, let path)):
            guard case .evaluatedObject = operand.kind else { return nil }
            (key, constant) = (path, value)
            switch type {
            case .lessThan: type = .greaterThan
            case .lessThanOrEqualTo: type = .greaterThanOrEqualTo
            case .greaterThan: type = .lessThan
            case .greaterThanOrEqualTo: type = .lessThanOrEqualTo
            default: break
            }
        default: return nil
        }
        guard let slot = layout.index(of: key) else { return nil }
        if let single = Single(constant, layout.slots[slot].kind) {
            guard type == .equalTo else { return nil }
            self.init(key: key, values: .one(single))
            return
        }
        guard let bounds = Self.bounds(of: constant, layout.slots[slot].kind) else { return nil }
        switch type {
        case .equalTo: self.init(key: key, values: .range(lower: bounds.lowerBound, upper: bounds.upperBound))
        case .lessThan, .lessThanOrEqualTo:
            self.init(key: key, values: .range(lower: -.infinity, upper: bounds.upperBound))
        case .greaterThan, .greaterThanOrEqualTo:
            self.init(key: key, values: .range(lower: bounds.lowerBound, upper: .infinity))
        default: return nil
        }
    }

    /// The position of a constant among the values of a property; nil if they are not simply compared as doubles.
    private static func bounds(of constant: Any, _ kind: SlotKind) -> ClosedRange<Double>? {
        let value: Double
        switch kind {
        case .integer16, .integer32, .integer64, .boolean, .double:
            guard let number = constant as? NSNumber, !(number is NSDecimalNumber) else { return nil }
            value = number.doubleValue
        case .date:
            guard let date = constant as? Date else { return nil }
            value = date.timeIntervalSinceReferenceDate
        default: return nil
        }
        guard !value.isNaN else { return nil }
        // It is unknown here whether a fraction is truncated before it is compared with an integer.
        return value.rounded() == value ? value...value : value - 1...value + 1
    }

    private var isSingle: Bool {
        if case .one = values { return true }
        return false
    }

    private func narrowed(by other: RequiredValue) -> RequiredValue {
        guard key == other.key, case .range(let lower, let upper) = values,
            case .range(let otherLower, let otherUpper) = other.values
        else { return self }
        return RequiredValue(
            key: key, values: .range(lower: max(lower, otherLower), upper: min(upper, otherUpper)))
    }
}

extension RequiredValue.Single {
    fileprivate init?(_ constant: Any, _ kind: SlotKind) {
        switch (kind, constant) {
        case (.string, let text as String): self = .text(text)
        // The key of a new object changes when it is saved.
        case (.toOne, let object as NSManagedObject) where !object.storedEntity.isTemporary:
            self = .object(object.key)
        case (.toOne, let id as NSManagedObjectID) where !id.isTemporaryID: self = .object(id.key)
        default: return nil
        }
    }
}
