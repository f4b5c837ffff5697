import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The values of one object of an atomic store.
///
/// ```swift
/// let node = NSAtomicStoreCacheNode(objectID: objectID(for: entity, withReferenceObject: number))
/// node.setValue("Emma", forKey: "title")
/// addCacheNodes([node])
/// ```
///
/// A node has the values of the properties of its entity: of an attribute the value as key-value coding returns it, of a to-one
/// relationship another node, of a to-many relationship a set (`NSSet`, `Set`), or, if it is ordered, an `NSOrderedSet` or array of nodes.
/// A subclass may keep its values elsewhere than in `propertyCache`. Only the store uses its nodes.
open class NSAtomicStoreCacheNode: NSObject, KeyValueCoding, @unchecked Sendable {
    /// The identity of the object.
    public let objectID: NSManagedObjectID

    /// The values by key. `NSNull` and a missing key stand for no value.
    open var propertyCache: NSMutableDictionary? {
        get { contents }
        set {
            contents = newValue
            row = nil
        }
    }
    private final var contents: NSMutableDictionary?

    /// The values packed; nil when they changed since.
    final var row: Row?

    /// Makes a node without values.
    public required init(objectID moid: NSManagedObjectID) {
        objectID = moid
        super.init()
    }

    deinit {
        guard contents != nil else { return }
        var going: AnyObject? = contents
        contents = nil
        ReleaseQueue.release(&going)
    }

    /// The value of a property of the node's entity; nil when it has none, and for any other key.
    open func value(forKey key: String) -> Any? {
        guard let value = storedValue(forKey: key) else {
            // Keys that conditions may use for every object, unless the model has a property of that name.
            switch key {
            case "objectID": return objectID.entity.propertiesByName[key] == nil ? objectID : nil
            case "entity": return objectID.entity.propertiesByName[key] == nil ? objectID.entity : nil
            default: return nil
            }
        }
        return (value as? ArchivedValue).map(\.value) ?? value
    }

    /// The same, a transformable value as its archive where the store has one.
    final func storedValue(forKey key: String) -> Any? {
        guard let value = propertyCache?.object(forKey: key), !CocoaFoundation.isNull(value) else {
            return nil
        }
        // Foundation's own dictionaries return a set of boxed values.
        guard let boxes = value as? Set<AnyHashable> else { return value }
        return NSSet(array: boxes.map(\.base))
    }

    /// Sets or removes the value of a property of the node's entity.
    open func setValue(_ value: Any?, forKey key: String) {
        require(
            objectID.entity.propertiesByName[key] != nil,
            "The entity '\(objectID.entity.name ?? "")' of the cache node has no property '\(key)'.")
        row = nil
        let values = propertyCache ?? NodeValues()
        if propertyCache == nil { propertyCache = values }
        if let value = presentValue(value) {
            values.setObject(value, forKey: key as NSString)
        } else {
            values.removeObject(forKey: key)
        }
    }
}

extension NSAtomicStoreCacheNode: PredicateIdentity {
    package var predicateIdentity: AnyHashable { objectID.key }
    package var isPermanentIdentity: Bool { true }
}

/// A dictionary that returns the identical stored values, unlike Foundation's on Linux.
final class NodeValues: NSMutableDictionary {
    private var values: [String: Any] = [:]

    override var count: Int { values.count }

    override func object(forKey key: Any) -> Any? { (key as? String).flatMap { values[$0] } }

    override func keyEnumerator() -> NSEnumerator { NSArray(array: Array(values.keys)).objectEnumerator() }

    override func setObject(_ object: Any, forKey key: AnyHashable) {
        if let key = key.base as? String { values[key] = object }
    }

    override func removeObject(forKey key: Any) {
        if let key = key as? String { values[key] = nil }
    }

    override func mutableCopy(with zone: NSZone? = nil) -> Any {
        let copy = NodeValues()
        copy.values = values
        return copy
    }

    override func copy(with zone: NSZone? = nil) -> Any { mutableCopy(with: zone) }
}

extension NSAtomicStoreCacheNode {
    /// The identities of the destinations of a relationship.
    ///
    /// - Throws: 134060 when the value is not made of nodes.
    final func destinations(_ relationship: NSRelationshipDescription) throws -> [NSManagedObjectID] {
        guard let value = value(forKey: relationship.name) else { return [] }
        if let node = value as? NSAtomicStoreCacheNode { return [node.objectID] }
        guard let collection = value as? any ValueCollection else { throw wrong(relationship, value) }
        return try collection.collectionElements.map { element in
            guard let node = element as? NSAtomicStoreCacheNode else { throw wrong(relationship, element) }
            return node.objectID
        }
    }

    private func wrong(_ relationship: NSRelationshipDescription, _ value: Any) -> NSError {
        .coreData(
            .coreData,
            """
            The cache node of \(objectID.uriRepresentation().absoluteString) has a \(type(of: value)) for relationship \
            '\(relationship.name)', which should lead to cache nodes.
            """)
    }

    /// The values packed as a row.
    ///
    /// - Throws: 1550 for a value of a wrong type, 134060 for one that a transformer refuses.
    final func row(_ storedEntity: StoredEntity, version: Int64, isKnown: (NSManagedObjectID) -> Bool) throws
        -> Row
    {
        if let row, row.version == version { return row }
        var builder = RowBuilder()
        builder.begin(slotCount: storedEntity.layout.rowSlotCount)
        for slot in storedEntity.layout.slots where slot.isStored && slot.kind != .toMany {
            if slot.kind == .toOne {
                guard let relationship = slot.relationship, let id = try destinations(relationship).first,
                    isKnown(id)
                else { continue }
                builder.set(slot.rowSlot, integer: id.reference)
                if slot.entitySlot >= 0 {
                    builder.set(slot.entitySlot, integer: Int64(id.storedEntity.entityNumber))
                }
            } else if let archived = storedValue(forKey: slot.name) as? ArchivedValue {
                builder.set(slot.rowSlot, data: archived.data)
            } else if let value = value(forKey: slot.name) {
                try builder.set(try SlotValue(value, for: slot), slot)
            }
        }
        let made = try builder.finish(
            reference: objectID.reference, version: version, entityNumber: storedEntity.entityNumber,
            timestamp: Date.timeIntervalSinceReferenceDate)
        row = made
        return made
    }
}
