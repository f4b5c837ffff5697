import ManagedObjectModel

extension CheckContext {
    /// The key paths in the predicates of fetch requests, fetched properties and partial indexes, and in the expressions of
    /// indexes and of the names in Spotlight.
    mutating func checkRequests() {
        for entity in entities {
            if let expression = entity.spotlightExpression {
                checkExpression(expression, of: entity, "coreSpotlightDisplayNameExpression")
            }
            for case let property as NSFetchedPropertyDescription in entity.ownProperties {
                guard let request = property.fetchRequest else { continue }
                checkPredicate(
                    request.predicate, of: request.entityName, entity.name, property.name,
                    kind: "fetchedProperty")
            }
            for index in entity.indexes {
                checkPredicate(
                    index.partialIndexPredicate, of: entity.name, entity.name, index.name, kind: "fetchIndex")
                for part in index.elements where part.isOverExpression {
                    guard let expression = (part.property as? NSExpressionDescription)?.expression else {
                        continue
                    }
                    checkExpression(expression, of: entity, index.name, kind: "fetchIndex")
                }
            }
        }
        for (name, request) in model.fetchRequestTemplatesByName.sorted(by: { $0.key < $1.key }) {
            if let entity = request.entityName, sound[entity] == nil {
                report(
                    .invalidFetchRequest, nil, name, kind: "fetchRequest",
                    "the entity '\(entity)' is not in the model")
            }
            checkPredicate(request.predicate, of: request.entityName, nil, name, kind: "fetchRequest")
        }
    }

    private mutating func checkPredicate(
        _ predicate: NSPredicate?, of entity: String?, _ location: String?, _ name: String, kind: String
    ) {
        guard let predicate else { return }
        var paths = KeyPathCollector()
        paths.collect(predicate)
        checkPaths(paths.keyPaths, of: entity, location, name, kind: kind)
    }

    private mutating func checkExpression(
        _ expression: NSExpression, of entity: NSEntityDescription, _ name: String, kind: String? = nil
    ) {
        var paths = KeyPathCollector()
        paths.collect(expression)
        checkPaths(paths.keyPaths, of: entity.name, entity.name, name, kind: kind)
    }

    private mutating func checkPaths(
        _ keyPaths: [String], of entityName: String?, _ location: String?, _ name: String, kind: String?
    ) {
        guard let entity = entityName.flatMap({ sound[$0] }) else { return }
        for keyPath in keyPaths where !Self.isResolvable(keyPath, entity) {
            report(
                .unknownKeyPath, location, name, kind: kind,
                "'\(keyPath)' is not a key path of the entity '\(entity.name ?? "?")'")
        }
    }

    /// Whether a key path leads to a property, of the entity or of one that inherits from it.
    private static func isResolvable(_ keyPath: String, _ entity: NSEntityDescription) -> Bool {
        guard var holders = family(of: [entity]) else { return true }
        for name in keyPath.split(separator: ".").map(String.init) {
            // What comes after an operator or a value is the store's to refuse.
            if name.hasPrefix("@") || ["self", "entity", "objectID"].contains(name) { return true }
            let properties = holders.compactMap { $0.propertiesByName[name] }
            guard !properties.isEmpty else { return false }
            let destinations = properties.compactMap { ($0 as? NSRelationshipDescription)?.destinationEntity }
            guard destinations.count == properties.count, let next = family(of: destinations) else {
                return true
            }
            holders = next
        }
        return true
    }

    /// The entities and all that inherit from them, each once; `nil` if they are more than are worth the time.
    private static func family(of entities: [NSEntityDescription]) -> [NSEntityDescription]? {
        var seen: Set<ObjectIdentifier> = []
        var members: [NSEntityDescription] = []
        var rest = entities
        while let next = rest.popLast() {
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            guard members.count < 1_000 else { return nil }
            members.append(next)
            rest += next.subentities
        }
        return members
    }

    // MARK: Constraints

    /// Uniqueness constraints over values that the application does not set.
    mutating func checkConstraints() {
        for entity in entities {
            for names in entity.uniquenessConstraintNames {
                for name in names where entity.propertiesByName[name] is NSDerivedAttributeDescription {
                    report(
                        .invalidConstraint, entity.name, names.joined(separator: ", "),
                        kind: "uniquenessConstraint",
                        "'\(name)' is derived; a uniqueness constraint needs stored values")
                }
            }
        }
    }
}

/// The key paths that an expression or predicate follows from the object that it is about.
struct KeyPathCollector {
    private(set) var keyPaths: [String] = []

    mutating func collect(_ predicate: NSPredicate) {
        var rest = [predicate]
        while let next = rest.popLast() {
            switch next.shape {
            case .comparison(let comparison):
                collect(comparison.leftExpression)
                collect(comparison.rightExpression)
            case .compound(_, let parts): rest += parts.reversed()
            case .value, .opaque: break
            }
        }
    }

    mutating func collect(_ expression: NSExpression) {
        var rest = [expression]
        while let next = rest.popLast() {
            switch next.kind {
            case .keyPath(let operand, let path):
                if case .evaluatedObject = operand.kind {
                    keyPaths.append(path)
                } else {
                    rest.append(operand)
                }
            case .function(let target, _, let arguments):
                rest += arguments.reversed()
                if let target { rest.append(target) }
            case .aggregate(let elements): rest += elements.reversed()
            case .set(_, let left, let right): rest += [right, left]
            // The predicate of a subquery is about the elements of the collection.
            case .subquery(let collection, _, _): rest.append(collection)
            case .assignment(_, let value): rest.append(value)
            case .conditional(let predicate, let first, let second):
                collect(predicate)
                rest += [second, first]
            case .block(_, let arguments): rest += arguments.reversed()
            case .constant, .evaluatedObject, .variable, .symbol, .anyKey, .custom: break
            }
        }
    }
}
