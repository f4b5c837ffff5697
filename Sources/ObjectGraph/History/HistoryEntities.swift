import Foundation
import ManagedObjectModel

/// The entities that requests for history name. Their names are Apple's; conditions and orders may use their properties.
final class HistoryEntities: @unchecked Sendable {
    static let shared = HistoryEntities()

    let transaction: NSEntityDescription
    let change: NSEntityDescription
    /// Owns the entities.
    private let model = NSManagedObjectModel()

    private init() {
        transaction = Self.entity(
            "Transaction",
            [
                ("timestamp", .dateAttributeType), ("transactionNumber", .integer64AttributeType),
                ("storeID", .stringAttributeType), ("bundleID", .stringAttributeType),
                ("processID", .stringAttributeType), ("contextName", .stringAttributeType),
                ("author", .stringAttributeType), ("token", .objectIDAttributeType),
            ])
        change = Self.entity(
            "Change",
            [
                ("changeID", .integer64AttributeType), ("changeType", .integer64AttributeType),
                ("changedObjectID", .objectIDAttributeType), ("changedEntity", .integer64AttributeType),
                ("transactionNumber", .integer64AttributeType),
            ])
        model.entities = [transaction, change]
        model.makeImmutable()
    }

    private static func entity(
        _ name: String, _ attributes: [(name: String, type: NSAttributeType)]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        return entity
    }

    /// An entity for a caller without a context; nil until a coordinator of this process has had a store, as with Apple's.
    static func withoutContext(_ entity: KeyPath<HistoryEntities, NSEntityDescription>)
        -> NSEntityDescription?
    {
        NSPersistentStoreCoordinator.hasAddedStores ? shared[keyPath: entity] : nil
    }

    static func request(_ entity: NSEntityDescription?) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let entity else { return nil }
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        return request
    }

    static func hasHistory(_ context: NSManagedObjectContext) -> Bool {
        context.persistentStoreCoordinator?.objectStores.contains(where: \.keepsHistory) ?? false
    }
}
