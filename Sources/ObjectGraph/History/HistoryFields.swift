import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The properties of a transaction or a change for a condition; it notes an unknown key.
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
            // The position: conditions and orders compare tokens by it.
            case "token": NSNumber(value: transaction.transactionNumber)
            default: transaction.author
            }
        }
    }

    init(_ change: HistoryChangeRow) {
        keys = HistoryEntities.shared.change.propertiesByName
        let (id, type, object) = (change.id, change.type.rawValue, change.objectID)
        let transaction = change.transactionNumber
        value = { key in
            switch key {
            case "changeID": NSNumber(value: id)
            case "changeType": NSNumber(value: type)
            case "changedObjectID": object
            case "changedEntity": NSNumber(value: object.storedEntity.entityNumber)
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

    /// Does nothing: history does not change.
    func setValue(_ value: Any?, forKey key: String) {}
}
