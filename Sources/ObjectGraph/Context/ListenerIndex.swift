import Foundation
import ManagedObjectModel

/// Finds, among many listeners that require a value, those to notify of a changed object: it has the value, or is among
/// the listener's objects.
struct ListenerIndex {
    private var values: [ObjectIdentifier: [String: RequiredValues]] = [:]
    /// The listeners that have an object, by the object's identity. Some may be gone.
    private var members: [ObjectIdentifier: Set<Int>] = [:]
    /// How many objects each listener has.
    private var counts: [Int: Int] = [:]
    /// How many entries of `members` are of listeners that are gone.
    private var stale = 0

    /// - Parameter entities: those that the listener follows.
    mutating func add(
        _ number: Int, _ required: RequiredValue, _ entities: Set<ObjectIdentifier>,
        _ objects: [NSManagedObject]
    ) {
        for entity in entities {
            values[entity, default: [:]][required.key, default: RequiredValues()].add(number, required.values)
        }
        for object in objects { members[ObjectIdentifier(object), default: []].insert(number) }
        counts[number] = objects.count
    }

    mutating func remove(_ number: Int, _ required: RequiredValue, _ entities: Set<ObjectIdentifier>) {
        for entity in entities {
            values[entity]?[required.key]?.remove(number, required.values)
            if values[entity]?[required.key]?.isEmpty ?? false { values[entity]?[required.key] = nil }
        }
        stale += counts.removeValue(forKey: number) ?? 0
        guard stale > 1024, stale > counts.values.reduce(0, +) else { return }
        members = members.compactMapValues { numbers in
            let present = numbers.filter { counts[$0] != nil }
            return present.isEmpty ? nil : present
        }
        stale = 0
    }

    /// Notes whether a listener has an object now.
    mutating func note(_ number: Int, _ object: NSManagedObject, isMember: Bool) {
        let id = ObjectIdentifier(object)
        if isMember {
            if members[id, default: []].insert(number).inserted { counts[number, default: 0] += 1 }
        } else if members[id]?.remove(number) != nil {
            counts[number, default: 1] -= 1
            if members[id]?.isEmpty ?? false { members[id] = nil }
        }
    }

    /// The properties of an entity's objects of which listeners require values.
    func keys(of entity: NSEntityDescription) -> [String] {
        values[ObjectIdentifier(entity)].map { Array($0.keys) } ?? []
    }

    /// The listeners that may have to be notified of a changed object.
    ///
    /// - Parameter held: its values of the properties that listeners require values of; none when it can only leave results.
    mutating func listeners(of object: NSManagedObject, _ held: [(key: String, value: SlotValue)]) -> Set<Int>
    {
        var found = members[ObjectIdentifier(object)] ?? []
        for (key, value) in held {
            values[ObjectIdentifier(object.entity)]?[key]?.forEach(value) { found.insert($0) }
        }
        return found
    }
}
