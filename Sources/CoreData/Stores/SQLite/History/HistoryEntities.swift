import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The entities that requests for history name. Their properties are what conditions and orders may use.
final class HistoryEntities: @unchecked Sendable {
    static let shared = HistoryEntities()

    let transaction: NSEntityDescription
    let change: NSEntityDescription
    /// Owns the entities.
    private let model = NSManagedObjectModel()

    private init() {
        transaction = Self.entity(
            "TRANSACTION",
            [
                ("timestamp", .dateAttributeType), ("transactionNumber", .integer64AttributeType),
                ("storeID", .stringAttributeType), ("bundleID", .stringAttributeType),
                ("processID", .stringAttributeType), ("contextName", .stringAttributeType),
                ("author", .stringAttributeType), ("token", .objectIDAttributeType),
            ])
        change = Self.entity(
            "CHANGE",
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

    static func request(_ entity: NSEntityDescription?) -> NSFetchRequest<any NSFetchRequestResult>? {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        return request
    }

    static func hasHistory(_ context: NSManagedObjectContext) -> Bool {
        context.persistentStoreCoordinator?.persistentStores.contains {
            ($0 as? SQLiteStore)?.history != nil
        } ?? false
    }
}

/// What a condition sees of a transaction or a change; it notes a key that there is none of.
final class HistoryFields: KeyValueCoding {
    private let value: (String) -> Any?
    private let keys: [String: NSPropertyDescription]
    private(set) var unknownKey: String?

    init(_ transaction: NSPersistentHistoryTransaction) {
        keys = HistoryEntities.shared.transaction.propertiesByName
        value = { key in
            switch key {
            case "timestamp": transaction.timestamp
            case "transactionNumber": NSNumber(value: transaction.transactionNumber)
            case "storeID": transaction.storeID
            case "bundleID": transaction.bundleID
            case "processID": transaction.processID
            case "contextName": transaction.contextName
            // By its place: conditions and orders compare tokens by that.
            case "token": NSNumber(value: transaction.transactionNumber)
            default: transaction.author
            }
        }
    }

    init(_ change: HistoryReader.ChangeRow) {
        keys = HistoryEntities.shared.change.propertiesByName
        let (id, type, object) = (change.id, change.type.rawValue, change.objectID)
        let transaction = change.transactionNumber
        value = { key in
            switch key {
            case "changeID": NSNumber(value: id)
            case "changeType": NSNumber(value: type)
            case "changedObjectID": object
            case "changedEntity": NSNumber(value: object.home.entityNumber)
            default: NSNumber(value: transaction)
            }
        }
    }

    func value(forKey key: String) -> Any? {
        guard keys[key] != nil else {
            unknownKey = unknownKey ?? key
            return nil
        }
        return value(key)
    }

    /// Nothing: history does not change.
    func setValue(_ value: Any?, forKey key: String) {}
}
