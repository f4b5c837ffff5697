import CocoaFoundation

/// What is derived from a model's entities, computed once when the model goes into use.
final class ModelTables {
    let entitiesByName: [String: NSEntityDescription]
    let entityVersionHashesByName: [String: Data]
    let entitiesInPreorder: [NSEntityDescription]

    init(_ model: NSManagedObjectModel, _ hashes: VersionHashes) {
        entitiesByName = model.entitiesByName
        entityVersionHashesByName = entitiesByName.mapValues { hashes.digest(of: $0) }
        entitiesInPreorder = model.entitiesInPreorder()
    }
}
