/// The parents of entities, as far as they follow from the destinations of relationships: an object that a relationship
/// to `Item` leads to is an `Item`, or of an entity below it.
///
/// An entity has one parent. Where two entities must both be above a third, and it is unknown which of them is the upper one,
/// one of them is chosen.
struct InferredParents {
    /// How many entities can be above one another.
    private static let depthLimit = 100
    private var parents: [String: String] = [:]

    /// - Parameter above: what must be above an entity, by its name.
    /// - Throws: `Contradiction` when entities would be above each other, or too many above one.
    init(_ above: [String: Set<String>]) throws(Contradiction) {
        // Upper entities go first: so an entity has no subentities yet when it gets a parent, and no cycle can form.
        var below: [String: [String]] = [:]
        for (entity, others) in above { for other in others { below[other, default: []].append(entity) } }
        var waiting = above.mapValues(\.count)
        var ready = Set(below.keys).subtracting(above.keys).sorted(by: >)
        while let entity = ready.popLast() {
            for other in above[entity, default: []].sorted() { try put(entity, below: other) }
            for subentity in below[entity, default: []].sorted(by: >) {
                waiting[subentity, default: 0] -= 1
                if waiting[subentity] == 0 {
                    waiting[subentity] = nil
                    ready.append(subentity)
                }
            }
        }
        if let entity = waiting.keys.min() {
            throw Contradiction(reason: "entity '\(entity)' would inherit from itself")
        }
    }

    struct Contradiction: Error {
        let reason: String
    }

    /// The name of the parent of an entity; nil for one without.
    subscript(_ entity: String) -> String? { parents[entity] }

    /// How many entities are above one.
    func depth(of entity: String) -> Int { path(from: entity).count - 1 }

    /// An entity and those above it, from below.
    func path(from entity: String) -> [String] {
        var path = [entity]
        while let parent = parents[path[path.count - 1]] { path.append(parent) }
        return path
    }

    private mutating func put(_ entity: String, below other: String) throws(Contradiction) {
        let path = path(from: other)
        let upper = Set(path)
        // The highest that is not above the other one already: what is above it stays above it.
        var top = entity
        while let parent = parents[top] {
            if parent == other { return }
            if upper.contains(parent) { break }
            top = parent
        }
        parents[top] = other
        guard depth(of: entity) <= Self.depthLimit else {
            throw Contradiction(reason: "there are too many superentities of entity '\(entity)'")
        }
    }
}
