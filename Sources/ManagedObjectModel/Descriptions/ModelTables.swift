import CocoaFoundation

/// What is derived from a model's entities, computed once when the model goes into use.
final class ModelTables {
    let entitiesByName: [String: NSEntityDescription]
    let entityVersionHashesByName: [String: Data]
    let entitiesInPreorder: [NSEntityDescription]

    init(_ model: NSManagedObjectModel, _ versionHash: (NSEntityDescription) -> Data) {
        entitiesByName = model.entitiesByName
        entityVersionHashesByName = entitiesByName.mapValues(versionHash)
        entitiesInPreorder = model.entitiesInPreorder()
    }
}
