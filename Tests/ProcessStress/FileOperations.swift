import CoreData
import Foundation

/// Makes a store. The state is the number of stores that are there.
final class CreationOperation: StoreOperation {
    private let folder: URL
    private var next = 0
    /// A store can be made and then not be opened.
    let mayBeDoneAfterError = true

    init(_ folder: URL) { self.folder = folder }

    private func store(_ number: Int) -> StatedStore {
        StatedStore(folder.appendingPathComponent("Store\(number)"))
    }

    func prepare(_ state: Int) throws {
        next = state
        // Room for the next one.
        guard state > 2 else { return }
        try NSPersistentStoreCoordinator(managedObjectModel: store(0).model).destroyPersistentStore(
            at: store(state - 2).file, type: .sqlite)
        try FileManager.default.removeItem(at: store(state - 2).file)
    }

    func attempt() throws { StatedStore.close(try store(next).open([NSPersistentHistoryTrackingKey: true])) }

    func shownState() throws -> Int {
        FileManager.default.fileExists(atPath: store(next).file.path) ? next : next - 1
    }

    func storedState() throws -> Int {
        let state = try shownState()
        guard state > 0 else { return state }
        let findings = try StoreFindings.of(store(state).file, store(state).model)
        guard findings.isEmpty else { throw StressFailure(findings.joined(separator: "; ")) }
        let other = try store(state).open([NSPersistentHistoryTrackingKey: true])
        defer { StatedStore.close(other) }
        let count = try StatedStore.inContext(of: other) {
            try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Owner"))
        }
        guard count == 0 else { throw StressFailure("a new store has \(count) objects") }
        return state
    }

    func checkFiles() throws {
        let names = ["Store\(next)", "Store\(next - 1)", "ballast"]
        try checkNames(in: folder) { names.contains($0) }
    }
}

/// Opens a store and reads all of it. The state counts how often that worked.
final class OpeningOperation: StoreOperation {
    private let folder: URL
    private let store: StatedStore
    private var (opened, next) = (0, 0)

    init(_ folder: URL) throws {
        self.folder = folder
        var store = StatedStore(folder.appendingPathComponent("Store"))
        store.hasPayload = true
        try store.make()
        self.store = store
    }

    func prepare(_ state: Int) throws { next = state }

    func attempt() throws {
        let coordinator = try store.open()
        defer { StatedStore.close(coordinator) }
        try StatedStore.inContext(of: coordinator) { context in
            // Read at once: a fault whose row cannot be read has no way to throw.
            let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
            request.returnsObjectsAsFaults = false
            let marks = NSFetchRequest<NSManagedObject>(entityName: "Mark")
            guard try context.fetch(request).count == 1, try context.fetch(marks).count == 3 else {
                throw StressFailure("objects are missing")
            }
        }
        opened = next
    }

    func shownState() throws -> Int { opened }

    func storedState() throws -> Int {
        let state = try store.storedState()
        guard state == 0 else { throw StressFailure("reading led to state \(state)") }
        return opened
    }

    func checkFiles() throws { try checkNames(in: folder) { ["Store", "ballast"].contains($0) } }
}

/// Migrates a store to a model with one attribute more. The state is how many there are.
final class MigrationOperation: StoreOperation {
    private let folder: URL
    private var store: StatedStore
    private var next = 0

    init(_ folder: URL) throws {
        self.folder = folder
        store = StatedStore(folder.appendingPathComponent("Store"))
        store.hasPayload = true
        try store.make()
    }

    func prepare(_ state: Int) throws { next = state }

    func attempt() throws {
        var migrated = store
        migrated.extraCount = next
        let coordinator = try migrated.open([
            NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
        ])
        StatedStore.close(coordinator)
    }

    func shownState() throws -> Int {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: store.file)
        for state in [next - 1, next] {
            var store = store
            store.extraCount = state
            if store.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) {
                return state
            }
        }
        throw StressFailure("the store is of none of the models")
    }

    func storedState() throws -> Int {
        var found = store
        found.extraCount = try shownState()
        guard try found.storedState() == 0 else { throw StressFailure("the objects are not what they were") }
        return found.extraCount
    }

    func checkFiles() throws { try checkNames(in: folder) { ["Store", "ballast"].contains($0) } }
}

/// Replaces a store by another one.
final class ReplacementOperation: StoreOperation {
    private let folder: URL
    private var (source, destination): (StatedStore, StatedStore)

    init(_ folder: URL) throws {
        self.folder = folder
        source = StatedStore(folder.appendingPathComponent("Source"))
        source.hasPayload = true
        destination = StatedStore(folder.appendingPathComponent("Store"))
        destination.hasPayload = true
        try source.make()
        try attempt()
    }

    func prepare(_ state: Int) throws {
        let coordinator = try source.open()
        defer { StatedStore.close(coordinator) }
        try StatedStore.inContext(of: coordinator) { context in
            try source.set(state, in: context)
            try context.save()
        }
    }

    func attempt() throws {
        try NSPersistentStoreCoordinator(managedObjectModel: source.model).replacePersistentStore(
            at: destination.file, withPersistentStoreFrom: source.file, type: .sqlite)
    }

    func shownState() throws -> Int { try storedState() }

    func storedState() throws -> Int { try destination.storedState() }

    func checkFiles() throws {
        try checkNames(in: folder) { ["Source", "Store", "ballast"].contains($0) }
        _ = try source.storedState()
    }
}

/// Moves an open store to another place, where it is of a type.
final class MoveOperation: StoreOperation {
    private let folder: URL
    private let store: StatedStore
    private let type: NSPersistentStore.StoreType
    private var coordinator: NSPersistentStoreCoordinator
    private var next = 0

    init(_ folder: URL, type: NSPersistentStore.StoreType) throws {
        self.folder = folder
        self.type = type
        var store = StatedStore(folder.appendingPathComponent("Store"))
        store.hasPayload = type == .sqlite
        try store.make()
        self.store = store
        coordinator = try store.open()
    }

    private func destination(_ state: Int) -> StatedStore {
        var destination = store
        destination = StatedStore(folder.appendingPathComponent("Moved\(state)"))
        destination.type = type
        destination.hasPayload = store.hasPayload
        return destination
    }

    func prepare(_ state: Int) throws {
        StatedStore.close(coordinator)
        if next > 1 {
            let former = destination(next - 1).file
            try coordinator.destroyPersistentStore(at: former, type: type)
            // Of a SQLite store an empty file is left.
            if FileManager.default.fileExists(atPath: former.path) {
                try FileManager.default.removeItem(at: former)
            }
        }
        next = state
        coordinator = try store.open()
    }

    func attempt() throws {
        guard let open = coordinator.persistentStores.first else { throw StressFailure("the store is gone") }
        try coordinator.migratePersistentStore(open, to: destination(next).file, type: type)
    }

    func shownState() throws -> Int {
        let file = coordinator.persistentStores.first?.url?.lastPathComponent ?? ""
        let state = try StatedStore.inContext(of: coordinator) { try store.state(in: $0) }
        guard state == 0 else { throw StressFailure("the open store is in state \(state)") }
        return file == "Moved\(next)" ? next : file == "Store" ? next - 1 : -1
    }

    func storedState() throws -> Int {
        guard try store.storedState() == 0 else { throw StressFailure("the source has changed") }
        guard FileManager.default.fileExists(atPath: destination(next).file.path) else { return next - 1 }
        guard try destination(next).storedState() == 0 else { throw StressFailure("the copy is another one") }
        return next
    }

    func checkFiles() throws {
        try checkNames(in: folder) { name in
            ["Store", "ballast", "Moved\(next)", "Moved\(next - 1)"].contains {
                [$0, "\($0)-wal", "\($0)-shm"].contains(name)
            }
        }
    }
}

/// Destroys a store. The state is how many are gone.
final class DestructionOperation: StoreOperation {
    private let folder: URL
    private var next = 0

    init(_ folder: URL) throws {
        self.folder = folder
        try store(1).make()
    }

    private func store(_ number: Int) -> StatedStore {
        var store = StatedStore(folder.appendingPathComponent("Store\(number)"))
        store.hasPayload = true
        return store
    }

    func prepare(_ state: Int) throws {
        next = state
        if !isThere(next) { try store(next).make() }
    }

    func attempt() throws {
        try NSPersistentStoreCoordinator(managedObjectModel: store(next).model).destroyPersistentStore(
            at: store(next).file, type: .sqlite)
    }

    func shownState() throws -> Int {
        isThere(next) ? next - 1 : next
    }

    /// Of a store that was destroyed an empty file is left.
    private func isThere(_ number: Int) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: store(number).file.path)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0 > 0
    }

    func storedState() throws -> Int {
        let state = try shownState()
        if state < next, try store(next).storedState() != 0 { throw StressFailure("it is another store") }
        return state
    }

    func checkFiles() throws {
        let isThere = isThere(next)
        let left = Set((1...max(next, 1)).filter { !self.isThere($0) }.map { "Store\($0)" })
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name != "ballast" && !left.contains(name) {
            guard isThere, name == "Store\(next)" || name == ".Store\(next)_SUPPORT" else {
                throw StressFailure("there is a file \(name)")
            }
        }
    }
}
