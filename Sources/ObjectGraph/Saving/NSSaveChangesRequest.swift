import Foundation
import ManagedObjectModel

/// The changes of a context that an incremental store writes.
///
/// A request without objects writes the metadata.
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
