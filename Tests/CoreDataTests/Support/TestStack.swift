import CoreData
import Foundation
import Synchronization

/// A coordinator with one store, of the type `StoreKind.current` unless another is given, in a folder of
/// its own, which is removed with it.
final class TestStack: Sendable {
    let folder: URL
    let coordinator: NSPersistentStoreCoordinator
    private let type: NSPersistentStore.StoreType
    private let ownsFolder = Atomic<Bool>(true)
    var file: URL { folder.appendingPathComponent("Library.sqlite") }

    init(
        _ model: NSManagedObjectModel = Library.model(), folder: URL? = nil,
        type given: NSPersistentStore.StoreType? = nil
    ) throws {
        NSManagedObjectModel.register(Book.self, Author.self)
        type = given ?? StoreKind.current.type
        self.folder = folder ?? TestFolders.new()
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: type, at: self.folder.appendingPathComponent("Library.sqlite"))
    }

    deinit {
        close()
        if ownsFolder.exchange(false, ordering: .relaxed) { try? FileManager.default.removeItem(at: folder) }
    }

    private func close() {
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    /// Another stack on the same file, which this one closes.
    func reopened(_ model: NSManagedObjectModel = Library.model()) throws -> TestStack {
        close()
        ownsFolder.store(false, ordering: .relaxed)
        return try TestStack(model, folder: folder, type: type)
    }

    /// A context with a queue of its own.
    func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Runs a block in a new context.
    func inContext<Value>(_ body: (NSManagedObjectContext) throws -> Value) throws -> Value {
        let context = context()
        return try context.performAndWait { try body(context) }
    }
}
