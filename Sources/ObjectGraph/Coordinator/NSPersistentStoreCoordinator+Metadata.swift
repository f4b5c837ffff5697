import Foundation

// The metadata of stores, also of stores that no coordinator has open.

extension NSPersistentStoreCoordinator {
    /// The metadata of a store.
    public func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata ?? [:] }

    /// Sets the metadata of a store; the next save of any context of the coordinator writes them, also one without
    /// other changes.
    ///
    /// The store's type, and what is needed to open it again, stay when the dictionary does not have them.
    ///
    /// - Parameters:
    ///   - metadata: values of property lists by key; `metadata(for:)` with changes.
    ///   - store: a store of this coordinator.
    public func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        store.metadata = metadata
    }

    /// The metadata of a store that need not be open. Neither its file nor any other changes.
    ///
    /// - Throws: 134000 for an unknown type or a useless value of an option,
    ///   260 when there is no file, 259 when it is not a database or a damaged one, 134010 when the database is not a store,
    ///   134080 when a change of it was interrupted, which is rolled back only when it is opened for writing.
    public class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try storeClass(ofType: storeType).metadata(at: url, options)
    }

    /// The metadata of a store that need not be open.
    ///
    /// - Throws: as `metadataForPersistentStore(ofType:at:options:)`.
    public class func metadataForPersistentStore(
        type storeType: NSPersistentStore.StoreType, at storeURL: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(ofType: storeType.rawValue, at: storeURL, options: options)
    }

    /// The metadata of a SQLite store that need not be open.
    ///
    /// - Throws: as `metadataForPersistentStore(ofType:at:options:)`.
    public class func metadataForPersistentStore(with url: URL) throws -> [AnyHashable: Any] {
        try metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    }

    /// Sets the metadata of a store that is not open.
    ///
    /// The store's type, and what is needed to open it again, stay. In a SQLite store they stay even if the dictionary has
    /// them: others may have replaced or migrated the store since it was read.
    ///
    /// - Throws: as `metadataForPersistentStore(ofType:at:options:)`, or 134090 when the store stays locked.
    public class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try storeClass(ofType: storeType).setMetadata(metadata, at: url, options)
    }

    /// Sets the metadata of a store that is not open.
    ///
    /// - Throws: as `setMetadata(_:forPersistentStoreOfType:at:options:)`.
    public class func setMetadata(
        _ metadata: [String: Any]?, type storeType: NSPersistentStore.StoreType, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(
            metadata, forPersistentStoreOfType: storeType.rawValue, at: storeURL, options: options)
    }
}
