import Foundation

/// One registered action: what to do, and with whom.
struct UndoAction {
    /// The object that is to be changed back. Apple's manager keeps it unretained and unchecked; here an action
    /// whose target is gone does nothing.
    weak var target: AnyObject?

    /// Which object the target is, also while it is being deinitialised, when weak references are `nil` already.
    let identity: ObjectIdentifier

    /// What changes the target back.
    let handler: (AnyObject) -> Void

    /// Whether the action may be lost when a document cannot be saved.
    var isDiscardable: Bool
}

/// Actions that are undone together, and groups among them.
final class UndoGroup {
    enum Entry {
        case action(UndoAction)
        case group(UndoGroup)
    }

    /// In the order in which they were registered or closed.
    var entries: [Entry] = []

    /// What the user calls it: empty without a name.
    var name = ""

    /// Whether the manager opened it by itself, for the event at hand.
    let isEventGroup: Bool

    /// What was said about the next action before there was one.
    private var nextIsDiscardable = false

    init(isEventGroup: Bool = false) { self.isEventGroup = isEventGroup }

    func append(_ target: AnyObject, _ handler: @escaping (AnyObject) -> Void) {
        let action = UndoAction(
            target: target, identity: ObjectIdentifier(target), handler: handler,
            isDiscardable: nextIsDiscardable)
        nextIsDiscardable = false
        entries.append(.action(action))
    }

    /// Whether there is anything to do. A group that was opened and closed on purpose counts, though it is empty.
    var isEmpty: Bool { entries.isEmpty }

    /// Whether there were actions and the targets of all of them are gone.
    var isObsolete: Bool {
        var hadActions = false
        for entry in entries {
            switch entry {
            case .action(let action):
                if action.target != nil { return false }
                hadActions = true
            case .group(let group):
                if !group.isObsolete { return false }
                hadActions = true
            }
        }
        return hadActions
    }

    // MARK: What may be discarded

    /// Whether there are actions and all of them may be discarded.
    var isDiscardable: Bool {
        !entries.isEmpty
            && entries.allSatisfy { entry in
                switch entry {
                case .action(let action): action.isDiscardable
                case .group(let group): group.isDiscardable
                }
            }
    }

    /// Says whether the latest action may be discarded; the next one, when there is none yet.
    func setLatestIsDiscardable(_ isDiscardable: Bool) {
        switch entries.last {
        case .action(var action):
            action.isDiscardable = isDiscardable
            entries[entries.count - 1] = .action(action)
        case .group(let group): group.setLatestIsDiscardable(isDiscardable)
        case nil: nextIsDiscardable = isDiscardable
        }
    }

    /// Says that all actions may be discarded.
    func makeDiscardable() {
        for (index, entry) in entries.enumerated() {
            switch entry {
            case .action(var action):
                action.isDiscardable = true
                entries[index] = .action(action)
            case .group(let group): group.makeDiscardable()
            }
        }
    }

    // MARK: Forgetting

    /// Takes out the actions of a target, and the groups that this leaves empty.
    ///
    /// - Returns: Whether this group had actions and has none now.
    @discardableResult
    func removeActions(of identity: ObjectIdentifier) -> Bool {
        let wasEmpty = entries.isEmpty
        entries.removeAll { entry in
            switch entry {
            case .action(let action): action.identity == identity
            case .group(let group): group.removeActions(of: identity)
            }
        }
        return !wasEmpty && entries.isEmpty
    }
}
