import CocoaFoundation
import Foundation
import ManagedObjectModel

// Relationships by their keys: sets that edit them, questions that load nothing, announcements of changes by primitive means.

extension NSManagedObject {
    /// A set that edits a to-many relationship as its accessors do.
    ///
    /// - Parameter key: the name of an unordered to-many relationship.
    public final func mutableSetValue(forKey key: String) -> NSMutableSet {
        RelationshipSet(owner: self, slot: toManySlot(key, ordered: false))
    }

    /// An ordered set that edits an ordered to-many relationship as its accessors do.
    ///
    /// - Parameter key: the name of an ordered to-many relationship.
    public final func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
        orderedSet(at: toManySlot(key, ordered: true))
    }

    /// A set that edits the to-many relationship at the end of a key path over relationships to one: `publisher.books`.
    ///
    /// Stops with a message where the path leads to no object.
    public final func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        let (owner, key) = owner(of: keyPath)
        return owner.mutableSetValue(forKey: key)
    }

    /// An ordered set that edits the ordered to-many relationship at the end of a key path over relationships to one.
    ///
    /// Stops with a message where the path leads to no object.
    public final func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        let (owner, key) = owner(of: keyPath)
        return owner.mutableOrderedSetValue(forKey: key)
    }

    private final func owner(of keyPath: String) -> (NSManagedObject, key: String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return (self, keyPath) }
        let path = String(keyPath[..<dot])
        guard let owner = value(forKeyPath: path) as? NSManagedObject else {
            fatalError("The key path \(path) of \(objectID) leads to no object.")
        }
        return (owner, String(keyPath[keyPath.index(after: dot)...]))
    }

    private final func toManySlot(_ key: String, ordered: Bool) -> Int {
        guard let slot = layout.index(of: key) else { fatalError(unknownKeyMessage(key)) }
        let info = layout.slots[slot]
        require(
            info.kind == .toMany && info.isOrdered == ordered,
            "'\(key)' of entity \(entity.name ?? "") is not an \(ordered ? "ordered" : "unordered") to-many relationship."
        )
        return slot
    }

    /// Whether a relationship's destinations are not loaded yet. Loads nothing.
    public final func hasFault(forRelationshipNamed key: String) -> Bool {
        guard let slot = layout.index(of: key) else { fatalError(unknownKeyMessage(key)) }
        if isFault { return true }
        switch layout.slots[slot].kind {
        case .toMany: return !toMany(at: slot).isLoaded
        case .toOne:
            if slot < values.count, !values[slot].isUnloaded { return false }
            return row.map { !$0.isNull(slot) } ?? false
        default: return false
        }
    }

    /// The IDs of a relationship's destinations; their objects are not loaded.
    public final func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        guard let slot = layout.index(of: key) else { fatalError(unknownKeyMessage(key)) }
        fireFault()
        switch layout.slots[slot].kind {
        case .toMany: return loadedToMany(at: slot).ordered.map(\.objectID)
        case .toOne:
            if case .object(let object) = value(at: slot) { return [object.objectID] }
            return []
        default: fatalError("'\(key)' of entity \(entity.name ?? "") is not a relationship.")
        }
    }

    /// Announces that members of a to-many relationship will be added or removed by primitive means.
    public final func willChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
        using objects: Set<AnyHashable>
    ) {
        beginChange(key, .members(mutationKind, objects))
    }

    /// Ends what `willChangeValue(forKey:withSetMutation:using:)` began: sets the inverses of the objects.
    public final func didChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
        using objects: Set<AnyHashable>
    ) {
        didChangeValue(forKey: key)
    }

    /// Announces that an ordered to-many relationship will be changed at some places by primitive means.
    public final func willChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        beginChange(key, .indexed(changeKind, indexes))
    }

    /// Ends what `willChange(_:valuesAt:forKey:)` began.
    public final func didChange(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String
    ) {
        didChangeValue(forKey: key)
    }
}
