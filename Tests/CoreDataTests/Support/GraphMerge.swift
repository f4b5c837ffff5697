/// What two edits of one graph come to together: what a context must show that has changed the graph, and then takes in, or
/// meets in a conflict, what another has made of the same graph.
///
/// Decided value by value: attributes, the keys of relationships to one, members of those between many. A relationship from
/// one to many is what the keys on its other side say.
struct GraphMerge {
    /// What becomes of an object that both have changed.
    enum Resolution {
        /// Own changes over the other's values: merges, and `mergeByPropertyObjectTrump`.
        case ownChanges
        /// The other's changes over own ones: `mergeByPropertyStoreTrump`.
        case othersChanges
        /// All own values: `overwrite`.
        case ownValues
        /// All values of the other: `rollback`.
        case othersValues
    }

    let base: GraphReference
    let ours: GraphReference
    var theirs: GraphReference
    var resolution = Resolution.ownChanges
    /// Whether an object that was changed here, and deleted there, comes back when own changes prevail: in a save. In a merge it
    /// is gone.
    var isSave = false
    /// Whether a parent has what the other saved: it takes the changes of any object it has.
    var isInParent = false

    private var ownDeletions: Set<Int> { Set(base.objects.keys).subtracting(ours.objects.keys) }
    var othersDeletions: Set<Int> { Set(base.objects.keys).subtracting(theirs.objects.keys) }

    private func changes(_ side: GraphReference) -> Set<Int> {
        Set(
            side.objects.filter { id, object in
                base.objects[id].map { $0.persistent != object.persistent } ?? false
            }.keys)
    }

    /// The objects that both have, and have changed.
    private var contested: Set<Int> {
        isInParent ? [] : changes(ours).intersection(changes(theirs))
    }

    /// Whether a save without a merge meets a conflict.
    var hasConflicts: Bool {
        !changes(ours).isDisjoint(with: othersDeletions)
            || !isInParent
                && !(contested.isEmpty && ownDeletions.isDisjoint(with: changes(theirs))
                    && !ownOneWayLinks.leadsOneWay(to: othersDeletions))
    }

    /// The objects whose relationships without inverse were changed here.
    private var ownOneWayLinks: GraphReference {
        GraphReference(
            objects: ours.objects.filter { id, object in
                object.toOne["favourite"] != base.objects[id]?.toOne["favourite"]
                    || object.toMany["bookmarks"] ?? [] != base.objects[id]?.toMany["bookmarks"] ?? []
            })
    }

    /// The objects that were deleted here and stay, because the other has changed them, and that is what counts.
    private var keptObjects: Set<Int> {
        guard isSave, resolution == .othersValues, !isInParent else { return [] }
        return ownDeletions.intersection(changes(theirs))
    }

    /// The graph of both; nil where the rules of this type are too simple to decide.
    var merged: GraphReference? {
        guard isSimple else { return nil }
        var merged = GraphReference()
        let kept = keptObjects
        var lost = ownDeletions.subtracting(kept)
        let all = Set(ours.objects.keys).union(theirs.objects.keys).subtracting(othersDeletions)
            .union(returned ?? [])
        lost.formIntersection(all)
        let contested = contested.union(kept)
        for id in all {
            merged.objects[id] = values(id, contested)
            // A link to an object that the other has deleted is removed, and its dependent objects are
            // deleted with it.
            for link in GraphReference.links[merged.objects[id]?.entity ?? ""] ?? [] where !link.isToMany {
                guard let destination = merged.objects[id]?.toOne[link.name], !all.contains(destination)
                else { continue }
                merged.objects[id]?.toOne[link.name] = instead(of: destination, id, link.name, all)
                if let inverse = GraphReference.inverse(of: link), inverse.cascades { lost.insert(id) }
            }
        }
        for kind in GraphPairs.Kind.all {
            let pairs = GraphPairs(kind: kind, base: base, ours: ours, theirs: theirs)
            for pair in pairs.merged(resolution, contested) {
                switch (all.contains(pair.one), all.contains(pair.other)) {
                case (true, true):
                    merged.objects[pair.one]?.toOne[kind.name] = pair.other
                    merged.objects[pair.other]?.toOne[kind.inverse] = pair.one
                case (false, true) where kind.cascades: lost.insert(pair.other)
                default: break
                }
            }
        }
        for id in all.sorted() {
            for link in GraphReference.links[merged.objects[id]?.entity ?? ""] ?? [] where link.isToMany {
                guard let members = members(id, link, merged, all, contested) else { return nil }
                merged.objects[id]?.toMany[link.name] = members
            }
        }
        let gone = merged.deleted(with: Array(lost))
        guard !merged.isDenied(gone), !merged.leadsOneWay(to: gone) else { return nil }
        merged.delete(gone)
        // Without inverse, the store may keep the owner with each destination, so that it cannot have two:
        // a former owner that discarded its own change, and the present owner.
        let marked = merged.objects.values.flatMap { $0.toMany["bookmarks"] ?? [] }
        return Set(marked).count == marked.count ? merged : nil
    }

    // MARK: Values

    private func pick<Value: Equatable>(
        _ id: Int, _ contested: Set<Int>, _ value: (GraphReference.Object) -> Value
    ) -> Value? {
        let (own, old, other) = (ours.objects[id], base.objects[id], theirs.objects[id])
        guard let own else { return other.map(value) }
        guard let old, let other else { return value(own) }
        if contested.contains(id) {
            switch resolution {
            case .ownValues: return value(own)
            case .othersValues: return value(other)
            case .othersChanges where value(other) != value(old): return value(other)
            default: break
            }
        }
        return value(own) != value(old) ? value(own) : value(other)
    }

    /// What a relationship to one shows that was led here, and not before, to what is gone. In a child's save that leaves nothing
    /// to hand up, so that it is what the parent has.
    private func instead(of gone: Int, _ id: Int, _ name: String, _ all: Set<Int>) -> Int? {
        guard isSave, isInParent, ours.objects[id]?.toOne[name] == gone,
            let old = base.objects[id], old.toOne[name] == nil
        else { return nil }
        return theirs.objects[id]?.toOne[name].flatMap { all.contains($0) ? $0 : nil }
    }

    /// Where a relationship to one leads that only a deletion has ended, of an object that stays.
    private func stillLed(_ id: Int, _ link: GraphReference.Link) -> Int? {
        guard link.inverse != nil, let own = ours.objects[id], own.toOne[link.name] == nil,
            let former = base.objects[id]?.toOne[link.name], keptObjects.contains(former),
            ours.endings[former]?.contains(.init(id: id, name: link.name)) ?? false
        else { return nil }
        return theirs.objects[id]?.toOne[link.name]
    }

    /// An object with its attributes and the destinations of its relationships to one.
    private func values(_ id: Int, _ contested: Set<Int>) -> GraphReference.Object? {
        guard let entity = (ours.objects[id] ?? theirs.objects[id])?.entity else { return nil }
        var object = GraphReference.Object(entity: entity)
        object.name = pick(id, contested, \.name) ?? nil
        object.number = pick(id, contested, \.number) ?? 0
        object.weight = pick(id, contested, \.weight) ?? nil
        object.mark = ours.objects[id]?.mark
        for link in GraphReference.links[entity] ?? [] where !link.isToMany {
            if let inverse = GraphReference.inverse(of: link), !inverse.isToMany { continue }
            object.toOne[link.name] =
                stillLed(id, link) ?? pick(id, contested) { $0.toOne[link.name] } ?? nil
        }
        return object
    }

    // MARK: Members

    private func members(
        _ id: Int, _ link: GraphReference.Link, _ merged: GraphReference, _ all: Set<Int>,
        _ contested: Set<Int>
    ) -> [Int]? {
        let members: Set<Int>
        if let inverse = GraphReference.inverse(of: link), !inverse.isToMany {
            members = Set(merged.objects.filter { $1.toOne[inverse.name] == id }.keys)
        } else {
            members = linked(id, link, contested).intersection(all)
        }
        guard link.isOrdered else { return members.sorted() }
        let (own, old, other) = (
            ours.objects[id]?.toMany[link.name] ?? [], base.objects[id]?.toMany[link.name] ?? [],
            theirs.objects[id]?.toMany[link.name] ?? []
        )
        let order: [Int]
        if ours.objects[id] == nil || own == old {
            order = other
        } else if theirs.objects[id] == nil || other == old {
            let isDiscarded = contested.contains(id) && resolution == .othersValues
            order = isDiscarded || own == old.filter(own.contains) ? other : own
        } else {
            return nil
        }
        let missing = members.subtracting(order)
        // What is about to go has no place in the order any more.
        guard missing.isSubset(of: ownDeletions.subtracting(keptObjects)) else { return nil }
        return order.filter(members.contains) + missing.sorted()
    }

    /// The members of a relationship between many, or without inverse.
    private func linked(_ id: Int, _ link: GraphReference.Link, _ contested: Set<Int>) -> Set<Int> {
        func list(_ side: GraphReference, _ id: Int) -> Set<Int> { Set(side.members(id, link.name)) }
        let (own, old, other) = (list(ours, id), list(base, id), list(theirs, id))
        guard theirs.objects[id] != nil else {
            return resolution == .othersValues && link.inverse != nil ? own.subtracting(contested) : own
        }
        // Without inverse, a link to what was deleted here and stays was ended by the program.
        let deletions = link.inverse == nil ? ownDeletions.subtracting(keptObjects) : ownDeletions
        return own.union(old).union(other).filter { member in
            let isDiscarded =
                resolution == .othersValues
                && (contested.contains(id) || link.inverse != nil && contested.contains(member))
            if isDiscarded || deletions.contains(id) || deletions.contains(member) {
                return other.contains(member)
            }
            return own.contains(member) != old.contains(member)
                ? own.contains(member) : other.contains(member)
        }
    }

    // MARK: What is simple

    /// The objects that were changed here, deleted there, and come back.
    private var returned: Set<Int>? {
        guard isSave, resolution == .ownChanges || resolution == .ownValues else { return nil }
        return changes(ours).intersection(othersDeletions)
    }

    private var isSimple: Bool {
        let (ownPairs, othersPairs) = (pairs(ours), pairs(theirs))
        guard ownPairs.isDisjoint(with: othersPairs) else { return false }
        let (marks, othersMarks) = (bookmarks(ours) != bookmarks(base), bookmarks(theirs) != bookmarks(base))
        guard !(marks && othersMarks) else { return false }
        // One that comes back comes without the links that went with it.
        return (returned ?? []).allSatisfy { id in
            [ours, base].allSatisfy { $0.objects[id]?.hasLinks == false }
        }
    }

    /// The objects at both ends of links from one to one that were made or ended.
    private func pairs(_ side: GraphReference) -> Set<Int> {
        var found: Set<Int> = []
        for id in Set(side.objects.keys).union(base.objects.keys) {
            for name in ["partner", "badge"] {
                let (now, then) = (side.objects[id]?.toOne[name], base.objects[id]?.toOne[name])
                if now != then { found.formUnion([id, now, then].compactMap { $0 }) }
            }
        }
        return found
    }

    private func bookmarks(_ side: GraphReference) -> [Int: [Int]] {
        side.objects.compactMapValues { $0.toMany["bookmarks"].flatMap { $0.isEmpty ? nil : $0 } }
    }
}

extension GraphReference {
    static func inverse(of link: Link) -> Link? {
        links[link.destination]?.first { $0.name == link.inverse }
    }

    /// Whether a relationship without inverse leads to one of some objects from one that is not among them.
    fileprivate func leadsOneWay(to gone: Set<Int>) -> Bool {
        objects.contains { id, object in
            guard !gone.contains(id) else { return false }
            return object.toOne["favourite"].map(gone.contains) ?? false
                || !gone.isDisjoint(with: object.toMany["bookmarks"] ?? [])
        }
    }
}

extension GraphReference.Object {
    /// What a store keeps of the object.
    var persistent: GraphReference.Object {
        var stored = self
        stored.mark = nil
        stored.toMany = toMany.filter { !$1.isEmpty }
        return stored
    }

    fileprivate var hasLinks: Bool { !toOne.isEmpty || toMany.contains { !$1.isEmpty } }
}
