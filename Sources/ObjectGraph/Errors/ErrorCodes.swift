import Foundation

// Raw values are those of Apple's CoreDataErrors.h.

/// A value failed a validation predicate that has no code of its own.
public var NSManagedObjectValidationError: Int { 1550 }

/// One or more uniqueness constraints were violated.
public var NSManagedObjectConstraintValidationError: Int { 1551 }

/// Several validations failed; the errors are under `NSDetailedErrorsKey`.
public var NSValidationMultipleErrorsError: Int { 1560 }

/// A property that is not optional has no value.
public var NSValidationMissingMandatoryPropertyError: Int { 1570 }

/// A to-many relationship has fewer destination objects than its minimum.
public var NSValidationRelationshipLacksMinimumCountError: Int { 1580 }

/// A to-many relationship has more destination objects than its maximum.
public var NSValidationRelationshipExceedsMaximumCountError: Int { 1590 }

/// A relationship with the delete rule Deny still has destination objects.
public var NSValidationRelationshipDeniedDeleteError: Int { 1600 }

/// A number is above its maximum.
public var NSValidationNumberTooLargeError: Int { 1610 }

/// A number is below its minimum.
public var NSValidationNumberTooSmallError: Int { 1620 }

/// A date is after the latest one allowed.
public var NSValidationDateTooLateError: Int { 1630 }

/// A date is before the earliest one allowed.
public var NSValidationDateTooSoonError: Int { 1640 }

/// A value is not a valid date.
public var NSValidationInvalidDateError: Int { 1650 }

/// A string is longer than its maximum.
public var NSValidationStringTooLongError: Int { 1660 }

/// A string is shorter than its minimum.
public var NSValidationStringTooShortError: Int { 1670 }

/// A string does not match its regular expression.
public var NSValidationStringPatternMatchingError: Int { 1680 }

/// A value is not a valid URI.
public var NSValidationInvalidURIError: Int { 1690 }

/// A context could not take a lock.
public var NSManagedObjectContextLockingError: Int { 132000 }

/// A coordinator could not take a lock.
public var NSPersistentStoreCoordinatorLockingError: Int { 132010 }

/// A fault points to an object that does not exist.
public var NSManagedObjectReferentialIntegrityError: Int { 133000 }

/// An object has a relationship to an object of another store.
public var NSManagedObjectExternalRelationshipError: Int { 133010 }

/// Saving met rows that changed since they were read; the conflicts are under `NSPersistentStoreSaveConflictsErrorKey`.
public var NSManagedObjectMergeError: Int { 133020 }

/// Saving met rows that violate a uniqueness constraint.
public var NSManagedObjectConstraintMergeError: Int { 133021 }

/// The type of persistent store is unknown.
public var NSPersistentStoreInvalidTypeError: Int { 134000 }

/// The file is a store of another type than the requested one.
public var NSPersistentStoreTypeMismatchError: Int { 134010 }

/// The tables of the store do not fit the model.
public var NSPersistentStoreIncompatibleSchemaError: Int { 134020 }

/// The store could not be saved.
public var NSPersistentStoreSaveError: Int { 134030 }

/// Some objects of a save could not be stored.
public var NSPersistentStoreIncompleteSaveError: Int { 134040 }

/// The save met conflicts that the merge policy did not resolve.
public var NSPersistentStoreSaveConflictsError: Int { 134050 }

/// A general Core Data error.
public var NSCoreDataError: Int { 134060 }

/// A store operation failed.
public var NSPersistentStoreOperationError: Int { 134070 }

/// The store could not be opened.
public var NSPersistentStoreOpenError: Int { 134080 }

/// The store stayed locked for longer than its timeout.
public var NSPersistentStoreTimeoutError: Int { 134090 }

/// The store cannot execute this kind of request.
public var NSPersistentStoreUnsupportedRequestTypeError: Int { 134091 }

/// The model is not the one that the store was made with.
public var NSPersistentStoreIncompatibleVersionHashError: Int { 134100 }

/// A migration failed.
public var NSMigrationError: Int { 134110 }

/// A migration met rows that violate a uniqueness constraint.
public var NSMigrationConstraintViolationError: Int { 134111 }

/// History after the token was deleted, or the token is of another store.
public var NSPersistentHistoryTokenExpiredError: Int { 134301 }

/// A migration was cancelled.
public var NSMigrationCancelledError: Int { 134120 }

/// No model for the source store of a migration was found.
public var NSMigrationMissingSourceModelError: Int { 134130 }

/// No mapping model for a migration was found.
public var NSMigrationMissingMappingModelError: Int { 134140 }

/// A migration could not open its source store.
public var NSMigrationManagerSourceStoreError: Int { 134150 }

/// A migration could not open its destination store.
public var NSMigrationManagerDestinationStoreError: Int { 134160 }

/// An entity migration policy failed.
public var NSEntityMigrationPolicyError: Int { 134170 }

/// SQLite reported an error; its code and message are under `NSSQLiteErrorDomain` and `NSUnderlyingErrorKey`.
public var NSSQLiteError: Int { 134180 }

/// No mapping model could be inferred.
public var NSInferredMappingModelError: Int { 134190 }

/// There is no model with the checksum of a model reference at its location.
public var NSManagedObjectModelReferenceNotFoundError: Int { 134504 }

/// An external record could not be imported.
public var NSExternalRecordImportError: Int { 134200 }
