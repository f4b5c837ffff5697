import Foundation
import ManagedObjectModel

extension NSPersistentStoreCoordinator {
    /// The copy of its model that a store holds, so that it can be opened without the model.
    ///
    /// The store need not be open, and does not change. An addition of ours: Apple's framework has no public way to it.
    ///
    /// - Throws: as `metadataForPersistentStore(ofType:at:options:)`; 134060 when the store holds no copy, 134080 when the
    ///   copy is damaged or that of another model.
    public class func cachedModelForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectModel {
        try model(ofType: storeType) { try $0.cachedModel(at: url, options) }
    }

    /// A model made from the contents of a store whose model is not available: from the tables of a SQLite store that holds no
    /// copy of its own, from the objects of an XML or binary store.
    ///
    /// Of a SQLite store, it has the entities with the columns of their tables as attributes, and those relationships that the
    /// tables show; names are in lower case. Of an XML store, it has the properties of the objects, with the types that the
    /// file names; names of properties are in lower case, and attributes without any value are missing. Of a binary store,
    /// whose file does not name attributes, these are called `attribute1`, `attribute2` …, and have the types of their values.
    /// Of both, to-many relationships are ordered as the file has them, there are no inverses, and superentities only if the
    /// destinations of relationships show them.
    ///
    /// `isReconstructed` marks it. The store opens with it for reading only: a save fails with 134030 and says why. The
    /// store need not be open, and does not change. An addition of ours.
    ///
    /// - Throws: as `metadataForPersistentStore(ofType:at:options:)`; 134080 when the tables are not those of a store, or
    ///   the objects contradict each other.
    public class func reconstructedModelForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectModel {
        try model(ofType: storeType) { try $0.reconstructedModel(at: url, options) }
    }

    /// - Throws: 134000 for a type whose stores have no such model.
    static func model(
        ofType storeType: String, _ find: (any StoreKind.Type) throws -> NSManagedObjectModel?
    ) throws -> NSManagedObjectModel {
        if let found = try find(storeClass(ofType: storeType)) { return found }
        throw NSError.coreData(
            .persistentStoreInvalidType, "A store of type '\(storeType)' is not a SQLite store.")
    }
}
