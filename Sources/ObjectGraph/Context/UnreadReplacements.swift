import ManagedObjectModel

/// New destinations of a to-many relationship whose old ones could not be read: it is not known yet which ones are removed.
struct UnreadReplacement {
    let object: NSManagedObject
    let slot: Int
    let destinations: [NSManagedObject]
}

extension NSManagedObjectContext {
    /// Notes that the destinations of a relationship are replaced.
    ///
    /// - Parameter destinations: the new ones, if the old ones could not be read; nil if they were.
    func noteReplacement(of object: NSManagedObject, at slot: Int, by destinations: [NSManagedObject]?) {
        _ = session.forgetReplacements(of: object, at: slot)
        guard let destinations else { return }
        session.keep(.init(object: object, slot: slot, destinations: destinations))
    }

    /// Forgets the replacements of an object whose changes are discarded.
    func forgetReplacements(of object: NSManagedObject) {
        _ = session.forgetReplacements(of: object)
    }

    /// Makes the replacements that can be read by now. Changes made since then stay.
    func replaceUnread() {
        for replacement in session.takeUnreadReplacements() {
            let (object, slot) = (replacement.object, replacement.slot)
            guard object.context === self, !object.isDeleted, object.toMany(at: slot).hasChanges else {
                continue
            }
            let contents = object.loadedToMany(at: slot)
            guard contents.isLoaded else {
                session.keep(replacement)
                continue
            }
            let later = contents.added.subtracting(replacement.destinations)
            object.setToMany(replacement.destinations.filter(contents.members.contains) + later, at: slot)
        }
    }
}
