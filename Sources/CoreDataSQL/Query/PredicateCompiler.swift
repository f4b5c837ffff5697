import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Turns predicates and expressions into SQL conditions with bound values.
///
/// SQL's logic has three values, and so have fetches: a comparison with a column that has no value is neither true
/// nor false, and its object is not found; test with `== nil` and `!= nil`. (Apple's store does the same.) What a
/// condition means is defined by `NSPredicate.isMetInStore(by:)`, which finds the same objects in memory.
struct PredicateCompiler {
    let schema: SQLSchema
    let root: QueryTarget
    var dialect: any SQLDialect { schema.dialect }
    /// The objects that the variables of subqueries stand for.
    private var variables: [String: QueryTarget] = [:]
    /// Expressions that a key stands for, before properties of its name.
    var namedExpressions: [String: NSExpression] = [:]
    /// Whether `sum:` and the like of a column mean all rows of a group, as in what is selected and in HAVING.
    var allowsAggregates = false
    private var depth = 0
    /// The bytes of the SQL that was made so far and is not part of other.
    private var length = 0
    /// More bytes of SQL are refused. Some operators have their operands twice, so that a string may double with each level.
    static let longest = 1 << 20

    init(_ schema: SQLSchema, _ entity: SQLEntity) {
        self.schema = schema
        root = QuerySource(schema, entity).root(entity)
    }

    /// `FROM` with every join that was requested so far.
    var from: SQLStatement { root.source.from }

    /// - Throws: 134060 for a predicate that is not an SQL condition, with its string.
    mutating func condition(_ predicate: NSPredicate) throws -> SQLStatement {
        try enter()
        defer { depth -= 1 }
        let before = length
        let condition = try composed(predicate)
        try keep(condition.length, after: before)
        return condition
    }

    private mutating func composed(_ predicate: NSPredicate) throws -> SQLStatement {
        switch predicate.shape {
        case .value(let value): return SQLStatement(.boolean(value))
        case .comparison(let comparison): return try condition(comparison)
        case .compound(.not, let parts):
            guard let only = parts.first else { return SQLStatement(.boolean(false)) }
            if case .compound(.not, let inner) = only.shape, let doublyNegated = inner.first {
                return try condition(doublyNegated)
            }
            return "NOT ( \(try condition(only)) )"
        case .compound(let type, _):
            var conditions: [SQLStatement] = []
            for part in predicate.chainedParts { conditions.append(try condition(part)) }
            return conditions.chained(type == .or ? .or : .and)
        case .opaque:
            if let search = predicate as? StoredSearchPredicate {
                return try ValueList(search.references().map(SQLValue.integer)).condition(
                    root.object.sql)
            }
            if let candidates = predicate as? CandidatePredicate { return candidateCondition(candidates) }
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

    /// Counts the bytes of a part in place of those that it was made of.
    private mutating func keep(_ count: Int, after before: Int) throws {
        length = before + count
        guard length <= Self.longest else {
            throw NSError.coreData(
                .coreData, "The request is too long in SQL: more than \(Self.longest) bytes.")
        }
    }

    // MARK: Terms

    /// One side of a comparison.
    enum Term {
        case operand(QueryOperand)
        case collection(QueryCollection)
        case constant(Any?)
        /// A collection that is written out, with parts that are stored.
        case list([Term])

        /// The elements of a collection that is not a stored one.
        var elements: [Term]? {
            switch self {
            case .list(let elements): return elements
            case .constant(let value?):
                guard let collection = value as? any ValueCollection else { return nil }
                return collection.collectionElements.map { .constant(StoredValue.kept(presentValue($0))) }
            default: return nil
            }
        }

        var isNothing: Bool { if case .constant(nil) = self { true } else { false } }

        /// The bytes of its SQL.
        var length: Int {
            switch self {
            case .operand(let operand): operand.sql.length
            case .collection(let rows): rows.source.length + rows.value.sql.length
            case .list(let parts): parts.reduce(0) { $0 + $1.length }
            case .constant: 0
            }
        }
    }

    mutating func term(_ expression: NSExpression, _ context: NSPredicate?) throws -> Term {
        try enter()
        defer { depth -= 1 }
        let before = length
        let term = try composed(expression, context)
        try keep(term.length, after: before)
        return term
    }

    private mutating func composed(_ expression: NSExpression, _ context: NSPredicate?) throws -> Term {
        if let constant = try constant(expression, context) {
            // Only `nil` as it is written tests whether there is a value; a computed one is unknown.
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
        case .function(nil, "mode:", let arguments) where arguments.count == 1:
            return .collection(try modes(of: arguments[0], expression, context))
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
        try operand(of: try term(expression, context), expression, context)
    }

    /// The SQL of an expression's term.
    ///
    /// - Throws: as `operand(_:_:)`.
    func operand(of term: Term, _ expression: NSExpression, _ context: NSPredicate?) throws -> QueryOperand {
        switch term {
        case .operand(let operand): return operand
        case .constant(let value):
            if let operand = QueryOperand(constant: value) { return operand }
            throw Self.unsupported(expression, context, "no column holds such a constant")
        case .collection(let rows): throw Self.toMany(rows)
        case .list: throw Self.unsupported(expression, context, "a collection has no single value")
        }
    }

    struct Constant { let value: Any? }

    /// The value of an expression that is the same for every row.
    func constant(_ expression: NSExpression, _ context: NSPredicate?) throws -> Constant? {
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
        case .variable(let name):
            if variables[name] == nil, let named = namedExpressions.removeValue(forKey: name) {
                defer { namedExpressions[name] = named }
                return .value(try operand(named, context))
            }
            return .value(try target(ofVariable: name, context).object)
        case .subquery(let collection, let variable, let predicate):
            return .collection(try subquery(collection, variable, predicate, expression, context))
        case .keyPath(let start, let path):
            if case .evaluatedObject = start.kind, let named = namedExpressions.removeValue(forKey: path) {
                // Inside, the name is that of a property again.
                defer { namedExpressions[path] = named }
                return .value(try operand(named, context))
            }
            // A key path after another is that of values, or of a collection.
            if !start.isKeyPath, let target = try object(start, context) {
                return try find(path, from: target)
            }
            guard case .collection(let rows) = try term(start, context) else {
                throw Self.unsupported(expression, context, "it does not begin at stored objects")
            }
            guard let target = rows.target else {
                return .value(try aggregate(path, of: rows, expression, context))
            }
            return try find(path, from: target, rows: rows.source)
        default:
            throw Self.unsupported(expression, context, "it is not a collection of stored objects")
        }
    }

    /// What an operator computes from values, which have no keys.
    private func aggregate(
        _ path: String, of values: QueryCollection, _ expression: NSExpression, _ context: NSPredicate?
    ) throws -> QueryOperand {
        guard let function = CollectionOperator(rawValue: path).flatMap(AggregateFunction.init) else {
            throw Self.unsupported(expression, context, "it does not begin at stored objects")
        }
        return try values.aggregate(function, isFunction: false) { Self.unsupported(expression, context, $0) }
    }

    /// The `QueryTarget` of an expression that is one object; nil for others.
    mutating func object(_ expression: NSExpression, _ context: NSPredicate?) throws -> QueryTarget? {
        switch expression.kind {
        case .evaluatedObject: return root
        case .variable(let name): return try target(ofVariable: name, context)
        case .function(nil, "objectFrom:withIndex:", let arguments) where arguments.count == 2:
            return try element(arguments, expression, context)
        case .function(nil, "castObject:toType:", let arguments) where arguments.count == 2:
            return try cast(arguments, expression, context)
        case .keyPath(let start, let path):
            guard let target = try object(start, context),
                case .value(let operand) = try find(path, from: target),
                operand.kind == .toOne, let entity = operand.destination, !operand.hasArguments
            else { return nil }
            let table = storedEntity(of: entity).flatMap { schema.entity($0.entityNumber) }
            return QueryTarget(source: target.source, key: operand.sql, entity: entity, table: table)
        default: return nil
        }
    }

    func find(
        _ path: String, from target: QueryTarget, rows: QuerySource? = nil
    ) throws -> QueryPath.Found {
        try QueryPath(path, schema).find(from: target, rows: rows)
    }

    private func target(ofVariable name: String, _ context: NSPredicate?) throws -> QueryTarget {
        if let target = variables[name] { return target }
        throw NSError.coreData(.coreData, "The variable $\(name)\(Self.location(context)) has no value.")
    }

    private mutating func subquery(
        _ collection: NSExpression, _ variable: String, _ predicate: NSPredicate, _ expression: NSExpression,
        _ context: NSPredicate?
    ) throws -> QueryCollection {
        guard case .collection(let rows) = try term(collection, context), let target = rows.target else {
            throw Self.unsupported(expression, context, "SUBQUERY needs a to-many relationship")
        }
        if !target.isAlwaysThere {
            rows.source.conditions.append("\(target.key) IS NOT NULL")
        }
        let outer = variables[variable]
        variables[variable] = target
        // What is computed inside is computed of the elements, and not of all rows of a group.
        let allowed = allowsAggregates
        allowsAggregates = false
        defer {
            variables[variable] = outer
            allowsAggregates = allowed
        }
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
                .coreData, "The two values of TERNARY\(Self.location(context)) are not of one type.")
        }
        try Self.checkDecimals([yes, no], "TERNARY\(Self.location(context))")
        try checkSameTable(yes, no, "TERNARY\(Self.location(context))")
        // Among other numbers a date is a real one, wherever it goes on to.
        func value(_ operand: QueryOperand) -> SQLStatement {
            kind == .date ? operand.sql : operand.real
        }
        let sql: SQLStatement = "CASE WHEN \(condition) THEN \(value(yes)) ELSE \(value(no)) END"
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
    /// which of them it is. So it would with a zero: `7 / 2` is 3, and half of a decimal 7 is 3.5.
    static func checkDecimals(_ operands: [QueryOperand], _ subject: String) throws {
        let kinds = operands.filter { $0.family == .number }.map { $0.kind == .decimal }
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
        .coreData(.coreData, "Unsupported expression \(expression)\(location(predicate)): \(reason).")
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

    private static func location(_ predicate: NSPredicate?) -> String {
        predicate.map { " in predicate \($0.formatString)" } ?? ""
    }
}

/// How conditions are joined.
enum ConditionWord {
    case and, or

    fileprivate var separator: SQLStatement { self == .and ? " AND " : " OR " }
    /// What no conditions are.
    fileprivate var ofNone: SQLStatement { SQLStatement(.boolean(self == .and)) }
}

extension [SQLStatement] {
    /// The conditions joined by AND or OR, in a tree that is as flat as it can be: databases limit the depth.
    func chained(_ word: ConditionWord) -> SQLStatement {
        guard count > 1 else { return first ?? word.ofNone }
        guard count > 16 else { return "(\(joined(separator: word.separator)))" }
        let size = (count + 15) / 16
        let groups = stride(from: 0, to: count, by: size).map {
            Array(self[$0..<Swift.min(count, $0 + size)]).chained(word)
        }
        return groups.chained(word)
    }
}
