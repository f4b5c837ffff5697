import CoreData
import Dispatch
import Foundation

/// How soon others learn of a save.
enum Remote {
    /// Saves of one row. Each waits until another coordinator with the same file has been notified of the one before.
    static func telling(_ count: Int, _ folder: Folder) throws -> Workload {
        let (model, _) = model("Item", [("number", .integer64)])
        let file = folder.file("remote.sqlite")
        let writer = try NSPersistentStoreCoordinator.opening(file, model)
        let follower = NSPersistentStoreCoordinator(managedObjectModel: model)
        try follower.addPersistentStore(
            type: .sqlite, at: file, options: [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        let notified = DispatchSemaphore(value: 0)
        let token = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: follower, queue: nil
        ) { _ in notified.signal() }
        nonisolated(unsafe) let observer = Observer(token)
        let name = "\(count) saves, each told to another coordinator"
        return Workload(
            name: "Changes of others",
            contestants: [
                .init(name: name) {
                    // Without an owner the follower would be gone, and told nothing.
                    try withExtendedLifetime((observer, follower)) {
                        for number in 0..<count {
                            try writer.inContext { context in
                                NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                                    .setValue(number, forKey: "number")
                                try context.save()
                            }
                            notified.wait()
                        }
                        return count
                    }
                }
            ],
            goals: [.each(name, of: count, 50, .milliseconds)])
    }

    /// Ends an observation when it goes.
    private final class Observer {
        private let token: any NSObjectProtocol

        init(_ token: any NSObjectProtocol) { self.token = token }

        deinit { NotificationCenter.default.removeObserver(token) }
    }
}
