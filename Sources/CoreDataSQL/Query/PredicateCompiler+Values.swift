import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

// Collections of values that are made of those that relationships lead to.

extension PredicateCompiler {
    /// `UNION`, `INTERSECT` and `MINUS` of values: each that is there, once.
    ///
    /// - Throws: 134060 for values that are not of one type, which may be equal in memory and have another form in a column.
    func valueCombination(
        _ operation: NSExpression.SetOperation, _ sides: [Term], _ expression: NSExpression,
        _ context: NSPredicate?
    ) throws -> QueryCollection {
        var collections: [QueryCollection] = []
        for case .collection(let collection) in sides { collections.append(collection) }
        let kinds = Set(collections.map { ValueClass($0.value) })
        guard let first = collections.first, kinds.count == 1, let kind = kinds.first, kind != .other else {
            throw Self.unsupported(
                expression, context, "a SQL store can combine only collections of values of one type")
        }
        if let obstacle = collections.lazy.compactMap(\.value.obstacle).first {
            throw Self.unsupported(expression, context, obstacle)
        }
        var statements: [SQLStatement] = []
        for (index, side) in sides.enumerated() {
            switch side {
            case .collection(let collection): statements.append(collection.values)
            case .constant(let list as any ValueCollection):
                let isOfResult = index == 0 || operation == .union
                let values = try list.collectionElements.compactMap(StoredValue.kept).map { element in
                    guard let value = kind.column(element, isOfResult: isOfResult) else {
                        throw Self.unsupported(
                            expression, context, "the list has other values than the collection")
                    }
                    return value
                }
                statements.append(ValueList(values).rows)
            case .operand, .list, .constant:
                throw Self.unsupported(
                    expression, context, "a SQL store can combine only relationships and lists of constants")
            }
        }
        let word: SQLStatement =
            switch operation {
            case .union: " UNION "
            case .intersect: " INTERSECT "
            case .minus: " EXCEPT "
            }
        let slot = collections.map(\.value.kind).reduce(SlotKind.undefined) { $0.combined(with: $1) }
        return first.made(
            of: statements.joined(separator: word), kind: kind == .number ? slot : first.value.kind,
            optionalOwners: collections.flatMap(\.source.optionalOwners))
    }

    /// The values of `mode:`, those that are there most often.
    ///
    /// - Throws: 134060 for a value that is not a collection of numbers at the end of relationships.
    mutating func modes(
        of argument: NSExpression, _ expression: NSExpression, _ context: NSPredicate?
    ) throws -> QueryCollection {
        guard let rows = try rows(argument, context), rows.value.family == .number, rows.value.obstacle == nil
        else {
            throw Self.unsupported(expression, context, "mode: needs numbers that a relationship leads to")
        }
        // The values are named once: a mode may be one of modes.
        let most: SQLStatement = """
            SELECT v FROM (SELECT v, RANK() OVER (ORDER BY COUNT(*) DESC) n FROM (\(rows.values)) r GROUP BY v) r \
            WHERE n = 1
            """
        return rows.made(of: most, kind: rows.value.kind, optionalOwners: rows.source.optionalOwners)
    }
}

/// Types of values of which equal ones have one form in columns and in memory.
private enum ValueClass {
    case wholeNumber, number, decimal, date, text, url, uuid, data, other

    init(_ operand: QueryOperand) {
        self = operand.isEntity ? .other : ValueClass(operand.kind)
    }

    private init(_ kind: SlotKind) {
        switch kind {
        case .integer16, .integer32, .integer64, .boolean: self = .wholeNumber
        case .double, .float: self = .number
        case .decimal: self = .decimal
        case .date: self = .date
        case .string: self = .text
        case .uri: self = .url
        case .uuid: self = .uuid
        case .binary: self = .data
        case .toOne, .toMany, .transformable, .composite, .undefined, .fetched: self = .other
        }
    }

    /// A constant as a column of the class has it; nil for one of another class.
    ///
    /// - Parameter isOfResult: whether it may become an element, whose form decides how it is computed with.
    func column(_ constant: Any, isOfResult: Bool) -> SQLValue? {
        guard let kind = SlotKind(ofValue: constant) else { return nil }
        let own = ValueClass(kind)
        guard own == self || self == .number && own == .wholeNumber && !isOfResult else { return nil }
        return SQLValue(constant, for: kind, of: nil)
    }
}
