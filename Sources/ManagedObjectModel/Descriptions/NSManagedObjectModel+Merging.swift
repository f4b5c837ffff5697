import CocoaFoundation

extension NSManagedObjectModel {
    /// Creates a model with copies of the entities of several models.
    ///
    /// - Parameter models: the models; `nil` means all models of the program: those that are part of its code, and
    ///   those in the main bundle.
    /// - Returns: `nil` if there is no model.
    /// - Precondition: entities of one name are equal in all models that have them. Apple's framework
    ///   raises an exception otherwise; `init(merging:)` throws an error.
    public convenience init?(byMerging models: [NSManagedObjectModel]?) {
        let models = models ?? Self.modelsOfProgram()
        guard !models.isEmpty else { return nil }
        do {
            try self.init(merging: models)
        } catch {
            fatalError(error.localizedDescription)
        }
    }

    /// Creates a model with copies of the entities, configurations and fetch requests of several models.
    ///
    /// - Throws: `ModelConsistencyError` if two models have different entities of one name.
    public convenience init(merging models: [NSManagedObjectModel]) throws {
        self.init()
        var merged: [NSEntityDescription] = []
        var byName: [String: NSEntityDescription] = [:]
        for entity in models.flatMap(\.entities) {
            let name = entity.name ?? ""
            if let present = byName[name] {
                guard present == entity else {
                    throw ModelConsistencyError(inconsistencies: [
                        .init(.differentEntitiesOfOneName, entity: name)
                    ])
                }
                continue
            }
            byName[name] = entity
            merged.append(entity)
        }
        take(copiesOf: merged, from: models)
    }

    /// Creates the model that a store was written with out of the entities of several models.
    ///
    /// - Parameters:
    ///   - models: models whose entities may have one name in different versions.
    ///   - metadata: the metadata of the store, whose version hashes choose between them.
    /// - Returns: `nil` if no model has an entity of the store in its version.
    public convenience init?(
        byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]
    ) {
        guard let hashes = metadata[Self.versionHashesKey].flatMap(Self.versionHashes(in:)) else {
            return nil
        }
        let tables = models.map { (entities: $0.entitiesByName, hashes: $0.entityVersionHashesByName) }
        var chosen: [NSEntityDescription] = []
        for name in hashes.keys.sorted() {
            guard let table = tables.first(where: { $0.hashes[name] == hashes[name] }),
                let version = table.entities[name]
            else { return nil }
            chosen.append(version)
        }
        self.init()
        take(copiesOf: chosen, from: models)
    }

    /// Creates a model out of all models in the given bundles; `nil` means all models of the program: those that are
    /// part of its code, and those in the main bundle.
    public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
        NSManagedObjectModel(byMerging: bundles.map { models(in: $0) })
    }

    /// Creates the model that a store was written with out of all versions of all models in the given
    /// bundles; `nil` means all models of the program.
    public class func mergedModel(
        from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
    ) -> NSManagedObjectModel? {
        let models = bundles.map { modelVersions(in: $0) } ?? modelVersionsOfProgram()
        if let whole = models.first(where: {
            $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        }) {
            return whole
        }
        return NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
    }

    private func take(copiesOf chosen: [NSEntityDescription], from models: [NSManagedObjectModel]) {
        entities = Self.copies(of: chosen)
        let byName = entitiesByName
        for model in models {
            versionIdentifiers.formUnion(model.versionIdentifiers)
            for (name, members) in model.configurationMembers {
                let present = configurationMembers[name] ?? []
                let added = members.compactMap { byName[$0.name ?? ""] }
                configurationMembers[name] = present + added.filter { !present.contains($0) }
            }
            for (name, request) in model.templates where templates[name] == nil {
                templates[name] = request.copy(with: nil) as? any FetchRequestTemplate
            }
        }
        for entity in chosen {
            // A superentity that came from another model is found by name.
            guard let copy = byName[entity.name ?? ""], copy.superentity == nil,
                let parent = entity.superentity.flatMap({ byName[$0.name ?? ""] })
            else { continue }
            parent.subentities.append(copy)
        }
        bindNames()
    }
}
