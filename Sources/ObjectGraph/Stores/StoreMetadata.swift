import Foundation
import ManagedObjectModel

/// The metadata of stores of every type.
package enum StoreMetadata {
    /// The metadata of a new store.
    package static func new(_ model: NSManagedObjectModel, configuration: String, type: String) -> [String:
        Any]
    {
        let name = configuration == defaultConfigurationName ? nil : configuration
        var hashes: [String: Data] = [:]
        for entity in model.entitiesInPreorder(configuration: name) {
            if let name = entity.name { hashes[name] = entity.versionHash }
        }
        return [
            NSStoreTypeKey: type,
            NSStoreUUIDKey: UUID().uuidString,
            NSStoreModelVersionHashesKey: hashes,
            "NSStoreModelVersionHashesVersion": NSNumber(value: 3),
            "NSStoreModelVersionHashesDigest": model.versionHashesDigest(configuration: name),
            NSPersistentStoreModelVersionChecksumKey: model.versionChecksum,
            NSStoreModelVersionIdentifiersKey: model.versionIdentifiers.map(\.base),
            "NSPersistenceFrameworkVersion": NSNumber(value: Int(NSCoreDataVersionNumber)),
        ]
    }

    /// The keys that say how the store is to be opened; all others are the application's, but for the type.
    package static let formatKeys = [
        NSStoreUUIDKey, NSStoreModelVersionHashesKey, "NSStoreModelVersionHashesVersion",
        "NSStoreModelVersionHashesDigest", NSPersistentStoreModelVersionChecksumKey,
        NSStoreModelVersionIdentifiersKey, "NSPersistenceFrameworkVersion", "_NSAutoVacuumLevel",
    ]

    /// The metadata with an application's keys replaced. Keys that say how the store is to be opened stay unless the
    /// application sets them; the type always stays.
    package static func merging(
        _ new: [String: Any], into old: [String: Any], type: String
    ) -> [String: Any] {
        var merged = new
        for key in formatKeys where merged[key] == nil {
            merged[key] = old[key]
        }
        merged[NSStoreTypeKey] = old[NSStoreTypeKey] ?? type
        return merged
    }

    /// The changes of metadata since they were read.
    package struct Changes {
        private var new: [String: Any] = [:]
        private var removed: [String] = []

        package init(from old: [String: Any], to new: [String: Any]) {
            self.new = new.filter { key, value in
                old[key].map { !Self.isSame($0, value) } ?? true
            }
            removed = old.keys.filter { new[$0] == nil }
        }

        /// Whether two values of property lists are equal; numbers of different types are different.
        private static func isSame(_ left: Any, _ right: Any) -> Bool {
            switch (left, right) {
            case (let left as [String: Any], let right as [String: Any]):
                return left.count == right.count
                    && left.allSatisfy { key, value in right[key].map { isSame(value, $0) } ?? false }
            case (let left as [Any], let right as [Any]):
                return left.count == right.count && zip(left, right).allSatisfy(isSame)
            default:
                guard let left = left as AnyObject as? NSObject, let right = right as AnyObject as? NSObject
                else { return false }
                if let left = left as? NSNumber, let right = right as? NSNumber {
                    return strcmp(left.objCType, right.objCType) == 0 && left == right
                }
                return left.isEqual(right)
            }
        }

        /// Other metadata with the changes.
        package func applied(to other: [String: Any]) -> [String: Any] {
            var metadata = other
            for key in removed { metadata[key] = nil }
            return metadata.merging(new) { $1 }
        }
    }

    /// Compares the version hashes of a store with those of a model.
    ///
    /// - Parameter uncertainty: the message for hashes that cannot be computed with certainty.
    /// - Throws: 134100, with the entities that differ.
    package static func check(
        _ metadata: [String: Any], _ model: NSManagedObjectModel, configuration: String, url: URL?,
        uncertainty: String? = nil
    ) throws {
        let name = configuration == defaultConfigurationName ? nil : configuration
        if model.isConfiguration(withName: name, compatibleWithStoreMetadata: metadata) { return }
        let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        let own = model.entityVersionHashesByName
        var differences: [String] = []
        for name in Set(stored.keys).union(own.keys).sorted() where stored[name] != own[name] {
            if stored[name] == nil {
                differences.append("\(name) (new in the model)")
            } else if own[name] == nil {
                differences.append("\(name) (not in the model)")
            } else {
                differences.append("\(name) (changed)")
            }
        }
        throw NSError.coreData(
            .persistentStoreIncompatibleVersionHash,
            """
            The model used to open the store is incompatible with the one used to create the store. Entities that \
            differ: \(differences.joined(separator: ", ")). \(uncertainty.map { "\($0) " } ?? "")\
            SQLite stores are migrated with \(NSMigratePersistentStoresAutomaticallyOption) and \
            \(NSInferMappingModelAutomaticallyOption).
            """,
            [
                "metadata": metadata,
                "reason":
                    "The model used to open the store is incompatible with the one used to create the store",
                NSFilePathErrorKey: url?.path ?? "",
            ])
    }
}
