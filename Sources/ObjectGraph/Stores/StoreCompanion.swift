import Foundation

/// What is kept beside a store and follows its changes, such as its search index. A store owns it, and calls it.
package class StoreCompanion: @unchecked Sendable {
    /// Different for each companion of a store.
    package let companionName: String

    package init(named name: String) { companionName = name }

    /// Called after a save or a batch request has changed the store. `keys` are the changed objects; nil where they are to be read
    /// from the store's history.
    package func storeDidChange(_ keys: (() -> [(storedEntity: StoredEntity, reference: Int64)])?) {}

    /// Called when the store has closed its file, or has opened another one.
    package func storeDidClose() {}
}

extension UnitOfWork {
    /// The objects that it inserts, updates or deletes.
    ///
    /// - Parameter rows: the new rows as the store has written them: the rows of the unit need not have their keys.
    func changedKeys(_ rows: [Row]) -> [(storedEntity: StoredEntity, reference: Int64)] {
        zip(inserts, rows).map { ($0.storedEntity, $1.reference) }
            + updates.map { ($0.storedEntity, $0.row.reference) }
            + deletions.map { ($0.storedEntity, $0.old.reference) }
    }
}
