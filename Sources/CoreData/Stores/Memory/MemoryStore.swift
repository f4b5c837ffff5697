import Foundation
import ManagedObjectModel

/// A store of this framework that keeps its objects in memory, whether they come from a file or not.
///
/// Reference objects are numbers, which no two objects of the store share.
package class MappedStore: NSAtomicStore, @unchecked Sendable {
    /// The highest number that was given to an object.
    final var lastReference: Int64 = 0

    /// Numbers of a file from here on are refused, so that there are always some left.
    static let numberLimit: Int64 = 1 << 62

    package override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
        access.withLock {
            lastReference += 1
            return lastReference
        }
    }

    override var keepsInverses: Bool { true }

    /// The options that the type of store has, beside those that all have.
    var knownOptions: Set<String> { [] }

    override func prepare(_ model: NSManagedObjectModel) throws {
        try checkOptions()
        do {
            try model.validate()
        } catch {
            throw refusal("the model is not valid: \(error.localizedDescription)")
        }
        for home in homes {
            let name = home.entity.name ?? ""
            guard home.entity.uniquenessConstraints.isEmpty else {
                throw refusal("it cannot keep the uniqueness constraints of entity '\(name)'")
            }
            if let derived = home.layout.slots.first(where: \.isDerived) {
                throw refusal(
                    "it computes no derived attributes, such as '\(derived.name)' of entity '\(name)'")
            }
        }
    }

    final func refusal(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreIncompatibleSchema,
            "A store of type \(type) does not take the model: \(reason).")
    }

    private func checkOptions() throws {
        let known = knownOptions.union([
            NSReadOnlyPersistentStoreOption, NSIgnorePersistentStoreVersioningOption,
            NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
            NSPersistentStoreTimeoutOption, NSPersistentStoreFileProtectionKey,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey, NSPersistentStoreForceDestroyOption,
        ])
        for (key, value) in options ?? [:] where !known.contains("\(key.base)") {
            // A store without history need not be told so.
            if "\(key.base)" == NSPersistentHistoryTrackingKey, (value as? NSNumber)?.boolValue == false {
                continue
            }
            throw NSError.coreData(
                .persistentStoreInvalidType,
                "A store of type \(type) does not support the option '\(key.base)'; see Documentation/Compatibility.md."
            )
        }
    }
}

/// A store in memory. Its objects are gone when it is removed; several are independent of each other, whatever their URLs.
package final class MemoryStore: MappedStore, @unchecked Sendable {
    package override var type: String { NSInMemoryStoreType }

    package override func load() throws {}

    package override func save() throws {}

    package override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        throw noFile("has no metadata to read")
    }

    package override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws
    {
        throw noFile("has no metadata to set")
    }

    override class func destroy(at url: URL) throws { throw noFile("cannot be destroyed") }

    override class func replace(at url: URL, withStoreAt source: URL) throws {
        throw noFile("cannot be replaced")
    }

    private static func noFile(_ fate: String) -> NSError {
        .coreData(
            .persistentStoreOperation,
            "A store in memory has no file; one that is not open is gone and \(fate).")
    }
}
