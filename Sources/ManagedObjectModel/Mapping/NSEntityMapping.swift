import CocoaFoundation

/// How the objects of one entity of the source model become objects of one entity of the destination model.
///
/// ```swift
/// let mapping = NSEntityMapping()
/// mapping.name = "BookToPublication"
/// mapping.mappingType = .transformEntityMappingType
/// mapping.sourceEntityName = "Book"
/// mapping.destinationEntityName = "Publication"
/// ```
///
/// `sourceExpression` fetches the source objects, the property mappings compute the values, and a subclass of `NSEntityMigrationPolicy`
/// that `entityMigrationPolicyClassName` names can do the rest. The version hashes say which versions of the entities the mapping is
/// for.
open class NSEntityMapping: NSObject {
    /// Creates a mapping of undefined type between no entities.
    public override init() {}

    /// The name, unique in the mapping model.
    open var name: String!

    /// How the objects come into the destination.
    open var mappingType: NSEntityMappingType = .undefinedEntityMappingType

    /// The name of the source entity; `nil` for an entity that is added.
    open var sourceEntityName: String?

    /// The version hash of the source entity, by which a mapping model is found for a store.
    open var sourceEntityVersionHash: Data?

    /// The name of the destination entity; `nil` for an entity that is removed.
    open var destinationEntityName: String?

    /// The version hash of the destination entity.
    open var destinationEntityVersionHash: Data?

    /// The mappings of the destination's attributes.
    open var attributeMappings: [NSPropertyMapping]?

    /// The mappings of the destination's relationships.
    open var relationshipMappings: [NSPropertyMapping]?

    /// The expression for the source objects, usually a fetch. `$manager` is the migration manager.
    open var sourceExpression: NSExpression?

    /// The name of the class, a subclass of `NSEntityMigrationPolicy`, that migrates the objects; `nil`
    /// stands for that class itself.
    open var entityMigrationPolicyClassName: String?

    /// Notes of the application about the mapping. They have no effect.
    open var userInfo: [AnyHashable: Any]?

    /// Whether the other mapping has the same settings and equal property mappings.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSEntityMapping else { return false }
        return other === self
            || (name == other.name && mappingType == other.mappingType
                && sourceEntityName == other.sourceEntityName
                && sourceEntityVersionHash == other.sourceEntityVersionHash
                && destinationEntityName == other.destinationEntityName
                && destinationEntityVersionHash == other.destinationEntityVersionHash
                && attributeMappings == other.attributeMappings
                && relationshipMappings == other.relationshipMappings
                && sourceExpression == other.sourceExpression
                && entityMigrationPolicyClassName == other.entityMigrationPolicyClassName
                && areEqual(userInfo, other.userInfo))
    }

    open override var hash: Int { name?.hashValue ?? 0 }

    open override var description: String {
        "<NSEntityMapping \(name ?? "?"): \(sourceEntityName ?? "nothing") to \(destinationEntityName ?? "nothing")>"
    }
}
