import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Finds what a key path leads to in the tables.
struct QueryPath {
    /// What there is at the end of a path.
    enum Found {
        case value(QueryOperand)
        case collection(QueryCollection)
    }

    private let text: String
    private let names: [String]
    private let schema: SQLSchema

    init(_ text: String, _ schema: SQLSchema) {
        self.text = text
        self.schema = schema
        names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// Follows the path.
    ///
    /// - Parameter rows: the SELECT that has the place's objects as its rows, when they are those of a collection.
    /// - Throws: 134060 with the key and the entity: an unknown key, one that is not stored, an operator that SQL cannot compute.
    func find(from start: QueryTarget, rows: QuerySource? = nil) throws -> Found {
        var target = start
        var rows = rows
        for (index, name) in names.enumerated() {
            let rest = names[(index + 1)...]
            if name == "self" || name == "SELF" || (name == "objectID" && rest.isEmpty) { continue }
            if name.hasPrefix("@") {
                return .value(try aggregate(name, rest, target.object, target, rows))
            }
            guard let table = target.table else { throw missing(target, "it is in another store") }
            guard let slot = table.storedEntity.layout.index(of: name) else {
                if name == "entity", let entity = entity(rest, target, table) {
                    return found(entity, nil, rows)
                }
                throw missing(target, "it has no property '\(name)'")
            }
            let info = table.storedEntity.layout.slots[slot]
            guard info.isStored else {
                throw missing(
                    target,
                    info.kind == .fetched
                        ? "'\(name)' is a fetched property"
                        : "'\(name)' is transient, so the store has no column to search or sort by")
            }
            guard let relationship = info.relationship else {
                return try attribute(info, rest, target, table, rows)
            }
            (target, rows) = try destination(of: relationship, slot, target, table, rows)
        }
        guard !names.isEmpty, text != "" else { throw missing(target, "the path is empty") }
        return found(target.object, target, rows)
    }

    private func found(_ value: QueryOperand, _ target: QueryTarget?, _ rows: QuerySource?) -> Found {
        rows.map { .collection(QueryCollection(source: $0, value: value, target: target)) } ?? .value(value)
    }

    // MARK: Relationships

    private func destination(
        of relationship: NSRelationshipDescription, _ slot: Int, _ target: QueryTarget, _ table: SQLEntity,
        _ rows: QuerySource?
    ) throws -> (QueryTarget, QuerySource?) {
        guard let entity = relationship.destinationEntity else {
            throw missing(target, "'\(relationship.name)' has no destination")
        }
        let next = table.storedEntity.store?.storedEntity(of: entity).flatMap {
            schema.entity($0.entityNumber)
        }
        if !relationship.isToMany {
            guard let column = table.column(slot: slot) else {
                throw missing(target, "'\(relationship.name)' is not stored in this database")
            }
            let key: SQLStatement =
                "\(name: target.source.alias(key: target.key, table)).\(name: column.name)"
            return (
                QueryTarget(source: target.source, key: key, entity: entity, table: next), rows
            )
        }
        guard let links = schema.links(of: relationship), let next else {
            throw missing(target, "'\(relationship.name)' is not stored in this database")
        }
        let key: SQLStatement
        let source: QuerySource
        if let rows {
            key = rows.join(links, owner: target.key, next)
            source = rows
        } else {
            (source, key) = target.source.destinations(
                of: relationship, links, owner: target.key, next)
        }
        return (QueryTarget(source: source, key: key, entity: entity, table: next), source)
    }

    // MARK: Values

    /// An attribute, or an element of a composite one.
    private func attribute(
        _ info: PropertySlot, _ rest: ArraySlice<String>, _ target: QueryTarget, _ table: SQLEntity,
        _ rows: QuerySource?
    ) throws -> Found {
        var info = info
        for (index, name) in zip(rest.indices, rest) {
            if name == "self" { continue }
            if name.hasPrefix("@") {
                let value = try operand(info, target, table)
                return .value(try aggregate(name, rest[(index + 1)...], value, nil, rows))
            }
            guard let element = info.elements.first(where: { $0.name == name }) else {
                throw missing(target, "'\(info.name)' has no element '\(name)'")
            }
            info = element
        }
        return found(try operand(info, target, table), nil, rows)
    }

    private func operand(_ info: PropertySlot, _ target: QueryTarget, _ table: SQLEntity) throws
        -> QueryOperand
    {
        guard let column = table.column(rowSlot: info.rowSlot) else {
            throw missing(target, "'\(info.name)' is a composite; name one of its elements")
        }
        let alias = target.source.alias(key: target.key, table)
        var operand = QueryOperand("\(name: alias).\(name: column.name)", kind: info.kind)
        if info.isExternal {
            operand.obstacle = "'\(info.name)' allows external storage, so the column may lack its data"
        } else if info.kind == .transformable {
            operand.obstacle =
                "'\(info.name)' is transformable: the column has an archive, which can only be compared with nil"
        }
        return operand
    }

    /// The number of the objects' entity: `entity`, or its name.
    private func entity(_ rest: ArraySlice<String>, _ target: QueryTarget, _ table: SQLEntity)
        -> QueryOperand?
    {
        guard rest.isEmpty || Array(rest) == ["name"] else { return nil }
        let alias: SQLStatement = "\(name: target.source.alias(key: target.key, table))"
        let number: SQLStatement =
            // There may be no object.
            table.sharesTable
            ? "\(alias).Z_ENT" : "CASE WHEN \(alias).Z_PK IS NOT NULL THEN \(integer: table.number) END"
        var operand = QueryOperand(
            number,
            // The name of an entity is compared as its number, too.
            kind: rest.isEmpty ? .integer32 : .string)
        operand.isEntity = true
        return operand
    }

    // MARK: Operators

    private func aggregate(
        _ name: String, _ rest: ArraySlice<String>, _ value: QueryOperand, _ target: QueryTarget?,
        _ rows: QuerySource?
    ) throws -> QueryOperand {
        guard let operation = CollectionOperator(rawValue: name) else {
            throw NSError.coreData(.coreData, "Unknown operator \(name) in key path \(text).")
        }
        guard let rows else {
            throw NSError.coreData(
                .coreData, "The operator \(name) in key path \(text) needs a to-many relationship before it.")
        }
        func refusal(_ reason: String) -> NSError {
            .coreData(.coreData, "Unsupported operator \(name) in key path \(text): \(reason).")
        }
        guard let function = AggregateFunction(operation) else {
            throw refusal("a SQL store does not compute it")
        }
        guard !rest.isEmpty else {
            return try QueryCollection(source: rows, value: value, target: target)
                .aggregate(function, isFunction: false, refusal: refusal)
        }
        guard let target else {
            throw NSError.coreData(.coreData, "The key path \(text) continues after a value.")
        }
        let found = try QueryPath(rest.joined(separator: "."), schema).find(from: target, rows: rows)
        guard case .collection(let collection) = found else {
            throw NSError.coreData(.coreData, "The key path \(text) has an operator behind an operator.")
        }
        return try collection.aggregate(function, isFunction: false, refusal: refusal)
    }

    private func missing(_ target: QueryTarget, _ reason: String) -> NSError {
        .coreData(.coreData, "keypath \(text) not found in entity \(target.entity.name ?? ""): \(reason).")
    }
}
