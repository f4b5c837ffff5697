import CocoaFoundation

extension ModelWriter {
    /// The element of a fetch request. A setting is written where it is not what the reader takes for granted.
    func element(
        _ request: NSFetchRequest<any NSFetchRequestResult>, name: String, location: String
    ) throws -> ModelElement {
        try refuseInexpressibleSettings(request, location)
        var element = ModelElement("fetchRequest", attributes: [.init("name", name)])
        element["entity"] = try Self.name(
            request.entityName, of: "the entity of a fetch request", at: location)
        element["predicateString"] = try request.predicate.map { try Self.text($0, at: location) }
        for (setting, number) in [
            ("fetchLimit", request.fetchLimit), ("fetchOffset", request.fetchOffset),
            ("fetchBatchSize", request.fetchBatchSize), ("resultType", Int(request.resultType.rawValue)),
        ] where number != 0 {
            guard (0...Int(Int32.max)).contains(number) else {
                throw Self.inexpressible("'\(setting)' of \(number)", at: location)
            }
            element[setting] = "\(number)"
        }
        let flags: [(String, Bool, usual: Bool)] = [
            ("includeSubentities", request.includesSubentities, true),
            (
                "includePropertyValues", request.includesPropertyValues,
                request.resultType != .managedObjectIDResultType
            ),
            (
                "includesPendingChanges", request.givenIncludesPendingChanges,
                request.resultType != .dictionaryResultType
            ),
            ("returnObjectsAsFaults", request.returnsObjectsAsFaults, true),
            ("returnDistinctResults", request.returnsDistinctResults, false),
        ]
        for (setting, flag, usual) in flags where flag != usual { element[setting] = flag ? "YES" : "NO" }
        return element
    }

    private func refuseInexpressibleSettings(
        _ request: NSFetchRequest<any NSFetchRequestResult>, _ location: String
    ) throws {
        let set: [(String, Bool)] = [
            ("sortDescriptors", request.sortDescriptors?.isEmpty ?? true),
            (
                "relationshipKeyPathsForPrefetching",
                request.relationshipKeyPathsForPrefetching?.isEmpty ?? true
            ),
            ("propertiesToFetch", request.propertiesToFetch?.isEmpty ?? true),
            ("propertiesToGroupBy", request.propertiesToGroupBy?.isEmpty ?? true),
            ("havingPredicate", request.havingPredicate == nil),
            ("shouldRefreshRefetchedObjects", !request.shouldRefreshRefetchedObjects),
        ]
        if let (setting, _) = set.first(where: { !$0.1 }) {
            throw Self.inexpressible("'\(setting)' of a fetch request", at: location)
        }
    }
}
