import Foundation
import ManagedObjectModel

/// The parameters with which a coordinator makes a store.
public struct _StoreOpening {
    package let coordinator: NSPersistentStoreCoordinator?
    package let configuration: String?
    package let url: URL
    package let options: [AnyHashable: Any]?

    package init(
        _ coordinator: NSPersistentStoreCoordinator?, configuration: String?, at url: URL,
        options: [AnyHashable: Any]?
    ) {
        self.coordinator = coordinator
        self.configuration = configuration
        self.url = url
        self.options = options
    }
}

/// A store of objects: a file, or memory. A coordinator makes it, and keeps it until it is removed.
///
/// ```swift
/// let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
/// store.metadata["AppVersion"] = "2.1"    // written by the next save
/// request.affectedStores = [store]
/// try coordinator.remove(store)
/// ```
///
/// To write a store type of your own, subclass `NSAtomicStore`, for a file that is read and written as a whole, or `NSIncrementalStore`,
/// for a service or database that is asked for single objects. `metadata` holds the store's identifier, its type and the version hashes of
/// its model; values of the application can be added.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    private let lock = NSLock()
    private var currentMetadata: [String: Any] = [:]
    private var readOnly: Bool
    private var features: [String] = []
    private var location: URL?
    /// The file whose external data the store reads, if it is not its own. Set before it is used.
    package nonisolated(unsafe) var fileOfExternalData: URL?
    private var ownCompanions: [StoreCompanion] = []
    private var storedEntitiesByNumber: [StoredEntity?] = []
    private var storedEntitiesByEntity: [ObjectIdentifier: StoredEntity] = [:]

    /// The coordinator that the store was added to.
    public private(set) weak var persistentStoreCoordinator: NSPersistentStoreCoordinator?

    /// The name of the model's configuration whose entities the store holds.
    public let configurationName: String

    /// The options that the store was added with.
    public let options: [AnyHashable: Any]?

    /// Prepares a store; `loadMetadata()` opens it. A subclass may override it, and have other initializers: a coordinator
    /// makes the stores of a registered class with this one.
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        persistentStoreCoordinator = root
        configurationName = name ?? defaultConfigurationName
        location = url
        self.options = options
        readOnly = (options?[NSReadOnlyPersistentStoreOption] as? Bool) ?? false
        super.init()
    }

    /// Makes a store of a class that is known only at run time, by the initializer above. Every class that inherits or
    /// overrides that one has it.
    public required convenience init(_opening opening: _StoreOpening) {
        self.init(
            persistentStoreCoordinator: opening.coordinator, configurationName: opening.configuration,
            at: opening.url, options: opening.options)
    }

    /// The type of the store, as `NSStoreTypeKey` names it.
    open var type: String { "" }

    /// The location of the store.
    open var url: URL? {
        get { lock.withLock { location } }
        set { lock.withLock { location = newValue } }
    }

    /// Whether the store refuses to be changed: because of an option, or because it has a feature that cannot be maintained. A
    /// store that was opened read-only stays so.
    open var isReadOnly: Bool {
        get { lock.withLock { readOnly || !features.isEmpty } }
        set { lock.withLock { readOnly = newValue } }
    }

    /// The features of the store that a write would invalidate, each as part of a sentence.
    package var unsupportedFeatures: [String] {
        get { lock.withLock { features } }
        set { lock.withLock { features = newValue } }
    }

    /// The error of a save to the store while it is read-only.
    package var readOnlyError: NSError {
        let features = unsupportedFeatures
        let reason =
            features.isEmpty
            ? "it cannot be changed"
            : "it has features that cannot be kept correct here: \(features.joined(separator: "; "))"
        return .coreData(
            .persistentStoreSave, "The store at \(url?.path ?? "") is read-only; \(reason).",
            [NSAffectedStoresErrorKey: [self]])
    }

    /// The store's identifier: the host of its objects' URIs. A new value is written by the next save.
    open var identifier: String! {
        get { lock.withLock { currentMetadata[NSStoreUUIDKey] as? String } }
        set { lock.withLock { currentMetadata[NSStoreUUIDKey] = newValue } }
    }

    /// The metadata: type, identifier, version hashes of the model, and the application's own keys.
    ///
    /// A new value is written by the next save.
    open var metadata: [String: Any]! {
        get { lock.withLock { currentMetadata } }
        set { lock.withLock { currentMetadata = newValue ?? [:] } }
    }

    /// Opens the store and reads its metadata.
    ///
    /// - Throws: an error if the store cannot be opened.
    open func loadMetadata() throws {}

    /// The metadata of the store at a URL; the store is not opened.
    ///
    /// - Throws: 134000 here: a class of stores overrides it.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw NSError.coreData(
            .persistentStoreInvalidType, "\(self) cannot return the metadata of a store that is not open.")
    }

    /// Sets the metadata of the store at a URL; the store is not opened.
    ///
    /// - Throws: 134000 here: a class of stores overrides it.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        throw NSError.coreData(
            .persistentStoreInvalidType, "\(self) cannot set the metadata of a store that is not open.")
    }

    /// Called when the store was added.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

    /// Called before the store is removed.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    /// Whether the store is notified which objects contexts have.
    package var followsObjects: Bool { false }

    /// Notes that a context has objects from now on.
    package func noteRegistered(_ ids: [NSManagedObjectID]) {}

    /// Notes that a context no longer has objects. Called on any thread.
    package func noteUnregistered(_ ids: [NSManagedObjectID]) {}

    /// The string of a reference in the URI of an object's ID.
    package func referenceText(_ reference: Int64, _ storedEntity: StoredEntity) -> String {
        String(reference)
    }

    /// The reference for a string in a URI.
    package func reference(fromText text: String, _ storedEntity: StoredEntity) -> Int64? {
        guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = Int64(text), number > 0 else {
            return nil
        }
        return number
    }

    /// What follows the changes of the store.
    package var companions: [StoreCompanion] { lock.withLock { ownCompanions } }

    /// Has a companion follow the changes of the store, unless there is one of its name already: that is returned.
    package func keepCompanion(_ companion: StoreCompanion) -> StoreCompanion {
        lock.withLock {
            if let kept = ownCompanions.first(where: { $0.companionName == companion.companionName }) {
                return kept
            }
            ownCompanions.append(companion)
            return companion
        }
    }

    /// Ends the following of a companion.
    package func dropCompanion(_ companion: StoreCompanion) {
        lock.withLock { ownCompanions.removeAll { $0 === companion } }
    }

    // MARK: Entities

    /// Numbers the entities that the store holds.
    package func installEntities(_ entities: [(entity: NSEntityDescription, number: Int32)]) {
        var tables: [ObjectIdentifier: UInt32] = [:]
        var byEntity: [ObjectIdentifier: StoredEntity] = [:]
        var byNumber: [StoredEntity?] = []
        for (entity, number) in entities {
            let root = ObjectIdentifier(entity.rootEntity)
            let table = tables[root] ?? StoredEntity.newTable()
            tables[root] = table
            let storedEntity = StoredEntity(
                layout: EntityLayout.layout(of: entity), store: self, entityNumber: number, table: table)
            byEntity[ObjectIdentifier(entity)] = storedEntity
            if byNumber.count <= Int(number) {
                byNumber += Array(repeating: nil, count: Int(number) + 1 - byNumber.count)
            }
            byNumber[Int(number)] = storedEntity
        }
        storedEntitiesByEntity = byEntity
        storedEntitiesByNumber = byNumber
    }

    /// Adopts the entities of another store, with all their objects and IDs, once these are moved
    /// (`StoredEntity.move(to:)`).
    package func adoptEntities(of other: NSPersistentStore) {
        storedEntitiesByEntity = other.storedEntitiesByEntity
        storedEntitiesByNumber = other.storedEntitiesByNumber
    }

    /// The entity's binding in this store; nil when the store does not hold it. O(1).
    package func storedEntity(of entity: NSEntityDescription) -> StoredEntity? {
        storedEntitiesByEntity[ObjectIdentifier(entity)]
    }

    /// The binding of the entity with this number; nil when there is none. O(1).
    package func storedEntity(number: Int32) -> StoredEntity? {
        storedEntitiesByNumber.indices.contains(Int(number)) ? storedEntitiesByNumber[Int(number)] : nil
    }

    /// The bindings of all entities, by number.
    package var storedEntities: [StoredEntity] { storedEntitiesByNumber.compactMap(\.self) }
}

extension NSPersistentStore {
    /// The type of a store, under the short names of Swift.
    ///
    /// ```swift
    /// try coordinator.addPersistentStore(type: .sqlite, at: url)
    /// ```
    ///
    /// Types of your own have a name that `NSPersistentStoreCoordinator.registerStoreClass(_:type:)` has registered:
    ///
    /// ```swift
    /// extension NSPersistentStore.StoreType {
    ///     static let service = NSPersistentStore.StoreType(rawValue: "ServiceStore")
    /// }
    /// NSPersistentStoreCoordinator.registerStoreClass(ServiceStore.self, type: .service)
    /// ```
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        /// The name of the type.
        public typealias RawValue = String

        /// The raw value.
        public let rawValue: String

        /// Makes a value from its raw value.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// One SQLite file.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// One XML file, read and written as a whole.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
        /// One file of archives, read and written as a whole.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// Memory.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    }
}

/// The name of the configuration that has all entities.
package let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"
