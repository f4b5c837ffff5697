import CoreData
import Foundation
import Synchronization
import Testing

/// Collects the notifications that an object posts, until it goes.
final class NotificationLog: @unchecked Sendable {
    private let lock = NSLock()
    private var collected: [Notification] = []
    private var tokens: [any NSObjectProtocol] = []

    /// - Parameter object: who posts. What others post holds their objects, which other tests want released.
    init(_ names: Notification.Name..., from object: AnyObject) {
        for name in names {
            let token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
                [weak self] notification in
                guard let self else { return }
                self.lock.withLock { self.collected.append(notification) }
            }
            tokens.append(token)
        }
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }

    var all: [Notification] { lock.withLock { collected } }
    var names: [Notification.Name] { all.map(\.name) }

    func clear() { lock.withLock { collected = [] } }

    /// What each notification has under its keys, objects named by a property.
    func contents(of name: Notification.Name, by key: String) -> [[String: Set<String>]] {
        all.filter { $0.name == name }.map { notification in
            var contents: [String: Set<String>] = [:]
            for (infoKey, value) in notification.userInfo ?? [:] {
                let objects = value as? Set<NSManagedObject> ?? []
                contents["\(infoKey)"] = Set(objects.map { "\($0.value(forKey: key) ?? "nil")" })
            }
            return contents
        }
    }

    /// Waits for the next notification of an object.
    @MainActor static func next(
        _ name: Notification.Name, from object: AnyObject, after body: @MainActor () -> Void
    ) async -> Notification {
        await withCheckedContinuation { continuation in
            nonisolated(unsafe) var token: (any NSObjectProtocol)?
            token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
                notification in
                token.map { NotificationCenter.default.removeObserver($0) }
                guard token != nil else { return }
                token = nil
                nonisolated(unsafe) let notification = notification
                continuation.resume(returning: notification)
            }
            body()
        }
    }
}

extension TestStack {
    /// What a new context posts when it saves what a block changes.
    func saved(_ change: (NSManagedObjectContext) throws -> Void) throws -> Notification {
        let context = context()
        let log = NotificationLog(.NSManagedObjectContextDidSave, from: context)
        try context.performAndWait {
            try change(context)
            try context.save()
        }
        return try #require(log.all.last)
    }
}
