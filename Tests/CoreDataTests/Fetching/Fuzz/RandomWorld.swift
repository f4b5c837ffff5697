import CoreData
import Foundation
import TestSupport

/// Objects of a random schema with random values and links, the same for the same numbers.
struct RandomWorld {
    private struct Object {
        let entity: Int
        let values: [(key: String, value: Any?)]
    }

    let schema: RandomSchema
    /// The place of an object is its serial.
    private let objects: [Object]
    /// What is linked, in this order, by relationships: an inverse follows the other.
    private let links: [(relationship: Int, owner: Int, destination: Int)]

    init(_ schema: RandomSchema, _ numbers: inout SeededNumbers) {
        self.schema = schema
        var objects: [Object] = []
        for index in schema.concrete {
            for _ in 0..<Int.random(in: 1...5, using: &numbers) {
                objects.append(Object(entity: index, values: Self.values(schema, index, &numbers)))
            }
        }
        self.objects = objects
        var links: [(relationship: Int, owner: Int, destination: Int)] = []
        for (index, end) in schema.relationships.enumerated() where (end.inverse ?? index) >= index {
            let owners = Self.serials(schema, objects, end.owner)
            var destinations = Self.serials(schema, objects, end.destination)
            for _ in 0..<Int.random(in: 0...8, using: &numbers) {
                guard let owner = owners.randomElement(using: &numbers),
                    let destination = destinations.randomElement(using: &numbers)
                else { break }
                links.append((relationship: index, owner: owner, destination: destination))
                // Without an inverse, a row knows of one owner only.
                if end.inverse == nil, end.isToMany { destinations.removeAll { $0 == destination } }
            }
        }
        self.links = links
    }

    private static func serials(_ schema: RandomSchema, _ objects: [Object], _ entity: Int) -> [Int] {
        let family = schema.family(entity)
        return objects.indices.filter { family.contains(objects[$0].entity) }
    }

    /// Values of a new object of an entity; those that it keeps from its model are left out.
    static func values(
        _ schema: RandomSchema, _ entity: Int, _ numbers: inout SeededNumbers
    ) -> [(key: String, value: Any?)] {
        let attributes = schema.lineage(entity).flatMap { schema.entities[$0].attributes }
        var values: [(key: String, value: Any?)] = []
        for attribute in attributes.shuffled(using: &numbers) {
            if case .some(let value) = attribute.value(&numbers) {
                values.append((key: attribute.name, value: value))
            }
        }
        return values
    }

    func insert(
        _ entity: Int, _ serial: Int, _ values: [(key: String, value: Any?)],
        _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        let name = schema.entities[entity].name
        let made = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
        made.setValue(serial, forKey: "serial")
        for (key, value) in values { made.setValue(value, forKey: key) }
        return made
    }

    /// Inserts everything into a context.
    func fill(_ context: NSManagedObjectContext) {
        let made = objects.enumerated().map { serial, object in
            insert(object.entity, serial, object.values, context)
        }
        for (index, owner, destination) in links {
            let end = schema.relationships[index]
            if end.isOrdered {
                made[owner].mutableOrderedSetValue(forKey: end.name).add(made[destination])
            } else if end.isToMany {
                made[owner].mutableSetValue(forKey: end.name).add(made[destination])
            } else {
                made[owner].setValue(made[destination], forKey: end.name)
            }
        }
    }

    // MARK: Conditions

    /// What conditions on the objects are made of.
    func vocabulary() -> ConditionVocabulary {
        ConditionVocabulary(
            schema.entities.indices.map { index in
                let direct = ways(index)
                let one = direct.filter { !$0.isToMany }
                let many = direct.filter(\.isToMany)
                let farOne = one.flatMap { first in
                    ways(first.entity).filter { !$0.isToMany }.map { first.followed(by: $0) }
                }
                let farMany = direct.flatMap { first in
                    ways(first.entity).filter { first.isToMany || $0.isToMany }
                        .map { first.followed(by: $0) }
                }
                let subentityNames = schema.family(index).filter { $0 != index }.map { subentity in
                    ConditionVocabulary.Subentity(
                        name: schema.entities[subentity].name,
                        attributes: attributes(schema.lineage(subentity)))
                }
                let references = one.map { ConditionVocabulary.Attribute(path: $0.path, kind: .opaque) }
                return (
                    schema.entities[index].name,
                    ConditionVocabulary.Entity(
                        root: schema.entities[schema.lineage(index).last ?? index].name,
                        attributes: attributes(schema.lineage(index)) + references,
                        toOne: (one + farOne).map(named), toMany: (many + many + farMany).map(named),
                        ordered: many.filter(\.isOrdered).map(named), subentityNames: subentityNames,
                        serials: Self.serials(schema, objects, index))
                )
            })
    }

    private func attributes(_ entities: [Int]) -> [ConditionVocabulary.Attribute] {
        entities.flatMap { schema.entities[$0].attributes.flatMap { $0.vocabulary() } }
    }

    private struct ObjectMapping {
        let path: String
        let entity: Int
        let isToMany: Bool
        let isOrdered: Bool

        func followed(by next: ObjectMapping) -> ObjectMapping {
            ObjectMapping(
                path: "\(path).\(next.path)", entity: next.entity, isToMany: isToMany || next.isToMany,
                isOrdered: false)
        }
    }

    /// The relationships of an entity, inherited ones too.
    private func ways(_ index: Int) -> [ObjectMapping] {
        let lineage = schema.lineage(index)
        return schema.relationships.filter { lineage.contains($0.owner) }.map {
            ObjectMapping(
                path: RandomNames.key($0.name), entity: $0.destination, isToMany: $0.isToMany,
                isOrdered: $0.isOrdered)
        }
    }

    private func named(_ way: ObjectMapping) -> ConditionVocabulary.ObjectMapping {
        .init(path: way.path, entity: schema.entities[way.entity].name)
    }
}
