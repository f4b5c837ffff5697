import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

extension PredicateCompiler {
    /// `BEGINSWITH`, `ENDSWITH`, `LIKE`, `MATCHES`.
    func matchText(_ left: Term, _ right: Term, _ relation: Relation) throws -> SQLStatement {
        let (a, b) = try texts(left, right, relation)
        if relation.options.rawValue == 0, relation.type == .beginsWith,
            case .constant(let value as String) = right, let range = PrefixRange(value)
        {
            // A range of the column, for which an index serves.
            return "(\(a) >= \(value: .text(range.lower)) AND \(a) < \(value: .text(range.upper)))"
        }
        try checkPattern(right, relation)
        return try match(TextOperation(relation.type), a, b, relation)
    }

    /// Both sides, which must be text.
    private func texts(
        _ left: Term, _ right: Term, _ relation: Relation
    ) throws -> (SQLStatement, SQLStatement) {
        if right.isNothing, case .operand(let operand) = left, operand.family == .text {
            return (operand.sql, "NULL")
        }
        for case .operand(let operand) in [left, right] where ![.text, .nothing].contains(operand.family) {
            throw Self.unsupported(relation.predicate, "this operator needs text on both sides")
        }
        let (a, b, _) = try pair(left, right, relation)
        return (a, b)
    }

    /// Finds a faulty regular expression before any row is read.
    private func checkPattern(_ term: Term, _ relation: Relation) throws {
        guard relation.type == .matches, case .constant(let pattern as String) = term else { return }
        do {
            _ = try TextPattern(matching: pattern, comparison: TextComparison(options: relation.options))
        } catch {
            throw Self.unsupported(relation.predicate, "\(error)")
        }
    }

    func match(
        _ operation: TextOperation?, _ text: SQLStatement, _ pattern: SQLStatement, _ relation: Relation
    ) throws -> SQLStatement {
        let isNegated = relation.type == .notEqualTo
        guard let operation = isNegated ? .equal : operation else {
            throw Self.unsupported(relation.predicate, "this operator is not one on text")
        }
        let match = try dialect.checked(
            .textMatch(operation, text, pattern, options: Int(relation.options.rawValue)))
        return isNegated ? "NOT \(match)" : match
    }

    /// `a CONTAINS b`, text in text.
    func containsText(_ whole: Term, _ part: Term, _ relation: Relation) throws -> SQLStatement {
        let (a, b) = try texts(whole, part, relation)
        let options = Int(relation.options.rawValue)
        return try dialect.checked(
            options == 0 ? .contains(a, b) : .textMatch(.contains, a, b, options: options))
    }
}

extension TextOperation {
    init?(_ type: NSComparisonPredicate.Operator) {
        switch type {
        case .equalTo: self = .equal
        case .lessThan: self = .less
        case .lessThanOrEqualTo: self = .lessOrEqual
        case .greaterThan: self = .greater
        case .greaterThanOrEqualTo: self = .greaterOrEqual
        case .beginsWith: self = .beginsWith
        case .endsWith: self = .endsWith
        case .contains: self = .contains
        case .like: self = .like
        case .matches: self = .matches
        default: return nil
        }
    }
}

/// The strings that begin with a prefix, as a range in code point order.
private struct PrefixRange {
    let lower: String
    let upper: String

    /// Nil when there is no end: an empty prefix, or one of the last code point alone.
    init?(_ prefix: String) {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // The next code point that is not a surrogate.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            lower = prefix
            var end = String.UnicodeScalarView(scalars)
            end.append(scalar)
            upper = String(end)
            return
        }
        return nil
    }
}
