import Foundation
import ManagedObjectModel

extension NSPersistentStoreCoordinator {
    /// Copies a store to another location and continues with the copy: "Save As".
    ///
    /// The copy has an identifier of its own, so the URIs of the objects change; the objects of all contexts stay, with their
    /// unsaved changes, and belong to the new store. The old store is removed from the coordinator; its files stay. Unknown
    /// contents of the file are copied too.
    ///
    /// The caller makes sure that no context of the coordinator is used meanwhile.
    ///
    /// - Parameters:
    ///   - store: a store of this coordinator.
    ///   - URL: the location of the copy. It must not exist, but its folder must.
    ///   - options: the options of the new store.
    ///   - storeType: the type of the new store. Between types only the objects are copied, not other contents of the file.
    /// - Returns: the new store.
    /// - Throws: 134000 for an unknown type or a useless value of an option,
    ///   134070 when the store is not one of the coordinator's, 134080
    ///   when the copy cannot be made, or an error of SQLite; nothing has changed then.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil,
        withType storeType: String
    ) throws -> NSPersistentStore {
        let storeClass = try Self.storeClass(ofType: storeType)
        let exporter = try Self.exporter(options)
        guard let old = objectStores.first(where: { $0 === store }) else {
            throw NSError.coreData(.persistentStoreOperation, "The store is not one of this coordinator's.")
        }
        let new = try NSError.namingFileErrors(during: "copy the store", store: URL) {
            if type(of: old) == storeClass, let copy = try old.copied(to: URL, options, for: self) {
                return copy
            }
            return try StoreTransfer(self, from: old, to: storeClass, at: URL, options).run()
        }
        replace(old, by: new)
        for storedEntity in new.storedEntities { storedEntity.move(to: new) }
        remoteChanges.end(old)
        old.willRemove(from: self)
        new.didAdd(to: self)
        postStoresDidChange([
            NSUUIDChangedPersistentStoresKey: [old, new, Self.migratedIDs(from: old, to: new)] as [Any]
        ])
        remoteChanges.follow(self)
        exporter?.storeWasAdded(new, to: self)
        return new
    }

    /// Copies a store to another location and continues with the copy.
    ///
    /// - Throws: as `migratePersistentStore(_:to:options:withType:)`.
    @discardableResult
    public func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil,
        type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: storeURL, options: options, withType: storeType.rawValue)
    }
}
