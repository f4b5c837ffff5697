import Foundation

/// `userInfo` key: the query generation that a pinned context reads (`NSQueryGenerationToken`).
public let NSManagedObjectContextQueryGenerationKey = "NSManagedObjectContextQueryGenerationKey"

extension NSManagedObjectContext: StoreClient {
    /// The generation of the stores that the context reads: nil when it reads what they hold now, as it does by default;
    /// `.current` until the first read after it was set to that; else the generation that it is pinned to.
    ///
    /// Nil for a context with a parent, which reads what the parent has.
    public final var queryGenerationToken: NSQueryGenerationToken? {
        parentContext == nil ? generation : nil
    }

    /// Makes the context read one generation of the stores from now on.
    ///
    /// Only reads use the generation: a save compares with, and writes to, the current stores; meanwhile merge policies and
    /// validation read the current stores too. A save of the context, a merge into it, `reset()` and this method move it on to
    /// the current contents; batch requests do not. Objects that are loaded keep their values until they are refreshed. Stores
    /// that were added later are not read.
    ///
    /// - Parameter generation: nil to read what the stores hold at any time; `.current` to be pinned by the next read; or
    ///   the token of another context with the same coordinator.
    /// - Throws: 134060 for a context with a parent or without a coordinator, for a token of another coordinator and for
    ///   one whose generation is gone.
    public final func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
        assertOnQueue()
        guard parentContext == nil else {
            throw NSError.coreData(
                .coreData,
                "A context with a parent has no query generation of its own: it reads what the parent has.")
        }
        if let generation, !generation.isCurrent {
            guard let coordinator = persistentStoreCoordinator else {
                throw NSError.coreData(
                    .coreData,
                    "The context has no persistent store coordinator whose generation it could read.")
            }
            guard !generation.isGone else {
                throw NSError.coreData(.coreData, "The query generation no longer exists.")
            }
            let known = coordinator.persistentStores.contains {
                generation.stores[ObjectIdentifier($0)] != nil
            }
            guard known else {
                throw NSError.coreData(
                    .coreData,
                    "The query generation belongs to stores that the context's coordinator does not have.")
            }
        }
        self.generation = generation
    }

    /// Pins a context that is to be pinned by its next read.
    ///
    /// - Throws: an error of SQLite.
    final func pinGeneration() throws {
        guard !session.isWriting, let generation, generation.isCurrent,
            let coordinator = persistentStoreCoordinator
        else { return }
        self.generation = try .pinning(coordinator)
    }

    /// Moves a pinned context on to what the stores hold now.
    final func advanceGeneration() {
        guard let generation, !generation.isCurrent, let coordinator = persistentStoreCoordinator else {
            return
        }
        do {
            self.generation = try .pinning(coordinator)
        } catch {
            // The next read tries again, and can throw.
            self.generation = .current
            Log.store.error(
                "Could not advance the query generation of a context: \(error.localizedDescription)")
        }
    }

    /// The token of a pinned context; nil while a save writes. Links that others have made since must end with the objects that
    /// the save deletes, so conflicts are resolved with the current contents of the stores.
    private final var readGeneration: NSQueryGenerationToken? {
        guard !session.isWriting, let generation, !generation.isCurrent else { return nil }
        return generation
    }

    /// This context as the reader of a store, for a subsequent read: a context that its next read is to pin is pinned here.
    ///
    /// - Throws: an error of a store of the coordinator that cannot keep a generation.
    final func reader(of store: NSPersistentStore) throws -> StoreReader {
        // Most contexts are not pinned, and each firing of a fault checks it.
        guard generation != nil else { return StoreReader(client: self) }
        try pinGeneration()
        return StoreReader(client: self, generation: generation(of: store))
    }

    /// The generation of a store that the context reads; nil for what the store holds now.
    final func generation(of store: NSPersistentStore) -> (any StoreGeneration)? {
        (readGeneration?.stores[ObjectIdentifier(store)]).flatMap { $0 }
    }

    /// Whether the context reads a store: a pinned one does not read stores added later.
    final func reads(_ store: NSPersistentStore) -> Bool {
        guard let readGeneration else { return true }
        return readGeneration.stores[ObjectIdentifier(store)] != nil
    }
}
