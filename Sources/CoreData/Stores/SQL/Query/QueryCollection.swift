import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Values that a key path over a to-many relationship leads to, as rows of a SELECT inside the statement.
struct QueryCollection {
    let source: QuerySource
    let value: QueryOperand
    /// The objects that the values are; nil for values of attributes.
    let place: QueryPlace?

    /// Whether a row meets a condition.
    func exists(_ condition: SQLStatement) -> SQLStatement {
        var statement = select(SQLStatement("1"), and: condition)
        statement.text = "EXISTS (\(statement.text))"
        return statement
    }

    /// Whether every row is known to meet a condition.
    func all(_ condition: SQLStatement) -> SQLStatement {
        var statement = exists(SQLStatement("(\(condition.text)) IS NOT TRUE", condition.arguments))
        statement.text = "NOT \(statement.text)"
        return statement
    }

    /// Whether a value is one of the collection's: unknown for a missing value, unless there are none.
    func contains(_ sql: SQLStatement) -> SQLStatement {
        let present = SQLStatement("\(value.text) IS NOT NULL", value.arguments)
        let values = select(value.sql, and: present)
        return ofOwner(SQLStatement("\(sql.text) IN (\(values.text))", sql.arguments + values.arguments))
    }

    /// A condition that is unknown where there is no object that the relationship leads from.
    func ofOwner(_ condition: SQLStatement) -> SQLStatement {
        guard let owner = source.optionalOwner else { return condition }
        return SQLStatement(
            "CASE WHEN \(owner) IS NOT NULL THEN \(condition.text) END", condition.arguments)
    }

    /// What an operator of key paths, or the function of its name, computes from the rows.
    ///
    /// - Throws: 134060 for an operator that SQL cannot compute, or of values that it does not take.
    func aggregate(_ operation: CollectionOperator, isFunction: Bool) throws -> QueryOperand {
        if let obstacle = value.obstacle, operation != .count { throw refused(operation, obstacle) }
        switch operation {
        case .count:
            let isEveryRow = place.map { $0.key == value.text && $0.isAlwaysThere } ?? false
            return scalar(isEveryRow ? "COUNT(*)" : "COUNT(\(value.text))", .integer64)
        case .minimum, .maximum:
            guard [.number, .text, .uuid, .data].contains(value.family) else {
                throw refused(operation, "the values have no order")
            }
            return scalar("\(operation == .minimum ? "MIN" : "MAX")(\(value.text))", value.kind)
        case .sum, .average:
            guard value.family == .number else { throw refused(operation, "the values are no numbers") }
            let isSum = operation == .sum
            let kind: SlotKind =
                value.kind == .decimal ? .decimal : isSum && value.kind.isWholeNumber ? .integer64 : .double
            let call = source.schema.dialect.aggregate(isSum ? .sum : .average, value.text, kind)
            // `average:` of nothing is nothing; sums, and the operator, are zero.
            return scalar(call, kind, zero: isSum || !isFunction)
        default:
            throw refused(operation, "a SQL store does not compute it")
        }
    }

    private func scalar(_ call: String, _ kind: SlotKind, zero: Bool = false) -> QueryOperand {
        var statement = select(SQLStatement(call, value.arguments), and: nil)
        statement.text = zero ? "COALESCE((\(statement.text)), 0)" : "(\(statement.text))"
        return QueryOperand(statement, kind: kind)
    }

    private func select(_ list: SQLStatement, and condition: SQLStatement?) -> SQLStatement {
        var statement = SQLStatement("SELECT ")
        statement.append(list)
        statement.append(" \(source.from)")
        let conditions = source.conditions + (condition.map { [$0] } ?? [])
        if !conditions.isEmpty {
            statement.append(" WHERE ")
            statement.append(conditions.joined(separator: " AND "))
        }
        return statement
    }

    private func refused(_ operation: CollectionOperator, _ reason: String) -> NSError {
        .coreData(.coreData, "Unsupported operator \(operation.rawValue) in a key path: \(reason).")
    }
}
