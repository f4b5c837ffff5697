import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

// Functions of expressions. SQL's own are used where they compute exactly what `FunctionTable` does; for the others the
// database calls that table.

extension PredicateCompiler {
    mutating func function(
        _ name: String, _ arguments: [NSExpression], _ expression: NSExpression, _ context: NSPredicate?
    ) throws -> QueryOperand {
        guard let function = FunctionTable.function(named: name), function.arity.contains(arguments.count)
        else {
            throw Self.unsupported(expression, context, "Unsupported function expression \(name)")
        }
        var operands: [QueryOperand] = []
        if arguments.count == 1, let aggregate = AggregateFunction(functionName: function.name) {
            switch try self.aggregate(aggregate, name, arguments[0], expression, context) {
            case .ofRows(let value): return value
            case .ofValue(let value): operands = [value]
            }
        }
        if function.name == "objectFrom:withIndex:" {
            guard case .symbol(.size) = arguments[1].kind else {
                return try element(arguments, expression, context).object
            }
            guard let rows = try rows(arguments[0], context) else {
                throw Self.unsupported(expression, context, "[SIZE] needs a to-many relationship")
            }
            return try rows.aggregate(.count, isFunction: true) { Self.unsupported(expression, context, $0) }
        }
        if function.name == "castObject:toType:", let target = try cast(arguments, expression, context) {
            return target.object
        }
        for argument in arguments.dropFirst(operands.count) {
            operands.append(try operand(argument, context))
        }
        if let obstacle = operands.lazy.compactMap(\.obstacle).first {
            throw Self.unsupported(expression, context, obstacle)
        }
        if function.name == "noindex:" {
            var value = operands[0]
            value.sql = SQLStatement(.plain(value.sql))
            return value
        }
        if ["min:", "max:", "sum:", "average:", "median:"].contains(function.name) {
            try Self.checkDecimals(operands, function.name)
        }
        guard let kind = Self.resultKind(function.name, operands, arguments) else {
            throw Self.unsupported(
                expression, context,
                "Unsupported function expression \(name) of values of the types \(operands.map(\.kind))")
        }
        return QueryOperand(try dialect.checked(call(function.name, operands, kind)), kind: kind)
    }

    /// A function of many values.
    private enum Aggregate {
        /// The value of the function over the rows that a relationship leads to, or over all rows of a group.
        case ofRows(QueryOperand)
        /// The argument, of medians and deviations that are of no relationship.
        case ofValue(QueryOperand)
    }

    private mutating func aggregate(
        _ function: AggregateFunction, _ name: String, _ argument: NSExpression, _ expression: NSExpression,
        _ context: NSPredicate?
    ) throws -> Aggregate {
        func refusal(_ reason: String) -> NSError { Self.unsupported(expression, context, reason) }
        let isOfValues = function == .median || function == .standardDeviation
        let allowed = allowsAggregates
        // A value computed from all rows is not a value of one row.
        if !isOfValues { allowsAggregates = false }
        defer { allowsAggregates = allowed }
        // The argument is made once: it may have indexes of the same kind inside.
        var made: Term?
        if argument.mayBeRows {
            let term = try term(argument, context)
            if case .collection(let rows) = term {
                return .ofRows(try rows.aggregate(function, isFunction: true, refusal: refusal))
            }
            made = term
        }
        guard isOfValues || allowed else {
            throw refusal(
                "Unsupported function expression \(name): it needs a to-many relationship, or belongs into the properties to fetch"
            )
        }
        let value = try operand(of: try made ?? term(argument, context), argument, context)
        return isOfValues
            ? .ofValue(value) : .ofRows(try value.aggregate(function, dialect, refusal: refusal))
    }

    /// The rows that a relationship leads to; nil for one value.
    mutating func rows(_ expression: NSExpression, _ context: NSPredicate?) throws -> QueryCollection? {
        guard expression.mayBeRows, case .collection(let rows) = try term(expression, context) else {
            return nil
        }
        return rows
    }

    /// The kind of a function's value; nil when it does not take such arguments.
    private static func resultKind(
        _ name: String, _ operands: [QueryOperand], _ arguments: [NSExpression]
    ) -> SlotKind? {
        let families = operands.map(\.family)
        let areNumbers = families.allSatisfy { $0 == .number || $0 == .nothing }
        let kind = operands.first?.kind ?? .undefined
        switch name {
        case "random": return .double
        case "uppercase:", "lowercase:", "canonical:":
            return families[0] == .text || families[0] == .nothing ? .string : nil
        case "length:": return families[0] == .text || families[0] == .nothing ? .integer64 : nil
        case "castObject:toType:":
            guard case .constant(let type as String) = arguments[1].kind else { return nil }
            return castKind(type, operands[0])
        case "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "modulus:by:":
            guard areNumbers else { return nil }
            let kind = operands[0].kind.combined(with: operands[1].kind)
            return kind == .date || (name == "modulus:by:" && kind == .decimal) ? .double : kind
        case "raise:toPower:", "sqrt:", "log:", "ln:", "exp:": return areNumbers ? .double : nil
        case "floor:", "ceiling:", "trunc:", "abs:":
            return areNumbers ? (kind == .date ? .double : kind == .boolean ? .integer64 : kind) : nil
        case "randomn:", "onesComplement:": return areNumbers ? .integer64 : nil
        case "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:", "leftshift:by:", "rightshift:by:":
            return areNumbers ? .integer64 : nil
        case "sum:", "median:", "average:", "stddev:":
            guard areNumbers else { return nil }
            let kind = operands.map(\.kind).reduce(SlotKind.undefined) { $0.combined(with: $1) }
            if name == "stddev:" { return .double }
            if name == "sum:" { return kind == .date ? .double : kind }
            return kind == .decimal ? .decimal : .double
        case "count:": return .integer64
        case "min:", "max:":
            guard let first = families.first(where: { $0 != .nothing }) else { return kind }
            guard [.number, .text, .uuid, .data].contains(first),
                families.allSatisfy({ $0 == first || $0 == .nothing })
            else { return nil }
            return first == .number
                ? operands.map(\.kind).reduce(SlotKind.undefined) { $0.combined(with: $1) }
                : operands.first { $0.family == first }?.kind
        default: return nil
        }
    }

    private static func castKind(_ type: String, _ operand: QueryOperand) -> SlotKind? {
        guard ![.object, .entity, .other].contains(operand.family) else { return nil }
        switch type {
        case "NSString": return .string
        case "NSNumber":
            return operand.kind.isWholeNumber ? .integer64 : operand.kind == .decimal ? .decimal : .double
        case "NSDecimalNumber": return .decimal
        case "NSDate": return .date
        case "NSUUID": return .uuid
        case "NSURL": return .uri
        case "NSData": return .binary
        default: return nil
        }
    }

    private func call(_ name: String, _ operands: [QueryOperand], _ kind: SlotKind) -> SQLPiece {
        switch name {
        case "uppercase:": return .function(.uppercase, operands[0].sql)
        case "lowercase:": return .function(.lowercase, operands[0].sql)
        case "canonical:": return .function(.canonical, operands[0].sql)
        default: break
        }
        // SQL's numbers are binary ones; decimal arithmetic is Foundation's.
        if kind != .decimal, let sign = SQLArithmetic(functionName: name) {
            return .arithmetic(operands[0].real, sign, operands[1].real)
        }
        return .call(name, operands.map { SQLTypedValue($0.sql, $0.kind) })
    }
}

extension SQLArithmetic {
    fileprivate init?(functionName: String) {
        switch functionName {
        case "add:to:": self = .add
        case "from:subtract:": self = .subtract
        case "multiply:by:": self = .multiply
        case "divide:by:": self = .divide
        default: return nil
        }
    }
}

extension NSExpression {
    /// Whether it may be the rows that a relationship leads to.
    fileprivate var mayBeRows: Bool {
        switch kind {
        case .keyPath, .subquery, .set: true
        default: false
        }
    }
}
