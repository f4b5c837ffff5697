import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The relationships over which the conditions and the order of a fetch read properties of other objects.
///
/// An object's position in a result depends on those others: when one of them has unsaved changes, the object has to be checked
/// again.
struct RelatedPaths {
    /// The destinations of paths of relationships.
    private var places: [[String]: Place] = [:]
    private let root: Place
    private var variables: [String: [Place]] = [:]
    /// Whether any object may have to be checked again: constants become elements of a result, to which no path leads, or there
    /// are too many paths to follow.
    private var concernsAll = false
    /// Whether one of these constants is an object that is not saved, which a store cannot count.
    private var namesUnsaved = false
    private static let mostPaths = 256

    private struct Place {
        let path: [String]
        let entity: NSEntityDescription
        /// Whether the path leads over a relationship to many.
        let isMany: Bool
        /// The subentity that a cast names.
        var kind: NSEntityDescription?
    }

    init(_ entity: NSEntityDescription, _ predicate: NSPredicate?, _ order: [NSSortDescriptor]) {
        root = Place(path: [], entity: entity, isMany: false)
        if let predicate { read(predicate) }
        for case let key? in order.map(\.key) { _ = place(key, from: root) }
    }

    private mutating func read(_ predicate: NSPredicate) {
        var rest = [predicate]
        while let next = rest.popLast() {
            switch next.shape {
            case .value, .opaque: break
            case .compound(_, let parts): rest += parts
            case .comparison(let comparison):
                _ = objects(comparison.leftExpression)
                _ = objects(comparison.rightExpression)
            }
        }
    }

    /// Reads an expression, and returns the objects that it may stand for; none for other values.
    private mutating func objects(_ expression: NSExpression) -> [Place] {
        switch expression.kind {
        case .constant, .block, .symbol, .anyKey, .custom, .assignment: return []
        case .evaluatedObject: return [root]
        case .variable(let name): return variables[name] ?? []
        case .keyPath(let start, let path): return objects(start).compactMap { place(path, from: $0) }
        case .function(nil, "objectFrom:withIndex:", let arguments): return arguments.flatMap { objects($0) }
        case .function(nil, "castObject:toType:", let arguments):
            let name = if case .constant(let name as String)? = arguments.last?.kind { name } else { "" }
            return arguments.prefix(1).flatMap { objects($0) }.map { place in
                var place = place
                place.kind = place.entity.kind(named: name)
                return place
            }
        case .function(let target, _, let arguments):
            for part in arguments + (target.map { [$0] } ?? []) { _ = objects(part) }
            return []
        case .aggregate(let parts):
            for part in parts { _ = objects(part) }
            return []
        case .set(_, let left, let right):
            for case .constant(let value) in [left.kind, right.kind] {
                concernsAll = true
                let elements = (value as? any ValueCollection)?.collectionElements ?? []
                if elements.contains(where: { ($0 as? NSManagedObject)?.home.isTemporary ?? false }) {
                    namesUnsaved = true
                }
            }
            return joined(objects(left), objects(right))
        case .subquery(let collection, let variable, let predicate):
            let elements = objects(collection)
            let outer = variables[variable]
            variables[variable] = elements
            read(predicate)
            variables[variable] = outer
            return elements
        case .conditional(let predicate, let one, let other):
            read(predicate)
            return joined(objects(one), objects(other))
        }
    }

    /// Places of either list, each once.
    private mutating func joined(_ one: [Place], _ other: [Place]) -> [Place] {
        var seen = Set(one.map(\.path))
        let places = one + other.filter { seen.insert($0.path).inserted }
        guard places.count > Self.mostPaths else { return places }
        concernsAll = true
        return []
    }

    private mutating func place(_ keyPath: String, from start: Place) -> Place? {
        var place = start
        for step in KeyPathSteps(keyPath).steps {
            guard case .key(let key) = step else { continue }
            if !place.path.isEmpty { places[place.path] = place }
            guard let relationship = place.entity.relationshipsByName[key],
                let destination = relationship.destinationEntity
            else {
                // Only its subentities have the relationship, so no path leads there from all objects.
                if place.kind?.relationshipsByName[key] != nil { concernsAll = true }
                return nil
            }
            place = Place(
                path: place.path + [key], entity: destination, isMany: place.isMany || relationship.isToMany)
        }
        return place
    }

    /// The entities of the objects that are read; nil when any object may be.
    var entities: [NSEntityDescription]? { concernsAll ? nil : places.values.map(\.entity) }

    /// Whether a path leads over other objects to those that are read.
    var isDeep: Bool { concernsAll || places.keys.contains { $0.count > 1 } }

    /// The condition that an object leads to one of some others; nil when none of them can be reached.
    func condition(reaching objects: [NSManagedObject]) -> NSPredicate? {
        if concernsAll { return objects.isEmpty && !namesUnsaved ? nil : NSPredicate(value: true) }
        var parts: [NSPredicate] = []
        for place in places.values {
            let reached = objects.filter { $0.entity.isKindOf(entity: place.entity) }.map(\.objectID)
            if reached.isEmpty { continue }
            parts.append(
                NSComparisonPredicate(
                    leftExpression: NSExpression(forKeyPath: place.path.joined(separator: ".")),
                    rightExpression: NSExpression(forConstantValue: reached),
                    modifier: place.isMany ? .any : .direct, type: .in))
        }
        return parts.isEmpty ? nil : NSCompoundPredicate(orPredicateWithSubpredicates: parts)
    }
}
