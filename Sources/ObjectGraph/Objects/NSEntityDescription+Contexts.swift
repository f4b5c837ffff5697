import Foundation
import ManagedObjectModel

extension NSEntityDescription {
    /// The entity of this name in a context's model; nil when there is none.
    public class func entity(forEntityName entityName: String, in context: NSManagedObjectContext)
        -> NSEntityDescription?
    {
        context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[entityName]
    }

    /// A new object of the entity of this name, inserted into a context.
    ///
    /// Stops with a message when the context's model has no such entity.
    public class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let entity = entity(forEntityName: entityName, in: context) else {
            fatalError("The context's model has no entity named '\(entityName)'.")
        }
        let isPlain = context.persistentStoreCoordinator?.makesPlainObjects ?? false
        let type = isPlain ? NSManagedObject.self : EntityLayout.layout(of: entity).objectClass
        return type.init(entity: entity, insertInto: context)
    }
}
