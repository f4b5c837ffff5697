import CocoaFoundation

/// A mapping model: how the objects of a store of one model become objects of another model.
///
/// It is read from a file that Xcode's mapping model editor wrote (`.xcmappingmodel`) or compiled (`.cdm`), inferred from two models,
/// or built in code:
///
/// ```swift
/// let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
/// ```
///
/// Use an inferred one when every difference can be decided without knowledge of the data: added, removed and renamed entities and
/// properties. Otherwise write one, and pass it to an `NSMigrationManager`. Inference throws an error that names the first difference
/// that it cannot decide.
open class NSMappingModel: NSObject {
    /// Creates a mapping model without entity mappings.
    public override init() {}

    /// The mappings of the entities, in the order in which a migration goes through them.
    open var entityMappings: [NSEntityMapping]! = []

    /// The mappings of the entities by name. Of several with one name the first is taken.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary((entityMappings ?? []).map { ($0.name ?? "", $0) }) { first, _ in first }
    }

    /// Makes a mapping model from two models, if the differences are of the kinds that need no decision.
    ///
    /// Entities and properties with the same name or renaming identifier belong together. Entities,
    /// attributes and relationships can be added, removed and renamed; an attribute can become optional or
    /// mandatory; a relationship can become to-many, ordered or unordered; properties and entities can be
    /// moved within a hierarchy of entities and out of it.
    ///
    /// A mandatory attribute without a default that is new, or has been optional, is not refused
    /// here: whether there are objects without a value is seen in the migration.
    ///
    /// - Throws: a `CocoaError` with the code `NSInferredMappingModelError` (134190), whose `userInfo` says
    ///   under `reason` what cannot be inferred, and names it under `entity` and `property`.
    ///
    /// Each entity mapping has in its `userInfo`, under `mappedProperties`, `addedProperties` and `removedProperties`, the
    /// names of the properties that have a counterpart, that are new and that are gone: a `Set<String>` each.
    open class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        let inference = MappingInference(from: sourceModel, to: destinationModel)
        if let obstacle = inference.obstacles.first { throw obstacle.error }
        let model = NSMappingModel()
        model.entityMappings = inference.entityMappings
        return model
    }

    /// Whether the other mapping model has equal entity mappings in the same order.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSMappingModel else { return false }
        return other === self || (entityMappings ?? []) == (other.entityMappings ?? [])
    }

    open override var hash: Int { entityMappings?.count ?? 0 }
}
