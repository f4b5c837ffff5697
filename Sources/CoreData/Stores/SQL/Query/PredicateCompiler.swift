import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Turns predicates and expressions into SQL conditions with bound values.
///
/// SQL's logic has three values, and so have fetches: a comparison with a column that has no value is neither true
/// nor false, and its object is not found; ask with `== nil` and `!= nil`. (Apple's store does the same.)
struct PredicateCompiler {
    private(set) var scope: QueryScope
    private let dialect: any SQLDialect
    private var store: NSPersistentStore? { scope.entity.home.store }

    init(scope: QueryScope) {
        self.scope = scope
        dialect = scope.schema.dialect
    }

    /// - Throws: 134060 for what is no SQL condition, with the predicate's text.
    mutating func condition(_ predicate: NSPredicate) throws -> SQLStatement {
        switch predicate.shape {
        case .value(let value): return SQLStatement(value ? "1" : "0")
        case .comparison(let comparison): return try condition(comparison)
        case .compound(let type, let parts): return try condition(type, parts)
        case .opaque:
            throw Self.unsupported(
                predicate, "it is evaluated by code; a store evaluates conditions on stored properties")
        }
    }

    private mutating func condition(
        _ type: NSCompoundPredicate.LogicalType, _ parts: [NSPredicate]
    ) throws -> SQLStatement {
        var conditions: [SQLStatement] = []
        for part in parts { conditions.append(try condition(part)) }
        switch type {
        case .not:
            guard let only = conditions.first else { return SQLStatement("0") }
            return SQLStatement("NOT ( \(only.text) )", only.arguments)
        case .and: return conditions.isEmpty ? SQLStatement("1") : joined(conditions, "AND")
        case .or: return conditions.isEmpty ? SQLStatement("0") : joined(conditions, "OR")
        @unknown default: throw NSError.coreData(.coreData, "Unknown kind of compound predicate.")
        }
    }

    private func joined(_ conditions: [SQLStatement], _ word: String) -> SQLStatement {
        let all = conditions.joined(separator: " \(word) ")
        return SQLStatement("(\(all.text))", all.arguments)
    }

    // MARK: Comparisons

    private mutating func condition(_ comparison: NSComparisonPredicate) throws -> SQLStatement {
        guard comparison.comparisonPredicateModifier == .direct else {
            throw Self.unsupported(comparison, "ANY and ALL are not supported yet")
        }
        let left = try term(comparison.leftExpression, comparison)
        let right = try term(comparison.rightExpression, comparison)
        switch comparison.predicateOperatorType {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo:
            return try compare(left, right, comparison)
        case .beginsWith, .endsWith, .like, .matches:
            return try matchText(left, right, comparison)
        case .contains:
            return try contains(left, right, comparison)
        case .in:
            if case .constant(let value?) = right, value is String {
                return try contains(right, left, comparison)
            }
            return try isIn(left, right, comparison)
        case .between:
            return try isBetween(left, right, comparison)
        case .customSelector:
            throw Self.unsupported(
                comparison, "it calls a method; a store evaluates conditions on stored properties")
        }
    }

    private func compare(_ left: Term, _ right: Term, _ comparison: NSComparisonPredicate) throws
        -> SQLStatement
    {
        let type = comparison.predicateOperatorType
        switch (left, right) {
        case (.operand(let operand), .constant(nil)), (.constant(nil), .operand(let operand)):
            switch type {
            case .equalTo: return SQLStatement("\(operand.sql.text) IS NULL", operand.sql.arguments)
            case .notEqualTo: return SQLStatement("\(operand.sql.text) IS NOT NULL", operand.sql.arguments)
            default: return SQLStatement("0")
            }
        case (.constant, .constant):
            return SQLStatement(comparison.evaluate(with: nil) ? "1" : "0")
        default:
            break
        }
        let (a, b, kind) = try pair(left, right, comparison)
        if comparison.options.rawValue != 0 {
            guard kind == .string || kind == .uri else {
                throw Self.unsupported(comparison, "options need text")
            }
            return try match(TextOperation(type), a, b, comparison)
        }
        return SQLStatement("\(a.text) \(Self.symbol(type)) \(b.text)", a.arguments + b.arguments)
    }

    private static func symbol(_ type: NSComparisonPredicate.Operator) -> String {
        switch type {
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        case .notEqualTo: "<>"
        default: "="
        }
    }

    /// Both sides as SQL; a constant takes the form of the other side's column.
    private func pair(
        _ left: Term, _ right: Term, _ comparison: NSComparisonPredicate
    ) throws -> (SQLStatement, SQLStatement, SlotKind) {
        switch (left, right) {
        case (.operand(let a), .operand(let b)): return (a.sql, b.sql, a.kind)
        case (.operand(let a), .constant(let value)):
            return (a.sql, try bind(value, a, comparison), a.kind)
        case (.constant(let value), .operand(let b)):
            return (try bind(value, b, comparison), b.sql, b.kind)
        case (.constant, .constant), (.list, _), (_, .list):
            throw Self.unsupported(comparison, "a collection cannot be compared")
        }
    }

    private func bind(
        _ value: Any?, _ operand: QueryOperand, _ comparison: NSComparisonPredicate
    ) throws -> SQLStatement {
        guard let value else { return SQLStatement("NULL") }
        return SQLStatement("?", [try argument(value, operand, comparison)])
    }

    private func argument(
        _ value: Any, _ operand: QueryOperand, _ comparison: NSComparisonPredicate
    ) throws -> SQLValue {
        let destination = operand.destination.flatMap { store?.home(of: $0) }
        if let argument = SQLValue(value, for: operand.kind, of: destination) { return argument }
        throw Self.unsupported(
            comparison, "a \(type(of: value)) cannot be compared with a value of type \(operand.kind)")
    }

    // MARK: Text

    private func matchText(
        _ left: Term, _ right: Term, _ comparison: NSComparisonPredicate
    ) throws -> SQLStatement {
        guard case .operand(let text) = left, text.kind == .string || text.kind == .uri else {
            throw Self.unsupported(comparison, "the left side must be text that is stored")
        }
        let type = comparison.predicateOperatorType
        if comparison.options.rawValue == 0, type == .beginsWith, case .constant(let value as String) = right,
            let range = PrefixRange(value)
        {
            // A range of the column, for which an index serves.
            var statement = SQLStatement("(\(text.sql.text) >= ?", text.sql.arguments + [.text(range.lower)])
            statement.append(
                SQLStatement(" AND \(text.sql.text) < ?)", text.sql.arguments + [.text(range.upper)]))
            return statement
        }
        let (a, b, _) = try pair(left, right, comparison)
        try checkPattern(right, comparison)
        return try match(TextOperation(type), a, b, comparison)
    }

    /// Finds a faulty regular expression before any row is read.
    private func checkPattern(_ term: Term, _ comparison: NSComparisonPredicate) throws {
        guard comparison.predicateOperatorType == .matches, case .constant(let pattern as String) = term
        else {
            return
        }
        do {
            _ = try TextPattern(matching: pattern, comparison: TextComparison(options: comparison.options))
        } catch {
            throw Self.unsupported(comparison, "\(error)")
        }
    }

    private func match(
        _ operation: TextOperation?, _ text: SQLStatement, _ pattern: SQLStatement,
        _ comparison: NSComparisonPredicate
    ) throws -> SQLStatement {
        let isNegated = comparison.predicateOperatorType == .notEqualTo
        guard let operation = isNegated ? .equal : operation else {
            throw Self.unsupported(comparison, "this operator is not one on text")
        }
        let call = dialect.textMatch(
            operation, text.text, pattern.text, options: Int(comparison.options.rawValue))
        return SQLStatement(isNegated ? "NOT \(call)" : call, text.arguments + pattern.arguments)
    }

    /// `a CONTAINS b`, text in text.
    private func contains(
        _ whole: Term, _ part: Term, _ comparison: NSComparisonPredicate
    ) throws -> SQLStatement {
        let (a, b, kind) = try pair(whole, part, comparison)
        guard kind == .string || kind == .uri else {
            throw Self.unsupported(comparison, "CONTAINS needs text on both sides")
        }
        let isEmptyPattern = if case .constant(let value as String) = part { value.isEmpty } else { false }
        if comparison.options.rawValue == 0, !isEmptyPattern {
            return SQLStatement("instr(\(a.text), \(b.text)) > 0", a.arguments + b.arguments)
        }
        let call = dialect.textMatch(.contains, a.text, b.text, options: Int(comparison.options.rawValue))
        return SQLStatement(call, a.arguments + b.arguments)
    }

    // MARK: Collections

    private mutating func isIn(
        _ left: Term, _ right: Term, _ comparison: NSComparisonPredicate
    ) throws -> SQLStatement {
        guard case .operand(let operand) = left else {
            throw Self.unsupported(comparison, "the left side of IN must be stored")
        }
        guard let elements = right.elements else {
            throw Self.unsupported(comparison, "the right side of IN must be a collection of constants")
        }
        if comparison.options.rawValue != 0 {
            var conditions: [SQLStatement] = []
            for element in elements.compactMap(\.self) {
                let pattern = SQLStatement("?", [try argument(element, operand, comparison)])
                conditions.append(try match(.equal, operand.sql, pattern, comparison))
            }
            return conditions.isEmpty ? SQLStatement("0") : joined(conditions, "OR")
        }
        let values = try elements.compactMap(\.self).map { try argument($0, operand, comparison) }
        return try ValueList(values).condition(operand.sql, dialect)
    }

    private func isBetween(
        _ left: Term, _ right: Term, _ comparison: NSComparisonPredicate
    ) throws -> SQLStatement {
        guard case .operand(let operand) = left, let bounds = right.elements, bounds.count == 2,
            let lower = bounds[0], let upper = bounds[1]
        else { throw Self.unsupported(comparison, "BETWEEN needs a stored value and two constants") }
        return SQLStatement(
            "\(operand.sql.text) BETWEEN ? AND ?",
            operand.sql.arguments + [
                try argument(lower, operand, comparison), try argument(upper, operand, comparison),
            ])
    }

    // MARK: Expressions

    /// One side of a comparison.
    private enum Term {
        case operand(QueryOperand)
        case constant(Any?)
        case list([Any?])

        /// The elements of a collection.
        var elements: [Any?]? {
            switch self {
            case .list(let elements): return elements
            case .constant(let value?): return Self.elements(value)
            default: return nil
            }
        }

        private static func elements(_ value: Any) -> [Any?]? {
            switch value {
            case let array as [Any]: return array.map { $0 is NSNull ? nil : $0 }
            case let set as Set<AnyHashable>: return set.map(\.base)
            case let set as NSSet: return set.allObjects
            case let set as NSOrderedSet: return set.array
            case let dictionary as NSDictionary: return dictionary.allValues
            default: return nil
            }
        }
    }

    private mutating func term(_ expression: NSExpression, _ predicate: NSPredicate) throws -> Term {
        switch expression.kind {
        case .constant(let value):
            return .constant(value is NSNull ? nil : value)
        case .aggregate(let parts):
            var elements: [Any?] = []
            for part in parts {
                guard case .constant(let value) = part.kind else {
                    throw Self.unsupported(predicate, "a collection must consist of constants")
                }
                elements.append(value)
            }
            return .list(elements)
        case .evaluatedObject, .keyPath, .function, .conditional:
            return .operand(try operand(expression, predicate))
        case .variable(let name):
            throw Self.unsupported(predicate, "the variable $\(name) has no value")
        case .set, .subquery, .assignment, .block, .symbol, .anyKey, .custom:
            throw Self.unsupported(
                predicate, "the expression \(expression) is not supported by a SQL store yet")
        }
    }

    /// An expression as SQL.
    ///
    /// - Throws: 134060 for what SQL cannot compute.
    mutating func operand(_ expression: NSExpression, _ context: NSPredicate? = nil) throws -> QueryOperand {
        switch expression.kind {
        case .evaluatedObject:
            return QueryOperand(
                sql: "\(QueryScope.base).Z_PK", kind: .toOne, destination: scope.entity.home.entity)
        case .keyPath(let operand, let path):
            guard case .evaluatedObject = operand.kind else {
                throw Self.unsupported(expression, context, "it begins at something other than the object")
            }
            return try scope.resolve(path)
        case .function(nil, let name, let arguments):
            return try function(name, arguments, expression, context)
        default:
            throw Self.unsupported(expression, context, "it is not supported by a SQL store yet")
        }
    }

    private mutating func function(
        _ name: String, _ arguments: [NSExpression], _ expression: NSExpression, _ context: NSPredicate?
    ) throws -> QueryOperand {
        let form: (String) -> String
        var kind: SlotKind?
        switch name {
        case "now", "now:":
            return QueryOperand(
                SQLStatement("?", [.double(Date.timeIntervalSinceReferenceDate)]), kind: .date)
        case "uppercase:": form = { [dialect] in "\(dialect.function(.uppercase))(\($0))" }
        case "lowercase:": form = { [dialect] in "\(dialect.function(.lowercase))(\($0))" }
        case "canonical:": form = { [dialect] in "\(dialect.function(.canonical))(\($0))" }
        case "abs:": form = { "ABS(\($0))" }
        case "length:":
            form = { "LENGTH(\($0))" }
            kind = .integer64
        case "count:":
            form = { "COUNT(\($0))" }
            kind = .integer64
        case "sum:": form = { "SUM(\($0))" }
        case "min:": form = { "MIN(\($0))" }
        case "max:": form = { "MAX(\($0))" }
        case "average:":
            form = { "AVG(\($0))" }
            kind = .double
        case "noindex:": form = { "+\($0)" }
        default:
            throw Self.unsupported(expression, context, "Unsupported function expression \(name)")
        }
        guard arguments.count == 1 else {
            throw Self.unsupported(expression, context, "\(name) takes one argument")
        }
        let inner = try operand(arguments[0], context)
        return QueryOperand(
            SQLStatement(form(inner.sql.text), inner.sql.arguments), kind: kind ?? inner.kind)
    }

    // MARK: Errors

    private static func unsupported(_ predicate: NSPredicate, _ reason: String) -> NSError {
        .coreData(.coreData, "Unsupported predicate \(predicate.formatString): \(reason).")
    }

    private static func unsupported(
        _ expression: NSExpression, _ predicate: NSPredicate?, _ reason: String
    ) -> NSError {
        let place = predicate.map { " in predicate \($0.formatString)" } ?? ""
        return .coreData(.coreData, "Unsupported expression \(expression)\(place): \(reason).")
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

/// The texts that begin with a prefix, as a range in code point order.
private struct PrefixRange {
    let lower: String
    let upper: String

    /// Nil when there is no end: an empty prefix, or one of the last code point alone.
    init?(_ prefix: String) {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // The next code point; surrogates are none.
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
