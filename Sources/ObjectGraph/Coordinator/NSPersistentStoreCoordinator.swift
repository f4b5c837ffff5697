import Dispatch
import Foundation
import ManagedObjectModel
import Synchronization

/// Connects a model with the stores that hold its objects; contexts read and write through it.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
/// try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
/// let context = NSManagedObjectContext(.mainQueue)
/// context.persistentStoreCoordinator = coordinator
/// ```
///
/// An `NSPersistentContainer` makes one for you. Use a coordinator yourself to add several stores, to migrate, replace or destroy a
/// store, or to read the metadata of a store that is not open.
///
/// Each entity is saved in the first store whose configuration has it and that can be written to, unless
/// `NSManagedObjectContext.assign(_:to:)` names another one. Reads of several contexts run at once; a store runs its saves one after
/// the other. The model becomes immutable when the coordinator is made.
open class NSPersistentStoreCoordinator: NSObject, EntitySource, @unchecked Sendable {
    /// The model.
    public let managedObjectModel: NSManagedObjectModel
    /// A name for logs.
    public var name: String? {
        get { label.withLock { $0 } }
        set { label.withLock { $0 = newValue } }
    }
    private let label = Mutex<String?>(nil)
    /// The contexts that merge what others save.
    let subscribers = SaveSubscribers()
    /// The changes by others.
    package let remoteChanges = RemoteChanges()
    private let stores = Mutex<[any ObjectStore]>([])
    private let classes = Mutex<[ObjectIdentifier: ClassEntity]>([:])
    /// Whether objects are `NSManagedObject`s, whatever classes the model names. Set before stores are added.
    nonisolated(unsafe) var makesPlainObjects = false
    private let queue = ContextQueue(main: false, label: "com.apple.CoreData.NSPersistentStoreCoordinator")

    /// Makes a coordinator without stores.
    ///
    /// - Parameters:
    ///   - model: the model; it cannot be changed from now on.
    ///   - fileID: identifies the module whose classes are meant; leave it out.
    public init(managedObjectModel model: NSManagedObjectModel, fileID: String = #fileID) {
        ManagedObjectClasses.noteModule(of: fileID, for: model)
        managedObjectModel = model
        super.init()
        adoptModel()
    }

    /// Makes a coordinator without stores; classes are looked up in a subclass's module first.
    ///
    /// Apple's exact signature, which a subclass overrides or calls on `super`.
    @_disfavoredOverload
    public init(managedObjectModel model: NSManagedObjectModel) {
        ManagedObjectClasses.noteModule(of: Self.modulePath, for: model)
        managedObjectModel = model
        super.init()
        adoptModel()
    }

    /// The class's module as the beginning of a `#fileID`.
    private class var modulePath: String { String(reflecting: self).replacing(".", with: "/") }

    private func adoptModel() {
        managedObjectModel.makeImmutable()
        for entity in managedObjectModel.entities { _ = EntityLayout.layout(of: entity) }
        EntitySources.note(self)
    }

    /// The entity of this class; of several, one that is not a subentity of another.
    ///
    /// An entity that has found no class for its name takes this one, if it has the name.
    package func entity(for type: NSManagedObject.Type) -> NSEntityDescription? {
        if let known = classes.withLock({ $0[ObjectIdentifier(type)] }) { return known.entity }
        let candidates = managedObjectModel.entities.filter { EntityLayout.layout(of: $0).adopt(type) }
        let entity = candidates.first { entity in
            !candidates.contains { entity !== $0 && entity.isKindOf(entity: $0) }
        }
        classes.withLock { $0[ObjectIdentifier(type)] = ClassEntity(entity: entity) }
        return entity
    }

    /// The entity of a class, if it has one.
    private struct ClassEntity: @unchecked Sendable {
        let entity: NSEntityDescription?
    }

    // MARK: Stores

    /// The stores, in the order in which they were added.
    public var persistentStores: [NSPersistentStore] { stores.withLock { $0 } }

    /// Whether a coordinator of this process has ever had a store.
    static var hasAddedStores: Bool { addedStores.load(ordering: .relaxed) }
    private static let addedStores = Atomic(false)

    package var objectStores: [any ObjectStore] { stores.withLock { $0 } }

    /// The stores that hold an entity, only writable ones if requested.
    func stores(for entity: NSEntityDescription, writable: Bool = false) -> [any ObjectStore] {
        objectStores.filter { $0.storedEntity(of: entity) != nil && !(writable && $0.isReadOnly) }
    }

    /// Opens or makes a store and adds it.
    ///
    /// - Parameters:
    ///   - storeType: one of the types of the framework (`NSSQLiteStoreType`, `NSXMLStoreType`, `NSBinaryStoreType`,
    ///     `NSInMemoryStoreType`), or one that a class was registered for.
    ///   - configuration: the name of a configuration of the model; nil for all entities.
    ///   - storeURL: the file; `/dev/null` for a SQLite store in memory. A store in memory needs none.
    ///   - options: see the option keys.
    /// - Throws: 134000 for an unknown type or a useless value of an option,
    ///   134010 for a database that is not a store, 259 for a file that is not a database or a damaged one, 134100 when the
    ///   model is not the store's, 134080 when the file cannot be opened, 134090 when it stays locked, 134020 when the model
    ///   cannot be stored; for a SQLite store that is to be migrated 134110, 134130, 134140 or 134190. The file is as it was.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        let storeClass = try Self.storeClass(ofType: storeType)
        let storeURL = try storeURL ?? Self.locationWithoutURL(storeClass, storeType)
        let exporter = try Self.exporter(options)
        guard configuration.map({ managedObjectModel.configurations.contains($0) }) ?? true else {
            throw NSError.coreData(
                .persistentStoreOpen,
                "The model has no configuration named '\(configuration ?? "")'; it has: \(managedObjectModel.configurations.sorted().joined(separator: ", "))."
            )
        }
        do {
            try managedObjectModel.validateProperties()
        } catch {
            throw NSError.coreData(
                .persistentStoreIncompatibleSchema,
                "The model cannot be stored: \(error.localizedDescription)",
                [NSUnderlyingErrorKey: error as NSError])
        }
        // In-memory stores are independent of each other, whatever their URLs.
        let isAddedTwice = objectStores.contains { store in
            guard store.url?.standardizedFileURL == storeURL.standardizedFileURL else { return false }
            return !storeURL.isNullDevice
                || storeClass.isAddedOnceWithoutFile && type(of: store) == storeClass
        }
        guard !isAddedTwice else {
            throw NSError.coreData(
                .persistentStoreAddedTwice,
                "Can't add the same store twice: the one at \(storeURL.path) was added to the coordinator already."
            )
        }
        let store = storeClass.init(
            _opening: _StoreOpening(self, configuration: configuration, at: storeURL, options: options))
        try NSError.namingFileErrors(during: "open the store", store: storeURL) {
            try storeClass.migrateIfNeeded(
                at: storeURL, to: managedObjectModel, configuration: configuration, options: options)
            try store.open(model: managedObjectModel, inPlaceOf: nil)
        }
        // A copy of a store has the same identifier: its objects would have the same URIs.
        let isAdded = stores.withLock { stores in
            if stores.contains(where: { $0.identifier == store.identifier }) { return false }
            stores.append(store)
            return true
        }
        guard isAdded else {
            store.willRemove(from: self)
            throw NSError.coreData(
                .persistentStoreAddedTwice,
                """
                Can't add the same store twice: the coordinator has a store with the identifier \
                \(store.identifier ?? "") already, of which the one at \(storeURL.path) is a copy.
                """)
        }
        Self.addedStores.store(true, ordering: .relaxed)
        store.didAdd(to: self)
        remoteChanges.follow(self)
        postStoresDidChange([NSAddedPersistentStoresKey: [store]])
        exporter?.storeWasAdded(store, to: self)
        return store
    }

    /// Opens or makes a store and adds it.
    ///
    /// - Throws: as `addPersistentStore(ofType:configurationName:at:options:)`.
    @discardableResult
    public func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
    }

    /// Adds the store that a description describes, at once or, if it says so, on a queue of its own.
    public func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        nonisolated(unsafe) let description = storeDescription
        nonisolated(unsafe) let block = block
        let add = { @Sendable in
            do {
                try self.addPersistentStore(
                    ofType: description.type, configurationName: description.configuration,
                    at: description.url,
                    options: description.storeOptions)
                block(description, nil)
            } catch {
                block(description, error)
            }
        }
        if description.shouldAddStoreAsynchronously {
            DispatchQueue.global().async(execute: add)
        } else {
            add()
        }
    }

    /// Removes a store and closes it. Objects of it that are still in use become faults that cannot be loaded.
    ///
    /// - Throws: 134070 when the store is not one of the coordinator's, and when the caller is called from inside of a read
    ///   or write of it, such as the handler of a batch request.
    open func remove(_ store: NSPersistentStore) throws {
        guard let found = objectStores.first(where: { $0 === store }) else {
            throw NSError.coreData(.persistentStoreOperation, "The store is not one of this coordinator's.")
        }
        try found.checkIsUnused(to: "remove the store")
        NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
        remoteChanges.end(found)
        found.willRemove(from: self)
        stores.withLock { stores in stores.removeAll { $0 === store } }
        postStoresDidChange([NSRemovedPersistentStoresKey: [store]])
    }

    /// Replaces a store by another one.
    func replace(_ old: any ObjectStore, by new: any ObjectStore) {
        stores.withLock { stores in
            if let index = stores.firstIndex(where: { $0 === old }) { stores[index] = new }
        }
    }

    // MARK: Queue

    /// Runs a block on the coordinator's queue, later.
    public func perform(_ block: @escaping () -> Void) { queue.async(block) }

    /// Runs a block on the coordinator's queue without blocking the caller's thread.
    ///
    /// - Throws: what the block throws.
    nonisolated(nonsending) public func perform<T, E: Error>(
        _ block: @escaping () throws(E) -> T
    ) async throws(E) -> T {
        let block = Transfer(block)
        let result = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Transfer<Result<T, E>>, Never>) in
            queue.async {
                let result: Result<T, E>
                do throws(E) { result = .success(try block.value()) } catch { result = .failure(error) }
                continuation.resume(returning: Transfer(result))
            }
        }
        return try result.value.get()
    }

    /// Runs a block on the coordinator's queue and waits for it. May be called from inside such a block, also through
    /// `performAndWait` of a context.
    ///
    /// - Throws: what the block throws.
    public func performAndWait<T, E: Error>(_ block: () throws(E) -> T) throws(E) -> T {
        try queue.sync(block)
    }
}

/// Notification `userInfo` key: the stores (`[NSPersistentStore]`) that were added.
public let NSAddedPersistentStoresKey = "added"
/// Notification `userInfo` key: the stores (`[NSPersistentStore]`) that were removed.
public let NSRemovedPersistentStoresKey = "removed"
/// Notification `userInfo` key: the store that was migrated, the one that replaced it, and the old and the new ID of each
/// object in turn (`[Any]`: two `NSPersistentStore`s, `[NSManagedObjectID]`).
public let NSUUIDChangedPersistentStoresKey = "UUIDChanged"

extension NSNotification.Name {
    /// Never posted here: Apple's framework posts it for ubiquitous stores alone. It is there for sources that observe it.
    public static let NSPersistentStoreCoordinatorStoresWillChange = NSNotification.Name(
        "NSPersistentStoreCoordinatorStoresWillChangeNotification")

    /// Posted by a coordinator when a store was added or removed, or replaced by another one.
    public static let NSPersistentStoreCoordinatorStoresDidChange = NSNotification.Name(
        "NSPersistentStoreCoordinatorStoresDidChangeNotification")

    /// Posted by a store before it is removed from its coordinator.
    public static let NSPersistentStoreCoordinatorWillRemoveStore = NSNotification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
}

extension URL {
    /// Whether the URL is that of a store in memory.
    package var isNullDevice: Bool {
        guard isFileURL, path.hasSuffix("/null") else { return false }
        return path == "/dev/null" || standardizedFileURL.path == "/dev/null"
    }
}
