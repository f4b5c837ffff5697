import Foundation
import ManagedObjectModel

/// Makes a model from the objects of an XML or binary store, so that they can be read without a model.
///
/// Known are the entities that have objects or are named in the metadata, what their objects have, and where that leads.
/// Objects of several entities that one relationship leads to show that these have a common superentity. Not known are
/// inverses, what is optional, whether the order of a list means anything (all to-many relationships are ordered, so that
/// none gets lost), and attributes that no object of an XML store has a value for.
struct ReconstructedDocumentModel {
    struct Relationship {
        /// The name of the entity that it leads to.
        let destination: String
        let minCount: Int
        /// 0 for no limit.
        let maxCount: Int
        /// The names of the entities whose objects it leads to.
        var reached: Set<String> = []

        fileprivate func isSame(as other: Relationship) -> Bool {
            destination == other.destination && minCount == other.minCount && maxCount == other.maxCount
        }
    }

    private struct Entity {
        var isAbstract = false
        var attributes: [String: NSAttributeType] = [:]
        var relationships: [String: Relationship] = [:]
    }

    /// More than any known model has. What is made of a model grows faster than the file that describes it.
    private enum Limit {
        static let entities = 500
        /// Properties, each counted in the entity that declares it.
        static let declared = 5000
        /// Properties, each counted in every entity that has or inherits it.
        static let properties = 50_000
    }

    private let url: URL
    private var entities: [String: Entity] = [:]
    private var propertyCount = 0

    init(_ url: URL) { self.url = url }

    /// - Throws: 134080 here and below, for contents that no model can have.
    func failure(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreOpen,
            "No model can be made from the objects of the store at \(url.path): \(reason).",
            [NSFilePathErrorKey: url.path])
    }

    // MARK: What the objects have

    func hasEntity(_ name: String) -> Bool { entities[name] != nil }

    mutating func add(entity name: String, isAbstract: Bool = false) throws {
        guard entities[name] == nil else { return }
        guard !name.isEmpty else { throw failure("an entity has no name") }
        guard entities.count < Limit.entities else {
            throw failure("there are more than \(Limit.entities) entities")
        }
        entities[name] = Entity(isAbstract: isAbstract)
    }

    mutating func add(attribute name: String, _ type: NSAttributeType, to entity: String) throws {
        if let known = entities[entity]?.attributes[name] {
            guard known == type else {
                throw failure(
                    "attribute '\(name)' of entity '\(entity)' is \(known.displayName) and \(type.displayName)"
                )
            }
            return
        }
        guard entities[entity]?.relationships[name] == nil else { throw ambiguous(name, entity) }
        try count()
        entities[entity]?.attributes[name] = type
    }

    mutating func add(relationship name: String, _ relationship: Relationship, to entity: String) throws {
        if let known = entities[entity]?.relationships[name] {
            guard known.isSame(as: relationship) else {
                throw failure(
                    "relationship '\(name)' of entity '\(entity)' leads to '\(known.destination)' and '\(relationship.destination)', or to different numbers of objects"
                )
            }
            if !relationship.reached.isSubset(of: known.reached) {
                entities[entity]?.relationships[name]?.reached.formUnion(relationship.reached)
            }
            return
        }
        guard entities[entity]?.attributes[name] == nil else { throw ambiguous(name, entity) }
        try count()
        entities[entity]?.relationships[name] = relationship
    }

    private mutating func count() throws {
        propertyCount += 1
        guard propertyCount <= Limit.properties else { throw tooManyProperties(Limit.properties) }
    }

    private func tooManyProperties(_ limit: Int) -> NSError {
        failure("the entities have more than \(limit) properties")
    }

    private func ambiguous(_ name: String, _ entity: String) -> NSError {
        failure("entity '\(entity)' has an attribute and a relationship '\(name)'")
    }

    // MARK: The model

    func model() throws -> NSManagedObjectModel {
        let parents = try parents()
        var descriptions = entities.mapValues { _ in NSEntityDescription() }
        var widths: [String: Int] = [:]
        var (declaredCount, slotCount) = (0, 0)
        let names = entities.keys.map { (parents.depth(of: $0), $0) }.sorted { $0 < $1 }.map(\.1)
        for name in names {
            guard let entity = entities[name], let description = descriptions[name] else { continue }
            description.name = name
            description.isAbstract = entity.isAbstract
            let own = try properties(of: entity, name, parents, descriptions)
            description.properties = own
            let parent = parents[name]
            parent.flatMap { descriptions[$0] }?.subentities.append(description)
            let width = own.count + (parent.flatMap { widths[$0] } ?? 0)
            widths[name] = width
            slotCount += width
            guard slotCount <= Limit.properties else { throw tooManyProperties(Limit.properties) }
            declaredCount += own.count
            guard declaredCount <= Limit.declared else { throw tooManyProperties(Limit.declared) }
        }
        let model = NSManagedObjectModel()
        model.entities = entities.keys.sorted().compactMap { descriptions.removeValue(forKey: $0) }
        model.versionIdentifiers = [NSManagedObjectModel.reconstructionMark]
        do {
            try model.validate()
        } catch let error as ModelConsistencyError {
            throw failure(error.localizedDescription)
        }
        return model
    }

    private func parents() throws -> InferredParents {
        var above: [String: Set<String>] = [:]
        for entity in entities.values {
            for relationship in entity.relationships.values {
                for name in relationship.reached where name != relationship.destination {
                    above[name, default: []].insert(relationship.destination)
                }
            }
        }
        do {
            return try InferredParents(above)
        } catch {
            throw failure(error.reason)
        }
    }

    /// The properties that an entity declares itself, without inherited ones.
    private func properties(
        of entity: Entity, _ name: String, _ parents: InferredParents,
        _ descriptions: [String: NSEntityDescription]
    ) throws -> [NSPropertyDescription] {
        let ancestors = parents.path(from: name).dropFirst().compactMap { entities[$0] }
        func conflict(_ property: String) -> NSError {
            failure("entity '\(name)' has another property '\(property)' than the entities above it")
        }
        var properties: [NSPropertyDescription] = []
        for (property, type) in entity.attributes.sorted(by: { $0.key < $1.key }) {
            guard !ancestors.contains(where: { $0.relationships[property] != nil }) else {
                throw conflict(property)
            }
            if let inherited = ancestors.lazy.compactMap({ $0.attributes[property] }).first {
                guard inherited == type else { throw conflict(property) }
                continue
            }
            let attribute = NSAttributeDescription()
            attribute.name = NSManagedObjectModel.reconstructedName(property)
            attribute.attributeType = type
            properties.append(attribute)
        }
        for (property, found) in entity.relationships.sorted(by: { $0.key < $1.key }) {
            guard !ancestors.contains(where: { $0.attributes[property] != nil }) else {
                throw conflict(property)
            }
            if let inherited = ancestors.lazy.compactMap({ $0.relationships[property] }).first {
                guard inherited.isSame(as: found) else { throw conflict(property) }
                continue
            }
            let relationship = NSRelationshipDescription()
            relationship.name = NSManagedObjectModel.reconstructedName(property)
            relationship.destinationEntity = descriptions[found.destination]
            relationship.minCount = found.minCount
            relationship.maxCount = found.maxCount
            relationship.isOrdered = found.maxCount != 1
            properties.append(relationship)
        }
        return properties
    }
}
