import Foundation
import ManagedObjectModel

extension NSPersistentContainer {
    /// Makes a container for a store whose model is not available, with the copy of it that the store holds. A store of before
    /// 2012 holds none, and that of a damaged store may be unreadable, which is logged: then the model is made from its tables,
    /// see `NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(ofType:at:options:)`.
    ///
    /// The stores are still to be loaded. Objects are `NSManagedObject`s, unless the program has classes of the names in
    /// the model. An addition of ours.
    ///
    /// - Parameters:
    ///   - url: the file of a SQLite store.
    ///   - isReadOnly: whether the store is to be opened for reading only.
    ///   - fileID: identifies the module whose classes are meant; leave it out.
    /// - Throws: as `NSPersistentStoreCoordinator.cachedModelForPersistentStore(ofType:at:options:)`, but for a store
    ///   without a copy that can be read; 134080 when the tables of such a one are not those of a store.
    public convenience init(
        storeAt url: URL, isReadOnly: Bool = false, fileID: String = #fileID
    ) throws {
        let options: [AnyHashable: Any]? = isReadOnly ? [NSReadOnlyPersistentStoreOption: true] : nil
        let model = try NSPersistentStoreCoordinator.model(ofType: NSSQLiteStoreType) {
            try $0.modelToOpen(at: url, options)
        }
        self.init(
            name: url.deletingPathExtension().lastPathComponent, managedObjectModel: model, fileID: fileID)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: url, options: options)
        let description = NSPersistentStoreDescription(url: url)
        description.configuration = model.configuration(ofStoreWith: metadata)
        description.isReadOnly = isReadOnly
        persistentStoreDescriptions = [description]
    }
}
