import CoreDataSQL
import ObjectGraph
import DurableFiles
import Foundation
import GRDB
import ManagedObjectModel

/// The migration of a SQLite store when it is opened: by the mapping model for the two models that is among the resources of
/// the program, or else to a model that differs from the store's own in ways that need no decision. That is what Apple's
/// framework calls lightweight, with a mapping model that is inferred.
///
/// The store is locked and copied; the objects of the copy are written to a draft with the tables of the new model; the
/// draft replaces the store in one step. Whatever fails before that leaves the store as it was. Objects keep
/// their primary keys and versions, so that the URIs of their IDs stay; the store keeps its identifier, its files of
/// external data, its persistent history with the numbers of its transactions, and tables that belong to no model.
struct LightweightMigration {
    private let file: SQLiteStoreFile
    /// The store's file as it is opened, which may be a link.
    private let store: URL
    /// Where the files of external data are: beside the link, if the store is reached by one.
    private let externalData: URL
    private let metadata: [String: Any]
    private let source: NSManagedObjectModel
    private let destination: NSManagedObjectModel
    private let configuration: String?
    private let options: [AnyHashable: Any]
    private let mapping: NSMappingModel
    /// Whether the mapping model is not inferred, so that a migration manager has to follow it.
    private let isMappedByHand: Bool

    /// What a store has that needs a migration to another model.
    private struct Findings {
        let metadata: [String: Any]
        let model: NSManagedObjectModel?
    }

    /// Migrates the store at a URL if the options ask for it and its model is another one.
    ///
    /// - Throws: 134130 when the store's own model is neither in the store nor in the program, 134140 when only mapping
    ///   models that are made by hand are requested and none of the program's fits, or for a difference that cannot be inferred,
    ///   under which 134190 names it; 134110 when the objects do not fit the new model, and for an error of the file system, 134090
    ///   while others have the store open.
    static func runIfNeeded(
        at url: URL, to model: NSManagedObjectModel, configuration: String?, options: [AnyHashable: Any]?
    ) throws {
        guard isOn(NSMigratePersistentStoresAutomaticallyOption, options),
            !isOn(NSReadOnlyPersistentStoreOption, options),
            !isOn(NSIgnorePersistentStoreVersioningOption, options), url.isFileURL, !url.isNullDevice
        else { return }
        // The file itself is replaced, not a link to it.
        let file = SQLiteStoreFile(
            url: url.resolvingSymlinksInPath(), options: try SQLiteStoreOptions(options))
        // Opening the file reports what is wrong with it.
        guard !model.isReconstructed, FileManager.default.fileExists(atPath: url.path),
            let isThere = try? file.exists(), isThere, (try? file.recover()) != nil,
            let findings = try? findings(file, model, configuration)
        else { return }
        let migration = try LightweightMigration(
            file, url, findings, model, configuration, options ?? [:])
        do {
            try migration.run()
        } catch let error as DatabaseError {
            throw NSError.sqlite(error, during: "migrate the store", store: url)
        } catch let error as FileError {
            throw NSError.migration(error.localizedDescription, error as NSError)
        }
    }

    private static func isOn(_ key: String, _ options: [AnyHashable: Any]?) -> Bool {
        (options?[key] as? NSNumber)?.boolValue ?? options?[key] as? Bool ?? false
    }

    /// Nil for a store of the model.
    private static func findings(
        _ file: SQLiteStoreFile, _ model: NSManagedObjectModel, _ configuration: String?
    ) throws -> Findings? {
        try file.read { database in
            let metadata = try SQLiteMetadata.read(database, file.url)
            if model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
                || ModelCache.confirms(model, configuration, metadata: metadata, database, file.url)
            {
                return nil
            }
            return Findings(
                metadata: metadata, model: try? ModelCache.read(database, metadata: metadata, file.url))
        }
    }

    private init(
        _ file: SQLiteStoreFile, _ url: URL, _ findings: Findings, _ model: NSManagedObjectModel,
        _ configuration: String?,
        _ options: [AnyHashable: Any]
    ) throws {
        self.file = file
        store = url
        externalData = url.externalDataFolder
        self.options = options
        self.configuration = configuration
        metadata = findings.metadata
        destination = model
        guard
            let source = findings.model
                ?? NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata)
        else {
            throw NSError.coreData(
                .migrationMissingSourceModel,
                "The model of the store at \(file.url.path) is neither in the store nor in the program.",
                [NSFilePathErrorKey: file.url.path])
        }
        self.source = source
        let found = NSMappingModel(
            from: Self.bundles, forSourceModel: source, destinationModel: model)
        isMappedByHand = found != nil
        if let found {
            mapping = found
            return
        }
        guard Self.isOn(NSInferMappingModelAutomaticallyOption, options) else {
            throw NSError.coreData(
                .migrationMissingMappingModel,
                """
                The store at \(file.url.path) has another model, no bundle of the program has a mapping model between the \
                two, and \(NSInferMappingModelAutomaticallyOption) is not set.
                """, [NSFilePathErrorKey: file.url.path])
        }
        do {
            mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: model)
        } catch {
            throw NSError.coreData(
                .migrationMissingMappingModel,
                """
                Can't find or automatically infer mapping model for migration of the store at \(file.url.path): \
                \(error.localizedDescription)
                """,
                [
                    NSFilePathErrorKey: file.url.path, NSUnderlyingErrorKey: error as NSError,
                    "reason": "Can't find or automatically infer mapping model for migration",
                ])
        }
    }

    /// Where mapping models are looked for: in all bundles of the program.
    private static var bundles: [Bundle] {
        if let searched = MappingBundles.searched { return searched.compactMap { Bundle(url: $0) } }
        var known: Set<URL> = []
        let resources = ModelLocator.resourceBundles.compactMap { Bundle(url: $0) }
        return ([.main] + Bundle.allBundles + Bundle.allFrameworks + resources)
            .filter { known.insert($0.bundleURL.standardizedFileURL).inserted }
    }

    // MARK: Running

    private func run() throws {
        let start = Date()
        try file.withLock("migrate the store") { store in
            guard let store else { throw file.unopenable("it cannot be locked") }
            let present = try store.read { try SQLiteMetadata.read($0, file.url) }
            // Others may have migrated it since it was looked at.
            if destination.isConfiguration(withName: configuration, compatibleWithStoreMetadata: present) {
                return
            }
            try file.withDraft { copy in
                try SQLiteStoreFile.write(to: copy.url) { queue in try store.backup(to: queue) }
                try file.withDraft { draft in
                    let unused =
                        try isMappedByHand
                        ? follow(mapping, to: draft.url, from: copy.url, present)
                        : fill(draft.url, from: copy.url, present)
                    // The new file has the mode and owner of the old one from the start.
                    try SQLiteStoreFile.complete(draft, FileAttributes(of: file.url))
                    try take(draft, unused)
                }
            }
        }
        file.removeDrafts()
        Log.store.info("Migrated the store at \(file.url.path) in \(Date().timeIntervalSince(start)) s.")
    }

    /// Replaces the store by the draft, with the files of external data that it has in its folder, and removes those that
    /// it needs no more.
    private func take(_ draft: FileDraft, _ unused: Set<String>) throws {
        let made = isMappedByHand ? try draft.url.externalDataNames() : []
        guard !unused.isEmpty || !made.isEmpty else { return try file.take(draft, isLocked: true) }
        let list = try ExternalFileList(in: externalData, of: store, try FileAttributes(of: file.url))
        do {
            try list.add(unused.union(made))
            try draft.url.moveExternalData(made, to: externalData)
            try file.take(draft, isLocked: true)
            try list.remove(unused)
            list.end()
        } catch {
            // Rows of the old file name them still.
            if draft.isPlaced {
                list.abandon()
            } else {
                try? list.remove(made)
                list.end()
            }
            throw error
        }
    }

    /// Has a migration manager write the objects of a copy of the store to a draft.
    ///
    /// - Returns: the names of external data that the draft needs no more.
    private func follow(
        _ mapping: NSMappingModel, to draft: URL, from copy: URL, _ metadata: [String: Any]
    ) throws -> Set<String> {
        let configuration = source.configuration(ofStoreWith: metadata)
        let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
        manager.copiedSource = .init(
            store: store, configuration: configuration, destinationConfiguration: self.configuration)
        var sourceOptions = options
        for key in [
            NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
        ] { sourceOptions[key] = nil }
        let before = try open(copy, source, configuration, sourceOptions)
        let unsupported = before.unsupportedFeatures
        let names = try before.externalFileNames()
        before.willRemove(from: before.persistentStoreCoordinator)
        if !unsupported.isEmpty {
            throw NSError.migration("the store has \(unsupported.joined(separator: ", "))")
        }
        // Without a log: all that was written is in the file that replaces the store.
        try manager.migrateStore(
            from: copy, sourceType: NSSQLiteStoreType, options: sourceOptions, with: mapping,
            toDestinationURL: draft, destinationType: NSSQLiteStoreType,
            destinationOptions: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
        let after = try open(
            draft, destination, self.configuration,
            [
                NSReadOnlyPersistentStoreOption: true,
                NSSQLitePragmasOption: ["journal_mode": "DELETE"],
            ])
        defer { after.willRemove(from: after.persistentStoreCoordinator) }
        return names.subtracting(try after.externalFileNames())
    }

    /// Writes the objects of a copy of the store to a draft.
    ///
    /// - Returns: the names of external data that the draft needs no more.
    private func fill(_ draft: URL, from copy: URL, _ metadata: [String: Any]) throws -> Set<String> {
        do {
            let old = try open(copy, source, source.configuration(ofStoreWith: metadata), options)
            defer { old.willRemove(from: old.persistentStoreCoordinator) }
            if !old.unsupportedFeatures.isEmpty {
                throw NSError.migration("the store has \(old.unsupportedFeatures.joined(separator: ", "))")
            }
            // Without a log: all that was written is in the file that replaces the store.
            let new = try open(
                draft, destination, configuration, [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
            defer { new.willRemove(from: new.persistentStoreCoordinator) }
            let before = try old.externalFileNames()
            try old.withSnapshot { snapshot in
                let plan = try MigrationPlan(mapping, from: snapshot, to: new.schema)
                try new.write("migrate the store") { database in
                    let connection = SQLiteConnection(database)
                    var objects = MigrationCopy(snapshot, new, connection, plan) {
                        try ExternalData.file($0, in: externalData)
                    }
                    try objects.run()
                    try HistoryTransfer(snapshot, to: new, connection)?.run {
                        plan.way(of: $0)
                    } reference: { storedEntity, reference, _ in
                        try plan.step(ofSource: storedEntity.entityNumber)?.reference(reference) ?? reference
                    }
                    try UnmodelledTables(snapshot, new.schema).copy(to: database)
                    try SQLiteMetadata.write(newMetadata(new, metadata), database)
                }
            }
            return before.subtracting(try new.externalFileNames())
        } catch let error as NSError where error.code != CocoaError.Code.migration.rawValue {
            throw NSError.migration(error.localizedDescription, error)
        }
    }

    private func open(
        _ url: URL, _ model: NSManagedObjectModel, _ configuration: String?, _ options: [AnyHashable: Any]?
    ) throws -> SQLiteStore {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        var options = options.ofMigration
        options?[NSMigratePersistentStoresAutomaticallyOption] = nil
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: configuration, at: url, options: options)
        guard let store = store as? SQLiteStore else { throw NSError.migration("it is not a SQLite store") }
        return store
    }

    /// What says how the store is to be opened comes from the new model; all else, and the identifier, stays.
    private func newMetadata(_ new: SQLiteStore, _ metadata: [String: Any]) -> [String: Any] {
        var merged: [String: Any] = new.metadata ?? [:]
        for (key, value) in metadata where merged[key] == nil { merged[key] = value }
        merged[NSStoreUUIDKey] = metadata[NSStoreUUIDKey]
        return merged
    }
}
