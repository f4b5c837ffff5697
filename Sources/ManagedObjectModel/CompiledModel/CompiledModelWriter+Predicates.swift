import CocoaFoundation

extension CompiledModelWriter {
    /// Writes a predicate or an expression.
    ///
    /// - Parameter element: whose it is, for messages.
    /// - Throws: `ModelFileError` for closures and other things that have no archived form.
    func add(_ part: Any, for element: String) throws -> Int {
        try add(part, for: element, depth: 0)
    }

    /// Writes the expression of a derived attribute.
    ///
    /// Of a key path with an aggregate Apple's compiler makes a function, whose list of arguments cannot be changed.
    func addDerivation(_ expression: NSExpression, for element: String) throws -> Int {
        guard case .aggregate(let aggregate, let keyPath) = Derivation(expression) else {
            return try add(expression, for: element)
        }
        let function = NSExpression(
            forFunction: aggregate.functionName, arguments: [NSExpression(forKeyPath: keyPath)])
        return try add(
            function, for: element, depth: 0, arguments: ModelArchiveWriter.Collection.array)
    }

    private static let deepestPart = 512

    private func add(
        _ part: Any, for element: String, depth: Int,
        arguments: [String] = ModelArchiveWriter.Collection.mutableArray
    ) throws -> Int {
        guard depth < Self.deepestPart else {
            throw ModelFileError(.tooLarge, "a predicate is nested too deeply", element: element)
        }
        guard let record = PredicateArchive.record(of: part) else {
            throw ModelFileError(
                .invalidValue, "'\(part)' has no archived form", element: element)
        }
        let fields = try record.fields.map { key, value in
            let written: ModelArchiveWriter.Value
            switch value {
            case let flag as Bool where key == "NSNegate":
                written = .flag(flag)
            case let number as Int where key != "NSConstantValue":
                written = .number(number)
            case let parts as [Any] where key != "NSConstantValue":
                let positions = try parts.map { try add($0, for: element, depth: depth + 1) }
                let list = key == "NSArguments" ? arguments : ModelArchiveWriter.Collection.array
                written = archive.addList(list, positions)
            default:
                written =
                    key != "NSConstantValue" && PredicateArchive.record(of: value) != nil
                    ? .object(try add(value, for: element, depth: depth + 1))
                    : try archive.addValue(value, for: element)
            }
            return (key: key, value: written)
        }
        // Of the expression for the evaluated object there is only one.
        return fields.count == 1 && record.classNames.first == "NSSelfExpression"
            ? archive.addOnce(record.classNames, fields) : archive.add(record.classNames, fields)
    }

    // MARK: Fetch requests

    /// Writes a fetch request of the model or of a fetched property.
    func add(_ request: NSFetchRequest<any NSFetchRequestResult>, for element: String) throws -> Int {
        guard let name = request.entityName, let entity = entity(named: name) else {
            throw ModelFileError(
                .unknownName,
                "the entity '\(request.entityName ?? "")' of the fetch request is not in the model",
                element: element)
        }
        let predicate = try request.predicate.map { try add($0, for: element) }
        let having = try request.havingPredicate.map { try add($0, for: element) }
        let order = try request.sortDescriptors?.map { try add($0, for: element) }
        func names(_ values: [Any]?) throws -> ModelArchiveWriter.Value {
            guard let values else { return .null }
            let positions = try values.map { value in
                guard let name = (value as? NSPropertyDescription)?.name ?? value as? String else {
                    throw ModelFileError(
                        .unsupportedForm, "the fetch request names a property by \(value)", element: element)
                }
                return archive.position(of: name)
            }
            return archive.addList(ModelArchiveWriter.Collection.array, positions)
        }
        return archive.add(
            ["NSFetchRequest", "NSPersistentStoreRequest"],
            [
                ("NSEntity", .object(try position(of: entity, for: element))),
                ("NSPredicate", predicate.map { .object($0) } ?? .null),
                ("NSHavingPredicate", having.map { .object($0) } ?? .null),
                (
                    "NSSortDescriptors",
                    order.map { archive.addList(ModelArchiveWriter.Collection.array, $0) } ?? .null
                ),
                ("NSFetchLimit", .number(request.fetchLimit)),
                ("NSFetchOffset", .number(request.fetchOffset)),
                ("NSBatchSize", .number(request.fetchBatchSize)),
                ("NSAllocationType", .number(0)),
                ("NSResultType", .number(Int(request.resultType.rawValue))),
                ("NSHasFetchRequestFlags", .flag(true)),
                ("NSFetchRequestFlags", .number(FetchRequestFlags(request).rawValue)),
                (
                    "NSRelationshipKeyPathsForPrefetching",
                    try names(request.relationshipKeyPathsForPrefetching)
                ),
                ("NSValuesToFetch", try names(request.propertiesToFetch)),
                ("NSValuesToGroupBy", try names(request.propertiesToGroupBy)),
            ])
    }

    private func add(_ descriptor: NSSortDescriptor, for element: String) throws -> Int {
        guard let key = descriptor.key, let order = descriptor.stringOrder else {
            throw ModelFileError(
                .unsupportedForm, "a sort descriptor of the fetch request has a closure or no key",
                element: element)
        }
        return archive.add(
            ["NSSortDescriptor"],
            [
                ("NSKey", .text(key)), ("NSAscending", .flag(descriptor.ascending)),
                ("NSSelector", .text(order.rawValue)),
            ])
    }
}

extension FetchRequestFlags {
    fileprivate init(_ request: NSFetchRequest<any NSFetchRequestResult>) {
        self = []
        if request.returnsDistinctResults { insert(.returnsDistinctResults) }
        if request.includesSubentities { insert(.includesSubentities) }
        if request.includesPropertyValues { insert(.includesPropertyValues) }
        if request.returnsObjectsAsFaults { insert(.returnsObjectsAsFaults) }
        if request.givenIncludesPendingChanges { insert(.includesPendingChanges) }
        if request.shouldRefreshRefetchedObjects { insert(.shouldRefreshRefetchedObjects) }
    }
}
