import ManagedObjectModel

/// The entity bindings of new objects until they are saved.
struct UnstoredEntities {
    private var entities: [ObjectIdentifier: StoredEntity] = [:]
    /// The last one used: new objects are often of the same entity.
    private var last: StoredEntity?
    /// The same, read without counting references.
    private var lastPointer: (entity: ObjectIdentifier, storedEntity: Unmanaged<StoredEntity>)?
    /// The class that objects were last made of, with its entity.
    private var lastClass: (type: NSManagedObject.Type, entity: NSEntityDescription)?

    /// The entity binding of new objects of an entity, if the last new object was of that; nil for any other.
    @inline(__always)
    func lastEntity(_ entity: NSEntityDescription) -> Unmanaged<StoredEntity>? {
        guard let lastPointer, lastPointer.entity == ObjectIdentifier(entity) else { return nil }
        return lastPointer.storedEntity
    }

    /// The entity of a class, if it is the class that `note(_:of:)` was last called with.
    func entity(of type: NSManagedObject.Type) -> NSEntityDescription? {
        lastClass?.type == type ? lastClass?.entity : nil
    }

    mutating func note(_ entity: NSEntityDescription, of type: NSManagedObject.Type) {
        lastClass = (type, entity)
    }

    mutating func entity(_ layout: EntityLayout) -> StoredEntity {
        if let last, last.layout === layout { return last }
        let made = entities[ObjectIdentifier(layout)] ?? StoredEntity(unstored: layout)
        entities[ObjectIdentifier(layout)] = made
        last = made
        // None of an abstract entity: who finds it here does not ask.
        lastPointer = made.entity.isAbstract ? nil : (ObjectIdentifier(made.entity), .passUnretained(made))
        return made
    }
}
