import Foundation

/// Objects that cannot all be saved, because a uniqueness constraint allows their values only once.
///
/// Either several objects of one context have the values, or one or more of them and an object that is in the store already. A save with
/// the policy `error` fails with 133021 and has its conflicts in `userInfo`:
///
/// ```swift
/// } catch let error as NSError where error.code == NSManagedObjectConstraintMergeError {
///     let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
///     print(conflicts?.map(\.constraintValues) ?? [])
/// }
/// ```
///
/// A subclass of `NSMergePolicy` gets them in `resolve(constraintConflicts:)`. Read the objects on the queue of their context.
open class NSConstraintConflict: NSObject {
    /// The names of the attributes that the constraint is made of.
    open var constraint: [String] { names }
    /// The values that the objects share, by the names of `constraint`.
    open var constraintValues: [String: Any] { values }
    /// The object that is in the store with these values, in the context that saves; nil when only unsaved changes
    /// conflict with each other.
    open var databaseObject: NSManagedObject? { stored }
    /// The values of that object in the store.
    open var databaseSnapshot: [String: Any]? { storedSnapshot }
    /// The objects that were to be saved: new ones, and changed ones that took the values.
    open var conflictingObjects: [NSManagedObject] { objects }
    /// The values of these objects, in their order; of a relationship the ID of its destination.
    open var conflictingSnapshots: [[AnyHashable: Any]] { snapshots }

    private let names: [String]
    private let values: [String: Any]
    private let stored: NSManagedObject?
    private let storedSnapshot: [String: Any]?
    private let objects: [NSManagedObject]
    private let snapshots: [[AnyHashable: Any]]

    /// An empty conflict.
    public override convenience init() {
        self.init(
            constraint: [], database: nil, databaseSnapshot: nil, conflicting: [], conflictingSnapshots: [])
    }

    /// A conflict of objects over the values of a constraint.
    ///
    /// - Parameters:
    ///   - contraint: the names of the constraint's attributes.
    ///   - databaseObject: the object in the store; nil when there is none.
    ///   - databaseSnapshot: its values there.
    ///   - conflictingObjects: the objects that were to be saved.
    ///   - conflictingSnapshots: their values: a dictionary for each.
    public init(
        constraint contraint: [String], database databaseObject: NSManagedObject?,
        databaseSnapshot: [AnyHashable: Any]?, conflicting conflictingObjects: [NSManagedObject],
        conflictingSnapshots: [Any]
    ) {
        names = contraint
        stored = databaseObject
        storedSnapshot = databaseSnapshot.map { snapshot in
            Dictionary(
                snapshot.compactMap { key, value in (key.base as? String).map { ($0, value) } },
                uniquingKeysWith: { a, _ in a })
        }
        objects = conflictingObjects
        let snapshots = conflictingSnapshots.map { $0 as? [AnyHashable: Any] ?? [:] }
        self.snapshots = snapshots
        values = Dictionary(
            contraint.map { ($0, Self.value(atPath: $0, snapshots.first ?? databaseSnapshot ?? [:])) },
            uniquingKeysWith: { a, _ in a })
        super.init()
    }

    /// A value of a snapshot; of a composite attribute, the value of an element.
    private static func value(atPath path: String, _ snapshot: [AnyHashable: Any]) -> Any {
        let parts = path.split(separator: ".").map(String.init)
        var value = snapshot[parts.first ?? path]
        for part in parts.dropFirst() { value = (value as? [String: Any])?[part] }
        return value ?? NSNull()
    }
}
