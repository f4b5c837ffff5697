import ManagedObjectModel

/// Where new objects of each entity stand until they are saved.
struct UnstoredEntities {
    private var entities: [ObjectIdentifier: StoredEntity] = [:]
    /// The one that was asked for last: objects mostly come many of a kind.
    private var last: StoredEntity?

    mutating func entity(_ layout: EntityLayout) -> StoredEntity {
        if let last, last.layout === layout { return last }
        let made = entities[ObjectIdentifier(layout)] ?? StoredEntity(unstored: layout)
        entities[ObjectIdentifier(layout)] = made
        last = made
        return made
    }
}
