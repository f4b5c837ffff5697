import Foundation
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Before the next attempt to save: ends unsaved links to objects that others deleted, and applies the rules of deletions
    /// to objects that others linked to the deleted ones.
    ///
    /// - Parameter attempts: the number of resolutions in this save.
    /// - Throws: 1550 for an unsaved link to a deleted object, when the merge policy is to report conflicts; 1600 for
    ///   links that deny the deletion; a validation error.
    func resolve(_ links: DanglingLinks, after attempts: inout Int) throws {
        try beginResolving(&attempts)
        let gone = Set(links.missing.compactMap(identityMap.object))
        if let first = gone.first, (mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType {
            throw NSError.coreData(
                .managedObjectValidation,
                "Dangling reference to an invalid object: unsaved links lead to \(first.objectID), which was deleted.",
                [NSAffectedObjectsErrorKey: Array(gone)])
        }
        for owner in links.owners { try apply(owner, of: links.store) }
        for object in gone { session.note(.object(ObjectSnapshot(object))) }
        endUnsavedLinks(to: gone, isNoted: true)
        propagateDeletes(all: true)
        try endResolving()
    }

    /// Applies the delete rule to an object that leads to a deleted one.
    private func apply(_ owner: DanglingLinks.Owner, of store: any ObjectStore) throws {
        guard let object = instantiate([owner.row], from: store, refreshing: false).list.first,
            !object.isDeleted, let slot = object.layout.index(of: owner.relationship.name)
        else { return }
        session.note(.object(ObjectSnapshot(object)))
        if object.differs(from: owner.row) {
            refreshValues(of: object, owner.row)
            tracker.noteExternalRefresh(of: object)
        }
        guard case .object(let deleted) = object.value(at: slot), deleted.isDeleted,
            let rule = owner.relationship.inverseRelationship
        else { return }
        switch rule.deleteRule {
        case .noActionDeleteRule: break
        case .nullifyDeleteRule: object.endLink(at: slot)
        case .cascadeDeleteRule: delete(object)
        case .denyDeleteRule:
            throw ValidationErrors.error(
                NSValidationRelationshipDeniedDeleteError, deleted, key: rule.name, value: object,
                sentence: "Items cannot be deleted from \(rule.name): \(object.objectID) remains.")
        }
    }
}
