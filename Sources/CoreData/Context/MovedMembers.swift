import ManagedObjectModel

// A link to one that was changed here and not saved outlives a newer row, which may lead elsewhere. The relationship to many
// at the end that the row leads to must not show the object then.

extension NSManagedObjectContext {
    /// Takes an object with a newer row out of the relationships to many that the row leads to where its own, unsaved links lead
    /// elsewhere. O(changed links).
    func leaveOwners(of object: NSManagedObject) {
        guard object.context === self, !object.isDeleted, !object.isFault else { return }
        for slot in object.layout.relationshipIndexes
        where object.layout.slots[slot].kind == .toOne && object.touched.contains(slot)
            && object.differsFromRow(at: slot)
        {
            guard let inverse = object.layout.slots[slot].relationship?.inverseRelationship,
                inverse.isToMany, case .object(let owner) = object.committedValue(at: slot),
                owner.context === self, !owner.isDeleted, let end = owner.layout.index(of: inverse.name)
            else { continue }
            owner.fireFault()
            guard !owner.state.contains(.inaccessible) else { continue }
            // What was read before others linked the object would not show that it leaves.
            let contents = owner.toMany(at: end)
            if contents.isLoaded, !contents.members.contains(object), !contents.removed.contains(object) {
                owner.dropLoadedRelationships()
            }
            owner.unlink(object, from: inverse)
        }
    }
}
