import CoreDataSQL
import ObjectGraph
import Foundation
import ManagedObjectModel

/// The triggers that keep derived attributes, so that every writer of the store keeps them right.
///
/// Names and strings are Apple's as its stores show them for copies over a to-one relationship, `@count` and `now()`;
/// those for `canonical:`, `uppercase:`, `lowercase:` and `@sum` are made in their manner. Each trigger computes the
/// value and reports it by a function, from which a save learns what changed.
struct DerivedTriggers {
    private let schema: SQLSchema

    init(_ schema: SQLSchema) { self.schema = schema }

    /// The triggers of all derived attributes of all entities.
    ///
    /// - Throws: 134020 for a derivation that SQL cannot compute, with its text.
    func statements() throws -> [SQLStatement] {
        try schema.entities.flatMap { entity in
            let inherited = entity.storedEntity.layout.superlayout?.slots.count ?? 0
            return try entity.storedEntity.layout.slots[inherited...].filter(\.isDerived).flatMap { slot in
                try triggers(slot, entity)
            }
        }
    }

    private func triggers(_ slot: PropertySlot, _ entity: SQLEntity) throws -> [SQLStatement] {
        guard let attribute = slot.property as? NSDerivedAttributeDescription,
            let column = entity.column(rowSlot: slot.rowSlot), let derivation = attribute.derivation
        else { throw unsupported(slot, entity) }
        let target = DerivedTarget(
            schema: schema, entity: entity, column: schema.quoted(column.name), attribute: slot.name)
        switch derivation {
        case .now:
            return target.now()
        case .value(let keyPath):
            guard let path = path(keyPath, entity) else { throw unsupported(slot, entity) }
            return target.copies(path) { $0 }
        case .text(let form, let keyPath):
            guard let path = path(keyPath, entity) else { throw unsupported(slot, entity) }
            let function = SQLiteDialect().function(form.function)
            return target.copies(path) { "\(function)(\($0))" }
        case .aggregate(let aggregate, let keyPath):
            guard let source = aggregateSource(keyPath, entity) else { throw unsupported(slot, entity) }
            return target.aggregates(aggregate, source)
        }
    }

    private func unsupported(_ slot: PropertySlot, _ entity: SQLEntity) -> NSError {
        let expression = (slot.property as? NSDerivedAttributeDescription)?.derivationExpression
        return .coreData(
            .persistentStoreIncompatibleSchema,
            """
            Derived attribute '\(slot.name)' of entity '\(entity.storedEntity.entity.name ?? "")' has a derivation that this \
            store cannot compute: \(expression.map { "\($0)" } ?? "none").
            """)
    }

    /// A key path over to-one relationships to an attribute; nil for another key path.
    private func path(_ keyPath: String, _ entity: SQLEntity) -> DerivedPath? {
        var steps: [DerivedPath.Step] = []
        var entity = entity
        var names = keyPath.split(separator: ".").map(String.init)
        while let first = names.first,
            let relationship = entity.storedEntity.entity.relationshipsByName[first]
        {
            guard !relationship.isToMany, let destination = relationship.destinationEntity,
                let key = schema.column(atPath: first, entity),
                let storedEntity = entity.storedEntity.store?.storedEntity(of: destination),
                let next = schema.entity(storedEntity.entityNumber)
            else { return nil }
            steps.append(
                .init(key: schema.quoted(key.name), table: schema.quoted(next.table), rawTable: next.table))
            entity = next
            names.removeFirst()
        }
        guard let column = schema.column(atPath: names.joined(separator: "."), entity), column.kind != .toOne
        else { return nil }
        return DerivedPath(steps: steps, column: schema.quoted(column.name))
    }

    /// A to-many relationship, and the attribute of its destination to sum up.
    private func aggregateSource(_ keyPath: String, _ entity: SQLEntity) -> AggregateSource? {
        let names = keyPath.split(separator: ".").map(String.init)
        guard let first = names.first,
            let relationship = entity.storedEntity.entity.relationshipsByName[first],
            let links = schema.links(of: relationship), let destination = relationship.destinationEntity,
            let storedEntity = entity.storedEntity.store?.storedEntity(of: destination),
            let other = schema.entity(storedEntity.entityNumber)
        else { return nil }
        if names.count == 1 {
            return AggregateSource(links: links, table: other.table, column: nil, kind: nil)
        }
        guard let column = schema.column(atPath: names.dropFirst().joined(separator: "."), other) else {
            return nil
        }
        return AggregateSource(
            links: links, table: other.table, column: schema.quoted(column.name), kind: column.kind)
    }
}

/// A way over foreign keys to a column.
struct DerivedPath {
    struct Step {
        /// The foreign key.
        let key: String
        /// The table it leads to.
        let table: String
        let rawTable: String
    }

    let steps: [Step]
    let column: String
}

extension Derivation.TextForm {
    fileprivate var function: StoreFunction {
        switch self {
        case .canonical: .canonical
        case .uppercase: .uppercase
        case .lowercase: .lowercase
        }
    }
}
