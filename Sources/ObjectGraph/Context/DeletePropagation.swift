import Foundation
import ManagedObjectModel

// Delete rules. A deleted object ends its links: with Nullify the other side forgets it, with Cascade the other side is deleted
// too; Deny is checked by validation, before anything is written; No Action leaves the other side as it is.

extension NSManagedObjectContext {
    /// Applies the rules of objects deleted since the last time, and of those deleted with them. O(links).
    ///
    /// An object whose destinations cannot be loaded is tried again the next time, and a save fails until then.
    ///
    /// - Parameter all: false for only those that leave the context with the running event.
    func propagateDeletes(all: Bool) {
        let before = session.faultingError
        defer { session.faultingError = before }
        session.forgetDeletionError()
        var waiting: [NSManagedObject] = []
        while let object = tracker.takeDeletionToPropagate() {
            guard object.isDeleted else { continue }
            guard all || object.state.contains(.leaving) else {
                waiting.append(object)
                continue
            }
            session.faultingError = nil
            for slot in object.layout.relationshipIndexes { propagateDelete(of: object, slot) }
            // If an earlier event deleted the object, the end of this one reverts or forgets nothing.
            if !tracker.isDeletedByEvent(object) { object.extras?.event = nil }
            if let error = session.faultingError {
                waiting.append(object)
                session.noteDeletionError(error)
            }
        }
        tracker.restoreDeletions(waiting)
    }

    private func propagateDelete(of object: NSManagedObject, _ slot: Int) {
        let info = object.layout.slots[slot]
        guard let relationship = info.relationship else { return }
        switch relationship.deleteRule {
        // Nothing can lead to an object that no store ever had.
        case .noActionDeleteRule, .denyDeleteRule: guard object.state.contains(.leaving) else { return }
        case .nullifyDeleteRule, .cascadeDeleteRule: break
        }
        readingStore(of: object) { try adoptLaterLinks(of: object, at: slot) }
        let destinations = object.destinations(at: slot)
        if relationship.deleteRule == .cascadeDeleteRule {
            for destination in destinations
            where !destination.isDeleted && destination.leads(to: object, relationship.inverseRelationship) {
                delete(destination)
            }
        }
        // The whole rule is applied again: unread objects may be deleted too.
        guard session.faultingError == nil else { return }
        object.noteLinksEndedBeforeDeletion(at: slot)
        object.endLinks(to: destinations, at: slot)
    }
}

extension NSManagedObject {
    /// Notes the links of others that ended, unsaved, before the deletion ended the rest: they stay ended when the deletion is
    /// discarded.
    fileprivate final func noteLinksEndedBeforeDeletion(at slot: Int) {
        guard slot < values.count, case .toMany(let contents) = values[slot] else { return }
        if contents.removed.isEmpty {
            extras?.endedBeforeDeletion[slot] = nil
        } else {
            madeExtras.endedBeforeDeletion[slot] = contents.removed
        }
    }

    /// Whether no unsaved change has moved away this end of a link, whose other end may be known from rows alone.
    final func leads(to other: NSManagedObject, _ relationship: NSRelationshipDescription?) -> Bool {
        guard let relationship, let slot = layout.index(of: relationship.name) else { return true }
        fireFault()
        if layout.slots[slot].kind == .toMany { return !toMany(at: slot).removed.contains(other) }
        if case .object(let destination) = value(at: slot) { return destination === other }
        return false
    }

    /// The objects that a relationship leads to.
    final func destinations(at slot: Int) -> [NSManagedObject] {
        if layout.slots[slot].kind == .toMany { return loadedToMany(at: slot).ordered }
        if case .object(let destination) = value(at: slot) { return [destination] }
        return []
    }
}
