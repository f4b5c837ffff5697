import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Finds keys in conditions and expressions that the stored objects of an entity do not have, before they are evaluated.
struct QueryCheck {
    private let entity: NSEntityDescription
    /// The entities of the variables of subqueries; none for elements of no entity.
    private var variables: [String: [NSEntityDescription]] = [:]

    init(_ entity: NSEntityDescription) { self.entity = entity }

    /// - Throws: 134060 with the key that is missing, or for a Swift predicate without an equivalent: it evaluates objects of a
    ///   class, which nodes are not.
    func check(_ predicate: NSPredicate) throws {
        var rest = [predicate]
        while let next = rest.popLast() {
            switch next.shape {
            case .value: break
            case .opaque:
                try (next as? any CheckedPredicate)?.check()
                guard next.isOfSwiftAlone else { break }
                throw NSError.coreData(
                    .coreData, "Unsupported predicate \(next.formatString): it is evaluated by Swift code.")
            case .compound(_, let parts): rest += parts
            case .comparison(let comparison):
                try check(comparison.leftExpression)
                try check(comparison.rightExpression)
            }
        }
    }

    /// - Throws: as `check(_:)` of a predicate.
    func check(_ expression: NSExpression) throws {
        switch expression.kind {
        case .constant, .evaluatedObject, .block, .symbol, .anyKey, .custom, .assignment: break
        case .variable(let name):
            guard variables[name] != nil else {
                throw NSError.coreData(.coreData, "The variable $\(name) has no value.")
            }
        case .keyPath(let operand, let path):
            for start in try entities(of: operand) { try check(keyPath: path, from: start) }
            try check(operand)
        case .function(let target, let name, let arguments):
            try target.map(check)
            for argument in arguments { try check(argument) }
            if target == nil, name == "castObject:toType:", arguments.count == 2 {
                try checkType(named: arguments[1])
            }
        case .aggregate(let parts): for part in parts { try check(part) }
        case .set(_, let left, let right):
            try check(left)
            try check(right)
        case .subquery(let collection, let variable, let predicate):
            try check(collection)
            var inner = self
            inner.variables[variable] = try entities(of: collection)
            try inner.check(predicate)
        case .conditional(let predicate, let one, let other):
            try check(predicate)
            try check(one)
            try check(other)
        }
    }

    /// - Throws: 134060 for the name of a type that is neither one of values nor an entity.
    private func checkType(named name: NSExpression) throws {
        guard case .constant(let name as String) = name.kind, !ValueConversion.typeNames.contains(name),
            entity.kind(named: name) == nil
        else { return }
        throw NSError.coreData(.coreData, "CAST does not know the type or the entity \"\(name)\".")
    }

    /// The entities that an expression's value, or its elements, may be of; none if it is not an object.
    private func entities(of expression: NSExpression) throws -> [NSEntityDescription] {
        switch expression.kind {
        case .evaluatedObject: return [entity]
        case .variable(let name): return variables[name] ?? []
        case .keyPath(let operand, let path):
            return try entities(of: operand).compactMap { try check(keyPath: path, from: $0) }
        case .function(nil, "objectFrom:withIndex:", let arguments):
            return try arguments.first.map(entities) ?? []
        case .function(nil, "castObject:toType:", let arguments):
            guard arguments.count == 2, case .constant(let name as String) = arguments[1].kind else {
                return []
            }
            return try entities(of: arguments[0]).compactMap { entity in
                entity.kind(named: name).map { entity.isKindOf(entity: $0) ? entity : $0 }
            }
        case .subquery(let collection, _, _): return try entities(of: collection)
        case .set(_, let one, let other), .conditional(_, let one, let other):
            // Each once: repeatedly merged lists would grow without limit.
            let first = try entities(of: one)
            return try first + entities(of: other).filter { entity in !first.contains { $0 === entity } }
        default: return []
        }
    }

    /// Whether an expression's value is a collection: the destinations of to-many relationships, or an aggregate.
    ///
    /// - Throws: as `check(_:)` of a predicate.
    func isCollection(_ expression: NSExpression) throws -> Bool {
        switch expression.kind {
        case .aggregate, .constant, .set, .subquery, .function(nil, "mode:", _): return true
        case .keyPath(let operand, let path):
            var isCollection = try self.isCollection(operand)
            var current = try entities(of: operand)
            for step in KeyPathSteps(path).steps {
                switch step {
                case .evaluatedObject: continue
                case .collection(let operation): return operation.isUnion
                case .key(let key):
                    let relationships = current.compactMap { $0.relationshipsByName[key] }
                    if relationships.contains(where: \.isToMany) { isCollection = true }
                    current = relationships.compactMap(\.destinationEntity)
                }
            }
            return isCollection
        default: return false
        }
    }

    /// - Throws: as `check(_:)` of a predicate.
    func check(keyPath: String) throws { try check(keyPath: keyPath, from: entity) }

    /// - Throws: as `check(_:)` of a predicate; also for a key path over many objects, which have no order together.
    func check(sortKey keyPath: String) throws {
        try check(keyPath: keyPath)
        let steps = KeyPathSteps(keyPath).steps
        var current: NSEntityDescription? = entity
        for (index, step) in steps.enumerated() {
            let rest = steps[(index + 1)...]
            switch step {
            case .evaluatedObject: continue
            case .collection:
                throw NSError.coreData(
                    .coreData, "An operator in keypath \(keyPath) needs a to-many relationship before it.")
            case .key(let key):
                guard let relationship = current?.relationshipsByName[key] else {
                    return try check(rest: rest, of: current, key, keyPath)
                }
                if relationship.isToMany {
                    if case .collection? = rest.first { return }
                    throw NSError.coreData(
                        .coreData,
                        "to-many key not allowed here: '\(key)' of entity \(current?.name ?? "") in keypath \(keyPath)"
                    )
                }
                current = relationship.destinationEntity
            }
        }
    }

    /// Only the elements of a composite attribute may follow an attribute.
    private func check(
        rest: ArraySlice<KeyPathSteps.Step>, of entity: NSEntityDescription?, _ key: String, _ keyPath: String
    ) throws {
        guard !rest.isEmpty, !(entity?.propertiesByName[key] is NSCompositeAttributeDescription),
            !["entity", "objectID", "self"].contains(key)
        else { return }
        throw NSError.coreData(
            .coreData, "keypath \(keyPath) not found in entity \(entity?.name ?? ""): '\(key)' has no keys.")
    }

    /// The entity at the end of a key path; nil if there are values of attributes.
    @discardableResult
    private func check(keyPath: String, from start: NSEntityDescription) throws -> NSEntityDescription? {
        var current: NSEntityDescription? = start
        for step in KeyPathSteps(keyPath).steps {
            switch step {
            case .evaluatedObject: continue
            case .collection(let collection):
                // A count has no keys; a sum leads on to a key of the objects.
                if collection.rawValue == "@count" { current = nil }
            case .key(let key):
                // The keys of values, such as the elements of composite attributes, are their own.
                guard let entity = current else { return nil }
                guard let property = entity.propertiesByName[key] else {
                    if key == "entity" || key == "objectID" { return nil }
                    throw NSError.coreData(
                        .coreData, "keypath \(keyPath) not found in entity \(start.name ?? "")")
                }
                guard !property.isTransient, !(property is NSFetchedPropertyDescription) else {
                    throw NSError.coreData(
                        .coreData,
                        "keypath \(keyPath): '\(key)' of entity \(entity.name ?? "") is not stored")
                }
                current = (property as? NSRelationshipDescription)?.destinationEntity
            }
        }
        return current
    }
}
