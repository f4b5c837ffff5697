import CoreData
import Foundation

/// Saves a context of a store that stays open.
final class SaveOperation: StoreOperation {
    private let folder: URL
    private let store: StatedStore
    private let coordinator: NSPersistentStoreCoordinator
    private let context: NSManagedObjectContext

    init(
        _ folder: URL, type: NSPersistentStore.StoreType = .sqlite, options: [AnyHashable: Any] = [:],
        hasPayload: Bool = false
    ) throws {
        self.folder = folder
        var store = StatedStore(folder.appendingPathComponent("Store"))
        store.type = type
        store.options = options
        store.hasPayload = hasPayload
        if type == .sqlite { store.options[NSPersistentHistoryTrackingKey] = true }
        try store.make()
        self.store = store
        coordinator = try store.open()
        context = StatedStore.context(coordinator)
    }

    func prepare(_ state: Int) throws { try context.performAndWait { try store.set(state, in: context) } }

    func attempt() throws {
        try context.performAndWait {
            do {
                try context.save()
            } catch {
                guard context.hasChanges else {
                    throw StressFailure("the context has dropped its changes: \(error)")
                }
                throw error
            }
        }
    }

    func shownState() throws -> Int {
        let state = try StatedStore.inContext(of: coordinator) { try store.state(in: $0) }
        let own = try context.performAndWait { context.hasChanges ? state : try store.state(in: context) }
        guard own == state else {
            throw StressFailure("the context shows state \(own), another one \(state)")
        }
        return state
    }

    func storedState() throws -> Int { try store.storedState() }

    func checkFiles() throws {
        let names = ["Store", "Store-wal", "Store-shm"]
        try checkNames(in: folder) { names.contains($0) || ($0 == "ballast") }
    }
}

/// Runs a batch request on a store that stays open.
final class BatchOperation: StoreOperation {
    private static let count = 200
    private let folder: URL
    private let store: StatedStore
    private let coordinator: NSPersistentStoreCoordinator
    private var next = 0

    init(_ folder: URL) throws {
        self.folder = folder
        store = StatedStore(folder.appendingPathComponent("Store"))
        coordinator = try store.open([NSPersistentHistoryTrackingKey: true])
    }

    func prepare(_ state: Int) throws { next = state }

    func attempt() throws {
        try StatedStore.inContext(of: coordinator) { context in
            let rows = (0..<Self.count).map { _ in ["state": next] }
            try context.execute(NSBatchInsertRequest(entityName: "Mark", objects: rows))
        }
    }

    private func state(_ coordinator: NSPersistentStoreCoordinator) throws -> Int {
        try StatedStore.inContext(of: coordinator) { context in
            let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Mark"))
            guard count % Self.count == 0 else { throw StressFailure("a batch is torn: \(count) rows") }
            return count / Self.count
        }
    }

    func shownState() throws -> Int { try state(coordinator) }

    func storedState() throws -> Int {
        let findings = try StoreFindings.of(store.file, store.model)
        guard findings.isEmpty else { throw StressFailure(findings.joined(separator: "; ")) }
        let other = try store.open([NSPersistentHistoryTrackingKey: true])
        defer { StatedStore.close(other) }
        return try state(other)
    }

    func checkFiles() throws { try checkNames(in: folder) }
}

/// Sets the metadata of a store that is not open.
final class MetadataOperation: StoreOperation {
    private let folder: URL
    private let store: StatedStore
    private var next = 0

    init(_ folder: URL) throws {
        self.folder = folder
        store = StatedStore(folder.appendingPathComponent("Store"))
        try store.make()
        try set(0)
    }

    private func set(_ state: Int) throws {
        try NSPersistentStoreCoordinator.setMetadata(
            ["state": state, "filling": String(repeating: "\(state % 10)", count: 20_000)],
            type: .sqlite, at: store.file)
    }

    func prepare(_ state: Int) throws { next = state }

    func attempt() throws { try set(next) }

    func shownState() throws -> Int {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: store.file)
        let state = (metadata["state"] as? NSNumber)?.intValue ?? -1
        guard metadata["filling"] as? String == String(repeating: "\(state % 10)", count: 20_000) else {
            throw StressFailure("the metadata are torn")
        }
        return state
    }

    func storedState() throws -> Int {
        let objects = try store.storedState()
        guard objects == 0 else { throw StressFailure("objects of state \(objects)") }
        return try shownState()
    }

    func checkFiles() throws { try checkNames(in: folder) { ["Store", "ballast"].contains($0) } }
}
