import CocoaFoundation

/// What is derived from an entity's properties, computed once when its model goes into use.
///
/// Every entity of a model gets its tables before the model is handed to other threads, so that they are read
/// without a lock. They refer to entities below and to properties, never to an entity above, which would keep
/// the tree alive in a circle.
final class EntityTables {
    /// How many entities there are from the root down to this one.
    let depth: Int
    let allProperties: [NSPropertyDescription]
    let properties: [NSPropertyDescription]
    let propertiesByName: [String: NSPropertyDescription]
    let attributesByName: [String: NSAttributeDescription]
    let relationshipsByName: [String: NSRelationshipDescription]
    let subentitiesByName: [String: NSEntityDescription]
    let indexes: [NSFetchIndexDescription]
    let storeIndexes: [NSFetchIndexDescription]
    let versionHash: Data

    init(_ entity: NSEntityDescription, versionHash: Data) {
        depth = entity.lineage.count
        allProperties = entity.allProperties
        properties = entity.properties
        propertiesByName = entity.propertiesByName
        attributesByName = entity.attributesByName
        relationshipsByName = entity.relationshipsByName
        subentitiesByName = entity.subentitiesByName
        indexes = entity.indexes
        storeIndexes = entity.indexesForStores(indexes)
        self.versionHash = versionHash
    }
}
