import CocoaFoundation
import DurableFiles
import Foundation
import ManagedObjectModel
import Synchronization

/// Migrates a store to another one, object by object, as a mapping model says.
///
/// ```swift
/// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(
///     from: oldURL, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
/// ```
///
/// The source is opened read-only and stays as it is; the destination is a new store with the identifier of the source, with
/// the application's metadata, and with its persistent history; keys of objects are its own. Objects are `NSManagedObject`s in
/// both contexts, whatever classes the models name. A store in a file is made beside its location, with the mode of the source,
/// and moved there when it is complete. Stores may be of any types. All new objects are in memory until they are saved at the
/// end. Differences that need no decision are migrated in place, and with less memory, when the store is opened with the
/// options for that.
///
/// A manager is used on one thread or queue; policies run there, inside of blocks of both contexts.
open class NSMigrationManager: NSObject {
    /// The model of the source.
    public let sourceModel: NSManagedObjectModel
    /// The model of the destination.
    public let destinationModel: NSManagedObjectModel
    /// The mapping model of the migration; one without mappings before the first.
    public private(set) var mappingModel = NSMappingModel()
    /// The context that reads the source; without a store when no migration runs.
    public private(set) var sourceContext: NSManagedObjectContext
    /// The context that the new objects are made in; without a store when no migration runs.
    public private(set) var destinationContext: NSManagedObjectContext
    /// The current mapping; an empty one before the first migration.
    public internal(set) var currentEntityMapping = NSEntityMapping()
    /// Information from the program for its policies.
    open var userInfo: [AnyHashable: Any]?
    /// Whether a manager that belongs to the store's type is used where there is one. No type of store here has one, so it
    /// changes nothing.
    open var usesStoreSpecificMigrationManager = true
    /// The progress, from 0 to 1, and 0 again after the migration. It can be observed.
    public internal(set) var migrationProgress: Float {
        get { progress }
        set {
            // Observers read the value while they are notified.
            willChangeValue(forKey: "migrationProgress")
            progress = newValue
            didChangeValue(forKey: "migrationProgress")
        }
    }
    private var progress: Float = 0

    /// The observers of the manager.
    public var observationCenter: ObservationCenter?

    /// Information about a source that is a copy of a store; nil for an original store.
    package struct CopiedSource {
        /// The store that was copied, whose external data stays where it is.
        let store: URL
        let configuration: String?
        let destinationConfiguration: String?

        package init(store: URL, configuration: String?, destinationConfiguration: String?) {
            self.store = store
            self.configuration = configuration
            self.destinationConfiguration = destinationConfiguration
        }
    }

    /// Set for a migration in place.
    package var copiedSource: CopiedSource?

    private var associations: [String: MigrationAssociations] = [:]
    private let cancellation = Mutex<NSError?>(nil)
    private var isRunning = false

    /// Makes a manager for migrations between two models.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        self.sourceModel = sourceModel
        self.destinationModel = destinationModel
        sourceContext = Self.context(sourceModel)
        destinationContext = Self.context(destinationModel)
        super.init()
    }

    private static func context(_ model: NSManagedObjectModel) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        coordinator.makesPlainObjects = true
        context.persistentStoreCoordinator = coordinator
        return context
    }

    // MARK: Migrating

    /// Migrates a store.
    ///
    /// - Throws: as `migrateStore(from:sourceType:options:with:toDestinationURL:destinationType:destinationOptions:)`.
    open func migrateStore(
        from sourceURL: URL, type sourceType: NSPersistentStore.StoreType,
        options sourceOptions: [AnyHashable: Any]? = nil, mapping: NSMappingModel, to destinationURL: URL,
        type destinationType: NSPersistentStore.StoreType,
        options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sourceType.rawValue, options: sourceOptions, with: mapping,
            toDestinationURL: destinationURL, destinationType: destinationType.rawValue,
            destinationOptions: destinationOptions)
    }

    /// Migrates a store to a new one.
    ///
    /// - Throws: 134140 without a mapping model; 134150 when the source cannot be opened, 134160 when the destination cannot
    ///   be made or is there already; 134170 for a policy whose class does not exist; 134110 for a mapping that does not
    ///   fit the models, values that do not fit and a destination that cannot be saved; what a policy throws; the error
    ///   of `cancelMigrationWithError(_:)`. Nothing of the destination is left then.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        guard let mappings else {
            throw NSError.coreData(
                .migrationMissingMappingModel,
                "The store at \(sourceURL.path) cannot be migrated without a mapping model.")
        }
        guard !isRunning else {
            throw NSError.migration("the migration manager is busy with another store")
        }
        isRunning = true
        defer {
            isRunning = false
            migrationProgress = 0
        }
        try begin(mappings)
        let source = try open(
            .migrationManagerSourceStore, sourceContext, sStoreType, sourceURL, readOnly(sOptions),
            copiedSource?.configuration)
        source?.fileOfExternalData = copiedSource?.store
        defer { close(source, sourceContext) }
        let storeClass = try NSPersistentStoreCoordinator.storeClass(ofType: dStoreType)
        guard dURL.isNullDevice || storeClass.isFree(dURL) else {
            throw destinationError(dURL, "a file exists there already")
        }
        guard dURL.isFileURL, !dURL.isNullDevice,
            storeClass.hasFiles
        else {
            return try migrate(
                source, to: dURL, at: dURL, dStoreType, dOptions, copiedSource?.destinationConfiguration,
                removes: true)
        }
        // Errors of the migration itself are thrown unchanged.
        var failure: (any Error)?
        do {
            let options = storeClass.optionsOfDraft(dOptions)
            let model = sourceURL.isFileURL && !sourceURL.isNullDevice ? sourceURL : nil
            try storeClass.makeAsDraft(at: dURL, nil, like: model) { draft in
                do {
                    try migrate(
                        source, to: dURL, at: draft, dStoreType, options,
                        copiedSource?.destinationConfiguration,
                        removes: false)
                } catch {
                    failure = error
                    throw error
                }
            } opening: {
            }
        } catch {
            throw failure ?? destinationError(dURL, error.localizedDescription, error)
        }
    }

    private func destinationError(_ url: URL, _ reason: String, _ cause: (any Error)? = nil) -> NSError {
        var details: [String: Any] = [NSFilePathErrorKey: url.path]
        if let cause { details[NSUnderlyingErrorKey] = cause as NSError }
        return .coreData(
            .migrationManagerDestinationStore, "The store cannot be migrated to \(url.path): \(reason).",
            details)
    }

    /// Makes the destination, and closes it.
    ///
    /// - Parameters:
    ///   - source: the store that is migrated, open.
    ///   - url: its final location.
    ///   - location: the location at which it is made.
    ///   - removes: whether to remove an incomplete store.
    private func migrate(
        _ source: (any ObjectStore)?, to url: URL, at location: URL, _ type: String,
        _ options: [AnyHashable: Any]?, _ configuration: String?, removes: Bool
    ) throws {
        let destination = try open(
            .migrationManagerDestinationStore, destinationContext, type, location,
            destinationOptions(options, source), configuration, named: url)
        do {
            if let source, let destination { keepMetadata(of: source, in: destination) }
            try sourceContext.performAndWait {
                try destinationContext.performAndWait {
                    try MigrationRun(self).run()
                    if let source, let destination { try keepHistory(of: source, in: destination) }
                }
            }
        } catch {
            close(destination, destinationContext)
            if removes { remove(location, type) }
            throw error
        }
        close(destination, destinationContext)
    }

    private func begin(_ mappings: NSMappingModel) throws {
        reset()
        cancellation.withLock { $0 = nil }
        mappingModel = mappings
        migrationProgress = 0
        sourceContext = Self.context(sourceModel)
        destinationContext = Self.context(destinationModel)
    }

    private func readOnly(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any] {
        var options = options ?? [:]
        options[NSReadOnlyPersistentStoreOption] = true
        for key in [
            NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
        ] { options[key] = nil }
        return options
    }

    /// If the history is copied, new objects are not recorded as changes of their own.
    private func destinationOptions(
        _ options: [AnyHashable: Any]?, _ source: (any ObjectStore)?
    ) -> [AnyHashable: Any]? {
        guard let source, source.keepsHistory else { return options }
        var options = options
        options?[NSPersistentHistoryTrackingKey] = nil
        return options
    }

    private func open(
        _ code: CocoaError.Code, _ context: NSManagedObjectContext, _ type: String, _ url: URL,
        _ options: [AnyHashable: Any]?, _ configuration: String?, named: URL? = nil
    ) throws -> (any ObjectStore)? {
        let path = (named ?? url).path
        do {
            return try context.persistentStoreCoordinator?.addPersistentStore(
                ofType: type, configurationName: configuration, at: url, options: options.ofMigration)
                as? any ObjectStore
        } catch {
            throw NSError.coreData(
                code,
                "The store at \(path) cannot be opened for the migration: \(error.localizedDescription)",
                [NSUnderlyingErrorKey: error as NSError, NSFilePathErrorKey: path])
        }
    }

    private func close(_ store: NSPersistentStore?, _ context: NSManagedObjectContext) {
        do {
            if let store { try context.persistentStoreCoordinator?.remove(store) }
        } catch {
            Log.store.error("Could not close a store of a migration: \(error.localizedDescription)")
        }
    }

    private func remove(_ url: URL, _ type: String) {
        guard !url.isNullDevice, FileManager.default.fileExists(atPath: url.path) else { return }
        do {
            try destinationContext.persistentStoreCoordinator?.destroyPersistentStore(at: url, ofType: type)
            // Stores of other frameworks' types do not know how to destroy one.
            try DurableFile.remove(url)
        } catch {
            Log.store.error(
                "Could not remove the unfinished store at \(url.path): \(error.localizedDescription)")
        }
    }

    /// Ends the running migration with an error. It may be called from a policy, from an observer of the progress, and
    /// from any thread.
    open func cancelMigrationWithError(_ error: any Error) {
        let error = error as NSError
        cancellation.withLock { $0 = error }
    }

    /// - Throws: the error that the migration was cancelled with.
    func checkCancellation() throws {
        if let error = cancellation.withLock({ $0 }) { throw error }
    }

    // MARK: Objects

    /// Forgets the associations of objects. The contexts are unchanged.
    open func reset() { associations = [:] }

    /// The source entity of a mapping; nil when it has none.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
    }

    /// The destination entity of a mapping; nil when it has none.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
    }

    /// Notes that a mapping made an object of another one. A policy that makes objects calls it: only those that it names
    /// get their relationships and are found by other mappings.
    open func associate(
        sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
        for entityMapping: NSEntityMapping
    ) {
        associations[entityMapping.name ?? "", default: MigrationAssociations()]
            .add(sourceInstance, destinationInstance)
    }

    /// The objects that a mapping made of source objects, in their order; all that it made when no objects are given.
    open func destinationInstances(
        forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        guard let known = associations[mappingName] else { return [] }
        return sourceInstances.map { $0.flatMap(known.made) } ?? known.destinations
    }

    /// The source objects of objects of a mapping, in their order; all source objects when no objects are given.
    open func sourceInstances(
        forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
    ) -> [NSManagedObject] {
        guard let known = associations[mappingName] else { return [] }
        return destinationInstances.map { $0.flatMap(known.makers) } ?? known.sources
    }

    /// The identity of the first object made of an object, by its old identity. Called when all are saved.
    func counterparts() -> [ObjectKey: ObjectKey] {
        var found: [ObjectKey: ObjectKey] = [:]
        for name in (mappingModel.entityMappings ?? []).compactMap(\.name) {
            guard let known = associations[name] else { continue }
            for source in known.sources {
                guard let made = known.made(of: source).first else { continue }
                let key = ObjectKey(table: source.storedEntity.table, reference: source.reference)
                if found[key] == nil {
                    found[key] = ObjectKey(table: made.storedEntity.table, reference: made.reference)
                }
            }
        }
        return found
    }

    /// The objects that any mapping made of source objects, in their order.
    func destinationInstances(ofAnyMappingFor sources: [NSManagedObject]) -> [NSManagedObject] {
        let names = (mappingModel.entityMappings ?? []).compactMap(\.name)
        return sources.flatMap { source in
            names.flatMap { associations[$0]?.made(of: source) ?? [] }
        }
    }
}
