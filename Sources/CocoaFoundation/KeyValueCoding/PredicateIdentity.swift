/// A value that stands for another in comparisons.
///
/// A managed object and its `NSManagedObjectID` are equal in a predicate: `author == %@` may be given either
/// of them. Both answer the same `predicateIdentity`, and every comparison puts it in their place.
package protocol PredicateIdentity {
    /// What the value is compared by: for managed objects their object identifier.
    var predicateIdentity: AnyHashable { get }
    /// Whether the identity stays what it is. That of an unsaved object changes when it is saved.
    var isPermanentIdentity: Bool { get }
}
