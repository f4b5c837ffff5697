import CocoaFoundation
import Foundation

/// The values of a deleted object that the history of a store keeps.
///
/// Value transformers are code of the application, which may read the store: they run when the values are read, not while the
/// history is read.
package final class Tombstone: @unchecked Sendable {
    private let lock = NSLock()
    private var known: [AnyHashable: Any]
    private var archived: [(slot: PropertySlot, data: Data)]

    /// - Parameters:
    ///   - known: values by name.
    ///   - archived: the stored data of values to be transformed.
    package init(_ known: [AnyHashable: Any], archived: [(slot: PropertySlot, data: Data)]) {
        self.known = known
        self.archived = archived
    }

    /// The existing values, by name.
    var values: [AnyHashable: Any] {
        let found = lock.withLock { (values: self.known, archived: self.archived) }
        guard !found.archived.isEmpty else { return found.values }
        var all = found.values
        for (slot, data) in found.archived {
            all[slot.name] = TransformableValue.decode(data, slot).anyValue(.transformable)
        }
        return lock.withLock {
            // Another thread may have been faster.
            if !archived.isEmpty {
                known = all
                archived = []
            }
            return known
        }
    }
}
