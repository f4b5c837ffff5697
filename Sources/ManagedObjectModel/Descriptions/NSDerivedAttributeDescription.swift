import CocoaFoundation

/// The description of an attribute whose value the store computes from other values when it saves.
///
/// ```swift
/// let count = NSDerivedAttributeDescription()
/// count.name = "pageCount"
/// count.type = .integer64
/// count.derivationExpression = NSExpression(format: "pages.@count")
/// ```
///
/// The expression is one of these:
/// - the key path of an attribute, over to-one relationships or none: `author.name`;
/// - `canonical:`, `uppercase:` or `lowercase:` of such a key path: `canonical:(title)`;
/// - a to-many relationship and a terminal operator: `pages.@count`, `books.price.@sum`;
/// - `now()`, the time of the save.
///
/// Any other is a `ModelConsistencyError` when a store is added. An object shows the new value after it has been saved; setting the
/// attribute stops the program.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// The expression that yields the value.
    open var derivationExpression: NSExpression? { willSet { willChange("derivationExpression") } }

    /// A condition that Apple's archives of derived attributes have a place for. No API sets it; it is kept.
    package var filteringPredicate: NSPredicate? { willSet { willChange("filteringPredicate") } }

    package override var isReadOnly: Bool { true }

    /// What `derivationExpression` means, or `nil` if it is missing or not one that a store can compute.
    package var derivation: Derivation? { derivationExpression.flatMap(Derivation.init) }

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        if let attribute = copy as? NSDerivedAttributeDescription {
            attribute.derivationExpression = derivationExpression
            attribute.filteringPredicate = filteringPredicate
        }
        return copy
    }

    override func hasSameSettings(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSDerivedAttributeDescription else { return false }
        return super.hasSameSettings(as: other)
            && (derivation.map { $0 == other.derivation }
                ?? areEqual(derivationExpression, other.derivationExpression))
            && areEqual(filteringPredicate, other.filteringPredicate)
    }
}
