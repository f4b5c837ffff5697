import CoreData
import Foundation

/// Eight contexts on one coordinator: one on the main queue that merges what others save, five with queues of their
/// own and a merge policy each, and a child of two of them.
final class StressFamily: @unchecked Sendable {
    let coordinator: NSPersistentStoreCoordinator
    let view: NSManagedObjectContext
    let roots: [NSManagedObjectContext]
    let children: [NSManagedObjectContext]
    /// Parents come before their children.
    var contexts: [NSManagedObjectContext] { [view] + roots + children }
    private var observers: [any NSObjectProtocol] = []
    private let merging = DispatchGroup()
    private let controllers: [NSFetchedResultsController<NSManagedObject>]
    private let follower = Follower()
    // Not a `Mutex`, through which ThreadSanitizer does not see on Linux.
    private let lock = NSLock()
    private var ids: [NSManagedObjectID] = []
    /// Kept by no one else, so that they are released wherever the next ones come from.
    private var objects: [NSManagedObject] = []

    init(_ coordinator: NSPersistentStoreCoordinator) {
        self.coordinator = coordinator
        func root(_ type: NSManagedObjectContext.ConcurrencyType, _ policy: NSMergePolicy, _ name: String)
            -> NSManagedObjectContext
        {
            let context = NSManagedObjectContext(type)
            context.persistentStoreCoordinator = coordinator
            context.mergePolicy = policy
            context.name = name
            return context
        }
        view = root(.mainQueue, .mergeByPropertyStoreTrump, "view")
        let policies: [(NSMergePolicy, String)] = [
            (.error, "error"), (.mergeByPropertyObjectTrump, "object"), (.mergeByPropertyStoreTrump, "store"),
            (.overwrite, "overwrite"), (.rollback, "rollback"),
        ]
        roots = policies.map { root(.privateQueue, $0.0, $0.1) }
        children = zip([view, roots[1]], ["child of view", "child of object"]).map { parent, name in
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = parent
            child.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            child.name = name
            return child
        }
        controllers = [view, roots[2]].map { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.sortDescriptors = [
                NSSortDescriptor(key: "number", ascending: true),
                NSSortDescriptor(key: "name", ascending: true),
            ]
            return NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        }
        for context in [view, roots[2], children[0]] {
            context.performAndWait { context.automaticallyMergesChangesFromParent = true }
        }
        roots[3].performAndWait { roots[3].undoManager = UndoManager() }
        // As in Apple's guides: what one context saved, another one merges on its own queue.
        let merging = merging
        let pairs = [(roots[0], roots[1]), (roots[1], roots[0]), (view, roots[3]), (roots[3], roots[4])]
        for (saver, reader) in pairs {
            let observer = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: saver, queue: nil
            ) { notification in
                merging.enter()
                nonisolated(unsafe) let notification = notification
                reader.perform {
                    reader.mergeChanges(fromContextDidSave: notification)
                    merging.leave()
                }
            }
            observers.append(observer)
        }
    }

    var sharedIDs: [NSManagedObjectID] { lock.withLock { ids } }

    func share(_ ids: [NSManagedObjectID], _ objects: [NSManagedObject]) {
        lock.lock()
        let old = self.objects
        self.objects = objects
        if !ids.isEmpty { self.ids = ids }
        lock.unlock()
        // Released here, outside of the lock.
        withExtendedLifetime(old) {}
    }

    /// Releases objects of other contexts, on the thread that calls.
    func release() { share([], []) }

    func startFollowing() throws {
        for controller in controllers {
            try controller.managedObjectContext.performAndWait {
                controller.delegate = follower
                try controller.performFetch()
            }
        }
    }

    /// Waits until all submitted work of the queues is done.
    func resolve() {
        for _ in 0..<3 {
            merging.wait()
            for context in contexts { context.performAndWait {} }
        }
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        observers = []
    }

    /// Where a results controller shows something else than a fetch does, in words.
    func disagreements() throws -> [String] {
        try controllers.compactMap { controller in
            let context = controller.managedObjectContext
            return try context.performAndWait {
                let shown = (controller.fetchedObjects ?? []).map(\.objectID)
                let found = try context.fetch(controller.fetchRequest).map(\.objectID)
                guard Set(shown) != Set(found) || shown.count != found.count else { return nil }
                return
                    "The controller of '\(context.name ?? "")' shows \(shown.count) objects of \(found.count)."
            }
        }
    }
}

/// A delegate, so that the controllers follow their contexts.
private final class Follower: NSObject, NSFetchedResultsControllerDelegate, @unchecked Sendable {
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        _ = controller.fetchedObjects?.count
    }
}
