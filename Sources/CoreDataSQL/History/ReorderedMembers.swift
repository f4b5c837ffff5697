import ObjectGraph
import ManagedObjectModel

/// Objects that got another position in ordered relationships, which is a change of theirs in the history.
struct ReorderedMembers {
    struct Member {
        let entityNumber: Int32
        /// The relationships of the object whose other ends have it in another position.
        var relationships: [NSRelationshipDescription]
    }

    private(set) var members: [ObjectKey: Member] = [:]

    /// Notes that an object has another position in a relationship, if that has an inverse.
    ///
    /// - Parameter entityNumber: the number of the object's entity; nil for an object that is not there.
    mutating func note(
        _ key: ObjectKey, in relationship: NSRelationshipDescription, _ entityNumber: () throws -> Int32?
    ) rethrows {
        guard let inverse = relationship.inverseRelationship else { return }
        if members[key] == nil, let number = try entityNumber() {
            members[key] = Member(entityNumber: number, relationships: [])
        }
        members[key]?.relationships.append(inverse)
    }

    /// Takes out what is known of an object.
    mutating func take(_ key: ObjectKey) -> [NSRelationshipDescription] {
        guard !members.isEmpty else { return [] }
        return members.removeValue(forKey: key)?.relationships ?? []
    }

    /// The others, in the order of their keys.
    var rest: [(key: ObjectKey, member: Member)] {
        members.sorted { ($0.key.table, $0.key.reference) < ($1.key.table, $1.key.reference) }
            .map { ($0.key, $0.value) }
    }
}
