import Synchronization

/// The contexts of a coordinator that merge what others save, held weakly.
///
/// A context removes itself when it is deallocated. That must not happen while the lock is held: loaded references leave it.
final class ContextSubscribers: Sendable {
    private struct Entry: Sendable {
        let id: ObjectIdentifier
        weak var context: NSManagedObjectContext?
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ context: NSManagedObjectContext) {
        remove(context)
        entries.withLock { $0.append(Entry(id: ObjectIdentifier(context), context: context)) }
    }

    func remove(_ context: NSManagedObjectContext) {
        let id = ObjectIdentifier(context)
        entries.withLock { entries in entries.removeAll { $0.id == id } }
    }

    var isEmpty: Bool { entries.withLock { $0.isEmpty } }

    var contexts: [NSManagedObjectContext] { entries.withLock { $0.compactMap(\.context) } }
}
