import Foundation
import ManagedObjectModel

/// A store that is read and written as a whole, such as a file in a format of your own. Subclass it, and register the class with a
/// coordinator:
///
/// ```swift
/// final class ListStore: NSAtomicStore, @unchecked Sendable {
///     override var type: String { "List" }
///     override func load() throws { /* make a node for each object in the file: addCacheNodes(_:) */ }
///     override func save() throws { /* write cacheNodes() to the file */ }
///     override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }
/// }
/// NSPersistentStoreCoordinator.registerStoreClass(ListStore.self, forStoreType: "List")
/// ```
///
/// A subclass overrides `type`, `load()` and `save()`, and `newReferenceObject(for:)`: how it identifies its objects. All objects are kept
/// in memory, as cache nodes; fetches are evaluated there.
///
/// The calls of a save, in this order: `newReferenceObject(for:)` for each new object; `willRemoveCacheNodes(_:)`; `newCacheNode(for:)`
/// and `updateCacheNode(_:from:)`; `save()`. When a part of it fails, the values of the nodes are restored. Calls come one at a time, from
/// the queues of any context.
///
/// The version of an object counts the saves that changed it, so that contexts of one coordinator detect conflicts. The next save
/// overwrites changes by others to the open file.
open class NSAtomicStore: NSPersistentStore, ObjectStore, @unchecked Sendable {
    let access = NSRecursiveLock()
    let nodes = NodeTable()
    private let references = ReferenceTable()
    /// How often the metadata were set since they were written.
    private var metadataChanges = 0

    /// Prepares a store; the coordinator opens it.
    public override init(
        persistentStoreCoordinator coordinator: NSPersistentStoreCoordinator?,
        configurationName: String?, at url: URL, options: [AnyHashable: Any]? = nil
    ) {
        super.init(
            persistentStoreCoordinator: coordinator, configurationName: configurationName, at: url,
            options: options)
    }

    // MARK: What a subclass overrides

    /// Reads the store, and adds a cache node for each object with `addCacheNodes(_:)`; sets `metadata`, if they are
    /// stored. A file that is missing or empty is a store without objects.
    ///
    /// - Throws: an error if the store cannot be read.
    open func load() throws { throw mustOverride("load()") }

    /// Writes all cache nodes and the metadata.
    ///
    /// - Throws: an error if they cannot be written; the stored contents should be unchanged.
    open func save() throws { throw mustOverride("save()") }

    /// A new node with the values of an object. The default makes an `NSAtomicStoreCacheNode`.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node =
            cacheNode(for: managedObject.objectID).flatMap { nodes.isPrepared($0) ? $0 : nil }
            ?? NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        updateCacheNode(node, from: managedObject)
        return node
    }

    /// Sets the values of a node from an object. The default sets all stored properties.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        NodeUpdate(store: self, node: node).take(managedObject)
    }

    /// A value that identifies a new object in the store; it is never reused.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        fatalError("\(Swift.type(of: self)) must override newReferenceObject(for:).")
    }

    /// Called before nodes are removed by a save.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    private func mustOverride(_ method: String) -> NSError {
        .coreData(.coreData, "\(Swift.type(of: self)) must override \(method).")
    }

    // MARK: What a subclass calls

    /// All nodes.
    public func cacheNodes() -> Set<NSAtomicStoreCacheNode> { access.withLock { Set(nodes.all) } }

    /// Adds nodes, in `load()`.
    public func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        access.withLock { for node in cacheNodes { nodes.add(node) } }
    }

    /// The node of an object; nil if there is none.
    public func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        access.withLock { nodes.node(objectID.key) }
    }

    /// The identity of the object that has this reference object.
    ///
    /// - Parameters:
    ///   - entity: an entity that the store holds.
    ///   - data: a hashable value.
    public func objectID(
        for entity: NSEntityDescription, withReferenceObject data: Any
    ) -> NSManagedObjectID {
        references.objectID(for: entity, data, in: self)
    }

    /// The reference object of an identity of this store.
    public func referenceObject(for objectID: NSManagedObjectID) -> Any {
        references.referenceObject(for: objectID)
    }

    // MARK: Opening

    /// Checks options, model and metadata before anything is read. For the stores of this framework.
    package func prepare(_ model: NSManagedObjectModel) throws {}

    /// Writes a new store once it is open. For the stores of this framework.
    func makeIfMissing() throws {}

    /// Whether the nodes at both ends of a relationship are kept consistent for any set of saved objects.
    var keepsInverses: Bool { false }
    /// Whether nodes keep values of transformers as their archives.
    var keepsArchives: Bool { false }
    package final var isChangedBySavesAlone: Bool { true }

    package final func open(model: NSManagedObjectModel, inPlaceOf old: (any ObjectStore)?) throws {
        try access.withLock {
            if let old {
                adoptEntities(of: old)
            } else {
                let configuration = configurationName == defaultConfigurationName ? nil : configurationName
                let entities = model.entitiesInPreorder(configuration: configuration)
                installEntities(entities.enumerated().map { ($1, Int32($0 + 1)) })
            }
            try prepare(model)
            try loadMetadata()
            try checkVersion(model)
            try load()
            try checkVersion(model)
            var metadata = self.metadata ?? [:]
            let isNew = metadata[NSStoreModelVersionHashesKey] == nil
            for (key, value) in StoreMetadata.new(model, configuration: configurationName, type: type)
            where metadata[key] == nil && (isNew || key == NSStoreUUIDKey || key == NSStoreTypeKey) {
                metadata[key] = value
            }
            super.metadata = metadata
            metadataChanges = 0
            if old == nil, !isReadOnly { try makeIfMissing() }
        }
    }

    private func checkVersion(_ model: NSManagedObjectModel) throws {
        // A model that was made from objects has no hashes that could be compared; the objects are.
        guard !(model.isReconstructed && Self.hasFiles),
            (options?[NSIgnorePersistentStoreVersioningOption] as? NSNumber)?.boolValue != true,
            metadata?[NSStoreModelVersionHashesKey] != nil
        else { return }
        try StoreMetadata.check(metadata, model, configuration: configurationName, url: url)
    }

    open override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
        access.withLock { nodes.removeAll() }
    }

    // MARK: Metadata

    open override var metadata: [String: Any]! {
        get { super.metadata }
        set {
            access.withLock {
                super.metadata = StoreMetadata.merging(newValue ?? [:], into: super.metadata, type: type)
                metadataChanges += 1
            }
        }
    }

    open override var identifier: String! {
        get { super.identifier }
        set { metadata[NSStoreUUIDKey] = newValue }
    }

    /// Adopts metadata unchanged.
    final func setLoadedMetadata(_ metadata: [String: Any]) { super.metadata = metadata }

    package final func saveMetadata() throws {
        try access.withLock {
            guard metadataChanges > 0 else { return }
            guard !isReadOnly else { throw readOnlyError }
            try save()
            metadataChanges = 0
        }
    }

    final func noteSavedMetadata() { metadataChanges = 0 }

    // MARK: References

    package override func referenceText(_ reference: Int64, _ storedEntity: StoredEntity) -> String {
        references.text(reference, storedEntity)
    }

    package override func reference(fromText text: String, _ storedEntity: StoredEntity) -> Int64? {
        references.number(ofText: text, storedEntity)
    }

    package final var needsReferencesBeforeSaving: Bool { true }

    package class var needsURL: Bool { true }

    package class func reconstructedModel(
        at url: URL, _ options: [AnyHashable: Any]?
    ) throws -> NSManagedObjectModel? { nil }

    package class var isInMemory: Bool { false }

    /// The output of custom stores is unknown.
    package func makesFile(like model: URL?) {}

    package class func makeAsDraft<Opened>(
        at url: URL, _ options: [AnyHashable: Any]?, like source: URL?, _ fill: (URL) throws -> Void,
        opening: () throws -> Opened
    ) throws -> Opened {
        try fill(url)
        return try opening()
    }

    /// Removes a store that is not open: its file.
    package class func destroy(at url: URL, _ options: [AnyHashable: Any]?) throws {
        guard url.isFileURL, !url.isNullDevice else { return }
        try StoreDocument.remove(url)
    }

    /// Replaces the file of a store with a copy of another one.
    package class func replace(
        at url: URL, _ options: [AnyHashable: Any]?, withStoreAt source: URL,
        _ sourceOptions: [AnyHashable: Any]?
    ) throws {
        guard !url.isNullDevice else {
            throw StoreDocument.unopenable(url, "a store in memory cannot be replaced by one in a file")
        }
        _ = try metadataForPersistentStore(with: source)
        try StoreDocument.write(try StoreDocument.read(source), to: url, like: source)
    }

    /// Custom stores are unknown; they make their own references.
    package class var hasFiles: Bool { false }

    package final func newReferences(for groups: [NewObjects]) throws -> [[Int64]] {
        try groups.map { try newReferences(for: $0.objects, of: $0.storedEntity) }
    }

    final func newReferences(for objects: [NSManagedObject], of storedEntity: StoredEntity) throws -> [Int64]
    {
        try access.withLock {
            try objects.map { object in
                let reference = newReferenceObject(for: object)
                guard ReferenceTable.isUsable(reference) else {
                    throw NSError.coreData(
                        .coreData,
                        "\(Swift.type(of: self)).newReferenceObject(for:) must return a hashable value, not a \(Swift.type(of: reference))."
                    )
                }
                return references.number(of: reference, storedEntity)
            }
        }
    }

    /// Makes reference objects for objects of another store, under their references there.
    ///
    /// - Throws: 134070 when the store makes the same one for two of them.
    package final func keepReferences(of objects: [NSManagedObject]) throws {
        for object in objects {
            let found = try withReference(object.reference) {
                try newReferences(for: [object], of: object.storedEntity)
            }
            guard found == [object.reference] else {
                throw NSError.coreData(
                    .persistentStoreOperation,
                    """
                    The store of type \(type) has the same reference object for two objects of \
                    entity '\(object.entity.name ?? "")'.
                    """)
            }
        }
    }

    /// Sets the number of the first reference object that a block makes.
    final func withReference<Value>(_ number: Int64, _ body: () throws -> Value) rethrows -> Value {
        try references.withNumber(number, body)
    }
}
