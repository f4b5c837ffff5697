/// The links from one to one of one kind in a graph that two have edited, and what these come to together.
struct GraphPairs {
    struct Kind {
        let name: String
        let inverse: String
        /// Whether the object at the other end is deleted with the one that has the link.
        let cascades: Bool

        static let all = [
            Kind(name: "partner", inverse: "partner", cascades: false),
            Kind(name: "badge", inverse: "node", cascades: true),
        ]
    }

    struct Pair: Hashable {
        let one: Int
        let other: Int

        func touches(_ objects: Set<Int>) -> Bool { objects.contains(one) || objects.contains(other) }
    }

    private let (base, ours, theirs): (Set<Pair>, Set<Pair>, Set<Pair>)

    init(kind: Kind, base: GraphReference, ours: GraphReference, theirs: GraphReference) {
        func pairs(_ side: GraphReference) -> Set<Pair> {
            Set(
                side.objects.compactMap { id, object in
                    object.toOne[kind.name].map {
                        // A link between two of a kind is known at both ends.
                        kind.name == kind.inverse
                            ? Pair(one: min(id, $0), other: max(id, $0)) : Pair(one: id, other: $0)
                    }
                })
        }
        (self.base, self.ours, self.theirs) = (pairs(base), pairs(ours), pairs(theirs))
    }

    /// The links of both, of which no object has two when each has links to make and to end at other objects.
    ///
    /// - Parameter contested: the objects that both have changed, or that were deleted here and stay.
    func merged(_ resolution: GraphMerge.Resolution, _ contested: Set<Int>) -> Set<Pair> {
        var (made, ended) = (ours.subtracting(base), base.subtracting(ours))
        switch resolution {
        case .ownChanges, .othersChanges: break
        case .othersValues:
            made = made.filter { !$0.touches(contested) }
            // One that has another partner by now cannot have the former one again.
            let taken = Self.ends(made)
            ended = ended.filter { !$0.touches(contested) || $0.touches(taken) }
        case .ownValues:
            let insisted = ours.filter { $0.touches(contested) }
            let taken = Self.ends(insisted).union(contested)
            return theirs.subtracting(ended).union(made).filter { !$0.touches(taken) }.union(insisted)
        }
        return theirs.subtracting(ended).union(made)
    }

    private static func ends(_ pairs: Set<Pair>) -> Set<Int> { Set(pairs.flatMap { [$0.one, $0.other] }) }
}
