import ManagedObjectModel

extension NSManagedObject {
    /// The object's identity; temporary until the object is saved.
    ///
    /// May be read on any thread, but while the first save of the object runs: then on the queue of its context only. The same instance in
    /// each block of the context, until the object is saved first; compare IDs by `==`.
    public final var objectID: NSManagedObjectID {
        // Other threads neither read nor write what the object's own queue may write meanwhile: the ID that is kept.
        guard CurrentContext.isThis(contextPointer) else {
            return NSManagedObjectID(storedEntity: storedEntity, reference: reference)
        }
        if let cachedID, cachedID.reference == reference, cachedID.storedEntity === storedEntity {
            return cachedID
        }
        let made = NSManagedObjectID(storedEntity: storedEntity, reference: reference)
        cachedID = made
        return made
    }

    package final var key: ObjectKey { ObjectKey(table: storedEntity.table, reference: reference) }

    /// The entity that describes the object.
    public final var entity: NSEntityDescription { storedEntity.entity }

    /// The context the object is registered with; nil after the context or the saved object is gone.
    public final var managedObjectContext: NSManagedObjectContext? { context }
}
