import ManagedObjectModel

// An unsaved change of a to-one link survives a newer row with another destination. The to-many relationship of that
// destination must not show the object then.

extension NSManagedObjectContext {
    /// Removes an object with a newer row from the to-many relationships that the row leads to, where its own unsaved links
    /// lead elsewhere. O(changed links).
    func leaveOwners(of object: NSManagedObject) {
        for (owner, inverse) in ownersToLeave(of: object) {
            owner.fireFault()
            guard !owner.state.contains(.inaccessible), let end = owner.layout.index(of: inverse.name) else {
                continue
            }
            // Members read before others linked the object would not show its removal.
            let contents = owner.toMany(at: end)
            if contents.isLoaded, !contents.members.contains(object), !contents.removed.contains(object) {
                owner.dropLoadedRelationships()
            }
            owner.unlink(object, from: inverse)
        }
    }

    /// The same for the objects of conflicts. The owners show what others have made of them first: changed as they were read, they
    /// would meet conflicts of their own, and a policy that keeps whole objects would keep values that were not changed here.
    ///
    /// - Throws: an error of the store.
    func leaveOwners(ofResolved objects: [NSManagedObject]) throws {
        try adoptNewerRows(of: objects.flatMap { ownersToLeave(of: $0).map(\.owner) })
        for object in objects { leaveOwners(of: object) }
    }

    private func ownersToLeave(of object: NSManagedObject) -> [(
        owner: NSManagedObject, inverse: NSRelationshipDescription
    )] {
        guard object.context === self, !object.isDeleted, !object.isFault else { return [] }
        return object.layout.relationshipIndexes.compactMap { slot in
            guard object.layout.slots[slot].kind == .toOne, object.touched.contains(slot),
                object.differsFromRow(at: slot),
                let inverse = object.layout.slots[slot].relationship?.inverseRelationship, inverse.isToMany,
                case .object(let owner) = object.committedValue(at: slot), owner.context === self,
                !owner.isDeleted
            else { return nil }
            return (owner, inverse)
        }
    }
}
