import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

extension PredicateCompiler {
    /// How two terms are compared, and the predicate that requires it.
    struct Relation {
        let type: NSComparisonPredicate.Operator
        let options: NSComparisonPredicate.Options
        let predicate: NSComparisonPredicate

        init(_ predicate: NSComparisonPredicate) {
            type = predicate.predicateOperatorType
            // Normalized strings are compared as they are, for which an index serves.
            let given = predicate.options
            options = given.contains(.normalized) ? given.intersection(.wholeWords) : given
            self.predicate = predicate
        }

        private init(_ type: NSComparisonPredicate.Operator, _ other: Relation) {
            self.type = type
            options = other.options
            predicate = other.predicate
        }

        /// The same with another operator.
        func with(_ type: NSComparisonPredicate.Operator) -> Relation { Relation(type, self) }
    }

    mutating func condition(_ comparison: NSComparisonPredicate) throws -> SQLStatement {
        let relation = Relation(comparison)
        let left = try term(comparison.leftExpression, comparison)
        let right = try term(comparison.rightExpression, comparison)
        guard comparison.comparisonPredicateModifier != .direct else {
            return try compare(left, right, relation)
        }
        let isAny = comparison.comparisonPredicateModifier == .any
        if case .collection(let rows) = left {
            let condition = try compare(.operand(rows.value), right, relation)
            return isAny ? rows.exists(condition) : rows.all(condition)
        }
        if left.isNothing { return SQLStatement(.boolean(!isAny)) }
        // The one value of an attribute: `ANY $car.maker == "Fiat"`.
        let isValue = if case .operand = left { comparison.leftExpression.isKeyPath } else { false }
        guard let elements = isAny && isValue ? [left] : left.elements else {
            throw Self.unsupported(
                comparison, "the left hand side of ANY, ALL, NONE must be a to-many relationship")
        }
        // Each is true or not; ANY and ALL are never unknown.
        let conditions = try elements.map { element in
            let condition = try compare(element, right, relation)
            return "(\(condition)) IS TRUE" as SQLStatement
        }
        return conditions.chained(isAny ? .or : .and)
    }

    func compare(_ left: Term, _ right: Term, _ relation: Relation) throws -> SQLStatement {
        if case (.constant(let left), .constant(let right)) = (left, right) {
            return try truth(left, right, relation)
        }
        if let condition = try entityCondition(left, right, relation) { return condition }
        switch relation.type {
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo:
            return try compareValues(left, right, relation)
        case .beginsWith, .endsWith, .like, .matches: return try matchText(left, right, relation)
        case .contains: return try contains(left, right, relation)
        case .in: return try isIn(left, right, relation)
        case .between: return try isBetween(left, right, relation)
        case .customSelector:
            throw Self.unsupported(
                relation.predicate,
                "it calls a method; a store evaluates conditions on stored properties")
        }
    }

    /// A comparison of constants, which is made here and now.
    private func truth(_ left: Any?, _ right: Any?, _ relation: Relation) throws -> SQLStatement {
        let predicate = NSComparisonPredicate(
            leftExpression: NSExpression(forConstantValue: left),
            rightExpression: NSExpression(forConstantValue: right), modifier: .direct, type: relation.type,
            options: relation.options)
        do {
            let isMet = try predicate.isMetInStore(by: nil)
            let isRefuted = try NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
                .isMetInStore(by: nil)
            return SQLStatement(isMet || isRefuted ? .boolean(isMet) : .unknown)
        } catch {
            throw Self.unsupported(relation.predicate, "\(error)")
        }
    }

    private func compareValues(_ left: Term, _ right: Term, _ relation: Relation) throws -> SQLStatement {
        if let condition = try nilTest(left, right, relation) { return condition }
        let (a, b, family) = try pair(left, right, relation)
        let isOrder = relation.type != .equalTo && relation.type != .notEqualTo
        if isOrder, ![.number, .text, .uuid, .data, .nothing].contains(family) {
            throw Self.unsupported(relation.predicate, "such values have no order")
        }
        if relation.options.rawValue != 0 {
            guard family == .text else { throw Self.unsupported(relation.predicate, "options need text") }
            return try match(TextOperation(relation.type), a, b, relation)
        }
        return "\(a) \(Self.symbol(relation.type)) \(b)"
    }

    /// A comparison with `nil` itself.
    private func nilTest(_ left: Term, _ right: Term, _ relation: Relation) throws -> SQLStatement? {
        guard left.isNothing || right.isNothing else { return nil }
        let operand: QueryOperand
        switch left.isNothing ? right : left {
        case .operand(let value): operand = value
        case .collection(let rows): throw Self.toMany(rows)
        case .constant, .list:
            throw Self.unsupported(relation.predicate, "a collection cannot be compared")
        }
        switch relation.type {
        case .equalTo: return "\(operand.sql) IS NULL"
        case .notEqualTo: return "\(operand.sql) IS NOT NULL"
        default: return SQLStatement(.boolean(false))
        }
    }

    private static func symbol(_ type: NSComparisonPredicate.Operator) -> SQLStatement {
        switch type {
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        case .notEqualTo: "<>"
        default: "="
        }
    }

    func isBetween(_ left: Term, _ right: Term, _ relation: Relation) throws -> SQLStatement {
        if right.isNothing { return SQLStatement(.boolean(false)) }
        guard let bounds = right.elements, bounds.count == 2 else {
            throw Self.unsupported(relation.predicate, "BETWEEN needs two bounds")
        }
        func side(_ bound: Term, _ type: NSComparisonPredicate.Operator) throws -> SQLStatement {
            // `nil` as a bound is an unknown one.
            bound.isNothing ? SQLStatement(.unknown) : try compare(left, bound, relation.with(type))
        }
        if left.isNothing { return SQLStatement(.boolean(false)) }
        if case .constant(let value as any ValueCollection) = right, !value.collectionKind.isOrdered {
            throw Self.unsupported(relation.predicate, "the bounds of BETWEEN have no order in a set")
        }
        let sides = [
            try side(bounds[0], .greaterThanOrEqualTo), try side(bounds[1], .lessThanOrEqualTo),
        ]
        return sides.chained(.and)
    }

    // MARK: Operands

    /// Both sides as SQL; a constant takes the form of the other side's column.
    func pair(
        _ left: Term, _ right: Term, _ relation: Relation
    ) throws -> (SQLStatement, SQLStatement, QueryOperand.Family) {
        switch (left, right) {
        case (.operand(let a), .operand(let b)):
            try checkComparable(a, b, relation)
            return (a.sql, b.sql, a.family == .nothing ? b.family : a.family)
        case (.operand(let a), .constant(let value)):
            return (a.sql, try bind(value, a, relation), a.family)
        case (.constant(let value), .operand(let b)):
            return (try bind(value, b, relation), b.sql, b.family)
        case (.collection(let rows), _), (_, .collection(let rows)):
            throw Self.toMany(rows)
        case (.list, _), (_, .list), (.constant, .constant):
            throw Self.unsupported(relation.predicate, "a collection cannot be compared")
        }
    }

    func checkComparable(_ a: QueryOperand, _ b: QueryOperand, _ relation: Relation) throws {
        if let obstacle = a.obstacle ?? b.obstacle { throw Self.unsupported(relation.predicate, obstacle) }
        guard Self.common(a, b) != nil, a.family != .other else {
            throw Self.unsupported(
                relation.predicate, "values of the types \(a.kind) and \(b.kind) are never equal")
        }
        try checkSameTable(a, b, relation.predicate.formatString)
    }

    /// Refuses objects of entities without a common one: the keys of different tables say nothing of each other.
    func checkSameTable(_ a: QueryOperand, _ b: QueryOperand, _ subject: String) throws {
        guard a.family == .object, let left = a.destination, let right = b.destination,
            storedEntity(of: left)?.table != storedEntity(of: right)?.table
        else { return }
        throw NSError.coreData(
            .coreData,
            "Objects of the entities \(left.name ?? "") and \(right.name ?? "") in \(subject) are never equal."
        )
    }

    func storedEntity(of entity: NSEntityDescription) -> StoredEntity? {
        root.table?.storedEntity.store?.storedEntity(of: entity)
    }

    private func bind(_ value: Any?, _ operand: QueryOperand, _ relation: Relation) throws -> SQLStatement {
        guard let value = presentValue(value) else { return "NULL" }
        return SQLStatement(.value(try argument(value, operand, relation)))
    }

    /// A constant in the form of a column.
    func argument(_ value: Any, _ operand: QueryOperand, _ relation: Relation) throws -> SQLValue {
        if let obstacle = operand.obstacle { throw Self.unsupported(relation.predicate, obstacle) }
        if operand.isEntity { return try entityNumber(value, operand, relation) }
        if operand.family == .nothing, let bound = QueryOperand(constant: value)?.argument {
            return bound
        }
        let destination = operand.destination.flatMap(storedEntity)
        if let argument = SQLValue(value, for: operand.kind, of: destination) { return argument }
        if let argument = converted(value, operand, relation) { return argument }
        throw Self.unsupported(
            relation.predicate,
            "a \(type(of: value)) cannot be compared with a value of type \(operand.kind)")
    }

    /// A number as the digits with which a string is compared, and a string as a number; nil for other values, and for a string that
    /// is not a number where the order counts. Where it does not, such a string is equal to no number.
    private func converted(_ value: Any, _ operand: QueryOperand, _ relation: Relation) -> SQLValue? {
        if operand.kind == .string { return ConvertedConstant.text(of: value).map(SQLValue.text) }
        guard operand.family == .number, operand.kind != .date, let text = value as? String else {
            return nil
        }
        if let number = ConvertedConstant.number(of: text) {
            return SQLValue(number, for: operand.kind, of: nil)
        }
        return [.equalTo, .notEqualTo, .in, .contains].contains(relation.type) ? .text(text) : nil
    }

    /// The number of an entity, or of the one with a name; one that the store does not have matches no object.
    private func entityNumber(
        _ value: Any, _ operand: QueryOperand, _ relation: Relation
    ) throws -> SQLValue {
        let name: String?
        switch (value, operand.kind) {
        case (let entity as NSEntityDescription, .integer32): name = entity.name
        case (let text as String, .string): name = text
        default:
            throw Self.unsupported(
                relation.predicate, "'entity' is compared with entities, 'entity.name' with names")
        }
        let found = schema.entities.first { $0.storedEntity.entity.name == name }
        return .integer(found.map { Int64($0.number) } ?? -1)
    }
}
