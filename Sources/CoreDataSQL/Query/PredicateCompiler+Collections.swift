import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

// Elements of stored collections, and collections made of them.

extension PredicateCompiler {
    /// The object that `[FIRST]`, `[LAST]` or `[n]` of an ordered relationship is.
    ///
    /// - Throws: 134060 for another collection, and for an index that is neither a constant nor stored.
    mutating func element(
        _ arguments: [NSExpression], _ expression: NSExpression, _ context: NSPredicate?
    ) throws -> QueryTarget {
        let index = try index(arguments[1], expression, context)
        guard case .keyPath = arguments[0].kind, !arguments[0].isComposed,
            let rows = try rows(arguments[0], context), let target = rows.object(at: index)
        else {
            throw Self.unsupported(
                expression, context, "an index needs an ordered relationship to many at the end of a key path"
            )
        }
        return target
    }

    private mutating func index(
        _ index: NSExpression, _ expression: NSExpression, _ context: NSPredicate?
    ) throws -> QueryIndex {
        switch index.kind {
        case .symbol(.first): return .first
        case .symbol(.last): return .last
        case .symbol(.size): throw Self.unsupported(expression, context, "a number has no keys")
        default: break
        }
        switch try term(index, context) {
        case .constant(let value):
            guard let position = ElementPosition.of(value) else { break }
            return .position(position)
        case .operand(let operand):
            // The SQL of an object's key has no arguments.
            guard operand.family == .number, operand.kind != .date, !operand.hasArguments else { break }
            return .stored(operand.sql)
        case .collection, .list: break
        }
        throw Self.unsupported(
            expression, context, "the index must be a constant number or an attribute with one")
    }

    /// `UNION`, `INTERSECT` and `MINUS`.
    ///
    /// - Throws: 134060 for objects of entities without a common one, and for values of different types.
    mutating func combination(
        _ operation: NSExpression.SetOperation, _ left: NSExpression, _ right: NSExpression,
        _ expression: NSExpression, _ context: NSPredicate?
    ) throws -> QueryCollection {
        let sides = [try term(left, context), try term(right, context)]
        var collections: [QueryCollection] = []
        for case .collection(let collection) in sides { collections.append(collection) }
        if !collections.isEmpty, collections.allSatisfy({ $0.target == nil }) {
            return try valueCombination(operation, sides, expression, context)
        }
        let entities = collections.compactMap(\.target?.entity)
        guard let first = collections.first, entities.count == collections.count,
            let entity = Self.commonEntity(entities), let storedEntity = storedEntity(of: entity),
            let table = schema.entity(storedEntity.entityNumber)
        else {
            throw Self.unsupported(
                expression, context,
                "a SQL store can combine only collections of values, or of objects whose entities have a common superentity"
            )
        }
        let (source, key) = first.source.objects(
            of: table, optionalOwners: collections.flatMap(\.source.optionalOwners))
        var conditions: [SQLStatement] = []
        for (index, side) in sides.enumerated() {
            switch side {
            case .collection(let collection):
                // One list can be searched for; a second one would be made again for each row of the first.
                let isSecond = index == 1 && operation != .union
                conditions.append(
                    isSecond ? collection.holds(key) : collection.includes(key))
            case .constant(let value as any ValueCollection):
                let list = value.collectionElements.compactMap(presentValue)
                // In memory an ID has no keys, so that the result must not have any.
                let isOfResult = index == 0 || operation == .union
                if isOfResult, list.contains(where: { $0 is NSManagedObjectID }) {
                    throw Self.unsupported(
                        expression, context, "elements of the result must be objects, and not object IDs")
                }
                if isOfResult, list.contains(where: { isOfOtherTable($0, storedEntity) }) {
                    throw Self.unsupported(
                        expression, context,
                        "elements of the result must be objects of the same store and entity")
                }
                // Nothing is added; a condition that is never met would keep the other from being searched for.
                if operation == .union, list.isEmpty { continue }
                conditions.append(try condition(key, isIn: list, storedEntity, expression, context))
            case .operand, .list, .constant:
                throw Self.unsupported(
                    expression, context, "a SQL store can combine only relationships and lists of objects")
            }
        }
        var condition = conditions[0]
        if conditions.count > 1 {
            let word: SQLStatement =
                operation == .union ? " OR " : operation == .minus ? " AND NOT " : " AND "
            condition.append(word)
            condition.append(conditions[1])
        }
        source.conditions.append("(\(condition))")
        let target = QueryTarget(source: source, key: key, entity: entity, table: table)
        return QueryCollection(source: source, value: target.object, target: target)
    }

    /// Whether an element of a list is an object of other rows than a table's. What is not saved has no row yet: it counts
    /// where the fetch lays unsaved changes over the result.
    private func isOfOtherTable(_ element: Any, _ storedEntity: StoredEntity) -> Bool {
        guard let object = element as? NSManagedObject else { return false }
        return !object.storedEntity.isTemporary && object.storedEntity.table != storedEntity.table
    }

    private func condition(
        _ key: SQLStatement, isIn list: [Any], _ storedEntity: StoredEntity, _ expression: NSExpression,
        _ context: NSPredicate?
    ) throws -> SQLStatement {
        let keys = try list.map { element in
            guard let key = SQLValue(element, for: .toOne, of: storedEntity) else {
                throw Self.unsupported(expression, context, "the list has other values than objects")
            }
            return key
        }
        return ValueList(keys).condition(key)
    }

    /// The nearest entity of which all are, or from which they inherit.
    private static func commonEntity(_ entities: [NSEntityDescription]) -> NSEntityDescription? {
        var common = entities.first
        while let entity = common, !entities.allSatisfy({ $0.isKindOf(entity: entity) }) {
            common = entity.superentity
        }
        return common
    }
}
