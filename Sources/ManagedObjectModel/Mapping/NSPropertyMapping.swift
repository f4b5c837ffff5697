import CocoaFoundation

/// The rule by which a migration computes the value of a property of a destination object.
///
/// ```swift
/// let name = NSPropertyMapping()
/// name.name = "fullName"
/// name.valueExpression = NSExpression(format: "$source.name")
/// entityMapping.attributeMappings = [name]
/// ```
///
/// `valueExpression` is evaluated for each source object; it can use `$source`, `$manager` and the other variables of a mapping model. An
/// expression that cannot be evaluated ends the migration with an error that names the property. A property without an expression keeps
/// its default value, unless the entity's migration policy sets it.
open class NSPropertyMapping: NSObject {
    /// Creates a mapping without a name and an expression.
    public override init() {}

    /// The name of the property in the destination entity.
    open var name: String?

    /// The expression for the value; `nil` leaves the property with its default.
    ///
    /// While it is evaluated `$source` is the source object, `$destination` the new one, `$manager` the
    /// migration manager, `$entityMapping` and `$propertyMapping` the mappings, and `$entityPolicy` the
    /// migration policy of the entity.
    open var valueExpression: NSExpression?

    /// Notes of the application about the mapping. They have no effect.
    open var userInfo: [AnyHashable: Any]?

    /// Whether the other mapping has the same name, expression and notes.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyMapping else { return false }
        return other === self
            || (name == other.name && valueExpression == other.valueExpression
                && areEqual(userInfo, other.userInfo))
    }

    open override var hash: Int { name.hashValue }

    open override var description: String {
        "<NSPropertyMapping \(name ?? "?") = \(valueExpression.map(String.init(describing:)) ?? "nothing")>"
    }
}
