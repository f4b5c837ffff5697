/// The identity of an object as one context passes it to another of its family.
struct ObjectPlace: Sendable {
    let home: StoredEntity
    let reference: Int64

    init(home: StoredEntity, reference: Int64) {
        self.home = home
        self.reference = reference
    }

    init(_ object: NSManagedObject) { self.init(home: object.home, reference: object.reference) }

    var key: ObjectKey { ObjectKey(table: home.table, reference: reference) }
}

extension NSManagedObjectContext {
    /// The identity under which this context has an object. A permanent ID that it has not adopted yet does not count: the
    /// object is still registered under its temporary one.
    func place(_ place: ObjectPlace) -> ObjectPlace {
        guard place.home.isTemporary,
            let entry = identities.permanent(place.reference, among: family.adoptedCount)
        else { return place }
        return ObjectPlace(home: entry.home, reference: entry.reference)
    }

    /// The identity under which this context has the object with an ID.
    func place(_ id: NSManagedObjectID) -> ObjectPlace {
        place(ObjectPlace(home: id.home, reference: id.reference))
    }
}

extension NSManagedObject {
    /// Whether nothing below the object's context, a store or a parent, has the object.
    final var isUnknownBelow: Bool {
        guard home.isTemporary else { return false }
        guard let context, context.parentContext != nil else { return true }
        return !state.isDisjoint(with: [.inserted, .leaving])
    }
}
