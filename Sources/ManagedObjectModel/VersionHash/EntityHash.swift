import CocoaFoundation

/// The version hash of an entity.
///
/// It is the SHA-256 of the name, a byte that says whether the entity is abstract, the hash of the
/// superentity, the hashes of all attributes and relationships that are not transient (inherited ones
/// included, in the order of their names), the hash modifier, and the entity's own uniqueness constraints.
/// A constraint is the names of its attributes joined by points; the constraints are sorted.
struct EntityHash {
    let digest: Data

    init(_ entity: NSEntityDescription) {
        // From the root down, so that a chain of superentities of any length needs no recursion.
        var parentDigest: Data?
        for ancestor in entity.lineage.dropLast() {
            parentDigest =
                ancestor.tables?.versionHash ?? Self.digest(of: ancestor, parentDigest: parentDigest)
        }
        digest = Self.digest(of: entity, parentDigest: parentDigest)
    }

    private static func digest(of entity: NSEntityDescription, parentDigest: Data?) -> Data {
        var hash = HashedBytes()
        hash.update(text: entity.name ?? "")
        hash.update(data: [entity.isAbstract ? 1 : 0])
        if let parentDigest { hash.update(data: parentDigest) }
        for property in entity.propertiesByName.values.sorted(by: { $0.name.utf8Precedes($1.name) })
        where !property.isTransient && !(property is NSFetchedPropertyDescription) {
            hash.update(data: property.versionHash)
        }
        if let modifier = entity.versionHashModifier { hash.update(text: modifier) }
        let constraints = entity.uniquenessConstraintNames.map { $0.joined(separator: ".") }
        for constraint in constraints.sorted(by: { $0.utf8Precedes($1) }) { hash.update(text: constraint) }
        return hash.sha256
    }
}
