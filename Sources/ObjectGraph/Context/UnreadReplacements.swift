import ManagedObjectModel

/// New destinations of a relationship to many whose old ones could not be read: which of them go is not known yet.
struct UnreadReplacement {
    let object: NSManagedObject
    let slot: Int
    let destinations: [NSManagedObject]
}

extension NSManagedObjectContext {
    /// Notes that the destinations of a relationship are replaced.
    ///
    /// - Parameter destinations: the new ones, where the old ones could not be read; nil where they were.
    func noteReplacement(of object: NSManagedObject, at slot: Int, by destinations: [NSManagedObject]?) {
        _ = session.forgetReplacements(of: object, at: slot)
        guard let destinations else { return }
        session.keep(.init(object: object, slot: slot, destinations: destinations))
    }

    /// Forgets the replacements of an object whose changes are discarded.
    func forgetReplacements(of object: NSManagedObject) {
        _ = session.forgetReplacements(of: object)
    }

    /// Replaces what can be read by now. What was changed since then stays.
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
