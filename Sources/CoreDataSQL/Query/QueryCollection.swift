import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Values that a key path over a to-many relationship leads to, as rows of a SELECT inside the statement.
struct QueryCollection {
    let source: QuerySource
    let value: QueryOperand
    /// The objects that the values are; nil for values of attributes.
    let target: QueryTarget?

    /// Whether a row meets a condition.
    func exists(_ condition: SQLStatement) -> SQLStatement {
        "EXISTS (\(select("1", and: condition)))"
    }

    /// Whether every row is known to meet a condition.
    func all(_ condition: SQLStatement) -> SQLStatement {
        "NOT \(exists("(\(condition)) IS NOT TRUE"))"
    }

    /// Whether a value is one of the collection's: unknown for a missing value, unless there are none.
    func contains(_ sql: SQLStatement) -> SQLStatement { ofOwner(includes(sql)) }

    /// Whether a value is one of the collection's.
    func includes(_ sql: SQLStatement) -> SQLStatement {
        "\(sql) IN (\(select(value.sql, and: "\(value.sql) IS NOT NULL")))"
    }

    /// Whether a number is one of the collection's, as `contains`.
    ///
    /// SQLite turns both sides of `IN` into real numbers when one is a column of such, unlike those of `=`, and then takes
    /// integers beyond 2⁵³ for their neighbours. A plus sign makes no column of either.
    func containsNumber(_ sql: SQLStatement) -> SQLStatement {
        let plain = QueryCollection(source: source, value: value.plain, target: target)
        return plain.contains(SQLStatement(.plain(sql)))
    }

    /// Whether a key is one of the collection's, looked up for that key alone.
    func holds(_ key: SQLStatement) -> SQLStatement { exists("\(value.sql) = \(key)") }

    /// A condition that is unknown where there is no object that the relationship leads from.
    func ofOwner(_ condition: SQLStatement) -> SQLStatement {
        let owners = source.optionalOwners.map { "\($0) IS NOT NULL" as SQLStatement }
        if owners.isEmpty { return condition }
        return "CASE WHEN \(owners.joined(separator: " AND ")) THEN \(condition) END"
    }

    /// A SELECT of the values that are there, as a column `v`.
    var values: SQLStatement {
        select("\(value.sql) v", and: "\(value.sql) IS NOT NULL")
    }

    /// The values of a column `v` of a statement, in place of this collection.
    ///
    /// - Parameter optionalOwners: without whom there are no values.
    func made(
        of statement: SQLStatement, kind: SlotKind, optionalOwners: [SQLStatement]
    ) -> QueryCollection {
        let (source, value) = source.values(of: statement, optionalOwners: optionalOwners)
        return QueryCollection(source: source, value: QueryOperand(value, kind: kind), target: nil)
    }

    /// One of the objects that an ordered relationship leads to; nil for rows that are not just those.
    func object(at index: QueryIndex) -> QueryTarget? {
        guard let target, let outer = source.outer, let order = source.order, order.key == target.key else {
            return nil
        }
        let rows = select(target.key, and: nil)
        // A key has no arguments; nor have the rows of a relationship without a condition.
        guard !rows.hasArguments else { return nil }
        func ordered(isAscending: Bool, _ limit: SQLPiece) -> SQLStatement {
            let order = SQLPiece.order(order.column, nil, isAscending: isAscending)
            return
                "(\(rows) ORDER BY \(order), \(.order(target.key, nil, isAscending: isAscending))\(limit))"
        }
        let key =
            switch index {
            case .first: ordered(isAscending: true, .limit(1, offset: nil))
            case .last: ordered(isAscending: false, .limit(1, offset: nil))
            case .position(let position) where position < 0:
                ordered(isAscending: true, .limit(0, offset: nil))
            case .position(let position): ordered(isAscending: true, .limit(1, offset: position))
            case .stored(let number): numbered(target, order.column, number)
            }
        return QueryTarget(source: outer, key: key, entity: target.entity, table: target.table)
    }

    /// The key of the row with a number, in an order; OFFSET takes no columns.
    private func numbered(
        _ target: QueryTarget, _ order: SQLStatement, _ number: SQLStatement
    ) -> SQLStatement {
        let rows = select(
            "\(target.key) k, ROW_NUMBER() OVER (ORDER BY \(order), \(target.key)) - 1 n", and: nil)
        return "(SELECT k FROM (\(rows)) r WHERE n = \(.cast(number, .integer)))"
    }

    /// What an operator of key paths, or the function of its name, computes from the rows.
    ///
    /// - Parameter refusal: makes an error of the reason why there is no such value.
    func aggregate(
        _ function: AggregateFunction, isFunction: Bool, refusal: (String) -> NSError
    ) throws -> QueryOperand {
        let isEveryRow = target.map { $0.key == value.sql && $0.isAlwaysThere } ?? false
        var result =
            function == .count && isEveryRow
            ? QueryOperand("COUNT(*)", kind: .integer64)
            // `average:` and its like of nothing are nothing; sums, and the operator, are zero.
            : try value.aggregate(
                function, source.schema.dialect,
                isZeroWithoutRows: function == .sum || function == .average && !isFunction, refusal: refusal)
        result.sql = "(\(select(result.sql, and: nil)))"
        return result
    }

    private func select(_ list: SQLStatement, and condition: SQLStatement?) -> SQLStatement {
        var statement: SQLStatement = "SELECT \(list) \(source.from)"
        let conditions = source.conditions + (condition.map { [$0] } ?? [])
        if !conditions.isEmpty {
            statement.append(" WHERE \(conditions.joined(separator: " AND "))")
        }
        return statement
    }
}

/// Which element of an ordered collection is meant.
enum QueryIndex {
    case first
    case last
    /// Counted from 0.
    case position(Int64)
    /// The SQL of a number in another column.
    case stored(SQLStatement)
}
