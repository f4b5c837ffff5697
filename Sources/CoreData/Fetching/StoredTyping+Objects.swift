import CocoaFoundation
import ManagedObjectModel

extension NSManagedObject: StoredTyping {
    package func leadsToDecimals(_ keys: [String]) -> Bool { entity.leadsToDecimals(keys) }
}

extension NSAtomicStoreCacheNode: StoredTyping {
    package func leadsToDecimals(_ keys: [String]) -> Bool { objectID.entity.leadsToDecimals(keys) }
}

extension NSEntityDescription {
    /// Whether keys of relationships lead to a decimal attribute.
    fileprivate func leadsToDecimals(_ keys: [String]) -> Bool {
        guard case .attribute(let attribute, _) = walk(keys.joined(separator: ".")) else { return false }
        return attribute.attributeType == .decimalAttributeType
    }
}
