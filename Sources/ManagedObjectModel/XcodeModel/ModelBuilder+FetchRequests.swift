import CocoaFoundation

extension ModelBuilder {
    /// Makes a fetched property with its request.
    func fetchedProperty(_ settings: ElementSettings) throws -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        property.isSyncable = try settings.flag("syncable")
        property.fetchRequest = try settings.element.children(named: "fetchRequest").first.map {
            try fetchRequest(ElementSettings($0, in: settings.location))
        }
        return property
    }

    /// Adds the fetch requests that the model holds under a name.
    func addFetchRequests(to model: NSManagedObjectModel) throws {
        for element in root.children(named: "fetchRequest") {
            let settings = ElementSettings(element)
            let name = try settings.required("name")
            let request = try fetchRequest(settings)
            let entityName = try settings.required("entity")
            guard entities[entityName] != nil else {
                throw settings.error(.unknownName, "its entity '\(entityName)' is not in the model")
            }
            guard model.templates.updateValue(request, forKey: name) == nil else {
                throw settings.error(.duplicateName, "there are two fetch requests of this name")
            }
            model.bind(request, in: entities)
        }
    }

    private func fetchRequest(_ settings: ElementSettings) throws -> NSFetchRequest<any NSFetchRequestResult>
    {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: settings.text("entity") ?? "")
        if let text = settings.text("predicateString") {
            do {
                request.predicate = try NSPredicate(parsing: text)
            } catch {
                throw settings.error(.invalidValue, "the predicate '\(text)' cannot be read: \(error)")
            }
        }
        request.fetchLimit = try settings.countIfPresent("fetchLimit") ?? 0
        request.fetchOffset = try settings.countIfPresent("fetchOffset") ?? 0
        request.fetchBatchSize = try settings.countIfPresent("fetchBatchSize") ?? 0
        if let type = try settings.countIfPresent("resultType") {
            guard let known = NSFetchRequestResultType(known: type) else {
                throw settings.error(.invalidValue, "the result type \(type) is unknown")
            }
            request.resultType = known
        }
        request.includesSubentities = try settings.flagIfPresent("includeSubentities") ?? true
        request.returnsObjectsAsFaults = try settings.flagIfPresent("returnObjectsAsFaults") ?? true
        request.returnsDistinctResults = try settings.flag("returnDistinctResults")
        // What Apple's model compiler writes where the file does not say: identifiers come without values,
        // and dictionaries without pending changes.
        request.includesPropertyValues =
            try settings.flagIfPresent("includePropertyValues")
            ?? (request.resultType != .managedObjectIDResultType)
        request.includesPendingChanges =
            try settings.flagIfPresent("includesPendingChanges")
            ?? (request.resultType != .dictionaryResultType)
        return request
    }
}
