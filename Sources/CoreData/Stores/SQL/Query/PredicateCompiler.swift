import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Turns predicates and expressions into SQL conditions with bound values.
///
/// SQL's logic has three values, and so have fetches: a comparison with a column that has no value is neither true
/// nor false, and its object is not found; ask with `== nil` and `!= nil`. (Apple's store does the same.) What a
/// condition means is told by `NSPredicate.isMetInStore(by:)`, which finds the same objects in memory.
struct PredicateCompiler {
    let schema: SQLSchema
    let root: QueryPlace
    var dialect: any SQLDialect { schema.dialect }
    /// The objects that the variables of subqueries stand for.
    private var variables: [String: QueryPlace] = [:]
    /// Expressions that a key stands for, before properties of its name.
    var namedExpressions: [String: NSExpression] = [:]
    /// Whether `sum:` and the like of a column mean all rows of a group, as in what is selected and in HAVING.
    var allowsAggregates = false
    private var depth = 0

    init(_ schema: SQLSchema, _ entity: SQLEntity) {
        self.schema = schema
        root = QuerySource(schema, entity).root(entity)
    }

    /// `FROM` with every join that was asked for so far.
    var from: String { root.source.from }

    /// - Throws: 134060 for what is no SQL condition, with the predicate's text.
    mutating func condition(_ predicate: NSPredicate) throws -> SQLStatement {
        try enter()
        defer { depth -= 1 }
        switch predicate.shape {
        case .value(let value): return SQLStatement(value ? "1" : "0")
        case .comparison(let comparison): return try condition(comparison)
        case .compound(.not, let parts):
            guard let only = parts.first else { return SQLStatement("0") }
            if case .compound(.not, let inner) = only.shape, let twice = inner.first {
                return try condition(twice)
            }
            let inner = try condition(only)
            return SQLStatement("NOT ( \(inner.text) )", inner.arguments)
        case .compound(let type, _):
            var conditions: [SQLStatement] = []
            for part in predicate.chainedParts { conditions.append(try condition(part)) }
            return conditions.chained(type == .or ? "OR" : "AND", none: type == .or ? "0" : "1")
        case .opaque:
            throw Self.unsupported(
                predicate, "it is evaluated by code; a store evaluates conditions on stored properties")
        }
    }

    /// Refuses what is nested so deep that there is no stack for it.
    private mutating func enter() throws {
        guard depth < NSPredicate.depthLimit else {
            throw NSError.coreData(
                .coreData, "The predicate is nested deeper than \(NSPredicate.depthLimit) levels.")
        }
        depth += 1
    }

    // MARK: Terms

    /// One side of a comparison.
    enum Term {
        case operand(QueryOperand)
        case collection(QueryCollection)
        case constant(Any?)
        /// A collection that is written out, with parts that are stored.
        case list([Term])

        /// The elements of a collection that is no stored one.
        var elements: [Term]? {
            switch self {
            case .list(let elements): return elements
            case .constant(let value?):
                guard let collection = value as? any ValueCollection else { return nil }
                return collection.collectionElements.map { .constant(presentValue($0)) }
            default: return nil
            }
        }

        var isNothing: Bool { if case .constant(nil) = self { true } else { false } }
    }

    mutating func term(_ expression: NSExpression, _ context: NSPredicate?) throws -> Term {
        try enter()
        defer { depth -= 1 }
        if let constant = try constant(expression, context) {
            // Only `nil` as it is written asks whether there is a value; a computed one is unknown.
            if constant.value == nil, !expression.isNothing { return .operand(.missing) }
            return .constant(constant.value)
        }
        switch expression.kind {
        case .aggregate(let parts):
            var terms: [Term] = []
            for part in parts { terms.append(try term(part, context)) }
            return .list(terms)
        case .keyPath, .subquery, .variable, .evaluatedObject:
            switch try found(expression, context) {
            case .value(let operand): return .operand(operand)
            case .collection(let collection): return .collection(collection)
            }
        case .function(nil, let name, let arguments):
            return .operand(try function(name, arguments, expression, context))
        case .conditional(let predicate, let one, let other):
            return .operand(try conditional(predicate, one, other, context))
        case .function:
            throw Self.unsupported(expression, context, "a store cannot call methods")
        case .block, .custom:
            throw Self.unsupported(expression, context, "it is evaluated by code")
        case .set(let operation, let left, let right):
            return .collection(try combination(operation, left, right, expression, context))
        case .assignment, .symbol, .anyKey, .constant:
            throw Self.unsupported(expression, context, "a SQL store has no such expression")
        }
    }

    /// An expression as SQL.
    ///
    /// - Throws: 134060 for what SQL cannot compute.
    mutating func operand(_ expression: NSExpression, _ context: NSPredicate? = nil) throws -> QueryOperand {
        switch try term(expression, context) {
        case .operand(let operand): return operand
        case .constant(let value):
            if let operand = QueryOperand(constant: value) { return operand }
            throw Self.unsupported(expression, context, "no column holds such a constant")
        case .collection(let rows): throw Self.toMany(rows)
        case .list: throw Self.unsupported(expression, context, "a collection has no single value")
        }
    }

    private struct Constant { let value: Any? }

    /// The value of an expression that is the same for every row.
    private func constant(_ expression: NSExpression, _ context: NSPredicate?) throws -> Constant? {
        guard expression.isFixed else { return nil }
        do {
            return Constant(value: presentValue(try expression.valueInStore()))
        } catch {
            throw Self.unsupported(expression, context, "\(error)")
        }
    }

    /// What a key path, a variable or a subquery stands for.
    private mutating func found(
        _ expression: NSExpression, _ context: NSPredicate?
    ) throws -> QueryPath.Found {
        switch expression.kind {
        case .evaluatedObject: return .value(root.object)
        case .variable(let name): return .value(try place(ofVariable: name, context).object)
        case .subquery(let collection, let variable, let predicate):
            return .collection(try subquery(collection, variable, predicate, expression, context))
        case .keyPath(let start, let path):
            switch start.kind {
            case .evaluatedObject:
                if let named = namedExpressions.removeValue(forKey: path) {
                    // Inside, the name is that of a property again.
                    defer { namedExpressions[path] = named }
                    return .value(try operand(named, context))
                }
                return try find(path, from: root)
            case .variable(let name): return try find(path, from: try place(ofVariable: name, context))
            case .function(nil, "objectFrom:withIndex:", let arguments) where arguments.count == 2:
                return try find(path, from: try element(arguments, start, context))
            default:
                guard case .collection(let rows) = try term(start, context), let place = rows.place else {
                    throw Self.unsupported(expression, context, "it does not begin at stored objects")
                }
                return try find(path, from: place, rows: rows.source)
            }
        default:
            throw Self.unsupported(expression, context, "it is no collection of stored objects")
        }
    }

    private func find(
        _ path: String, from place: QueryPlace, rows: QuerySource? = nil
    ) throws -> QueryPath.Found {
        try QueryPath(path, schema).find(from: place, rows: rows)
    }

    private func place(ofVariable name: String, _ context: NSPredicate?) throws -> QueryPlace {
        if let place = variables[name] { return place }
        throw NSError.coreData(.coreData, "The variable $\(name)\(Self.place(context)) has no value.")
    }

    private mutating func subquery(
        _ collection: NSExpression, _ variable: String, _ predicate: NSPredicate, _ expression: NSExpression,
        _ context: NSPredicate?
    ) throws -> QueryCollection {
        guard case .collection(let rows) = try term(collection, context), let place = rows.place else {
            throw Self.unsupported(expression, context, "SUBQUERY needs a to-many relationship")
        }
        if !place.isAlwaysThere {
            rows.source.conditions.append(SQLStatement("\(place.key) IS NOT NULL"))
        }
        let outer = variables[variable]
        variables[variable] = place
        defer { variables[variable] = outer }
        rows.source.conditions.append(try condition(predicate))
        return rows
    }

    private mutating func conditional(
        _ predicate: NSPredicate, _ one: NSExpression, _ other: NSExpression, _ context: NSPredicate?
    ) throws -> QueryOperand {
        let condition = try condition(predicate)
        let (yes, no) = (try operand(one, context), try operand(other, context))
        guard let kind = Self.common(yes, no) else {
            throw NSError.coreData(
                .coreData, "The two values of TERNARY\(Self.place(context)) are not of one type.")
        }
        try Self.checkDecimals([yes, no], "TERNARY\(Self.place(context))")
        try checkSameTable(yes, no, "TERNARY\(Self.place(context))")
        var sql = SQLStatement("CASE WHEN ")
        sql.append(condition)
        sql.append(" THEN ")
        sql.append(yes.sql)
        sql.append(" ELSE ")
        sql.append(no.sql)
        sql.append(" END")
        var result = QueryOperand(sql, kind: kind, destination: yes.destination ?? no.destination)
        result.isEntity = yes.isEntity
        result.obstacle = yes.obstacle ?? no.obstacle
        return result
    }

    /// The kind of two values that may stand for each other; nil when they may not.
    static func common(_ a: QueryOperand, _ b: QueryOperand) -> SlotKind? {
        if a.family == .nothing { return b.kind }
        guard b.family != .nothing else { return a.kind }
        guard a.family == b.family else { return nil }
        // The number of an entity and its name.
        if a.family == .entity, a.kind != b.kind { return nil }
        return a.family == .number ? a.kind.combined(with: b.kind) : a.kind
    }

    /// Refuses values of which one is a decimal number and another is not: arithmetic with the result would depend on
    /// which of them it is. Zero is the same in all.
    static func checkDecimals(_ operands: [QueryOperand], _ subject: String) throws {
        let kinds = operands.filter { $0.family == .number && !$0.isZero }.map { $0.kind == .decimal }
        guard Set(kinds).count > 1 else { return }
        throw NSError.coreData(
            .coreData,
            "The values of \(subject) are a decimal number and another: write CAST(…, \"NSDecimalNumber\") for the other."
        )
    }

    // MARK: Errors

    static func unsupported(_ predicate: NSPredicate, _ reason: String) -> NSError {
        .coreData(.coreData, "Unsupported predicate \(predicate.formatString): \(reason).")
    }

    static func unsupported(
        _ expression: NSExpression, _ predicate: NSPredicate?, _ reason: String
    ) -> NSError {
        .coreData(.coreData, "Unsupported expression \(expression)\(place(predicate)): \(reason).")
    }

    static func toMany(_ rows: QueryCollection) -> NSError {
        let relationship = rows.source.relationship
        return .coreData(
            .coreData,
            """
            to-many key not allowed here: '\(relationship?.name ?? "")' of entity \(relationship?.entity.name ?? ""); ask with \
            ANY, ALL, NONE, SUBQUERY or an operator such as @count.
            """)
    }

    private static func place(_ predicate: NSPredicate?) -> String {
        predicate.map { " in predicate \($0.formatString)" } ?? ""
    }
}

extension [SQLStatement] {
    /// The conditions joined by AND or OR, in a tree that is as flat as it can be: SQLite limits the depth.
    func chained(_ word: String, none: String) -> SQLStatement {
        guard count > 1 else { return first ?? SQLStatement(none) }
        guard count > 16 else {
            let all = joined(separator: " \(word) ")
            return SQLStatement("(\(all.text))", all.arguments)
        }
        let size = (count + 15) / 16
        let groups = stride(from: 0, to: count, by: size).map {
            Array(self[$0..<Swift.min(count, $0 + size)]).chained(word, none: none)
        }
        return groups.chained(word, none: none)
    }
}
