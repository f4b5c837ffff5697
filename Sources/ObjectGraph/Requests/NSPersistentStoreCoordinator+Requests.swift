import Foundation
import ManagedObjectModel

extension NSPersistentStoreCoordinator {
    /// Executes a request on behalf of a context: objects that it finds are the context's. Unsaved changes of the context do
    /// not count. Call it on the context's queue.
    ///
    /// - Parameters:
    ///   - request: a fetch request, or one that `NSManagedObjectContext.execute(_:)` accepts.
    ///   - context: a context of this coordinator.
    /// - Returns: for a fetch request the array of results, else the request's `NSPersistentStoreResult`.
    /// - Throws: 134060 for a context of another coordinator; as `NSManagedObjectContext.fetch(_:)` and
    ///   `NSManagedObjectContext.execute(_:)`, which refuses an `NSSaveChangesRequest`: contexts save.
    public func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws
        -> Any
    {
        guard context.persistentStoreCoordinator === self else {
            throw NSError.coreData(.coreData, "The context works on another persistent store coordinator.")
        }
        guard request.fetchSpecification != nil else { return try context.execute(request) }
        return try context.storedResult(of: request)
    }
}
