/// A simple graph of objects in memory: what a context over the `Graph` model must show.
struct GraphReference: Equatable {
    /// A relationship as the reference knows it.
    struct Link {
        let name: String
        let destination: String
        let inverse: String?
        let isToMany: Bool
        var isOrdered = false
        var cascades = false
        var denies = false
    }

    struct Object: Equatable {
        let entity: String
        var name: String?
        var number = 0
        var mark: String?
        var weight: Double?
        var toOne: [String: Int] = [:]
        /// Members; ascending unless the relationship is ordered.
        var toMany: [String: [Int]] = [:]
    }

    /// One end of a link.
    struct End: Hashable {
        let id: Int
        let name: String
    }

    var objects: [Int: Object] = [:]
    /// The links to one that ended because of the deletion of an object, by that.
    private(set) var endings: [Int: Set<End>] = [:]

    static func == (a: GraphReference, b: GraphReference) -> Bool { a.objects == b.objects }

    private static let ofNode = [
        Link(name: "parent", destination: "Node", inverse: "children", isToMany: false),
        Link(name: "children", destination: "Node", inverse: "parent", isToMany: true, cascades: true),
        Link(name: "partner", destination: "Node", inverse: "partner", isToMany: false),
        Link(name: "friends", destination: "Node", inverse: "friends", isToMany: true),
        Link(name: "badge", destination: "Badge", inverse: "node", isToMany: false, cascades: true),
        Link(name: "tags", destination: "Tag", inverse: "nodes", isToMany: true),
        Link(name: "ranking", destination: "Tag", inverse: "rankedBy", isToMany: true, isOrdered: true),
        Link(
            name: "steps", destination: "Step", inverse: "node", isToMany: true, isOrdered: true,
            cascades: true),
        Link(name: "favourite", destination: "Node", inverse: nil, isToMany: false),
        Link(name: "bookmarks", destination: "Node", inverse: nil, isToMany: true),
    ]

    static let links: [String: [Link]] = [
        "Node": ofNode,
        "Leaf": ofNode + [Link(name: "root", destination: "Tag", inverse: "leaves", isToMany: false)],
        "Tag": [
            Link(name: "nodes", destination: "Node", inverse: "tags", isToMany: true),
            Link(name: "rankedBy", destination: "Node", inverse: "ranking", isToMany: true),
            Link(name: "leaves", destination: "Leaf", inverse: "root", isToMany: true),
            Link(name: "guards", destination: "Guard", inverse: "guarded", isToMany: true, denies: true),
        ],
        "Guard": [Link(name: "guarded", destination: "Tag", inverse: "guards", isToMany: false)],
        "Badge": [Link(name: "node", destination: "Node", inverse: "badge", isToMany: false)],
        "Step": [Link(name: "node", destination: "Node", inverse: "steps", isToMany: false)],
    ]

    func link(_ id: Int, _ name: String) -> Link? {
        objects[id].flatMap { Self.links[$0.entity]?.first { $0.name == name } }
    }

    /// The objects that a relationship may lead to, ascending.
    func candidates(_ link: Link) -> [Int] {
        objects.filter {
            $1.entity == link.destination || (link.destination == "Node" && $1.entity == "Leaf")
        }
        .keys.sorted()
    }

    // MARK: Editing

    mutating func setToOne(_ id: Int, _ name: String, _ destination: Int?) {
        guard let link = link(id, name) else { return }
        let old = objects[id]?.toOne[name]
        guard old != destination else { return }
        if let old, let inverse = link.inverse { drop(id, from: old, inverse) }
        objects[id]?.toOne[name] = destination
        if let destination, let inverse = link.inverse { put(id, into: destination, inverse) }
    }

    mutating func add(_ id: Int, _ name: String, _ destination: Int, at index: Int? = nil) {
        guard let link = link(id, name), !members(id, name).contains(destination) else { return }
        insert(destination, into: id, link, at: index)
        if let inverse = link.inverse { put(id, into: destination, inverse) }
    }

    mutating func remove(_ id: Int, _ name: String, _ destination: Int) {
        guard let link = link(id, name), members(id, name).contains(destination) else { return }
        objects[id]?.toMany[name]?.removeAll { $0 == destination }
        if let inverse = link.inverse { drop(id, from: destination, inverse) }
    }

    /// Replaces the members. Those of an ordered relationship are in the order of the list.
    mutating func set(_ id: Int, _ name: String, _ destinations: [Int]) {
        for old in members(id, name) where !destinations.contains(old) { remove(id, name, old) }
        for new in destinations { add(id, name, new) }
        if link(id, name)?.isOrdered ?? false { objects[id]?.toMany[name] = destinations }
    }

    func members(_ id: Int, _ name: String) -> [Int] { objects[id]?.toMany[name] ?? [] }

    /// All that goes when these objects are deleted, themselves included.
    func deleted(with ids: [Int]) -> Set<Int> {
        var gone: Set<Int> = []
        var rest = ids
        while let id = rest.popLast() {
            guard let object = objects[id], gone.insert(id).inserted else { continue }
            for link in Self.links[object.entity] ?? [] where link.cascades {
                rest += members(id, link.name)
                if let destination = object.toOne[link.name] { rest.append(destination) }
            }
        }
        return gone
    }

    /// Whether a relationship of one of these objects forbids its deletion.
    func isDenied(_ ids: Set<Int>) -> Bool {
        ids.contains { id in
            (Self.links[objects[id]?.entity ?? ""] ?? []).contains { link in
                link.denies && members(id, link.name).contains { !ids.contains($0) }
            }
        }
    }

    mutating func delete(_ ids: Set<Int>) {
        for id in ids {
            objects[id] = nil
            endings[id] = []
        }
        for (id, object) in objects {
            for (name, destination) in object.toOne where ids.contains(destination) {
                endings[destination]?.insert(End(id: id, name: name))
            }
        }
        objects = objects.mapValues { object in
            var object = object
            object.toOne = object.toOne.filter { !ids.contains($1) }
            object.toMany = object.toMany.mapValues { $0.filter { !ids.contains($0) } }
            return object
        }
    }

    // MARK: One end of one link

    private mutating func insert(_ destination: Int, into id: Int, _ link: Link, at index: Int? = nil) {
        var list = members(id, link.name)
        if link.isOrdered {
            list.insert(destination, at: index ?? list.count)
        } else {
            list = (list + [destination]).sorted()
        }
        objects[id]?.toMany[link.name] = list
    }

    /// The other end of a link from `owner` just made.
    private mutating func put(_ owner: Int, into id: Int, _ name: String) {
        guard let link = link(id, name) else { return }
        if link.isToMany {
            if !members(id, name).contains(owner) { insert(owner, into: id, link) }
        } else {
            if let previous = objects[id]?.toOne[name], previous != owner, let inverse = link.inverse {
                drop(id, from: previous, inverse)
            }
            objects[id]?.toOne[name] = owner
        }
    }

    /// The other end of a link from `owner` just ended.
    private mutating func drop(_ owner: Int, from id: Int, _ name: String) {
        if link(id, name)?.isToMany ?? false {
            objects[id]?.toMany[name]?.removeAll { $0 == owner }
        } else if objects[id]?.toOne[name] == owner {
            objects[id]?.toOne[name] = nil
        }
    }
}
