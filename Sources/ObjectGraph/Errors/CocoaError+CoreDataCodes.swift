import Foundation

// Raw values are those of Apple's CoreDataErrors.h.

extension CocoaError.Code {
    /// A value failed a validation predicate that has no code of its own.
    public static var managedObjectValidation: Self { Self(rawValue: 1550) }

    /// Several validations failed; the errors are under `NSDetailedErrorsKey`.
    public static var validationMultipleErrors: Self { Self(rawValue: 1560) }

    /// A property that is not optional has no value.
    public static var validationMissingMandatoryProperty: Self { Self(rawValue: 1570) }

    /// A to-many relationship has fewer destination objects than its minimum.
    public static var validationRelationshipLacksMinimumCount: Self { Self(rawValue: 1580) }

    /// A to-many relationship has more destination objects than its maximum.
    public static var validationRelationshipExceedsMaximumCount: Self { Self(rawValue: 1590) }

    /// A relationship with the delete rule Deny still has destination objects.
    public static var validationRelationshipDeniedDelete: Self { Self(rawValue: 1600) }

    /// A number is above its maximum.
    public static var validationNumberTooLarge: Self { Self(rawValue: 1610) }

    /// A number is below its minimum.
    public static var validationNumberTooSmall: Self { Self(rawValue: 1620) }

    /// A date is after the latest one allowed.
    public static var validationDateTooLate: Self { Self(rawValue: 1630) }

    /// A date is before the earliest one allowed.
    public static var validationDateTooSoon: Self { Self(rawValue: 1640) }

    /// A value is not a valid date.
    public static var validationInvalidDate: Self { Self(rawValue: 1650) }

    /// A string is longer than its maximum.
    public static var validationStringTooLong: Self { Self(rawValue: 1660) }

    /// A string is shorter than its minimum.
    public static var validationStringTooShort: Self { Self(rawValue: 1670) }

    /// A string does not match its regular expression.
    public static var validationStringPatternMatching: Self { Self(rawValue: 1680) }

    /// A context could not take a lock.
    public static var managedObjectContextLocking: Self { Self(rawValue: 132000) }

    /// A coordinator could not take a lock.
    public static var persistentStoreCoordinatorLocking: Self { Self(rawValue: 132010) }

    /// A fault points to an object that does not exist.
    public static var managedObjectReferentialIntegrity: Self { Self(rawValue: 133000) }

    /// An object has a relationship to an object of another store.
    public static var managedObjectExternalRelationship: Self { Self(rawValue: 133010) }

    /// Saving met rows that changed since they were read; the conflicts are under `NSPersistentStoreSaveConflictsErrorKey`.
    public static var managedObjectMerge: Self { Self(rawValue: 133020) }

    /// Saving met rows that violate a uniqueness constraint.
    public static var managedObjectConstraintMerge: Self { Self(rawValue: 133021) }

    /// The type of persistent store is unknown.
    public static var persistentStoreInvalidType: Self { Self(rawValue: 134000) }

    /// The file is a store of another type than the requested one.
    public static var persistentStoreTypeMismatch: Self { Self(rawValue: 134010) }

    /// The tables of the store do not fit the model.
    public static var persistentStoreIncompatibleSchema: Self { Self(rawValue: 134020) }

    /// The store could not be saved.
    public static var persistentStoreSave: Self { Self(rawValue: 134030) }

    /// Some objects of a save could not be stored.
    public static var persistentStoreIncompleteSave: Self { Self(rawValue: 134040) }

    /// The save met conflicts that the merge policy did not resolve.
    public static var persistentStoreSaveConflicts: Self { Self(rawValue: 134050) }

    /// A general Core Data error.
    public static var coreData: Self { Self(rawValue: 134060) }

    /// A store operation failed.
    public static var persistentStoreOperation: Self { Self(rawValue: 134070) }

    /// The store could not be opened.
    public static var persistentStoreOpen: Self { Self(rawValue: 134080) }

    /// The coordinator has the store already. Apple's framework uses the code and has no constant for it.
    package static var persistentStoreAddedTwice: Self { Self(rawValue: 134081) }

    /// The store stayed locked for longer than its timeout.
    public static var persistentStoreTimeout: Self { Self(rawValue: 134090) }

    /// The store cannot execute this kind of request.
    public static var persistentStoreUnsupportedRequestType: Self { Self(rawValue: 134091) }

    /// The model is not the one that the store was made with.
    public static var persistentStoreIncompatibleVersionHash: Self { Self(rawValue: 134100) }

    /// A migration failed.
    public static var migration: Self { Self(rawValue: 134110) }

    /// A migration was cancelled.
    public static var migrationCancelled: Self { Self(rawValue: 134120) }

    /// No model for the source store of a migration was found.
    public static var migrationMissingSourceModel: Self { Self(rawValue: 134130) }

    /// No mapping model for a migration was found.
    public static var migrationMissingMappingModel: Self { Self(rawValue: 134140) }

    /// A migration could not open its source store.
    public static var migrationManagerSourceStore: Self { Self(rawValue: 134150) }

    /// A migration could not open its destination store.
    public static var migrationManagerDestinationStore: Self { Self(rawValue: 134160) }

    /// An entity migration policy failed.
    public static var entityMigrationPolicy: Self { Self(rawValue: 134170) }

    /// SQLite reported an error; its code and message are under `NSSQLiteErrorDomain` and `NSUnderlyingErrorKey`.
    public static var sqlite: Self { Self(rawValue: 134180) }

    /// No mapping model could be inferred.
    public static var inferredMappingModel: Self { Self(rawValue: 134190) }

    /// An external record could not be imported.
    public static var externalRecordImport: Self { Self(rawValue: 134200) }
}

extension CocoaError {
    /// A value failed a validation predicate that has no code of its own.
    public static var managedObjectValidation: Code { .managedObjectValidation }

    /// Several validations failed; the errors are under `NSDetailedErrorsKey`.
    public static var validationMultipleErrors: Code { .validationMultipleErrors }

    /// A property that is not optional has no value.
    public static var validationMissingMandatoryProperty: Code { .validationMissingMandatoryProperty }

    /// A to-many relationship has fewer destination objects than its minimum.
    public static var validationRelationshipLacksMinimumCount: Code {
        .validationRelationshipLacksMinimumCount
    }

    /// A to-many relationship has more destination objects than its maximum.
    public static var validationRelationshipExceedsMaximumCount: Code {
        .validationRelationshipExceedsMaximumCount
    }

    /// A relationship with the delete rule Deny still has destination objects.
    public static var validationRelationshipDeniedDelete: Code { .validationRelationshipDeniedDelete }

    /// A number is above its maximum.
    public static var validationNumberTooLarge: Code { .validationNumberTooLarge }

    /// A number is below its minimum.
    public static var validationNumberTooSmall: Code { .validationNumberTooSmall }

    /// A date is after the latest one allowed.
    public static var validationDateTooLate: Code { .validationDateTooLate }

    /// A date is before the earliest one allowed.
    public static var validationDateTooSoon: Code { .validationDateTooSoon }

    /// A value is not a valid date.
    public static var validationInvalidDate: Code { .validationInvalidDate }

    /// A string is longer than its maximum.
    public static var validationStringTooLong: Code { .validationStringTooLong }

    /// A string is shorter than its minimum.
    public static var validationStringTooShort: Code { .validationStringTooShort }

    /// A string does not match its regular expression.
    public static var validationStringPatternMatching: Code { .validationStringPatternMatching }

    /// A context could not take a lock.
    public static var managedObjectContextLocking: Code { .managedObjectContextLocking }

    /// A coordinator could not take a lock.
    public static var persistentStoreCoordinatorLocking: Code { .persistentStoreCoordinatorLocking }

    /// A fault points to an object that does not exist.
    public static var managedObjectReferentialIntegrity: Code { .managedObjectReferentialIntegrity }

    /// An object has a relationship to an object of another store.
    public static var managedObjectExternalRelationship: Code { .managedObjectExternalRelationship }

    /// Saving met rows that changed since they were read; the conflicts are under `NSPersistentStoreSaveConflictsErrorKey`.
    public static var managedObjectMerge: Code { .managedObjectMerge }

    /// Saving met rows that violate a uniqueness constraint.
    public static var managedObjectConstraintMerge: Code { .managedObjectConstraintMerge }

    /// The type of persistent store is unknown.
    public static var persistentStoreInvalidType: Code { .persistentStoreInvalidType }

    /// The file is a store of another type than the requested one.
    public static var persistentStoreTypeMismatch: Code { .persistentStoreTypeMismatch }

    /// The tables of the store do not fit the model.
    public static var persistentStoreIncompatibleSchema: Code { .persistentStoreIncompatibleSchema }

    /// The store could not be saved.
    public static var persistentStoreSave: Code { .persistentStoreSave }

    /// Some objects of a save could not be stored.
    public static var persistentStoreIncompleteSave: Code { .persistentStoreIncompleteSave }

    /// The save met conflicts that the merge policy did not resolve.
    public static var persistentStoreSaveConflicts: Code { .persistentStoreSaveConflicts }

    /// A general Core Data error.
    public static var coreData: Code { .coreData }

    /// A store operation failed.
    public static var persistentStoreOperation: Code { .persistentStoreOperation }

    /// The store could not be opened.
    public static var persistentStoreOpen: Code { .persistentStoreOpen }

    /// The store stayed locked for longer than its timeout.
    public static var persistentStoreTimeout: Code { .persistentStoreTimeout }

    /// The store cannot execute this kind of request.
    public static var persistentStoreUnsupportedRequestType: Code { .persistentStoreUnsupportedRequestType }

    /// The model is not the one that the store was made with.
    public static var persistentStoreIncompatibleVersionHash: Code { .persistentStoreIncompatibleVersionHash }

    /// A migration failed.
    public static var migration: Code { .migration }

    /// A migration was cancelled.
    public static var migrationCancelled: Code { .migrationCancelled }

    /// No model for the source store of a migration was found.
    public static var migrationMissingSourceModel: Code { .migrationMissingSourceModel }

    /// No mapping model for a migration was found.
    public static var migrationMissingMappingModel: Code { .migrationMissingMappingModel }

    /// A migration could not open its source store.
    public static var migrationManagerSourceStore: Code { .migrationManagerSourceStore }

    /// A migration could not open its destination store.
    public static var migrationManagerDestinationStore: Code { .migrationManagerDestinationStore }

    /// An entity migration policy failed.
    public static var entityMigrationPolicy: Code { .entityMigrationPolicy }

    /// SQLite reported an error; its code and message are under `NSSQLiteErrorDomain` and `NSUnderlyingErrorKey`.
    public static var sqlite: Code { .sqlite }

    /// No mapping model could be inferred.
    public static var inferredMappingModel: Code { .inferredMappingModel }

    /// An external record could not be imported.
    public static var externalRecordImport: Code { .externalRecordImport }
}
