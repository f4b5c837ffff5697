import Foundation
import ManagedObjectModel

// The part of a model that a store has, according to its metadata.

extension NSManagedObjectModel {
    /// The configuration whose entities a store has; nil when it has those of all, or of none.
    package func configuration(ofStoreWith metadata: [String: Any]) -> String? {
        guard !hasEntities(ofStoreWith: metadata) else { return nil }
        return configurations.sorted().first { hasEntities(ofStoreWith: metadata, configuration: $0) }
    }

    /// Whether a configuration has the entities that the metadata of a store name. For hashes that cannot be computed with
    /// certainty, those of the metadata count.
    package func hasEntities(ofStoreWith metadata: [String: Any], configuration: String? = nil) -> Bool {
        comparison(configuration, withStoreOf: metadata).map(\.isUncertain)
            ?? isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
    }

    /// The difference to a store; nil when there is none, or none of single entities.
    package func comparison(
        _ configuration: String?, withStoreOf metadata: [String: Any]
    ) -> VersionHashComparison? {
        guard
            let written = metadata[NSStoreModelVersionHashesKey].flatMap({
                NSManagedObjectModel.versionHashes(in: $0)
            }),
            !isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata),
            configuration == nil || entities(forConfigurationName: configuration) != nil
        else { return nil }
        return VersionHashComparison(of: self, configuration: configuration, with: written)
    }
}
