import CocoaFoundation

/// The version hashes of entities and their properties, each computed once.
///
/// The hash of an entity is the SHA-256 of the name, a byte that says whether the entity is abstract, the hash
/// of the superentity, the hashes of all attributes and relationships that are not transient (inherited ones
/// included, in the order of their names), the hash modifier, and the entity's own uniqueness constraints.
/// A constraint is the names of its attributes joined by points; the constraints are sorted.
///
/// What needs the hashes of several entities gets them from one such table, as long as nothing of their model
/// changes: it goes from the roots of the trees down, so that the hash of an entity or property that others
/// inherit is not computed again for each of them.
package final class VersionHashes {
    /// The hash of an entity, with the hashes of all of its properties that count, in the order of the names.
    private struct EntityEntry {
        let digest: Data
        let properties: [(name: String, digest: Data)]
    }

    private var entities: [ObjectIdentifier: EntityEntry] = [:]

    /// How many hashes of entities and properties have been computed.
    package private(set) var computedCount = 0

    package init() {}

    /// The hash of an entity: 32 bytes.
    ///
    /// - Complexity: O(*p*) of the properties of the entity, inherited ones included, and of each of its
    ///   superentities whose hash is not known yet.
    package func digest(of entity: NSEntityDescription) -> Data {
        // From the root down, so that a chain of superentities of any length needs no recursion.
        var path: [NSEntityDescription] = []
        var seen: Set<ObjectIdentifier> = []
        var next: NSEntityDescription? = entity
        var above: EntityEntry?
        while let current = next {
            above = entities[ObjectIdentifier(current)]
            // A circle of superentities, which the check of the model reports, ends the way up.
            guard above == nil, seen.insert(ObjectIdentifier(current)).inserted else { break }
            path.append(current)
            next = current.parent
        }
        for current in path.reversed() {
            let entry = entry(of: current, below: above)
            entities[ObjectIdentifier(current)] = entry
            above = entry
        }
        return above?.digest ?? Data()
    }

    private func entry(of entity: NSEntityDescription, below parent: EntityEntry?) -> EntityEntry {
        let properties = properties(of: entity, below: parent)
        if let digest = entity.tables?.versionHash {
            return EntityEntry(digest: digest, properties: properties)
        }
        computedCount += 1
        var hash = HashedBytes()
        hash.update(text: entity.name ?? "")
        hash.update(data: [entity.isAbstract ? 1 : 0])
        if let parent { hash.update(data: parent.digest) }
        for property in properties { hash.update(data: property.digest) }
        if let modifier = entity.versionHashModifier { hash.update(text: modifier) }
        let constraints = entity.uniquenessConstraintNames.map { $0.joined(separator: ".") }
        for constraint in constraints.sorted(by: { $0.utf8Precedes($1) }) { hash.update(text: constraint) }
        return EntityEntry(digest: hash.sha256, properties: properties)
    }

    /// The properties that count for the hash: those of the superentity and the entity's own, which take the
    /// place of inherited ones of the same name.
    private func properties(
        of entity: NSEntityDescription, below parent: EntityEntry?
    ) -> [(name: String, digest: Data)] {
        let inherited = parent?.properties ?? []
        if entity.ownProperties.isEmpty { return inherited }
        var own: [String: Data?] = [:]
        for property in entity.ownProperties {
            guard !property.isTransient, !property.isFetched else {
                own[property.name] = .some(nil)
                continue
            }
            computedCount += 1
            own[property.name] = property.versionHash
        }
        return
            (inherited.filter { own[$0.name] == nil }
            + own.compactMap { name, digest in digest.map { (name: name, digest: $0) } })
            .sorted { $0.name.utf8Precedes($1.name) }
    }
}

extension NSManagedObjectModel {
    /// Computes the version hashes of entities, each once.
    static func versionHashing() -> (NSEntityDescription) -> Data {
        let hashes = VersionHashes()
        return { hashes.digest(of: $0) }
    }
}

extension NSEntityDescription {
    /// The version hash of the entity as it is now.
    var computedVersionHash: Data { VersionHashes().digest(of: self) }
}

extension NSPropertyDescription {
    /// The version hash of the property as it is now.
    var computedVersionHash: Data { PropertyHash(self).digest }
}
