import Foundation
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Merges into contexts what was saved elsewhere: by another process, by a batch request, by another coordinator.
    ///
    /// Cached values of the objects are dropped. A parent merges the changes before its children do. The caller
    /// may be on any queue.
    ///
    /// - Parameters:
    ///   - changeNotificationData: arrays or sets of `NSManagedObjectID`s, of any coordinator, or of the `URL`s of such,
    ///     under `NSInsertedObjectIDsKey`, `NSUpdatedObjectIDsKey`, `NSDeletedObjectIDsKey` and
    ///     `NSRefreshedObjectIDsKey`, or under `NSInsertedObjectsKey` and its like. Other keys are ignored, and so are objects
    ///     of stores that a context's coordinator does not have.
    ///   - contexts: the contexts that merge them.
    ///
    /// Stops with a message for a value of another type.
    public class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
        into contexts: [NSManagedObjectContext]
    ) {
        for context in contexts.sorted(by: { $0.depth < $1.depth }) {
            context.performAndWait {
                guard let coordinator = context.persistentStoreCoordinator else { return }
                let changes = SavedChanges(changeNotificationData, for: coordinator)
                context.merge(changes, isCertain: context.parentContext == nil, isForeign: true)
                context.processPendingChanges()
            }
        }
    }

    /// How many contexts are above this one.
    private var depth: Int { (parentContext?.depth ?? -1) + 1 }
}
