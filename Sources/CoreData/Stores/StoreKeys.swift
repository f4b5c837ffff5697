import Foundation

// The values of option keys are their own names, as Apple's framework has them in store options.

/// Store type: one SQLite file.
public let NSSQLiteStoreType = "SQLite"

/// Metadata key: the store's type (`String`).
public let NSStoreTypeKey = "NSStoreType"

/// Metadata key: the store's identifier (`String`).
public let NSStoreUUIDKey = "NSStoreUUID"

/// Option key: open the store for reading only (`Bool`).
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"

/// Option key: how long a connection waits for a lock, in seconds (`Double`). The default is 240.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"

/// Option key: SQLite pragmas to set on each connection (`[String: Any]`, name to value).
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"

/// Option key: run `ANALYZE` when the store is added (`Bool`).
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"

/// Option key: run `VACUUM` when the store is added (`Bool`).
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"

/// Option key: migrate the store when the model differs (`Bool`). See `Documentation/Compatibility.md`.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"

/// Option key: infer a mapping model for that migration (`Bool`). See `Documentation/Compatibility.md`.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"

/// Option key: open the store although its version hashes differ from the model's (`Bool`).
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"

/// Metadata key: the version hashes (`[String: Data]`) of the model's entities.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"

/// Metadata key: the version identifiers of the model.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
