import Foundation

/// One object on the way of an observed key path, with what is watched there.
///
/// The observation of `author.name` of a book is a chain of two links: `author` of the book and `name` of the
/// author. When the author changes, the second link moves to the new one. A key that is computed from others has,
/// beside the chain, a chain for each key path that it depends on.
final class ObservedLink {
    /// What a link is for the one before it.
    enum Role {
        /// It is the first one.
        case start
        /// It observes the rest of the path, at the value of that link's key.
        case continuation
        /// It observes, at the same object, something that the value of that link's key depends on.
        case dependency
    }

    /// The key that is watched.
    let key: String

    /// Whose observation this is part of.
    private(set) weak var observation: Observation?

    /// Whether the object's center knows this link.
    private(set) var isAttached = true

    private weak var object: (any KeyValueObserving)?
    private weak var previous: ObservedLink?
    private let role: Role
    private let rest: String?
    private var next: ObservedLink?
    private var dependencies: [ObservedLink] = []

    init(
        _ path: String, of object: any KeyValueObserving, for observation: Observation?, role: Role,
        after previous: ObservedLink? = nil
    ) {
        let dot = path.firstIndex(of: ".")
        key = dot.map { String(path[..<$0]) } ?? path
        rest = dot.map { String(path[path.index(after: $0)...]) }
        self.object = object
        self.observation = observation
        self.previous = previous
        self.role = role
        ObservationCenter.of(object).add(self)
        attachDependencies()
        attachNext()
    }

    /// Whether a change of the key is one of the observed value itself: a change of some members of a to-many
    /// property can be reported as such only then.
    var isAtEnd: Bool {
        rest == nil && sequence(first: self, next: \.previous).allSatisfy { $0.role != .dependency }
    }

    /// Follows the path anew after the value of the key, or one that it depends on, has changed.
    func valueDidChange() {
        guard isAttached else { return }
        attachNext()
        pathDidChange()
    }

    /// The value at the end of the path from here has changed.
    private func pathDidChange() {
        switch role {
        case .start: break
        case .continuation: previous?.pathDidChange()
        case .dependency: previous?.valueDidChange()
        }
    }

    /// Removes this link and those after it from the objects that they watch.
    func detach() {
        guard isAttached else { return }
        isAttached = false
        next?.detach()
        dependencies.forEach { $0.detach() }
        if let object { ObservationCenter.remove(self, from: object) }
    }

    private func attachNext() {
        guard let rest, let object else { return }
        let value = presentValue(object.value(forKey: key)) as? any KeyValueObserving
        // The link stays where the object is the same: a change of that object may be under way.
        if let value, let next, next.object === value { return }
        next?.detach()
        next = value.map {
            ObservedLink(rest, of: $0, for: observation, role: .continuation, after: self)
        }
    }

    private func attachDependencies() {
        guard let object else { return }
        for path in type(of: object).keyPathsForValuesAffectingValue(forKey: key).sorted() {
            let key = path.prefix { $0 != "." }
            // Keys that depend on each other are watched once.
            if isAlreadyWatching(key) { continue }
            dependencies.append(
                ObservedLink(path, of: object, for: observation, role: .dependency, after: self))
        }
    }

    /// Whether a key is this link's or that of one which depends on it.
    private func isAlreadyWatching(_ key: Substring) -> Bool {
        var link: ObservedLink? = self
        while let current = link {
            if current.key == key { return true }
            link = current.role == .dependency ? current.previous : nil
        }
        return false
    }
}
