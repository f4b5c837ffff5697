import Foundation
import ManagedObjectModel

extension NSManagedObjectContext {
    /// Has contexts take in what was saved elsewhere: by another process, by a batch request, by another coordinator.
    ///
    /// Values that are cached of the objects are forgotten. A parent takes the changes in before its children do. The caller
    /// may be on any queue.
    ///
    /// - Parameters:
    ///   - changeNotificationData: arrays or sets of `NSManagedObjectID`s or of the `URL`s of such, under
    ///     `NSInsertedObjectIDsKey`, `NSUpdatedObjectIDsKey`, `NSDeletedObjectIDsKey` and `NSRefreshedObjectIDsKey`, or
    ///     under `NSInsertedObjectsKey` and its like. What is under other keys does not count, nor do URLs of stores
    ///     that a context's coordinator does not have.
    ///   - contexts: who takes them in.
    ///
    /// Stops with a message for a value of another type.
    public class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
        into contexts: [NSManagedObjectContext]
    ) {
        for context in contexts.sorted(by: { $0.depth < $1.depth }) {
            context.performAndWait {
                guard let coordinator = context.persistentStoreCoordinator else { return }
                let changes = SavedChanges(changeNotificationData, coordinator)
                context.forgetRows(of: changes)
                context.merge(changes, isCertain: context.parentContext == nil)
                context.processPendingChanges()
            }
        }
    }

    /// How many contexts are above this one.
    private var depth: Int { (parentContext?.depth ?? -1) + 1 }
}

extension SavedChanges {
    /// Reads the lists of a change that was made elsewhere.
    fileprivate init(_ data: [AnyHashable: Any], _ coordinator: NSPersistentStoreCoordinator) {
        func ids(_ keys: [String]) -> Set<NSManagedObjectID> {
            Set(keys.flatMap { Self.list(data[$0], key: $0) }.compactMap { Self.id($0, coordinator) })
        }
        self.init(
            inserted: ids([NSInsertedObjectIDsKey, NSInsertedObjectsKey]),
            updated: ids([NSUpdatedObjectIDsKey, NSUpdatedObjectsKey]),
            deleted: ids([NSDeletedObjectIDsKey, NSDeletedObjectsKey]),
            refreshed: ids([NSRefreshedObjectIDsKey, NSRefreshedObjectsKey]))
    }

    private static func list(_ value: Any?, key: String) -> [Any] {
        switch value {
        case nil: return []
        case let array as [Any]: return array
        case let set as Set<AnyHashable>: return set.map(\.base)
        case let array as NSArray: return array.map { $0 }
        case let set as NSSet: return set.map { $0 }
        case let other?:
            fatalError(
                "The value of '\(key)' must be an array or a set of object IDs, not a \(type(of: other)).")
        }
    }

    private static func id(_ value: Any, _ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectID? {
        switch value {
        case let id as NSManagedObjectID: return id
        case let url as URL: return coordinator.managedObjectID(forURIRepresentation: url)
        case let url as NSURL: return coordinator.managedObjectID(forURIRepresentation: url as URL)
        default:
            fatalError("A change is told by NSManagedObjectIDs or their URLs, not by a \(type(of: value)).")
        }
    }
}
