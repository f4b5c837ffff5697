import CocoaFoundation

/// What happens to the destinations of a relationship when its object is deleted.
///
/// The rule is that of the relationship from the deleted object: with `.cascadeDeleteRule` at `Author.books`, deleting an author deletes
/// its books. It is applied in the context, when pending changes are processed, and in the store by batch deletions. The raw values are
/// Apple's.
public enum NSDeleteRule: UInt, Sendable {
    /// Nothing: the destinations keep a dangling reference to the deleted object.
    case noActionDeleteRule = 0
    /// The inverse relationships of the destinations are set to nil, or lose the object.
    case nullifyDeleteRule = 1
    /// The destinations are deleted too.
    case cascadeDeleteRule = 2
    /// The object cannot be deleted as long as it has destinations.
    case denyDeleteRule = 3
}

/// The description of a relationship from one entity to another, or to itself.
///
/// ```swift
/// let author = NSRelationshipDescription()
/// author.name = "author"
/// author.destinationEntity = authorEntity
/// author.maxCount = 1
///
/// let books = NSRelationshipDescription()
/// books.name = "books"
/// books.destinationEntity = bookEntity
/// books.deleteRule = .cascadeDeleteRule
///
/// (author.inverseRelationship, books.inverseRelationship) = (books, author)
/// ```
///
/// A relationship is to one object if `maxCount` is 1, else to many. Give it an inverse: then a change of one end changes the other, in
/// memory and in the store. The `deleteRule` says what becomes of the destinations when an object is deleted. A relationship cannot
/// lead into another store.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
    private weak var destination: NSEntityDescription?
    private weak var inverse: NSRelationshipDescription?
    private var rememberedDestinationName: String?
    private var rememberedInverseName: String?

    /// Creates an optional relationship to any number of objects, without a name and a destination.
    public required init() {}

    /// The entity at the other end. It is not kept alive by the relationship; its model does that.
    open var destinationEntity: NSEntityDescription? {
        get { destination }
        set {
            willChange("destinationEntity")
            destination = newValue
            rememberedDestinationName = nil
        }
    }

    /// The relationship back. Set it at both ends; it is not kept alive by the relationship.
    open var inverseRelationship: NSRelationshipDescription? {
        get { inverse }
        set {
            willChange("inverseRelationship")
            inverse = newValue
            rememberedInverseName = nil
        }
    }

    /// The name of the destination, which outlives the entity: a copy finds the entity of this name in the
    /// model that it is added to.
    package var destinationEntityName: String? { destination?.name ?? rememberedDestinationName }

    /// The name of the inverse, which outlives the description.
    package var inverseRelationshipName: String? { inverse?.name ?? rememberedInverseName }

    /// What happens to the destinations when the object is deleted. The default is to nullify.
    open var deleteRule: NSDeleteRule = .nullifyDeleteRule { willSet { willChange("deleteRule") } }

    /// The largest number of destinations; 0 means no limit, 1 makes a to-one relationship. The default is 0.
    open var maxCount = 0 { willSet { willChange("maxCount") } }

    /// The smallest number of destinations, if there are any at all. The default is 0.
    open var minCount = 0 { willSet { willChange("minCount") } }

    /// Whether the destinations of a to-many relationship have an order. The default is `false`.
    open var isOrdered = false { willSet { willChange("isOrdered") } }

    /// Whether there can be more than one destination.
    open var isToMany: Bool { maxCount != 1 }

    /// Whether the relationship takes part in a cloud service of old systems; kept for the model file's sake.
    package var isSyncable = false { willSet { willChange("isSyncable") } }

    /// A SHA-256 hash of what decides how values are stored.
    open override var versionHash: Data { super.versionHash }

    /// Points the relationship to the entity and the inverse that have the remembered names in a model,
    /// where it points to nothing or out of the model.
    override func bind(in entitiesByName: [String: NSEntityDescription]) {
        guard let name = destinationEntityName, let entity = entitiesByName[name] else { return }
        destination = entity
        guard let inverseName = inverseRelationshipName else { return }
        let holder = inverse?.owner
        if holder == nil || !entity.lineage.contains(where: { $0 === holder }) {
            rememberedInverseName = inverseName
            inverse = entity.relationshipsByName[inverseName]
        }
    }

    // MARK: Copying

    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        if let relationship = copy as? NSRelationshipDescription {
            relationship.destination = destination
            relationship.inverse = inverse
            relationship.rememberedDestinationName = destinationEntityName
            relationship.rememberedInverseName = inverseRelationshipName
            relationship.deleteRule = deleteRule
            relationship.maxCount = maxCount
            relationship.minCount = minCount
            relationship.isOrdered = isOrdered
            relationship.isSyncable = isSyncable
        }
        return copy
    }

    override func hasSameSettings(as other: NSPropertyDescription) -> Bool {
        guard let other = other as? NSRelationshipDescription else { return false }
        return super.hasSameSettings(as: other)
            && destinationEntityName == other.destinationEntityName
            && inverseRelationshipName == other.inverseRelationshipName
            && deleteRule == other.deleteRule
            && maxCount == other.maxCount
            && minCount == other.minCount
            && isOrdered == other.isOrdered
    }
}
