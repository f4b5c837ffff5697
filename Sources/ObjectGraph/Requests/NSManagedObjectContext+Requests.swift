import Foundation
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Executes a batch request, an `NSPersistentHistoryChangeRequest` or an `NSAsynchronousFetchRequest`.
    ///
    /// What a batch request changes, the context does not see: refresh its objects, or merge the IDs.
    ///
    /// - Throws: 134091 for a request of another kind; 134301 for an expired history token; the errors that the request's class
    ///   documents; an error of the store.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        assertOnQueue()
        guard let coordinator = persistentStoreCoordinator else {
            throw NSError.coreData(.coreData, "The context has no persistent store coordinator.")
        }
        let batches = BatchExecution(context: self, coordinator: coordinator)
        switch request {
        case let request as NSPersistentHistoryChangeRequest: return try coordinator.execute(request)
        case let request as NSBatchInsertRequest: return try batches.insert(request)
        case let request as NSBatchUpdateRequest: return try batches.update(request)
        case let request as NSBatchDeleteRequest: return try batches.delete(request)
        case let request as any AsynchronousFetch: return try request.start(in: self)
        default: break
        }
        throw NSError.coreData(
            .persistentStoreUnsupportedRequestType,
            "execute(_:) does not support a \(type(of: request)); see Documentation/Compatibility.md.")
    }
}
