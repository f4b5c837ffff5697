import CoreData
import Foundation
import TestSupport

extension RandomWorld {
    /// Changes, moves, inserts and deletes some objects.
    func change(_ context: NSManagedObjectContext, _ numbers: inout SeededNumbers) throws {
        var objects: [NSManagedObject] = []
        for root in schema.entities where root.parent == nil {
            let request = NSFetchRequest<NSManagedObject>(entityName: root.name)
            request.sortDescriptors = [NSSortDescriptor(key: "serial", ascending: true)]
            objects += try context.fetch(request)
        }
        for step in 0..<10 {
            objects.removeAll(where: \.isDeleted)
            guard let object = objects.randomElement(using: &numbers),
                let entity = schema.entities.firstIndex(where: { $0.name == object.entity.name })
            else { return }
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0, 1:
                for (key, value) in Self.values(schema, entity, &numbers).prefix(2) {
                    object.setValue(value, forKey: key)
                }
            case 2:
                let new = insert(entity, 1000 + step, Self.values(schema, entity, &numbers), context)
                objects.append(new)
                relate(new, entity, objects, &numbers)
            case 3:
                // An object without an inverse is not notified that its destination is deleted.
                let lineage = schema.lineage(entity)
                let isSeenOneWay = schema.relationships.contains {
                    $0.inverse == nil && lineage.contains($0.destination)
                }
                if !isSeenOneWay { context.delete(object) }
            default: relate(object, entity, objects, &numbers)
            }
        }
    }

    /// Changes a relationship of an object.
    private func relate(
        _ object: NSManagedObject, _ entity: Int, _ objects: [NSManagedObject],
        _ numbers: inout SeededNumbers
    ) {
        let lineage = schema.lineage(entity)
        // Without an inverse, a row knows of one owner only.
        let ends = schema.relationships.filter {
            lineage.contains($0.owner) && !($0.isToMany && $0.inverse == nil)
        }
        guard let end = ends.randomElement(using: &numbers) else { return }
        let family = Set(schema.family(end.destination).map { schema.entities[$0].name })
        let other = objects.filter { family.contains($0.entity.name ?? "") }.randomElement(using: &numbers)
        let removes = Int.random(in: 0..<3, using: &numbers) == 0
        if !end.isToMany {
            object.setValue(removes ? nil : other, forKey: end.name)
        } else if let other, end.isOrdered {
            let list = object.mutableOrderedSetValue(forKey: end.name)
            if removes { list.remove(other) } else { list.insert(other, at: 0) }
        } else if let other {
            let set = object.mutableSetValue(forKey: end.name)
            if removes { set.remove(other) } else { set.add(other) }
        }
    }
}
