import ObjectGraph
import DurableFiles
import Foundation

/// The SQLite stores of this process that have one file open, in whatever coordinators.
///
/// To take a file away or to replace it needs every lock that there is on it, those of this process too. So its stores close the
/// file meanwhile; reads and writes of them on other queues wait for that.
struct OpenStores {
    private typealias Entry = (store: SQLiteStore, coordinator: NSPersistentStoreCoordinator)

    private let stores: [Entry]

    /// - Parameter url: the file, or a symbolic link to it.
    init(of url: URL) {
        let file = Self.file(url)
        stores =
            file == nil
            ? []
            : EntitySources.all.compactMap { $0 as? NSPersistentStoreCoordinator }.flatMap { coordinator in
                coordinator.objectStores.compactMap { store in
                    guard let store = store as? SQLiteStore, let storeURL = store.url,
                        Self.file(storeURL) == file
                    else { return nil }
                    return (store, coordinator)
                }
            }
    }

    private static func file(_ url: URL) -> String? {
        guard url.isFileURL, !url.isNullDevice else { return nil }
        return try? url.followingLinks().path
    }

    /// Runs a block while the stores are closed. They are open again afterwards, with what is in the file then; one that the file
    /// has no store for any more is removed from its coordinator.
    ///
    /// - Throws: 134070 when the caller is called from inside of a read or write of one of the stores; what the block throws.
    func reopening(_ body: () throws -> Void) throws {
        try close()
        defer { Self.open(stores) }
        try body()
    }

    /// Runs a block that takes the file away, while the stores are closed, and takes them out of their coordinators. When it throws,
    /// they are open as they were.
    ///
    /// - Throws: as `reopening(_:)`.
    func removing(_ body: () throws -> Void) throws {
        try close()
        do {
            try body()
        } catch {
            Self.open(stores)
            throw error
        }
        for (store, coordinator) in stores {
            store.stayClosed()
            Self.remove(store, coordinator)
        }
    }

    private func close() throws {
        var closed: [Entry] = []
        do {
            for entry in stores {
                try entry.store.closeForReplacement()
                closed.append(entry)
            }
        } catch {
            Self.open(closed)
            throw error
        }
    }

    private static func open(_ stores: [Entry]) {
        for (store, coordinator) in stores {
            do {
                try store.openAfterReplacement()
                // The copy may be one of a store that the coordinator has beside this one.
                let isOpenTwice = coordinator.objectStores.contains {
                    $0 !== store && $0.identifier == store.identifier
                }
                guard isOpenTwice else { continue }
                Log.store.error(
                    "The store at \(store.url?.path ?? "") is removed: it is a copy of another one of its coordinator."
                )
            } catch {
                Log.store.error(
                    "The store at \(store.url?.path ?? "") is removed: \(error.localizedDescription)")
            }
            remove(store, coordinator)
        }
    }

    private static func remove(_ store: SQLiteStore, _ coordinator: NSPersistentStoreCoordinator) {
        do {
            try coordinator.remove(store)
        } catch {
            Log.store.error(
                "The store at \(store.url?.path ?? "") stays in its coordinator: \(error.localizedDescription)"
            )
        }
    }
}
