import ObjectGraph
import Foundation
import ManagedObjectModel

/// Where the objects of each entity of a store go, and where their values come from.
package struct MigrationPlan {
    /// The way of one entity's objects.
    package struct Step {
        package let source: SQLEntity
        package let destination: SQLEntity
        /// For each slot of the destination the slot of the source; nil for a new property.
        let origins: [PropertySlot?]
        /// What is added to primary keys, so that hierarchies that become one have different ones.
        let offset: Int64

        /// The primary key that an object has in the new store.
        ///
        /// - Throws: 134110 for a key that is too large, which only a damaged store has.
        package func reference(_ old: Int64) throws -> Int64 {
            let (sum, isTooMuch) = old.addingReportingOverflow(offset)
            guard !isTooMuch else {
                throw NSError.migration("table \(source.table) has the primary key \(old)")
            }
            return sum
        }
    }

    /// Owners before what they own, as far as the order of the mapping goes.
    let steps: [Step]
    private let stepBySource: [Int32: Int]

    /// - Parameters:
    ///   - snapshot: the old store.
    ///   - new: the schema of the new one.
    package init(_ mapping: NSMappingModel, from snapshot: StoreSnapshot, to new: SQLSchema) throws {
        let sources = Self.byName(snapshot.schema)
        let destinations = Self.byName(new)
        var pairs: [(source: SQLEntity, destination: SQLEntity, mapping: NSEntityMapping)] = []
        for entity in mapping.entityMappings ?? [] {
            guard let source = sources[entity.sourceEntityName ?? ""],
                let destination = destinations[entity.destinationEntityName ?? ""]
            else { continue }
            pairs.append((source, destination, entity))
        }
        let offsets = try Self.offsets(pairs.map { ($0.source, $0.destination) }, snapshot)
        steps = pairs.map { source, destination, mapping in
            Step(
                source: source, destination: destination, origins: Self.origins(mapping, source, destination),
                offset: offsets[[destination.table, source.table]] ?? 0)
        }
        stepBySource = Dictionary(
            steps.enumerated().map { ($1.source.number, $0) }, uniquingKeysWith: { first, _ in first })
        for step in steps { try checkInverses(step) }
    }

    /// A relationship may get an inverse to many; one to one would have to be made up from links that rows do not have.
    private func checkInverses(_ step: Step) throws {
        for (slot, info) in step.destination.storedEntity.layout.slots.enumerated() {
            guard let origin = step.origins[slot]?.relationship,
                let inverse = info.relationship?.inverseRelationship,
                !inverse.isToMany
            else { continue }
            for other in steps {
                let layout = other.destination.storedEntity.layout
                guard layout.entity.isKindOf(entity: inverse.entity),
                    let index = layout.index(of: inverse.name),
                    other.origins[index]?.kind != .toOne
                else { continue }
                throw NSError.migration(
                    """
                    '\(origin.name)' of entity '\(origin.entity.name ?? "")' gets the to-one inverse '\(inverse.name)' of entity \
                    '\(inverse.entity.name ?? "")', for which the objects have no values
                    """)
            }
        }
    }

    /// The way of the objects of an entity; nil when it is gone.
    package func step(ofSource number: Int32) -> Step? { stepBySource[number].map { steps[$0] } }

    /// What becomes of the changes of an entity's objects; nil when it is gone.
    package func way(of storedEntity: StoredEntity) -> HistoryKeeping.ObjectMapping? {
        step(ofSource: storedEntity.entityNumber).map {
            HistoryKeeping.ObjectMapping(destination: $0.destination.storedEntity, origins: $0.origins)
        }
    }

    private static func byName(_ schema: SQLSchema) -> [String: SQLEntity] {
        Dictionary(
            schema.entities.map { ($0.storedEntity.entity.name ?? "", $0) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func origins(
        _ mapping: NSEntityMapping, _ source: SQLEntity, _ destination: SQLEntity
    ) -> [PropertySlot?] {
        let properties = (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
        var names: [String: String] = [:]
        for property in properties { names[property.name ?? ""] = property.inferredSourceName }
        let layout = source.storedEntity.layout
        return destination.storedEntity.layout.slots.map { slot in
            // Times of last saves are kept, though they are derived.
            let name = names[slot.name] ?? (slot.isDerived ? slot.name : nil)
            let origin = name.flatMap { layout.index(of: $0) }.map { layout.slots[$0] }
            return origin.flatMap { $0.isStored && (!slot.isDerived || $0.kind == slot.kind) ? $0 : nil }
        }
    }

    /// By the tables of destination and source. The first source of a table keeps its keys.
    private static func offsets(
        _ pairs: [(source: SQLEntity, destination: SQLEntity)], _ snapshot: StoreSnapshot
    ) throws -> [[String]: Int64] {
        var offsets: [[String]: Int64] = [:]
        var next: [String: Int64] = [:]
        for (source, destination) in pairs where offsets[[destination.table, source.table]] == nil {
            let highest = try snapshot.connection.integer("SELECT MAX(Z_PK) FROM \(name: source.table)")
            let offset = next[destination.table] ?? 0
            offsets[[destination.table, source.table]] = offset
            let (sum, isTooMuch) = offset.addingReportingOverflow(max(highest, 0))
            guard !isTooMuch else {
                throw NSError.migration("table \(source.table) has no primary keys left")
            }
            next[destination.table] = sum
        }
        return offsets
    }
}
