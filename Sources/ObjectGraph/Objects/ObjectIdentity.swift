/// The identity of an object as one context passes it to another of its family.
struct ObjectIdentity: Sendable {
    let storedEntity: StoredEntity
    let reference: Int64

    init(storedEntity: StoredEntity, reference: Int64) {
        self.storedEntity = storedEntity
        self.reference = reference
    }

    init(_ object: NSManagedObject) {
        self.init(storedEntity: object.storedEntity, reference: object.reference)
    }

    var key: ObjectKey { ObjectKey(table: storedEntity.table, reference: reference) }
}

extension NSManagedObjectContext {
    /// The identity under which this context has an object. A permanent ID that it has not adopted yet does not count: the
    /// object is still registered under its temporary one.
    func identity(_ identity: ObjectIdentity) -> ObjectIdentity {
        guard identity.storedEntity.isTemporary,
            let entry = identities.permanent(identity.reference, among: family.adoptedCount)
        else { return identity }
        return ObjectIdentity(storedEntity: entry.storedEntity, reference: entry.reference)
    }

    /// The identity under which this context has the object with an ID.
    func identity(_ id: NSManagedObjectID) -> ObjectIdentity {
        identity(ObjectIdentity(storedEntity: id.storedEntity, reference: id.reference))
    }
}

extension NSManagedObject {
    /// Whether nothing below the object's context, a store or a parent, has the object.
    final var isUnknownBelow: Bool {
        guard storedEntity.isTemporary else { return false }
        guard let context, context.parentContext != nil else { return true }
        return !state.isDisjoint(with: [.inserted, .leaving])
    }
}
