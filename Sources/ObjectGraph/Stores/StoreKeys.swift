import Foundation

// The values of option keys are their own names, as Apple's framework has them in store options.

/// Store type: one SQLite file.
public let NSSQLiteStoreType = "SQLite"

/// Store type: memory; the objects are gone when the store is removed.
public let NSInMemoryStoreType = "InMemory"

/// Store type: one XML file, read and written as a whole.
public let NSXMLStoreType = "XML"

/// Store type: one file of archives, read and written as a whole.
public let NSBinaryStoreType = "Binary"

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

/// Metadata key: the checksum of the model (`String`), as `NSManagedObjectModel.versionChecksum` has it.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"

/// Metadata key: the version identifiers of the model.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"

/// Option key: destroy a store also while others have it open (`Bool`). They lose what they write.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"

/// Option key: how the system protects the store's file while the device is locked (`FileProtectionType`, or its name).
///
/// Accepted, so that the same source works, and without effect where the system has no such protection: the log says that file
/// permissions alone apply.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"

/// Option key: how many connections read a store at once, at most (`Int`). The default is 8.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"

/// Option key: do the rest of a migration later. A migration is always done as a whole, so it changes nothing.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"

/// Option key: check an XML store against its document type (`Bool`). Every XML store is checked when it is read,
/// whatever the value.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"

/// Option key: decode archives of any class in a binary store. It changes nothing, and the log says so: only values of
/// attributes are read.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
    "NSBinaryStoreInsecureDecodingCompatibilityOption"

/// Option key: classes beside those of attributes that may be decoded from a binary store. It changes nothing, and the log says
/// so: only values of attributes are read, whose classes the model and its value transformers name.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"

/// Metadata key: the oldest system that the store is for, as its program says. Kept with the other keys of a program; no
/// store needs it or writes it by itself.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"

/// Option key of iCloud stores, which no system has any more: it changes nothing.
@available(*, deprecated, message: "iCloud stores are not supported; the option has no effect.")
public let NSPersistentStoreUbiquitousContentNameKey = "NSPersistentStoreUbiquitousContentNameKey"

/// Option key of iCloud stores, which no system has any more: it changes nothing.
@available(*, deprecated, message: "iCloud stores are not supported; the option has no effect.")
public let NSPersistentStoreUbiquitousContentURLKey = "NSPersistentStoreUbiquitousContentURLKey"

/// Option key of iCloud stores, which no system has any more: it changes nothing.
@available(*, deprecated, message: "iCloud stores are not supported; the option has no effect.")
public let NSPersistentStoreUbiquitousPeerTokenOption = "NSPersistentStoreUbiquitousPeerTokenOption"

/// Option key of iCloud stores, which no system has any more: it changes nothing.
@available(*, deprecated, message: "iCloud stores are not supported; the option has no effect.")
public let NSPersistentStoreUbiquitousContainerIdentifierKey =
    "NSPersistentStoreUbiquitousContainerIdentifierKey"

/// Option key of iCloud stores, which no system has any more: it changes nothing.
@available(*, deprecated, message: "iCloud stores are not supported; the option has no effect.")
public let NSPersistentStoreRebuildFromUbiquitousContentOption =
    "NSPersistentStoreRebuildFromUbiquitousContentOption"

/// Option key of iCloud stores, which no system has any more: it changes nothing.
@available(*, deprecated, message: "iCloud stores are not supported; the option has no effect.")
public let NSPersistentStoreRemoveUbiquitousMetadataOption = "NSPersistentStoreRemoveUbiquitousMetadataOption"
