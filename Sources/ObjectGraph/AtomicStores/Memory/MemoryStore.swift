import Foundation
import ManagedObjectModel

/// A store in memory. Its objects are gone when it is removed; several are independent of each other, whatever their URLs.
package final class MemoryStore: MappedStore, @unchecked Sendable {
    package override var type: String { NSInMemoryStoreType }

    /// As Apple's, which tests use instead of the store of a program.
    override var ignoresConstraints: Bool { true }

    package override func load() throws {}

    package override func save() throws {}

    package override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw noFile("has no metadata to read")
    }

    package override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws
    {
        throw noFile("has no metadata to set")
    }

    package override class var needsURL: Bool { false }

    package override class var isInMemory: Bool { true }

    package override class func destroy(at url: URL, _ options: [AnyHashable: Any]?) throws {
        throw noFile("cannot be destroyed")
    }

    package override class func replace(
        at url: URL, _ options: [AnyHashable: Any]?, withStoreAt source: URL,
        _ sourceOptions: [AnyHashable: Any]?
    ) throws {
        throw noFile("cannot be replaced")
    }

    private static func noFile(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreOperation,
            "A store in memory has no file: its contents end with it, so it \(reason).")
    }
}
