import ManagedObjectModel

/// The unsaved links of an object, made or ended, noted before its changes are discarded, wholly or in part: the other ends,
/// which are changes of other objects, are to follow.
///
/// A link between one and many is a change of the object whose row has the key: at the to-many end it survives a discard there,
/// except for what the delete rules did, once a deletion is discarded.
struct DiscardedLinks {
    private struct End {
        let slot: Int
        let inverse: NSRelationshipDescription
        let made: [NSManagedObject]
        let ended: [NSManagedObject]
        /// Whether these are changes of the objects on the other end.
        var belongsToOthers = false
    }

    private let object: NSManagedObject
    private let ends: [End]

    init(of object: NSManagedObject) {
        self.object = object
        let isDeleted = object.isDeleted
        ends =
            object.isFault
            ? []
            : object.layout.relationshipIndexes.compactMap { slot in
                guard let inverse = object.layout.slots[slot].relationship?.inverseRelationship,
                    object.layout.slots[slot].isStored, object.touched.contains(slot),
                    object.differsFromRow(at: slot)
                else { return nil }
                var made: [NSManagedObject] = []
                var ended: [NSManagedObject] = []
                switch object.value(at: slot) {
                case .toMany(let contents) where inverse.isToMany:
                    (made, ended) = (Array(contents.added), Array(contents.removed))
                case .toMany(let contents) where isDeleted:
                    let earlier = object.extras?.endedBeforeDeletion[slot] ?? []
                    ended = Array(contents.removed.subtracting(earlier))
                case .toMany(let contents):
                    return End(
                        slot: slot, inverse: inverse, made: Array(contents.added),
                        ended: Array(contents.removed), belongsToOthers: true)
                case let value:
                    if case .object(let destination) = value { made = [destination] }
                    if case .object(let destination) = object.committedValue(at: slot) {
                        ended = [destination]
                    }
                }
                return End(slot: slot, inverse: inverse, made: made, ended: ended)
            }
    }

    /// Updates the other ends of discarded changes. These updates belong to the running event.
    ///
    /// - Parameter isRefreshed: whether all changes were discarded; the object is not loaded then.
    func revert(isRefreshed: Bool = false) {
        endMade(isRefreshed: isRefreshed)
        restoreEnded(isRefreshed: isRefreshed)
    }

    /// Updates the other ends of several objects. An object must lose its new partner before it gets its former one back.
    static func revert(_ links: [DiscardedLinks]) {
        for links in links { links.endMade(isRefreshed: false) }
        for links in links { links.restoreEnded(isRefreshed: false) }
    }

    private func endMade(isRefreshed: Bool) {
        guard let context = object.context, isRefreshed || !object.isDeleted else { return }
        for end in ends where end.belongsToOthers && !isRefreshed {
            object.keepLinks(of: end.made, ended: end.ended, end.inverse, at: end.slot)
        }
        for end in ends where !end.belongsToOthers {
            for other in end.made
            where other.context === context && (isRefreshed || !leads(to: other, end.slot, wasMade: true)) {
                other.revertEnd(of: object, end.inverse, wasMade: true)
            }
        }
    }

    private func restoreEnded(isRefreshed: Bool) {
        guard let context = object.context, isRefreshed || !object.isDeleted else { return }
        for end in ends where !end.belongsToOthers {
            for other in end.ended
            where other.context === context && (isRefreshed || leads(to: other, end.slot, wasMade: false)) {
                other.revertEnd(of: object, end.inverse, wasMade: false)
            }
        }
    }

    /// Whether the object leads to another of which only a change was known.
    private func leads(to other: NSManagedObject, _ slot: Int, wasMade: Bool) -> Bool {
        switch object.value(at: slot) {
        case .object(let destination): destination === other
        case .toMany(let contents):
            wasMade ? contents.added.contains(other) : !contents.removed.contains(other)
        default: false
        }
    }
}

extension NSManagedObject {
    /// Restores those changes of a to-many relationship that the objects on the other ends still have. Their save includes this
    /// object, so that a concurrent deletion is a conflict.
    fileprivate final func keepLinks(
        of made: [NSManagedObject], ended: [NSManagedObject], _ inverse: NSRelationshipDescription,
        at slot: Int
    ) {
        func leadsFrom(from other: NSManagedObject) -> Bool {
            guard let end = other.layout.index(of: inverse.name) else { return false }
            if case .object(let owner) = other.value(at: end) { return owner === self }
            return false
        }
        let contents = toMany(at: slot)
        let others = (made + ended).filter { $0.context === context && !$0.isFault && !$0.isDeleted }
        for other in others where other.hasPersistentChangedValues {
            if made.contains(other) {
                guard leadsFrom(from: other), !contents.added.contains(other) else { continue }
                willChange(at: slot)
                addMember(other, at: slot)
                didChange(at: slot)
            } else {
                guard !leadsFrom(from: other), !contents.removed.contains(other) else { continue }
                willChange(at: slot)
                dropMember(other, at: slot)
                didChange(at: slot)
            }
        }
    }

    /// Reverts the unsaved change of one link at this end; does nothing if this end was changed otherwise since.
    ///
    /// - Parameter wasMade: whether the link was made and is to end; otherwise it was ended and is to be restored.
    fileprivate final func revertEnd(
        of other: NSManagedObject, _ relationship: NSRelationshipDescription, wasMade: Bool
    ) {
        guard let slot = layout.index(of: relationship.name), !isFault, !isDeleted,
            !state.contains(.inaccessible)
        else { return }
        switch value(at: slot) {
        case .toMany(let contents):
            guard wasMade ? contents.added.contains(other) : contents.removed.contains(other) else { return }
            if wasMade { unlink(other, from: relationship) } else { restoreMember(other, at: slot) }
        case .object(let destination):
            if wasMade, destination === other { unlink(other, from: relationship) }
        default:
            guard !wasMade, case .object(let destination) = committedValue(at: slot), destination === other
            else { return }
            willChange(at: slot)
            assign(.object(other), at: slot)
            didChange(at: slot)
        }
    }
}
