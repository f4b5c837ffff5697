import ManagedObjectModel

extension SQLSchema {
    /// The tables' side of an entity; nil for one that the store does not hold.
    package func entity(of entity: NSEntityDescription) -> SQLEntity? {
        entities.first { $0.storedEntity.entity === entity }
    }
}

extension SQLEntity {
    package var name: String { storedEntity.entity.name ?? "" }
}
