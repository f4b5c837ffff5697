/// The flags of a managed object.
package struct ObjectState: OptionSet, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The values are not loaded.
    package static let fault = ObjectState(rawValue: 1 << 0)
    package static let inserted = ObjectState(rawValue: 1 << 1)
    package static let updated = ObjectState(rawValue: 1 << 2)
    package static let deleted = ObjectState(rawValue: 1 << 3)
    /// In the list of the current event's inserted, updated or deleted objects.
    package static let eventInserted = ObjectState(rawValue: 1 << 4)
    package static let eventUpdated = ObjectState(rawValue: 1 << 5)
    package static let eventDeleted = ObjectState(rawValue: 1 << 6)
    package static let eventRefreshed = ObjectState(rawValue: 1 << 7)
    /// Setters do not mark the object: it is inside `awakeFromFetch` or the like.
    package static let unobservedChanges = ObjectState(rawValue: 1 << 8)
    /// The row does not exist; the object stands for a deleted one.
    package static let inaccessible = ObjectState(rawValue: 1 << 9)
    /// Deleted before it was ever saved; leaves the context at the end of the event.
    package static let leaving = ObjectState(rawValue: 1 << 10)
    /// Made by the running event, so that undoing the event removes the whole object.
    package static let madeInEvent = ObjectState(rawValue: 1 << 11)
    /// Its deletion was saved; it leaves the context when the objects have been notified.
    package static let gone = ObjectState(rawValue: 1 << 12)
    /// In its `prepareForDeletion()`.
    package static let prepared = ObjectState(rawValue: 1 << 13)
}

extension NSManagedObject {
    /// Whether the values are not loaded yet. Reading any property loads them.
    public final var isFault: Bool { state.contains(.fault) }

    /// 0 when the object is fully initialised, another number while it is in transition.
    public final var faultingState: Int { isFault ? 1 : 0 }

    /// Whether the object was inserted and not saved since.
    public final var isInserted: Bool { state.contains(.inserted) }

    /// Whether a property was set since the last save, also to an equal value, also a transient one.
    public final var isUpdated: Bool { state.contains(.updated) && !state.contains(.inserted) }

    /// Whether the object will be deleted at the next save. False once that has happened; true still in the `didSave()` of
    /// the save that deletes it.
    public final var isDeleted: Bool { !state.isDisjoint(with: [.deleted, .leaving, .gone]) }

    /// Whether the object was inserted, changed or deleted since the last save.
    public final var hasChanges: Bool { isInserted || isUpdated || isDeleted && !state.contains(.gone) }
}
