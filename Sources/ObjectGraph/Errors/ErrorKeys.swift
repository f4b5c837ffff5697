import Foundation

/// `userInfo` key of a validation error: the key (`String`) of the property that failed.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"

/// `userInfo` key of a validation error: the object (`NSManagedObject`) that failed.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"

/// `userInfo` key of a validation error: the predicate (`NSPredicate`) that rejected the value.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"

/// `userInfo` key of a validation error: the value that was rejected; absent when it was nil.
public let NSValidationValueErrorKey = "NSValidationErrorValue"

/// `userInfo` key of an error with code 1560: the single errors (`[NSError]`).
public let NSDetailedErrorsKey = "NSDetailedErrors"

/// `userInfo` key: the objects (`[NSManagedObject]`) that an error is about.
public let NSAffectedObjectsErrorKey = "NSAffectedObjects"

/// `userInfo` key: the stores (`[NSPersistentStore]`) that an error is about.
public let NSAffectedStoresErrorKey = "NSAffectedStores"

/// `userInfo` key of a failed save: the conflicts (`[NSMergeConflict]`).
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"

/// Domain of SQLite's own errors, kept under `NSUnderlyingErrorKey`; its codes are SQLite's result codes.
/// The same string is a `userInfo` key (`NSNumber`) of Core Data errors that come from SQLite.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"

extension CocoaError {
    /// The property key of a validation error.
    public var validationKey: String? { userInfo[NSValidationKeyErrorKey] as? String }

    /// The object of a validation error.
    public var validationObject: Any? { userInfo[NSValidationObjectErrorKey] }

    /// The predicate that rejected a value.
    public var validationPredicate: NSPredicate? { userInfo[NSValidationPredicateErrorKey] as? NSPredicate }

    /// The value that a validation rejected.
    public var validationValue: Any? { userInfo[NSValidationValueErrorKey] }

    /// The objects that the error is about.
    public var affectedObjects: [AnyObject]? { userInfo[NSAffectedObjectsErrorKey] as? [AnyObject] }

    /// The stores that the error is about.
    public var affectedStores: [AnyObject]? { userInfo[NSAffectedStoresErrorKey] as? [AnyObject] }
}
