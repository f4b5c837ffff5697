import Foundation

/// How a merge policy resolves conflicts: of an object with a row that changed since it was read, and of objects whose values a uniqueness
/// constraint allows only once. `NSMergePolicy` describes what each does with constraints. The raw values are Apple's.
public enum NSMergePolicyType: UInt, Sendable {
    /// The save fails.
    case errorMergePolicyType = 0
    /// Property by property, the store's values win where both sides changed.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Property by property, the object's values win where both sides changed.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The object's values replace the row.
    case overwriteMergePolicyType = 3
    /// The object's changes are discarded.
    case rollbackMergePolicyType = 4
}

/// Resolves the conflicts of a save: with rows that changed since they were read, and with uniqueness constraints.
///
/// ```swift
/// context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
/// ```
///
/// The default, `error`, lets the save fail. Choose another policy, or a subclass that overrides `resolve(optimisticLockingConflicts:)` or
/// `resolve(constraintConflicts:)`, where several contexts or processes change the same objects.
///
/// Conflicts with rows come first; once they are resolved, those with constraints. Then the save begins again, so that a policy may be
/// called several times. For constraints, of the objects that share values one is kept:
///
/// | policy | new object, values of one in the store | saved object that took the values of another |
/// |---|---|---|
/// | store trump | the new object is deleted | it gets back its own values of the constraint |
/// | object trump | the object of the store takes the values that were set; the new one is deleted | the other is deleted |
/// | overwrite | the object of the store takes all values; the new one is deleted | the other is deleted |
/// | rollback | the new object is deleted | its changes are discarded |
///
/// Of new objects that share values among themselves, one is kept in the same way. Relationships to a deleted object lead to the one that
/// is kept. The policy's changes are validated before the save continues; if the save fails then or later, the objects are restored.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    /// What the policy does.
    public let mergeType: NSMergePolicyType

    /// A policy of a type.
    public init(merge ty: NSMergePolicyType) { mergeType = ty }

    /// The save fails with 133020. The default.
    public class var error: NSMergePolicy { .failing }
    /// Property by property, the store's values win where both sides changed.
    public class var mergeByPropertyStoreTrump: NSMergePolicy { .storeTrump }
    /// Property by property, the object's values win where both sides changed.
    public class var mergeByPropertyObjectTrump: NSMergePolicy { .objectTrump }
    /// The object's values replace the row.
    public class var overwrite: NSMergePolicy { .overwriting }
    /// The object's changes are discarded.
    public class var rollback: NSMergePolicy { .rollingBack }

    private static let failing = NSMergePolicy(merge: .errorMergePolicyType)
    private static let storeTrump = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    private static let objectTrump = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    private static let overwriting = NSMergePolicy(merge: .overwriteMergePolicyType)
    private static let rollingBack = NSMergePolicy(merge: .rollbackMergePolicyType)

    /// Resolves conflicts by changing the objects; called on the context's queue. Leaves them to
    /// `resolve(optimisticLockingConflicts:)` and `resolve(constraintConflicts:)`.
    ///
    /// - Parameter list: `NSMergeConflict`s or `NSConstraintConflict`s.
    /// - Throws: 133020 or 133021 with the conflicts under `NSPersistentStoreSaveConflictsErrorKey`, when the policy does
    ///   not resolve them.
    open func resolve(mergeConflicts list: [Any]) throws {
        let versions = list.compactMap { $0 as? NSMergeConflict }
        if !versions.isEmpty { try resolve(optimisticLockingConflicts: versions) }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Resolves conflicts with rows that changed since they were read; called on the context's queue.
    ///
    /// - Throws: 133020 with the conflicts under `NSPersistentStoreSaveConflictsErrorKey`, when the policy does not
    ///   resolve them.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        guard mergeType != .errorMergePolicyType else {
            let names = list.map { "\($0.sourceObject.objectID.uriRepresentation().absoluteString)" }
            throw NSError.coreData(
                .managedObjectMerge,
                "Could not save: the rows of \(names.joined(separator: ", ")) changed since they were read.",
                [NSPersistentStoreSaveConflictsErrorKey: list])
        }
        for conflict in list { conflict.resolve(mergeType) }
    }

    /// Resolves conflicts with uniqueness constraints; called on the context's queue.
    ///
    /// - Throws: 133021 with the conflicts under `NSPersistentStoreSaveConflictsErrorKey`, when the policy does not
    ///   resolve them.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        guard mergeType != .errorMergePolicyType else {
            let what = list.prefix(10).map { conflict in
                let names = conflict.conflictingObjects.prefix(10).map { $0.entity.name ?? "" }
                let values = conflict.constraint.map { "\($0) = \(conflict.constraintValues[$0] ?? "nil")" }
                return "\(Set(names).sorted().joined(separator: ", ")) (\(values.joined(separator: ", ")))"
            }
            throw NSError.coreData(
                .managedObjectConstraintMerge,
                "Could not save: a uniqueness constraint is violated: \(what.joined(separator: "; "))"
                    + (list.count > what.count ? " and \(list.count - what.count) more." : "."),
                [NSPersistentStoreSaveConflictsErrorKey: list])
        }
        var resolution = ConstraintResolution(mergeType)
        try resolution.resolve(list)
    }
}

/// The policy that fails.
public var NSErrorMergePolicy: AnyObject { NSMergePolicy.error }
/// The policy that prefers the store's values.
public var NSMergeByPropertyStoreTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyStoreTrump }
/// The policy that prefers the object's values.
public var NSMergeByPropertyObjectTrumpMergePolicy: AnyObject { NSMergePolicy.mergeByPropertyObjectTrump }
/// The policy that replaces the row.
public var NSOverwriteMergePolicy: AnyObject { NSMergePolicy.overwrite }
/// The policy that discards the object's changes.
public var NSRollbackMergePolicy: AnyObject { NSMergePolicy.rollback }

/// A row that changed, or was deleted, since an object with changes was read from it.
///
/// A save reports it to the context's merge policy. A subclass of `NSMergePolicy` can compare the three states, change the object, and
/// leave the rest to `super`:
///
/// ```swift
/// override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
///     for conflict in list where conflict.newVersionNumber != 0 {
///         print(conflict.objectSnapshot ?? [:], conflict.persistedSnapshot ?? conflict.cachedSnapshot ?? [:])
///     }
///     try super.resolve(optimisticLockingConflicts: list)
/// }
/// ```
///
/// Conflicts that no policy resolves are in the error of the save (133020), under `NSPersistentStoreSaveConflictsErrorKey`.
open class NSMergeConflict: NSObject {
    /// The object that was to be saved.
    public let sourceObject: NSManagedObject
    /// The object's values; nil when it was to be deleted.
    public let objectSnapshot: [String: Any]?
    /// The values in the row cache: newer ones than the object was read with when another context of the coordinator
    /// saved them, else those; nil when such a context deleted the object.
    public let cachedSnapshot: [String: Any]?
    /// The row's values now, when they are newer than those in the row cache, because another coordinator or process
    /// saved them; nil when they are not and when it deleted the object.
    public let persistedSnapshot: [String: Any]?
    /// The version of the row now; 0 when it is gone.
    public let newVersionNumber: Int
    /// The version that the object was read with.
    public let oldVersionNumber: Int
    /// The row now.
    package let currentRow: Row?

    /// A conflict of an object with its store.
    public convenience init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        self.init(
            source: srcObject, newVersion: newvers, oldVersion: oldvers, cachedSnapshot: cachesnap,
            persistedSnapshot: persnap, currentRow: nil)
    }

    package init(
        source: NSManagedObject, newVersion: Int, oldVersion: Int, cachedSnapshot: [String: Any]?,
        persistedSnapshot: [String: Any]?, currentRow: Row?
    ) {
        sourceObject = source
        newVersionNumber = newVersion
        oldVersionNumber = oldVersion
        self.cachedSnapshot = cachedSnapshot
        self.persistedSnapshot = persistedSnapshot
        objectSnapshot = source.isDeleted ? nil : source.snapshot
        self.currentRow = currentRow
    }
}
