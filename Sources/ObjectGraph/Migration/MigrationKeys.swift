// The variables that the expressions of a mapping model have, without their dollar signs.

/// Variable: the migration manager (`NSMigrationManager`).
public let NSMigrationManagerKey = "manager"

/// Variable: the source object (`NSManagedObject`).
public let NSMigrationSourceObjectKey = "source"

/// Variable: the object that is made of the source object (`NSManagedObject`).
public let NSMigrationDestinationObjectKey = "destination"

/// Variable: the mapping of the entity (`NSEntityMapping`).
public let NSMigrationEntityMappingKey = "entityMapping"

/// Variable: the mapping of the property (`NSPropertyMapping`).
public let NSMigrationPropertyMappingKey = "propertyMapping"

/// Variable: the policy of the entity mapping (`NSEntityMigrationPolicy`).
public let NSMigrationEntityPolicyKey = "entityPolicy"
