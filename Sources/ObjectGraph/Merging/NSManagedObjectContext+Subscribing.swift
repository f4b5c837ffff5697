extension NSManagedObjectContext: SaveSubscriber {
    func mergeLater(_ changes: SavedChanges, rows: RowsAbove?) {
        contextQueue.async { self.runEvent { self.merge(changes, rows: rows) } }
    }

    /// Merges others' changes into a context that reads the stores, on its queue, and then into its children that merge.
    func mergeLater(_ changes: ChangesByOthers) {
        perform { [weak self] in
            guard let self, let coordinator = persistentStoreCoordinator else { return }
            var merged: SavedChanges?
            switch changes {
            case .objects(let ids):
                let changes = SavedChanges(ids, for: coordinator)
                merge(changes, isForeign: true)
                processPendingChanges()
                merged = changes
            case .anything:
                refreshAllObjects()
                processPendingChanges()
                listeners.notify(.anything)
            }
            for child in childSubscribers.all { child.mergeFromParentLater(merged) }
        }
    }
}
