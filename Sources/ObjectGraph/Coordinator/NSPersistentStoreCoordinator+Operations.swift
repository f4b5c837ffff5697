import Foundation
import ManagedObjectModel

// Locating, moving, replacing and destroying stores.

extension NSPersistentStoreCoordinator {
    /// The store at a URL.
    public func persistentStore(for URL: URL) -> NSPersistentStore? {
        let wanted = URL.standardizedFileURL
        return persistentStores.first { $0.url?.standardizedFileURL == wanted }
    }

    /// The URL of a store; `/dev/null` for one that has none.
    public func url(for store: NSPersistentStore) -> URL { store.url ?? URL(fileURLWithPath: "/dev/null") }

    /// Opens the store at another URL instead of a store: a copy of it, or another one of the same model.
    ///
    /// The caller makes sure that the store is not used meanwhile. Its objects in use show the contents of the new file when
    /// they are refreshed.
    ///
    /// - Returns: false when the store is not one of the coordinator's, or the file cannot be opened: there must be a
    ///   store. Nothing changes then, and the reason is logged.
    @discardableResult
    public func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        guard objectStores.contains(where: { $0 === store }) else { return false }
        store.url = url
        remoteChanges.follow(self)
        return store.url?.standardizedFileURL == url.standardizedFileURL
    }

    /// Replaces a store, which may be missing, with a copy of another one, including its identifier and its external data.
    ///
    /// Source and destination may be open in this process, also in this coordinator. SQLite stores that have the destination
    /// open use the new file then: their objects show its contents when they are refreshed. One whose model does not match the
    /// new file is removed from its coordinator, and so is one whose coordinator has the source too.
    ///
    /// Modes and owners of files that are replaced stay; new ones have those of the source. A symbolic link stays.
    ///
    /// - Throws: 134000 for an unknown type or a useless value of an option,
    ///   260 when there is no source, 134010 or 259 when it is not a store or a damaged one, 134010 when the destination is a
    ///   SQLite database and the type another one, 134080 when the destination is `/dev/null` or not a regular file, or for an
    ///   error of the file system, 134090 while another process has the destination open, 134070 from inside of a read or write
    ///   of it; nothing has changed then.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        ofType storeType: String
    ) throws {
        let storeClass = try Self.storeClass(ofType: storeType)
        try NSError.namingFileErrors(during: "replace the store", store: destinationURL) {
            try storeClass.replace(
                at: destinationURL, destinationOptions, withStoreAt: sourceURL, sourceOptions)
        }
    }

    /// Replaces a store with a copy of another one.
    ///
    /// - Throws: as `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)`.
    public func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
        type sourceType: NSPersistentStore.StoreType
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, ofType: sourceType.rawValue)
    }

    /// Removes the contents of a store, and the files beside it. For a SQLite store an empty file remains, as with Apple's: it
    /// can be removed, and a store can be made in it or migrated to it. Stores of other types are removed completely. A store
    /// at `/dev/null` is in memory and has no files. A symbolic link stays.
    ///
    /// The coordinator loses the store, and so does any other coordinator of this process that has the SQLite store open.
    ///
    /// - Throws: 134000 for an unknown type or a useless value of an option,
    ///   134080 for what is not a regular file, or for an error of the file
    ///   system, 134010 for a SQLite database by another type, 134090 while another process has the store open, unless
    ///   `NSPersistentStoreForceDestroyOption` is set, 134070 from inside of a read or write of the store; everything is as it was
    ///   then.
    public func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        let storeClass = try Self.storeClass(ofType: storeType)
        try NSError.namingFileErrors(during: "destroy the store", store: url) {
            try storeClass.destroy(at: url, options)
        }
        // Stores without a shared file exist only here.
        for store in objectStores where store.type == storeType {
            guard let location = store.url, location.standardizedFileURL == url.standardizedFileURL else {
                continue
            }
            try remove(store)
        }
    }

    /// Removes the contents of a store, and the files beside it.
    ///
    /// - Throws: as `destroyPersistentStore(at:ofType:options:)`.
    public func destroyPersistentStore(
        at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
    }
}
