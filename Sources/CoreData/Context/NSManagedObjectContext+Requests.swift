import Foundation
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Executes a request that is no fetch and no save: an `NSPersistentHistoryChangeRequest`.
    ///
    /// - Throws: 134091 for a request of another kind; 134301 for an expired history token; an error of the store.
    public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        assertOnQueue()
        guard let coordinator = persistentStoreCoordinator else {
            throw NSError.coreData(.coreData, "The context has no persistent store coordinator.")
        }
        if let request = request as? NSPersistentHistoryChangeRequest {
            return try coordinator.execute(request)
        }
        throw NSError.coreData(
            .persistentStoreUnsupportedRequestType,
            "execute(_:) does not support a \(type(of: request)); see Documentation/Compatibility.md.")
    }
}
