/// A value that stands for another in comparisons.
///
/// A managed object and its `NSManagedObjectID` are equal in a predicate: `author == %@` may be given either
/// of them. Both answer the same `predicateIdentity`, and every comparison uses it instead of them.
package protocol PredicateIdentity {
    /// What the value is compared by: for managed objects their object identifier.
    var predicateIdentity: AnyHashable { get }
    /// Whether the identity stays what it is. That of an unsaved object changes when it is saved.
    var isPermanentIdentity: Bool { get }
}

/// An identity that sort descriptors order by: that of the keys in a store.
package protocol OrderedIdentity: Hashable {
    /// Which of two identities comes first.
    func order(_ other: Self) -> ComparisonResult
}

extension OrderedIdentity {
    /// The order of this identity and one of any type; the same where that is another type.
    func order(_ other: AnyHashable) -> ComparisonResult {
        (other.base as? Self).map { order($0) } ?? .orderedSame
    }
}
