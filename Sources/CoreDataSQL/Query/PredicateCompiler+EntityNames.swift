import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

// Conditions on `entity.name`. A row has the number of its entity; which names meet the condition is known before.

extension PredicateCompiler {
    /// A comparison of an entity's name with one or several constant strings; nil for any other.
    ///
    /// - Throws: 134060 for a pattern that is not valid.
    func entityCondition(_ left: Term, _ right: Term, _ relation: Relation) throws -> SQLStatement? {
        switch (left, right) {
        case (.operand(let number), .constant(let value?)):
            return try entityCondition(number, value, relation) {
                ($0, NSExpression(forConstantValue: value))
            }
        case (.constant(let value?), .operand(let number)):
            return try entityCondition(number, value, relation) {
                (NSExpression(forConstantValue: value), $0)
            }
        default: return nil
        }
    }

    private func entityCondition(
        _ number: QueryOperand, _ value: Any, _ relation: Relation,
        _ sides: (NSExpression) -> (left: NSExpression, right: NSExpression)
    ) throws -> SQLStatement? {
        guard number.isEntity, number.kind == .string, Self.isOfTexts(value) else { return nil }
        let met = try schema.entities.filter { entity in
            let (left, right) = sides(NSExpression(forConstantValue: entity.storedEntity.entity.name ?? ""))
            let comparison = NSComparisonPredicate(
                leftExpression: left, rightExpression: right, modifier: .direct, type: relation.type,
                options: relation.options)
            do {
                return try comparison.isMetInStore(by: nil)
            } catch {
                throw Self.unsupported(relation.predicate, "\(error)")
            }
        }
        // No row has the number -1; of a missing object the condition is unknown all the same.
        return "\(number.sql) IN (\(integers: met.isEmpty ? [-1] : met.map(\.number)))"
    }

    private static func isOfTexts(_ value: Any) -> Bool {
        if value is String { return true }
        return (value as? any ValueCollection)?.collectionElements.allSatisfy { presentValue($0) is String? }
            ?? false
    }
}
