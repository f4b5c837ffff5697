import Foundation
import ManagedObjectModel

/// The changes of a context that an incremental store of your own has to write.
///
/// The store receives it in `execute(_:with:)`, writes all of it or throws, and returns an empty array:
///
/// ```swift
/// case let save as NSSaveChangesRequest:
///     for object in save.insertedObjects ?? [] { try insert(object) }
///     return [Any]()
/// ```
///
/// The IDs of new objects were obtained before (`obtainPermanentIDs(for:)`). A request without objects writes the metadata of the store.
/// Contexts make these requests; a program does not execute them itself.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// The new objects.
    public private(set) var insertedObjects: Set<NSManagedObject>?
    /// The objects with changes.
    public private(set) var updatedObjects: Set<NSManagedObject>?
    /// The objects to delete.
    public private(set) var deletedObjects: Set<NSManagedObject>?
    /// Objects without changes that must not have been changed by others.
    public private(set) var lockedObjects: Set<NSManagedObject>?

    /// Makes a request to write the metadata.
    public required init() {}

    /// Makes a request.
    public convenience init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        self.init()
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.lockedObjects = lockedObjects
    }

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        if let request = copy as? NSSaveChangesRequest {
            request.insertedObjects = insertedObjects
            request.updatedObjects = updatedObjects
            request.deletedObjects = deletedObjects
            request.lockedObjects = lockedObjects
        }
        return copy
    }
}
