extension NSPersistentStoreCoordinator: StoreFollower {
    package func merge(_ changes: ChangesByOthers) {
        for subscriber in subscribers.all { subscriber.mergeLater(changes) }
    }
}

extension NSPersistentStoreCoordinator {
    /// Whether contexts with `automaticallyMergesChangesFromParent` merge what others save, as they merge what contexts of this
    /// coordinator save: other coordinators of the program and other programs, by contexts and by batch requests. Results
    /// controllers, and sequences of results, of these contexts follow.
    ///
    /// ```swift
    /// container.viewContext.automaticallyMergesChangesFromParent = true
    /// container.persistentStoreCoordinator.automaticallyMergesRemoteChanges = true
    /// ```
    ///
    /// The default is `false`. It concerns the SQLite stores in files, those that are added later, too. The history of a store
    /// (`NSPersistentHistoryTrackingKey`) shows which objects to merge; without a history, all objects of these contexts are
    /// refreshed, and their changes kept. Apple's framework has no such property: there programs fetch the history when
    /// `NSPersistentStoreRemoteChange` is posted, and merge it themselves.
    public final var automaticallyMergesRemoteChanges: Bool {
        get { remoteChanges.merges }
        set { remoteChanges.setMerges(newValue, self) }
    }
}
