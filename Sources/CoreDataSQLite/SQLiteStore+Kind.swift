import ObjectGraph
import Foundation
import GRDB
import ManagedObjectModel

extension SQLiteStore {
    private static func file(
        at url: URL, _ options: [AnyHashable: Any]?
    ) throws -> SQLiteStoreFile {
        SQLiteStoreFile(url: url, options: try SQLiteStoreOptions(options))
    }

    package static func metadata(at url: URL, _ options: [AnyHashable: Any]?) throws -> [String: Any] {
        try file(at: url, options).metadata()
    }

    package static func setMetadata(
        _ metadata: [String: Any]?, at url: URL, _ options: [AnyHashable: Any]?
    ) throws {
        try file(at: url, options).setMetadata(metadata ?? [:])
    }

    package static func cachedModel(
        at url: URL, _ options: [AnyHashable: Any]?
    ) throws -> NSManagedObjectModel? { try file(at: url, options).cachedModel() }

    package static func reconstructedModel(
        at url: URL, _ options: [AnyHashable: Any]?
    ) throws -> NSManagedObjectModel? { try file(at: url, options).reconstructedModel() }

    package static func modelToOpen(
        at url: URL, _ options: [AnyHashable: Any]?
    ) throws -> NSManagedObjectModel? {
        let file = try file(at: url, options)
        // To be opened for writing, it is first made readable.
        if !file.options.isReadOnly { try file.recover() }
        return try file.modelOfItsOwn()
    }

    package static func destroy(at url: URL, _ options: [AnyHashable: Any]?) throws {
        let file = try file(at: url, options)
        try OpenStores(of: url).removing { try file.destroy() }
        try SearchIndexFile.remove(beside: url)
    }

    package static func replace(
        at url: URL, _ options: [AnyHashable: Any]?, withStoreAt source: URL,
        _ sourceOptions: [AnyHashable: Any]?
    ) throws {
        try file(at: url, options).replace(
            with: file(at: source, sourceOptions), closing: OpenStores(of: url).reopening)
        try SearchIndexFile.remove(beside: url)
    }

    package static func migrateIfNeeded(
        at url: URL, to model: NSManagedObjectModel, configuration: String?, options: [AnyHashable: Any]?
    ) throws {
        try LightweightMigration.runIfNeeded(
            at: url, to: model, configuration: configuration, options: options)
    }

    package static var hasFiles: Bool { true }
    package static var isWrittenInPieces: Bool { true }
    package static var isAddedOnceWithoutFile: Bool { true }

    package static func optionsOfDraft(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any]? {
        SQLiteStoreOptions.ofDraft(options)
    }

    /// What is left of a store that was destroyed is an empty file.
    package static func isFree(_ url: URL) -> Bool {
        !FileManager.default.fileExists(atPath: url.path) || url.isEmptyFile
    }

    package static func makeAsDraft<Opened>(
        at url: URL, _ options: [AnyHashable: Any]?, like source: URL?, _ fill: (URL) throws -> Void,
        opening: () throws -> Opened
    ) throws -> Opened {
        try file(at: url, options).makeStore(like: source, fill, opening: opening)
    }

    /// Copies everything that is in the file, and opens the copy.
    package func copied(
        to url: URL, _ options: [AnyHashable: Any]?, for coordinator: NSPersistentStoreCoordinator
    ) throws -> (any ObjectStore)? {
        let file = try Self.file(at: url, options)
        guard url.isFileURL, !url.isNullDevice else {
            throw NSError.coreData(
                .persistentStoreOpen, "A store is migrated to a file, not to \(url.absoluteString).")
        }
        do {
            return try file.make(from: fileURL) { queue in
                try backup(to: queue)
                var metadata = metadata ?? [:]
                metadata[NSStoreUUIDKey] = UUID().uuidString
                try queue.write { try SQLiteMetadata.write(metadata, $0) }
            } opening: {
                let new = SQLiteStore(
                    persistentStoreCoordinator: coordinator, configurationName: configurationName, at: url,
                    options: options)
                try new.open(model: coordinator.managedObjectModel, inPlaceOf: self)
                return new
            }
        } catch let error as DatabaseError {
            throw NSError.sqlite(error, during: "copy the store", store: url)
        }
    }

    package func checkIsUnused(to action: String) throws {
        // Closing the file waits for its users, which wait for the caller.
        if isInUseByCaller { throw nestedUse(action) }
    }
}
