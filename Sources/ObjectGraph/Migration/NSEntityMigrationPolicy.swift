import CocoaFoundation
import Foundation
import ManagedObjectModel

/// How the objects of one entity mapping are migrated. Subclasses, named by `entityMigrationPolicyClassName`, do what
/// expressions cannot.
///
/// ```swift
/// final class PersonPolicy: NSEntityMigrationPolicy {
///     override func createDestinationInstances(
///         forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
///     ) throws {
///         try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
///         let made = manager.destinationInstances(
///             forEntityMappingName: mapping.name, sourceInstances: [sInstance])
///         made.first?.setValue("…", forKey: "lastName")
///     }
/// }
/// ```
///
/// A migration calls it in three stages, each for all mappings in their order: objects are made; relationships are set; the
/// result is checked. An error of a method ends the migration. An expression `FUNCTION($entityPolicy, "name:", …)` calls a
/// policy that conforms to `FunctionResponding`.
open class NSEntityMigrationPolicy: NSObject {
    /// Makes a policy; the migration manager makes one for each entity mapping.
    public required override init() { super.init() }

    /// Called before the first object of the mapping is made. Does nothing here.
    ///
    /// - Throws: an error that ends the migration.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Makes the destination objects of one source object.
    ///
    /// Here: one object of the destination entity, with the values of the attribute mappings, associated with the source
    /// object; none if the mapping has no destination entity.
    ///
    /// - Throws: 134110 for a value that cannot be computed or does not fit.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        guard let name = manager.destinationEntity(for: mapping)?.name else { return }
        let made = NSEntityDescription.insertNewObject(
            forEntityName: name, into: manager.destinationContext)
        for property in mapping.attributeMappings ?? [] {
            guard property.valueExpression != nil else { continue }
            let step = PropertyMigration(property, mapping, self, manager)
            try step.setAttribute(of: made, from: sInstance)
        }
        manager.associate(sourceInstance: sInstance, withDestinationInstance: made, for: mapping)
    }

    /// Called when all objects of the mapping are made. Does nothing here.
    ///
    /// - Throws: an error that ends the migration.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets the relationships of an object that the mapping made.
    ///
    /// Here: to the values of the expressions of the relationship mappings.
    ///
    /// - Throws: 134110 for destinations that cannot be found or do not fit.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let sources = manager.sourceInstances(
            forEntityMappingName: mapping.name ?? "", destinationInstances: [dInstance])
        for property in mapping.relationshipMappings ?? [] {
            guard property.valueExpression != nil else { continue }
            let step = PropertyMigration(property, mapping, self, manager)
            try step.setRelationship(of: dInstance, from: sources.first)
        }
    }

    /// Called when all relationships of the mapping's objects are set. Does nothing here.
    ///
    /// - Throws: an error that ends the migration.
    open func endRelationshipCreation(
        forMapping mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {}

    /// Checks the new objects before the save. Does nothing here: the save itself validates.
    ///
    /// - Throws: an error that ends the migration.
    open func performCustomValidation(
        forMapping mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {}

    /// Called last for the mapping. Does nothing here.
    ///
    /// - Throws: an error that ends the migration.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}
}
