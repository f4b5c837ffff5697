import Foundation
import ManagedObjectModel

/// A store that loads and saves objects one by one, such as a web service or a database of another kind. Subclass it, and register the
/// class with a coordinator (`registerStoreClass(_:type:)`):
///
/// ```swift
/// override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
///     switch request {
///     case let fetch as NSFetchRequest<any NSFetchRequestResult>: return try objects(fetch, in: context)
///     case let save as NSSaveChangesRequest: return try write(save)
///     default: throw CocoaError(.featureUnsupported)
///     }
/// }
/// ```
///
/// A subclass overrides `type`, `loadMetadata()`, `execute(_:with:)`, `newValuesForObject(with:with:)`,
/// `newValue(forRelationship:forObjectWith:with:)` and `obtainPermanentIDs(for:)`. Objects are identified by reference objects of its own
/// choice: hashable values, whose descriptions are the last part of the objects' URIs.
///
/// Calls come from the queues of any context, several at once; saves come one after the other. The values of loaded objects are kept in
/// the row cache of the coordinator.
open class NSIncrementalStore: NSPersistentStore, ObjectStore, @unchecked Sendable {
    private let references = ReferenceTable()
    let rowCache = RowCache()
    /// Held while objects are saved. Recursive, as a subclass may save with another context meanwhile.
    let saving = NSRecursiveLock()
    private let metadataLock = NSLock()
    private var metadataChanges = 0

    /// Prepares a store; the coordinator opens it.
    public override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
        at url: URL, options: [AnyHashable: Any]? = nil
    ) {
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    // MARK: What a subclass overrides

    /// Reads or makes the metadata and sets `metadata`, with `NSStoreTypeKey` and `NSStoreUUIDKey` at least.
    ///
    /// - Throws: an error if the store cannot be used.
    open override func loadMetadata() throws { throw mustOverride("loadMetadata()") }

    /// The identifier of a new store. The default is a new UUID.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    /// Executes a request.
    ///
    /// - Parameters:
    ///   - request: an `NSFetchRequest<any NSFetchRequestResult>` or an `NSSaveChangesRequest`.
    ///   - context: the requesting context.
    /// - Returns: for a fetch, an array of what the request's result type says: objects, which the context returns for the IDs
    ///   found (`object(with:)`), IDs, dictionaries, or one `NSNumber`. For a save, an empty array.
    /// - Throws: an error if it cannot be executed.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws
        -> Any
    {
        throw mustOverride("execute(_:with:)")
    }

    /// The values of an object: its attributes, and the IDs of the destinations of to-one relationships.
    ///
    /// - Throws: 133000 (`managedObjectReferentialIntegrity`) when there is no such object.
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        throw mustOverride("newValuesForObject(with:with:)")
    }

    /// The destinations of a relationship.
    ///
    /// - Returns: for a to-one relationship an `NSManagedObjectID` or `NSNull`, for a to-many one an array of
    ///   `NSManagedObjectID`s, in order if the relationship is ordered.
    /// - Throws: an error that the fault, or the fetch, reports.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        throw mustOverride("newValue(forRelationship:forObjectWith:with:)")
    }

    /// IDs for new objects, in their order, made with `newObjectID(for:referenceObject:)`.
    ///
    /// - Throws: an error with which the save fails.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        throw mustOverride("obtainPermanentIDs(for:)")
    }

    /// Called when a context has objects with these IDs from now on.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Called when a context no longer has objects with these IDs, on any thread.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    package final override var followsObjects: Bool { true }

    package final override func noteRegistered(_ ids: [NSManagedObjectID]) {
        managedObjectContextDidRegisterObjects(with: ids)
    }

    package final override func noteUnregistered(_ ids: [NSManagedObjectID]) {
        managedObjectContextDidUnregisterObjects(with: ids)
    }

    private func mustOverride(_ method: String) -> NSError {
        .coreData(.coreData, "\(Swift.type(of: self)) must override \(method).")
    }

    // MARK: What a subclass calls

    /// The identity of the object that has this reference object.
    ///
    /// - Parameters:
    ///   - entity: an entity that the store holds.
    ///   - data: a hashable value, such as a number or a string.
    public func newObjectID(
        for entity: NSEntityDescription, referenceObject data: Any
    ) -> NSManagedObjectID {
        references.objectID(for: entity, data, in: self)
    }

    /// The reference object of an identity of this store.
    public func referenceObject(for objectID: NSManagedObjectID) -> Any {
        references.referenceObject(for: objectID)
    }

    // MARK: Opening

    package final func open(model: NSManagedObjectModel, inPlaceOf old: (any ObjectStore)?) throws {
        guard old == nil else {
            throw NSError.coreData(
                .persistentStoreOperation,
                "A store cannot be migrated to one of type \(type): an incremental store makes its own objects."
            )
        }
        let configuration = configurationName == defaultConfigurationName ? nil : configurationName
        let entities = model.entitiesInPreorder(configuration: configuration)
        installEntities(entities.enumerated().map { ($1, Int32($0 + 1)) })
        try loadMetadata()
        guard let metadata, metadata[NSStoreTypeKey] is String, metadata[NSStoreUUIDKey] is String else {
            throw NSError.coreData(
                .persistentStoreOpen,
                """
                \(Swift.type(of: self)).loadMetadata() must set metadata with \(NSStoreTypeKey) and \(NSStoreUUIDKey), \
                which are strings.
                """)
        }
        guard metadata[NSStoreTypeKey] as? String == type else {
            throw NSError.coreData(
                .persistentStoreTypeMismatch,
                "The store is of type \(metadata[NSStoreTypeKey] ?? "") and not of type \(type).")
        }
        if metadata[NSStoreModelVersionHashesKey] != nil,
            (options?[NSIgnorePersistentStoreVersioningOption] as? NSNumber)?.boolValue != true
        {
            try StoreMetadata.check(metadata, model, configuration: configurationName, url: url)
        }
        metadataLock.withLock { metadataChanges = 0 }
    }

    open override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { rowCache.removeAll() }

    package static var needsURL: Bool { false }

    package static func destroy(at url: URL, _ options: [AnyHashable: Any]?) throws {
        throw NSError.coreData(
            .persistentStoreOperation,
            "\(self) is an incremental store: only its own code can destroy what it stores.")
    }

    package static func replace(
        at url: URL, _ options: [AnyHashable: Any]?, withStoreAt source: URL,
        _ sourceOptions: [AnyHashable: Any]?
    ) throws {
        throw NSError.coreData(
            .persistentStoreOperation,
            "\(self) is an incremental store: only its own code can replace what it stores.")
    }

    // MARK: Metadata

    open override var metadata: [String: Any]! {
        get { super.metadata }
        set {
            super.metadata = StoreMetadata.merging(newValue ?? [:], into: super.metadata, type: type)
            metadataLock.withLock { metadataChanges += 1 }
        }
    }

    open override var identifier: String! {
        get { super.identifier }
        set { metadata[NSStoreUUIDKey] = newValue }
    }

    package final func saveMetadata() throws {
        guard metadataLock.withLock({ metadataChanges > 0 }) else { return }
        guard !isReadOnly else { throw readOnlyError }
        _ = try execute(NSSaveChangesRequest(), with: nil)
        metadataLock.withLock { metadataChanges = 0 }
    }

    /// Sends the request that Apple's framework sends for a save without changes: one without objects, which also writes the
    /// metadata.
    package final func saveNothing(for client: any StoreClient) throws {
        guard !isReadOnly else { return try saveMetadata() }
        let request = NSSaveChangesRequest(inserted: [], updated: [], deleted: [], locked: [])
        request.affectedStores = [self]
        _ = try execute(request, with: client as? NSManagedObjectContext)
        metadataLock.withLock { metadataChanges = 0 }
    }

    // MARK: References

    package final var fetchesRows: Bool { false }
    package final var needsReferencesBeforeSaving: Bool { true }

    package override func referenceText(_ reference: Int64, _ storedEntity: StoredEntity) -> String {
        references.text(reference, storedEntity)
    }

    package override func reference(fromText text: String, _ storedEntity: StoredEntity) -> Int64? {
        // The object may exist without having been loaded yet.
        references.number(standingFor: text, storedEntity)
    }

    package final func newReferences(for groups: [NewObjects]) throws -> [[Int64]] {
        let objects = groups.flatMap(\.objects)
        let storedEntities = groups.flatMap { group in group.objects.map { _ in group.storedEntity } }
        let ids = try obtainPermanentIDs(for: objects)
        guard ids.count == objects.count, zip(ids, storedEntities).allSatisfy({ $0.storedEntity === $1 })
        else {
            throw NSError.coreData(
                .coreData,
                "\(Swift.type(of: self)).obtainPermanentIDs(for:) must return an ID of the store and the entity for each object."
            )
        }
        var rest = ids.map(\.reference)[...]
        return groups.map { group in
            defer { rest = rest.dropFirst(group.objects.count) }
            return Array(rest.prefix(group.objects.count))
        }
    }
}
