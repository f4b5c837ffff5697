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
    func find(from start: QueryPlace, rows: QuerySource? = nil) throws -> Found {
        var place = start
        var rows = rows
        for (index, name) in names.enumerated() {
            let rest = names[(index + 1)...]
            if name == "self" || name == "SELF" || (name == "objectID" && rest.isEmpty) { continue }
            if name.hasPrefix("@") {
                return .value(try aggregate(name, rest, place.object, place, rows))
            }
            guard let table = place.table else { throw missing(place, "it is in another store") }
            guard let slot = table.home.layout.index(of: name) else {
                if name == "entity", let entity = entity(rest, place, table) {
                    return found(entity, nil, rows)
                }
                throw missing(place, "it has no property '\(name)'")
            }
            let info = table.home.layout.slots[slot]
            guard info.isStored else {
                throw missing(
                    place,
                    info.kind == .fetched
                        ? "'\(name)' is a fetched property"
                        : "'\(name)' is transient, so the store has no column to search or sort by")
            }
            guard let relationship = info.relationship else {
                return try attribute(info, rest, place, table, rows)
            }
            (place, rows) = try destination(of: relationship, slot, place, table, rows)
        }
        guard !names.isEmpty, text != "" else { throw missing(place, "the path is empty") }
        return found(place.object, place, rows)
    }

    private func found(_ value: QueryOperand, _ place: QueryPlace?, _ rows: QuerySource?) -> Found {
        rows.map { .collection(QueryCollection(source: $0, value: value, place: place)) } ?? .value(value)
    }

    // MARK: Relationships

    private func destination(
        of relationship: NSRelationshipDescription, _ slot: Int, _ place: QueryPlace, _ table: SQLEntity,
        _ rows: QuerySource?
    ) throws -> (QueryPlace, QuerySource?) {
        guard let entity = relationship.destinationEntity else {
            throw missing(place, "'\(relationship.name)' has no destination")
        }
        let next = table.home.store?.home(of: entity).flatMap { schema.entity($0.entityNumber) }
        if !relationship.isToMany {
            guard let column = table.column(slot: slot) else {
                throw missing(place, "'\(relationship.name)' is kept elsewhere")
            }
            let key: SQLStatement = "\(name: place.source.alias(key: place.key, table)).\(name: column.name)"
            return (
                QueryPlace(source: place.source, key: key, entity: entity, table: next), rows
            )
        }
        guard let links = schema.links(of: relationship), let next else {
            throw missing(place, "'\(relationship.name)' is kept elsewhere")
        }
        let key: SQLStatement
        let source: QuerySource
        if let rows {
            key = rows.join(links, owner: place.key, next)
            source = rows
        } else {
            (source, key) = place.source.destinations(
                of: relationship, links, owner: place.key, next)
        }
        return (QueryPlace(source: source, key: key, entity: entity, table: next), source)
    }

    // MARK: Values

    /// An attribute, or an element of a composite one.
    private func attribute(
        _ info: PropertySlot, _ rest: ArraySlice<String>, _ place: QueryPlace, _ table: SQLEntity,
        _ rows: QuerySource?
    ) throws -> Found {
        var info = info
        for (index, name) in zip(rest.indices, rest) {
            if name == "self" { continue }
            if name.hasPrefix("@") {
                let value = try operand(info, place, table)
                return .value(try aggregate(name, rest[(index + 1)...], value, nil, rows))
            }
            guard let element = info.elements.first(where: { $0.name == name }) else {
                throw missing(place, "'\(info.name)' has no element '\(name)'")
            }
            info = element
        }
        return found(try operand(info, place, table), nil, rows)
    }

    private func operand(_ info: PropertySlot, _ place: QueryPlace, _ table: SQLEntity) throws -> QueryOperand
    {
        guard let column = table.column(rowSlot: info.rowSlot) else {
            throw missing(place, "'\(info.name)' is a composite; name one of its elements")
        }
        let alias = place.source.alias(key: place.key, table)
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
    private func entity(_ rest: ArraySlice<String>, _ place: QueryPlace, _ table: SQLEntity) -> QueryOperand?
    {
        guard rest.isEmpty || Array(rest) == ["name"] else { return nil }
        var operand = QueryOperand(
            "\(name: place.source.alias(key: place.key, table)).Z_ENT",
            // The name of an entity is compared as its number, too.
            kind: rest.isEmpty ? .integer32 : .string)
        operand.isEntity = true
        return operand
    }

    // MARK: Operators

    private func aggregate(
        _ name: String, _ rest: ArraySlice<String>, _ value: QueryOperand, _ place: QueryPlace?,
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
            return try QueryCollection(source: rows, value: value, place: place)
                .aggregate(function, isFunction: false, refusal: refusal)
        }
        guard let place else {
            throw NSError.coreData(.coreData, "The key path \(text) continues after a value.")
        }
        let found = try QueryPath(rest.joined(separator: "."), schema).find(from: place, rows: rows)
        guard case .collection(let collection) = found else {
            throw NSError.coreData(.coreData, "The key path \(text) has an operator behind an operator.")
        }
        return try collection.aggregate(function, isFunction: false, refusal: refusal)
    }

    private func missing(_ place: QueryPlace, _ reason: String) -> NSError {
        .coreData(.coreData, "keypath \(text) not found in entity \(place.entity.name ?? ""): \(reason).")
    }
}
