import ManagedObjectModel

/// What is different in a newer model: entities, their properties, configurations and fetch requests, and whether a
/// store of the older model could be migrated without a mapping model.
///
/// Everything is in the order of names, so that the same two models always give the same text.
package struct ModelDifference: Codable, Equatable, Sendable {
    /// What happened to something that has a name.
    package enum Change: String, Codable, Sendable {
        case added
        case removed
        case renamed
        case changed
    }

    /// A setting with another value. A missing value stands for a setting that is not set.
    package struct Setting: Codable, Equatable, Sendable {
        /// Apple's name of the setting, such as `isOptional`.
        package let name: String
        package let old: String?
        package let new: String?
    }

    /// What is different in a property.
    package struct Property: Codable, Equatable, Sendable {
        package let change: Change
        /// The name in the newer model, or in the older one if it was removed.
        package let name: String
        /// The name in the older model, if it is another one.
        package let oldName: String?
        /// `attribute`, `relationship` or `fetched property`.
        package let kind: String
        /// Whether the version hash is another one; `true` for what was added or removed and has a place in stores.
        package let changesVersionHash: Bool
        package let settings: [Setting]
    }

    /// What is different in an entity. Inherited properties are listed in the entity that declares them.
    package struct Entity: Codable, Equatable, Sendable {
        package let change: Change
        /// The name in the newer model, or in the older one if it was removed.
        package let name: String
        /// The name in the older model, if it is another one.
        package let oldName: String?
        /// Whether the version hash is another one.
        package let changesVersionHash: Bool
        package let settings: [Setting]
        package let properties: [Property]
    }

    /// What is different in a configuration or fetch request.
    package struct Part: Codable, Equatable, Sendable {
        package let change: Change
        package let name: String
        package let settings: [Setting]
    }

    package let entities: [Entity]
    package let configurations: [Part]
    package let fetchRequests: [Part]
    /// Whether a store of the older model has to be migrated: the version hashes are not all the same.
    package let changesVersionHashes: Bool
    /// Why Core Data cannot infer a mapping from the older to the newer model, and which mandatory properties the
    /// mapping would give no value; empty if any store can be migrated.
    package let obstacles: [MigrationObstacle]

    /// Whether there is no difference at all.
    package var isEmpty: Bool { entities.isEmpty && configurations.isEmpty && fetchRequests.isEmpty }
    /// Whether a store of the older model can be migrated without a mapping model.
    package var allowsLightweightMigration: Bool { obstacles.isEmpty }
}
