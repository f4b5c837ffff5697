import Synchronization

/// Merges what others save: a context with `automaticallyMergesChangesFromParent`. Every merge is a later event on the subscriber's
/// own queue, so the calls return at once, on any queue.
protocol SaveSubscriber: AnyObject, Sendable {
    /// Merges the save of a context that works on the same coordinator or parent, or that is the parent.
    ///
    /// - Parameter rows: the parent's rows of the objects; nil where there is no parent.
    func mergeLater(_ changes: SavedChanges, rows: RowsAbove?)

    /// Merges what other coordinators and programs have saved to a store.
    func mergeLater(_ changes: ChangesByOthers)

    /// Merges what the parent has merged, which others have saved.
    ///
    /// - Parameter changes: nil for any object that the subscriber has.
    func mergeFromParentLater(_ changes: SavedChanges?)
}

/// Those that merge the saves to a coordinator or to a parent, held weakly.
///
/// A context removes itself when it is deallocated. That must not happen while the lock is held: loaded references leave it.
final class SaveSubscribers: Sendable {
    private struct Entry: Sendable {
        let id: ObjectIdentifier
        weak var subscriber: (any SaveSubscriber)?
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ subscriber: any SaveSubscriber) {
        remove(subscriber)
        entries.withLock { $0.append(Entry(id: ObjectIdentifier(subscriber), subscriber: subscriber)) }
    }

    func remove(_ subscriber: any SaveSubscriber) {
        let id = ObjectIdentifier(subscriber)
        entries.withLock { entries in entries.removeAll { $0.id == id } }
    }

    var isEmpty: Bool { entries.withLock { $0.isEmpty } }

    var all: [any SaveSubscriber] { entries.withLock { $0.compactMap(\.subscriber) } }
}
