import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The relationships over which the conditions and the order of a fetch read properties of other objects.
///
/// An object's position in a result depends on those others: when one of them has unsaved changes, the object has to be checked
/// again.
struct RelatedPaths {
    /// The destinations of paths of relationships.
    private var ends: [[String]: PathEnd] = [:]
    private let root: PathEnd
    private var variables: [String: [PathEnd]] = [:]
    /// Whether any object may have to be checked again: constants become elements of a result, to which no path leads, or there
    /// are too many paths to follow.
    private var concernsAll = false
    /// Whether one of these constants is an object that is not saved, which a store cannot count.
    private var namesUnsaved = false
    private static let maxPaths = 256

    private struct PathEnd {
        let path: [String]
        let entity: NSEntityDescription
        /// Whether the path leads over a relationship to many.
        let isMany: Bool
        /// The subentity that a cast names.
        var kind: NSEntityDescription?
    }

    init(_ entity: NSEntityDescription, _ predicate: NSPredicate?, _ order: [NSSortDescriptor]) {
        root = PathEnd(path: [], entity: entity, isMany: false)
        if let predicate { read(predicate) }
        for case let key? in order.map(\.key) { _ = end(key, from: root) }
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
    private mutating func objects(_ expression: NSExpression) -> [PathEnd] {
        switch expression.kind {
        case .constant, .block, .symbol, .anyKey, .custom, .assignment: return []
        case .evaluatedObject: return [root]
        case .variable(let name): return variables[name] ?? []
        case .keyPath(let start, let path): return objects(start).compactMap { end(path, from: $0) }
        case .function(nil, "objectFrom:withIndex:", let arguments): return arguments.flatMap { objects($0) }
        case .function(nil, "castObject:toType:", let arguments):
            let name = if case .constant(let name as String)? = arguments.last?.kind { name } else { "" }
            return arguments.prefix(1).flatMap { objects($0) }.map { end in
                var end = end
                end.kind = end.entity.kind(named: name)
                return end
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
                if elements.contains(where: { ($0 as? NSManagedObject)?.storedEntity.isTemporary ?? false }) {
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
    private mutating func joined(_ one: [PathEnd], _ other: [PathEnd]) -> [PathEnd] {
        var seen = Set(one.map(\.path))
        let ends = one + other.filter { seen.insert($0.path).inserted }
        guard ends.count > Self.maxPaths else { return ends }
        concernsAll = true
        return []
    }

    private mutating func end(_ keyPath: String, from start: PathEnd) -> PathEnd? {
        var end = start
        for step in KeyPathSteps(keyPath).steps {
            guard case .key(let key) = step else { continue }
            if !end.path.isEmpty { ends[end.path] = end }
            guard let relationship = end.entity.relationshipsByName[key],
                let destination = relationship.destinationEntity
            else {
                // Only its subentities have the relationship, so no path leads there from all objects.
                if end.kind?.relationshipsByName[key] != nil { concernsAll = true }
                return nil
            }
            end = PathEnd(
                path: end.path + [key], entity: destination, isMany: end.isMany || relationship.isToMany)
        }
        return end
    }

    /// The entities of the objects that are read; nil when any object may be.
    var entities: [NSEntityDescription]? { concernsAll ? nil : ends.values.map(\.entity) }

    /// Whether a path leads over other objects to those that are read.
    var isDeep: Bool { concernsAll || ends.keys.contains { $0.count > 1 } }

    /// The condition that an object leads to one of some others; nil when none of them can be reached.
    func condition(reaching objects: [NSManagedObject]) -> NSPredicate? {
        if concernsAll { return objects.isEmpty && !namesUnsaved ? nil : NSPredicate(value: true) }
        var parts: [NSPredicate] = []
        for end in ends.values {
            let reached = objects.filter { $0.entity.isKindOf(entity: end.entity) }.map(\.objectID)
            if reached.isEmpty { continue }
            parts.append(
                NSComparisonPredicate(
                    leftExpression: NSExpression(forKeyPath: end.path.joined(separator: ".")),
                    rightExpression: NSExpression(forConstantValue: reached),
                    modifier: end.isMany ? .any : .direct, type: .in))
        }
        return parts.isEmpty ? nil : NSCompoundPredicate(orPredicateWithSubpredicates: parts)
    }
}
