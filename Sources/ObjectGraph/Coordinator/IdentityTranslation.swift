import ManagedObjectModel

/// Finds a coordinator's own IDs for IDs of others that have the same stores open.
///
/// IDs of different coordinators are never equal, though they may stand for the same row: the store's identifier, the name of
/// the entity and the reference identify the row.
struct IdentityTranslation {
    private let coordinator: NSPersistentStoreCoordinator
    /// The coordinator's own entity binding for each of another one; nil where it has none.
    private var storedEntities: [ObjectIdentifier: StoredEntity?] = [:]

    init(to coordinator: NSPersistentStoreCoordinator) { self.coordinator = coordinator }

    /// The coordinator's ID for an object.
    ///
    /// - Returns: nil when the coordinator has not added the object's store. The ID itself when it is the
    ///   coordinator's, when it is a temporary one, and when its store is gone, so that it is unknown which one it was.
    mutating func id(_ id: NSManagedObjectID) -> NSManagedObjectID? {
        guard !id.isTemporaryID, let store = id.persistentStore,
            store.persistentStoreCoordinator !== coordinator
        else { return id }
        guard let storedEntity = storedEntity(for: id.storedEntity, in: store),
            let reference = storedEntity.store?.reference(
                fromText: store.referenceText(id.reference, id.storedEntity), storedEntity)
        else { return nil }
        return NSManagedObjectID(storedEntity: storedEntity, reference: reference)
    }

    private mutating func storedEntity(for other: StoredEntity, in store: NSPersistentStore) -> StoredEntity?
    {
        if let known = storedEntities[ObjectIdentifier(other)] { return known }
        let own = coordinator.persistentStores.first { $0.identifier == store.identifier }
        let entity = other.entity.name.flatMap { coordinator.managedObjectModel.entitiesByName[$0] }
        let storedEntity = entity.flatMap { own?.storedEntity(of: $0) }
        storedEntities[ObjectIdentifier(other)] = .some(storedEntity)
        return storedEntity
    }
}
