import CocoaFoundation
import ManagedObjectModel

extension NSManagedObject: StoredTyping {
    package func leadsToDecimals(_ keys: [String]) -> Bool { entity.leadsToDecimals(keys) }
    package func typing(ofKindNamed name: String) -> (any StoredTyping)? { entity.kind(named: name) }
}

extension NSAtomicStoreCacheNode: StoredTyping {
    package func leadsToDecimals(_ keys: [String]) -> Bool { objectID.entity.leadsToDecimals(keys) }
    package func typing(ofKindNamed name: String) -> (any StoredTyping)? { objectID.entity.kind(named: name) }
}

extension NSEntityDescription: StoredTyping {
    package func typing(ofKindNamed name: String) -> (any StoredTyping)? { kind(named: name) }

    /// Whether keys of relationships lead to a decimal attribute.
    package func leadsToDecimals(_ keys: [String]) -> Bool {
        guard case .attribute(let attribute, _) = walk(keys.joined(separator: ".")) else { return false }
        return attribute.attributeType == .decimalAttributeType
    }
}
