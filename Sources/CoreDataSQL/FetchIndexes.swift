import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The statements that make the fetch indexes of one entity.
///
/// An element is a column: that of an attribute or a to-one relationship, that of the row's key for `SELF`, that of
/// its entity for the key path `entity`. The condition of a partial index is written out, as SQLite requires.
struct FetchIndexes {
    private let schema: SQLSchema
    private let entity: SQLEntity

    init(_ schema: SQLSchema, _ entity: SQLEntity) {
        self.schema = schema
        self.entity = entity
    }

    /// - Throws: 134020 for an element that is not a column, and for a condition that is not on columns; with the names
    ///   of index, entity and element.
    func statements() throws -> [SQLStatement] {
        try entity.storedEntity.entity.storeIndexes.filter { !isSkipped($0) }.flatMap(statements)
            + locationTrees()
    }

    /// Whether Apple's framework makes no such index: one with a to-many relationship, which is not a column, and one of
    /// a to-one relationship alone, whose column has an index anyway. Its models have both, its stores neither.
    private func isSkipped(_ index: NSFetchIndexDescription) -> Bool {
        let relationships = index.elements.compactMap { $0.property as? NSRelationshipDescription }
        return relationships.contains(where: \.isToMany)
            || (index.elements.count == 1 && relationships.count == 1 && index.partialIndexPredicate == nil)
    }

    private var entityName: String { entity.storedEntity.entity.name ?? "" }

    private func statements(_ index: NSFetchIndexDescription) throws -> [SQLStatement] {
        let columns = try index.elements.map {
            (name: try column($0, of: index), isAscending: $0.isAscending)
        }
        if index.elements.contains(where: { $0.collationType == .rTree }) {
            return try rTree(index, columns.map(\.name))
        }
        let list = columns.map { SQLStatement(.indexed($0.name, isAscending: $0.isAscending)) }
        var statement: SQLStatement =
            "CREATE INDEX \(name: "Z_\(entityName)_\(index.name)") ON \(name: entity.table) (\(list: list))"
        if let predicate = index.partialIndexPredicate {
            statement.append(" WHERE \(try condition(predicate, of: index))")
        }
        return [statement]
    }

    // MARK: Columns

    private func column(
        _ element: NSFetchIndexElementDescription, of index: NSFetchIndexDescription
    ) throws -> String {
        let name = element.propertyName ?? ""
        guard element.isOverExpression else {
            if let column = rowColumn(name) ?? schema.column(atPath: name, entity)?.name { return column }
            throw unsupported(index, "element '\(name)' is not a stored attribute or to-one relationship")
        }
        let expression = (element.property as? NSExpressionDescription)?.expression
        if let expression, let column = column(expression) { return column }
        let text = expression.map { "\($0)" } ?? "none"
        throw unsupported(index, "element '\(name)' is an expression that is not a column: \(text)")
    }

    private func column(_ expression: NSExpression) -> String? {
        switch expression.kind {
        case .evaluatedObject: return "Z_PK"
        case .keyPath(let operand, let path):
            guard case .evaluatedObject = operand.kind else { return nil }
            return rowColumn(path) ?? schema.column(atPath: path, entity)?.name
        default: return nil
        }
    }

    /// What every row has.
    private func rowColumn(_ name: String) -> String? {
        switch name {
        case "self", "SELF", "objectID": "Z_PK"
        case "entity": "Z_ENT"
        default: nil
        }
    }

    // MARK: Conditions

    private func condition(
        _ predicate: NSPredicate, of index: NSFetchIndexDescription
    ) throws -> SQLStatement {
        switch predicate.shape {
        case .comparison(let comparison): return try condition(comparison, of: index)
        case .compound(let type, let parts) where !parts.isEmpty:
            let conditions = try parts.map { try condition($0, of: index) }
            switch type {
            case .not: return "NOT (\(conditions[0]))"
            case .and: return "(\(conditions.joined(separator: " AND ")))"
            case .or: return "(\(conditions.joined(separator: " OR ")))"
            @unknown default: break
            }
        default: break
        }
        throw unsupported(index, "an index cannot have its condition: \(predicate)")
    }

    private func condition(
        _ comparison: NSComparisonPredicate, of index: NSFetchIndexDescription
    ) throws -> SQLStatement {
        guard comparison.comparisonPredicateModifier == .direct, comparison.options == [],
            let column = column(comparison.leftExpression),
            case .constant(let constant) = comparison.rightExpression.kind
        else { throw unsupported(index, "an index cannot have its condition: \(comparison)") }
        guard let constant else {
            switch comparison.predicateOperatorType {
            case .equalTo: return "\(name: column) IS NULL"
            case .notEqualTo: return "\(name: column) IS NOT NULL"
            default: throw unsupported(index, "its condition compares the order of nil: \(comparison)")
            }
        }
        guard let sign = Self.sign(comparison.predicateOperatorType), let literal = literal(constant, column)
        else { throw unsupported(index, "an index cannot have its condition: \(comparison)") }
        return "\(name: column) \(sign) \(.literal(literal))"
    }

    private static func sign(_ type: NSComparisonPredicate.Operator) -> SQLStatement? {
        switch type {
        case .equalTo: "="
        case .notEqualTo: "<>"
        case .lessThan: "<"
        case .lessThanOrEqualTo: "<="
        case .greaterThan: ">"
        case .greaterThanOrEqualTo: ">="
        default: nil
        }
    }

    /// A constant written out; nil when the column cannot be compared with it. Statements of a schema bind nothing.
    private func literal(_ constant: Any, _ column: String) -> SQLValue? {
        let kind = entity.columns.first { $0.name == column && $0.role == .value }?.kind ?? .integer64
        let value = SQLValue(constant, for: kind, of: nil)
        switch value {
        case .integer: return value
        case .double(let number) where number.isFinite: return value
        case .text(let text) where !text.utf8.contains(0): return value
        default: return nil
        }
    }

    // MARK: R-trees

    private func rTree(_ index: NSFetchIndexDescription, _ columns: [String]) throws -> [SQLStatement] {
        guard index.partialIndexPredicate == nil else {
            throw unsupported(index, "an R-tree has no condition")
        }
        return schema.dialect.spatialIndex(
            "Z_RT_\(entityName)_\(index.name)", of: entity.table, columns: columns)
    }

    /// R-trees of locations. Apple's own models ask for one by a transient attribute whose user info names the attributes
    /// with the coordinates.
    private func locationTrees() throws -> [SQLStatement] {
        let layout = entity.storedEntity.layout
        let inherited = layout.superlayout?.slots.count ?? 0
        return try layout.slots[inherited...].filter(\.isTransient).flatMap { slot -> [SQLStatement] in
            guard let setting = slot.property.userInfo?["_NSLocationAttributeDerivedComponents"] else {
                return []
            }
            let names =
                setting as? [String]
                ?? ((setting as? String)?.split(separator: ",").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                    ?? [])
            let elements = names.map {
                NSFetchIndexElementDescription(propertyName: $0, collationType: .rTree)
            }
            let index = NSFetchIndexDescription(name: slot.name, elements: elements)
            guard !elements.isEmpty else { throw unsupported(index, "it names no coordinates") }
            return try rTree(index, elements.map { try column($0, of: index) })
        }
    }

    private func unsupported(_ index: NSFetchIndexDescription, _ reason: String) -> NSError {
        .coreData(
            .persistentStoreIncompatibleSchema,
            """
            Fetch index '\(index.name)' of entity '\(entityName)' cannot be made: \(reason). See \
            Documentation/Compatibility.md.
            """)
    }
}
