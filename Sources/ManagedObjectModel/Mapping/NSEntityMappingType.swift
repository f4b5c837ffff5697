/// How a migration makes the objects of a destination entity.
///
/// Xcode writes one of them for each entity mapping of a mapping model; inferred mapping models have the last four. Set
/// `.customEntityMappingType` with `entityMigrationPolicyClassName` for a policy of your own. The raw values are Apple's.
public enum NSEntityMappingType: UInt, Sendable {
    /// Nothing is said about it.
    case undefinedEntityMappingType = 0
    /// A migration policy of the application makes the objects of the destination.
    case customEntityMappingType = 1
    /// The entity is new in the destination model; there is nothing to migrate.
    case addEntityMappingType = 2
    /// The entity is not in the destination model; its objects are left behind.
    case removeEntityMappingType = 3
    /// The objects are taken over as they are.
    case copyEntityMappingType = 4
    /// The objects are made of those of the source, property by property.
    case transformEntityMappingType = 5
}
