import CocoaFoundation

/// The bits of `NSFetchRequestFlags` in the archive of a fetch request.
///
/// The first five are those of models that Apple's compiler made; of the last no archive was at hand.
struct FetchRequestFlags: OptionSet {
    let rawValue: Int

    static let returnsDistinctResults = FetchRequestFlags(rawValue: 1)
    static let includesSubentities = FetchRequestFlags(rawValue: 2)
    static let includesPropertyValues = FetchRequestFlags(rawValue: 4)
    static let returnsObjectsAsFaults = FetchRequestFlags(rawValue: 8)
    static let includesPendingChanges = FetchRequestFlags(rawValue: 16)
    static let shouldRefreshRefetchedObjects = FetchRequestFlags(rawValue: 32)

    /// What a request has when nothing is said.
    static let standard: FetchRequestFlags = [
        .includesSubentities, .includesPropertyValues, .returnsObjectsAsFaults, .includesPendingChanges,
    ]
}

extension CompiledModelReader {
    /// Makes a fetch request of the model, or of a fetched property.
    ///
    /// - Parameter name: whose request it is, for messages.
    func fetchRequest(
        _ object: ArchivedObject, named name: String
    ) throws -> NSFetchRequest<any NSFetchRequestResult> {
        var object = object
        object.element = name
        let request = NSFetchRequest<any NSFetchRequestResult>()
        if let target = try object.object("NSEntity", of: "NSEntityDescription") {
            guard let entity = entitiesByIndex[target.position] else {
                throw object.error(.unknownName, "the entity of the fetch request is not in the model")
            }
            request.entity = entity
            request.joinModel()
        }
        request.predicate = try expressions.predicate("NSPredicate", of: object)
        request.havingPredicate = try expressions.predicate("NSHavingPredicate", of: object)
        request.fetchLimit = try object.count("NSFetchLimit")
        request.fetchOffset = try object.count("NSFetchOffset")
        request.fetchBatchSize = try object.count("NSBatchSize")
        let resultType = try object.count("NSResultType")
        guard let known = NSFetchRequestResultType(known: resultType) else {
            throw object.error(.invalidValue, "the result type \(resultType) is unknown")
        }
        request.resultType = known
        var flags = FetchRequestFlags.standard
        if try object.flag("NSHasFetchRequestFlags") {
            flags = FetchRequestFlags(rawValue: try object.count("NSFetchRequestFlags"))
        }
        request.returnsDistinctResults = flags.contains(.returnsDistinctResults)
        request.includesSubentities = flags.contains(.includesSubentities)
        request.includesPropertyValues = flags.contains(.includesPropertyValues)
        request.returnsObjectsAsFaults = flags.contains(.returnsObjectsAsFaults)
        request.includesPendingChanges = flags.contains(.includesPendingChanges)
        request.shouldRefreshRefetchedObjects = flags.contains(.shouldRefreshRefetchedObjects)
        request.sortDescriptors = try object.objects("NSSortDescriptors", of: "NSSortDescriptor")?
            .map { try sortDescriptor($0, of: object) }
        request.relationshipKeyPathsForPrefetching = try names(
            "NSRelationshipKeyPathsForPrefetching", of: object)
        request.propertiesToFetch = try names("NSValuesToFetch", of: object)
        request.propertiesToGroupBy = try names("NSValuesToGroupBy", of: object)
        return request
    }

    private func sortDescriptor(
        _ descriptor: ArchivedObject, of request: ArchivedObject
    ) throws -> NSSortDescriptor {
        let selector = try descriptor.text("NSSelector") ?? StringOrder.compare.rawValue
        guard StringOrder(rawValue: selector) != nil else {
            throw request.error(.unsupportedForm, "a sort descriptor uses the method '\(selector)'")
        }
        return NSSortDescriptor(
            key: try descriptor.text("NSKey"), ascending: try descriptor.flag("NSAscending"),
            selector: Selector(selector))
    }

    /// The names of properties in a list, which may also hold descriptions of the model's own properties.
    private func names(_ key: String, of object: ArchivedObject) throws -> [String]? {
        try object.elements(key)?.map { index in
            if try archive.isObject(index), let member = try archive.object(at: index, what: key),
                let property = propertiesByIndex[member.position]
            {
                return property.name
            }
            guard let name = try object.named({ try archive.text(at: index, what: "a name in '\(key)'") })
            else { throw object.error(.invalidValue, "a name in '\(key)' is null") }
            return name
        }
    }
}
