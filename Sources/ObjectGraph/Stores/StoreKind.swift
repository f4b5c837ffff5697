import Foundation
import ManagedObjectModel

/// Operations of a class of stores on stores that no coordinator has open, and on new ones.
package protocol StoreKind: NSPersistentStore {
    /// The metadata of the store at a URL; neither its file nor any other changes.
    ///
    /// - Throws: see `NSPersistentStoreCoordinator.metadataForPersistentStore(ofType:at:options:)`.
    static func metadata(at url: URL, _ options: [AnyHashable: Any]?) throws -> [String: Any]

    /// Sets the metadata of the store at a URL.
    ///
    /// - Throws: see `NSPersistentStoreCoordinator.setMetadata(_:forPersistentStoreOfType:at:options:)`.
    static func setMetadata(_ metadata: [String: Any]?, at url: URL, _ options: [AnyHashable: Any]?) throws

    /// The copy of its model that the store at a URL holds; nil for a kind of stores that hold none.
    ///
    /// - Throws: see `NSPersistentStoreCoordinator.cachedModelForPersistentStore(ofType:at:options:)`.
    static func cachedModel(at url: URL, _ options: [AnyHashable: Any]?) throws -> NSManagedObjectModel?

    /// A model made from the contents of the store at a URL; nil for a kind of store that does not describe its model.
    ///
    /// - Throws: see `NSPersistentStoreCoordinator.reconstructedModelForPersistentStore(ofType:at:options:)`.
    static func reconstructedModel(at url: URL, _ options: [AnyHashable: Any]?) throws
        -> NSManagedObjectModel?

    /// The copy, or else a model made from the store's contents, for opening the store: nil as in `cachedModel`.
    ///
    /// - Throws: see `NSPersistentContainer.init(storeAt:isReadOnly:)`.
    static func modelToOpen(at url: URL, _ options: [AnyHashable: Any]?) throws -> NSManagedObjectModel?

    /// Removes the store at a URL.
    ///
    /// - Throws: see `NSPersistentStoreCoordinator.destroyPersistentStore(at:ofType:options:)`.
    static func destroy(at url: URL, _ options: [AnyHashable: Any]?) throws

    /// Replaces the store at `url` with a copy of that at `source`.
    ///
    /// - Throws: see `NSPersistentStoreCoordinator.replacePersistentStore(at:…)`.
    static func replace(
        at url: URL, _ options: [AnyHashable: Any]?, withStoreAt source: URL,
        _ sourceOptions: [AnyHashable: Any]?
    ) throws

    /// Migrates the store at a URL to a model before it is opened, if the options request it.
    ///
    /// - Throws: see `NSPersistentStoreCoordinator.addPersistentStore(ofType:configurationName:at:options:)`.
    static func migrateIfNeeded(
        at url: URL, to model: NSManagedObjectModel, configuration: String?, options: [AnyHashable: Any]?
    ) throws

    /// Whether a store needs a URL from its program.
    static var needsURL: Bool { get }
    /// Whether stores have files of their own, which can be made as drafts and then moved to their location.
    static var hasFiles: Bool { get }
    /// Whether a file is written piece by piece, so that one with contents is made as a draft. Other kinds write a file at once.
    static var isWrittenInPieces: Bool { get }
    /// Whether stores are in memory, also those with the URL of a file.
    static var isInMemory: Bool { get }
    /// Whether a coordinator can have only one store of the kind at `/dev/null`.
    static var isAddedOnceWithoutFile: Bool { get }
    /// The options for a store that is made as a draft.
    static func optionsOfDraft(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any]?
    /// Whether a new store can be made at a URL.
    static func isFree(_ url: URL) -> Bool
    /// Makes a new store, which is moved to its location once it is complete, and opens it. Only for kinds that have files.
    ///
    /// - Parameters:
    ///   - source: a file whose mode and owner the new one gets; nil for those of the process.
    ///   - fill: makes the store at a URL beside its location, and closes it.
    ///   - opening: opens the store at its location.
    /// - Throws: 134080 when the file exists, an error of the file system, or what the blocks throw; nothing is left
    ///   then.
    static func makeAsDraft<Opened>(
        at url: URL, _ options: [AnyHashable: Any]?, like source: URL?, _ fill: (URL) throws -> Void,
        opening: () throws -> Opened
    ) throws -> Opened
}

extension StoreKind {
    package static func metadata(at url: URL, _ options: [AnyHashable: Any]?) throws -> [String: Any] {
        try metadataForPersistentStore(with: url)
    }

    package static func setMetadata(
        _ metadata: [String: Any]?, at url: URL, _ options: [AnyHashable: Any]?
    ) throws {
        try setMetadata(metadata, forPersistentStoreAt: url)
    }

    package static func cachedModel(at url: URL, _ options: [AnyHashable: Any]?) throws
        -> NSManagedObjectModel?
    { nil }

    package static func reconstructedModel(
        at url: URL, _ options: [AnyHashable: Any]?
    ) throws -> NSManagedObjectModel? { nil }

    package static func modelToOpen(at url: URL, _ options: [AnyHashable: Any]?) throws
        -> NSManagedObjectModel?
    { nil }

    package static func migrateIfNeeded(
        at url: URL, to model: NSManagedObjectModel, configuration: String?, options: [AnyHashable: Any]?
    ) throws {}

    package static var needsURL: Bool { true }
    package static var hasFiles: Bool { false }
    package static var isWrittenInPieces: Bool { false }
    package static var isInMemory: Bool { false }
    package static var isAddedOnceWithoutFile: Bool { false }
    package static func optionsOfDraft(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any]? { options }

    package static func isFree(_ url: URL) -> Bool { !FileManager.default.fileExists(atPath: url.path) }

    package static func makeAsDraft<Opened>(
        at url: URL, _ options: [AnyHashable: Any]?, like source: URL?, _ fill: (URL) throws -> Void,
        opening: () throws -> Opened
    ) throws -> Opened {
        try fill(url)
        return try opening()
    }
}
