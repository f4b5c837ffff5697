import CoreData
import Foundation
import TestSupport

/// A random model: a few entities, some of them subentities of others, with attributes of all stored types,
/// composites, and relationships of every shape. Equal numbers give equal models.
struct RandomSchema {
    struct Entity {
        let name: String
        /// The entity that it inherits from.
        let parent: Int?
        let isAbstract: Bool
        var attributes: [RandomAttribute] = []
    }

    struct Relationship {
        let name: String
        let owner: Int
        let destination: Int
        let isToMany: Bool
        let isOrdered: Bool
        /// The relationship that leads back, maybe itself.
        let inverse: Int?
    }

    private(set) var entities: [Entity] = []
    private(set) var relationships: [Relationship] = []

    init(_ numbers: inout SeededNumbers) {
        var names = RandomNames.entities.shuffled(using: &numbers)
        for _ in 0..<Int.random(in: 2...5, using: &numbers) {
            let parents = entities.indices.filter { lineage($0).count < 3 }
            let isSubentity = !parents.isEmpty && Int.random(in: 0..<5, using: &numbers) < 2
            entities.append(
                Entity(
                    name: names.removeLast(),
                    parent: isSubentity ? parents.randomElement(using: &numbers) : nil,
                    isAbstract: Int.random(in: 0..<6, using: &numbers) == 0))
        }
        for index in entities.indices {
            for _ in 0..<Int.random(in: 1...6, using: &numbers) {
                let attribute = RandomAttribute(newName(index, &numbers), &numbers)
                entities[index].attributes.append(attribute)
            }
        }
        for _ in 0..<Int.random(in: 2...7, using: &numbers) { addRelationship(&numbers) }
    }

    // MARK: Inheritance

    /// An entity with those that it inherits from, the root last.
    func lineage(_ index: Int) -> [Int] {
        Array(sequence(first: index) { entities[$0].parent })
    }

    /// An entity with its subentities.
    func family(_ index: Int) -> [Int] { entities.indices.filter { lineage($0).contains(index) } }

    /// The entities of which there can be objects.
    var concrete: [Int] { entities.indices.filter { !entities[$0].isAbstract } }

    // MARK: Names

    /// A name that no property has with which it would meet in an object. Siblings may share one.
    private func newName(_ index: Int, _ numbers: inout SeededNumbers) -> String {
        let relatives = Set(lineage(index) + family(index).flatMap(lineage))
        let taken = Set(
            relatives.flatMap { relative in
                entities[relative].attributes.map(\.name)
                    + relationships.filter { $0.owner == relative }.map(\.name)
            })
        let free = RandomNames.properties.filter { !taken.contains($0) }
        return free.randomElement(using: &numbers) ?? "another\(taken.count)"
    }

    // MARK: Relationships

    private enum Shape: CaseIterable {
        case oneToOne, oneToMany, oneToOrdered, manyToMany, orderedToMany, orderedToOrdered
        case ownInverseOne, ownInverseMany, oneWay, oneWayMany
    }

    private mutating func addRelationship(_ numbers: inout SeededNumbers) {
        let owner = Int.random(in: entities.indices, using: &numbers)
        let destination =
            Int.random(in: 0..<3, using: &numbers) == 0
            ? owner : Int.random(in: entities.indices, using: &numbers)
        switch Shape.allCases.randomElement(using: &numbers) ?? .oneToOne {
        case .oneToOne: add(owner, destination, (false, false), (false, false), &numbers)
        case .oneToMany: add(owner, destination, (true, false), (false, false), &numbers)
        case .oneToOrdered: add(owner, destination, (true, true), (false, false), &numbers)
        case .manyToMany: add(owner, destination, (true, false), (true, false), &numbers)
        case .orderedToMany: add(owner, destination, (true, true), (true, false), &numbers)
        case .orderedToOrdered: add(owner, destination, (true, true), (true, true), &numbers)
        case .ownInverseOne: add(owner, owner, (false, false), nil, isOwnInverse: true, &numbers)
        case .ownInverseMany: add(owner, owner, (true, false), nil, isOwnInverse: true, &numbers)
        case .oneWay: add(owner, destination, (false, false), nil, &numbers)
        case .oneWayMany: add(owner, destination, (true, Bool.random(using: &numbers)), nil, &numbers)
        }
    }

    private mutating func add(
        _ owner: Int, _ destination: Int, _ forth: (isToMany: Bool, isOrdered: Bool),
        _ back: (isToMany: Bool, isOrdered: Bool)?, isOwnInverse: Bool = false, _ numbers: inout SeededNumbers
    ) {
        let index = relationships.count
        relationships.append(
            Relationship(
                name: newName(owner, &numbers), owner: owner, destination: destination,
                isToMany: forth.isToMany, isOrdered: forth.isOrdered,
                inverse: isOwnInverse ? index : back == nil ? nil : index + 1))
        guard let back else { return }
        relationships.append(
            Relationship(
                name: newName(destination, &numbers), owner: destination, destination: owner,
                isToMany: back.isToMany, isOrdered: back.isOrdered, inverse: index))
    }

    // MARK: The model

    func model() -> NSManagedObjectModel {
        let made = entities.map { entity in
            let description = NSEntityDescription()
            description.name = entity.name
            description.isAbstract = entity.isAbstract
            description.properties = entity.attributes.map { $0.description() }
            if entity.parent == nil { description.add(attribute("serial", .integer32)) }
            return description
        }
        for (entity, description) in zip(entities, made) {
            if let parent = entity.parent { made[parent].subentities.append(description) }
        }
        let ends = relationships.map { end in
            made[end.owner].relate(
                end.name, to: made[end.destination], many: end.isToMany, ordered: end.isOrdered)
        }
        for (end, description) in zip(relationships, ends) {
            description.inverseRelationship = end.inverse.map { ends[$0] }
        }
        let model = NSManagedObjectModel()
        model.entities = made
        return model
    }
}

extension RandomSchema: CustomStringConvertible {
    /// The schema as text: an entity a line, then a relationship a line.
    var description: String {
        let types = entities.map { entity in
            let parent = entity.parent.map { ": \(entities[$0].name)" } ?? ""
            let attributes = entity.attributes.map(\.text).joined(separator: ", ")
            return "\(entity.isAbstract ? "abstract " : "")\(entity.name)\(parent) {\(attributes)}"
        }
        let links = relationships.map { end in
            let inverse = end.inverse.map { " <- \(relationships[$0].name)" } ?? ""
            let shape = end.isOrdered ? " ordered many" : end.isToMany ? " many" : ""
            return
                "\(entities[end.owner].name).\(end.name) ->\(shape) \(entities[end.destination].name)\(inverse)"
        }
        return (types + links).joined(separator: "\n")
    }
}
