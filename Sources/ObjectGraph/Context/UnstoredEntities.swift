import ManagedObjectModel

/// The entity bindings of new objects until they are saved.
struct UnstoredEntities {
    private var entities: [ObjectIdentifier: StoredEntity] = [:]
    /// The last one used: new objects are often of the same entity.
    private var last: StoredEntity?

    mutating func entity(_ layout: EntityLayout) -> StoredEntity {
        if let last, last.layout === layout { return last }
        let made = entities[ObjectIdentifier(layout)] ?? StoredEntity(unstored: layout)
        entities[ObjectIdentifier(layout)] = made
        last = made
        return made
    }
}
