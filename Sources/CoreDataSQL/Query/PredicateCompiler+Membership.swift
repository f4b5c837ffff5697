import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

// `IN` and `CONTAINS`: elements of collections, and strings in strings.

extension PredicateCompiler {
    func contains(_ left: Term, _ right: Term, _ relation: Relation) throws -> SQLStatement {
        switch left {
        case .collection(let rows): return try isElement(right, of: rows, relation)
        case .constant(let value) where value is any ValueCollection: return try isIn(right, left, relation)
        case .list: return try isIn(right, left, relation)
        default: return try containsText(left, right, relation)
        }
    }

    func isIn(_ left: Term, _ right: Term, _ relation: Relation) throws -> SQLStatement {
        // `nil` is in nothing, and what contains it is unknown.
        if left.isNothing { return SQLStatement(relation.type == .in ? .boolean(false) : .unknown) }
        if case .collection(let rows) = right { return try isElement(left, of: rows, relation) }
        if right.isNothing { return SQLStatement(.boolean(false)) }
        guard let elements = right.elements else { return try containsText(right, left, relation) }
        let present = elements.filter { !$0.isNothing }
        if present.isEmpty { return SQLStatement(.boolean(false)) }
        if case .operand(let operand) = left {
            var constants: [Any] = []
            for case .constant(let value?) in present { constants.append(value) }
            if constants.count == present.count { return try isIn(operand, constants, relation) }
        }
        if case .collection(let rows) = left { throw Self.toMany(rows) }
        return try present.map { try compare(left, $0, relation.with(.equalTo)) }.chained(.or)
    }

    /// A stored value in a list of constants.
    private func isIn(_ operand: QueryOperand, _ constants: [Any], _ relation: Relation) throws
        -> SQLStatement
    {
        let values = try constants.map { try argument($0, operand, relation) }
        let options = relation.options
        guard options.rawValue != 0 else { return ValueList(values).condition(operand.sql) }
        guard operand.family == .text else { throw Self.unsupported(relation.predicate, "options need text") }
        let comparison = TextComparison(options: options)
        guard !options.contains(.localeSensitive) else {
            return try values.map {
                try match(.equal, operand.sql, SQLStatement(.value($0)), relation.with(.equalTo))
            }
            .chained(.or)
        }
        // The folded text is looked up among the folded constants: one step a row, however many there are.
        let folded = values.map { value -> SQLValue in
            if case .text(let text) = value { .text(comparison.folding.folded(text)) } else { value }
        }
        let text = try dialect.checked(.folded(operand.sql, options: Int(options.rawValue)))
        return ValueList(folded).condition(text)
    }

    /// A value among those that a relationship leads to.
    private func isElement(
        _ element: Term, of rows: QueryCollection, _ relation: Relation
    ) throws -> SQLStatement {
        if element.isNothing { return SQLStatement(relation.type == .in ? .boolean(false) : .unknown) }
        let (value, _, family) = try pair(element, .operand(rows.value), relation)
        guard relation.options.rawValue != 0 else {
            guard family == .number else { return rows.contains(value) }
            if case .operand(let operand) = element, operand.kind.isWholeNumber, rows.value.kind.isWholeNumber
            {
                return rows.contains(value)
            }
            return rows.containsNumber(value)
        }
        guard family == .text else { throw Self.unsupported(relation.predicate, "options need text") }
        let values = rows.value.sql
        let match = try match(.equal, values, value, relation.with(.equalTo))
        // As SQL's IN: unknown for a missing value, unless there are none.
        let some = rows.exists("\(values) IS NOT NULL")
        let found = rows.exists(match)
        return rows.ofOwner("CASE WHEN \(value) IS NULL AND \(some) THEN \(.unknown) ELSE \(found) END")
    }
}
