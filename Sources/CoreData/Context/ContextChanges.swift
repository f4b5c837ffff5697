import Foundation

/// What an event changed, as notifications and results controllers see it.
package struct ContextChanges {
    package var inserted: [NSManagedObject] = []
    package var updated: [NSManagedObject] = []
    package var deleted: [NSManagedObject] = []
    package var refreshed: [NSManagedObject] = []
    package var invalidatedAll = false

    mutating func append(_ other: ContextChanges) {
        inserted += other.inserted
        updated += other.updated
        deleted += other.deleted
        refreshed += other.refreshed
        invalidatedAll = invalidatedAll || other.invalidatedAll
    }

    package var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && !invalidatedAll
    }
}

/// Whoever follows the changes of a context, on its queue.
package protocol ContextListener: AnyObject {
    func contextDidChange(_ changes: ContextChanges)
}

/// The listeners of a context, held weakly.
package final class ContextListeners {
    private struct Entry {
        weak var listener: (any ContextListener)?
    }

    private var entries: [Entry] = []

    package func add(_ listener: any ContextListener) {
        entries.removeAll { $0.listener == nil || $0.listener === listener }
        entries.append(Entry(listener: listener))
    }

    package func remove(_ listener: any ContextListener) {
        entries.removeAll { $0.listener == nil || $0.listener === listener }
    }

    func tell(_ changes: ContextChanges) {
        for entry in entries { entry.listener?.contextDidChange(changes) }
    }
}
