/// The groups that can be undone, or redone: the latest last.
struct UndoStack {
    private(set) var groups: [UndoGroup] = []

    /// How many groups are kept, the oldest going first; 0 for all.
    var limit = 0 {
        didSet { trim() }
    }

    mutating func push(_ group: UndoGroup) {
        groups.append(group)
        trim()
    }

    mutating func pop() -> UndoGroup? { groups.popLast() }

    mutating func removeAll() { groups.removeAll() }

    mutating func removeActions(of identity: ObjectIdentifier) {
        groups.removeAll { $0.removeActions(of: identity) }
    }

    /// The latest group with a target that is still there; later ones without are forgotten.
    mutating func latest() -> UndoGroup? {
        while let group = groups.last, group.isObsolete { groups.removeLast() }
        return groups.last
    }

    private mutating func trim() {
        if limit > 0, groups.count > limit { groups.removeFirst(groups.count - limit) }
    }
}
