import Foundation
import Synchronization

/// The permanent IDs that have replaced temporary ones, in a family of contexts: one with a
/// coordinator and all that are below it.
///
/// An object can be in several of these contexts when it gets its permanent ID. Each context reads the list, from where
/// it stopped, before it looks for an object; so no identity ever has two objects in one context. Temporary IDs that a program
/// has kept stay valid for as long as the family lives, which costs a new object some 50 bytes.
///
/// A context without a family notes nothing.
final class PermanentIdentities: Sendable {
    struct Entry: Sendable {
        let temporary: Int64
        let storedEntity: StoredEntity
        let reference: Int64
    }

    private struct Entries: Sendable {
        var list: [Entry] = []
        var positions: [Int64: Int] = [:]
    }

    private let entries = Mutex(Entries())
    private let noted = Atomic<Int>(0)
    private let shared = Atomic<Bool>(false)

    /// Whether several contexts read the list.
    var isShared: Bool { shared.load(ordering: .relaxed) }

    /// Begins to note, because there is a second context.
    func share() { shared.store(true, ordering: .relaxed) }

    /// How many identities were noted. O(1), without a lock.
    var count: Int { noted.load(ordering: .acquiring) }

    /// Notes the permanent identity of an object with a temporary reference, unless it is known.
    func note(_ temporary: Int64, _ storedEntity: StoredEntity, _ reference: Int64) {
        guard isShared else { return }
        entries.withLock { entries in
            guard entries.positions[temporary] == nil else { return }
            entries.positions[temporary] = entries.list.count
            entries.list.append(Entry(temporary: temporary, storedEntity: storedEntity, reference: reference))
            noted.store(entries.list.count, ordering: .releasing)
        }
    }

    /// The permanent identity of the object with a temporary reference; nil while it has none. O(1).
    ///
    /// - Parameter limit: how many of the identities count, from the first.
    func permanent(_ temporary: Int64, among limit: Int = .max) -> Entry? {
        guard limit > 0, count > 0 else { return nil }
        return entries.withLock { entries in
            guard let position = entries.positions[temporary], position < limit else { return nil }
            return entries.list[position]
        }
    }

    /// The identities noted from an index on.
    func entries(from position: Int) -> [Entry] { entries.withLock { Array($0.list[position...]) } }
}

extension NSManagedObjectContext {
    /// Adopts the permanent IDs that objects were given in other contexts of the family. O(new IDs).
    @inline(__always)
    func adoptPermanentIDs() {
        if identities.count != family.adoptedCount { adoptNewIdentities() }
    }

    private func adoptNewIdentities() {
        let entries = identities.entries(from: family.adoptedCount)
        family.adoptedCount += entries.count
        identityMap.collectingRegistrations {
            for entry in entries {
                guard let object = identityMap.object(ObjectKey(table: 0, reference: entry.temporary)) else {
                    continue
                }
                rename(object, storedEntity: entry.storedEntity, reference: entry.reference)
            }
        }
    }
}
