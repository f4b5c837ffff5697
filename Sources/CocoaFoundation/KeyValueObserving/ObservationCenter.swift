import Foundation

/// The observations of one object, and its changes that are under way.
///
/// A class that conforms to ``KeyValueObserving`` declares a property for it, `var observationCenter: ObservationCenter?`, and does
/// nothing else with it. It is nil until the object is observed or is on an observed key path, and nil again when that ends. Handlers may
/// add and remove observations, change observed values and release objects while they are called; observers are notified in the order in
/// which they were registered.
public final class ObservationCenter {
    /// The observations of key paths that begin at the object, in the order of their registration.
    private var observations: [Observation] = []

    /// What watches keys of the object, also for observations of other objects.
    private var links: [String: [ObservedLink]] = [:]

    /// The changes that were announced and have not happened yet, by key.
    private var pendingChanges: [String: PendingChange] = [:]

    /// A change that is under way.
    private struct PendingChange {
        /// How many announcements for the key are nested.
        var depth = 1
        let description: ChangeDescription
        let parts: [Part]
    }

    /// What a change is for one observation.
    private struct Part {
        let observation: Observation
        var links: [ObservedLink]
        /// Whether some of the members of the observed value change, and not the value as a whole.
        var concernsMembers: Bool
        var before = ObservedChange()
    }

    init() {}

    /// The center of an object, made if there is none.
    static func of(_ object: any KeyValueObserving) -> ObservationCenter {
        if let center = object.observationCenter { return center }
        let center = ObservationCenter()
        object.observationCenter = center
        return center
    }

    // MARK: Who observes

    func add(_ observation: Observation) { observations.append(observation) }

    func add(_ link: ObservedLink) { links[link.key, default: []].append(link) }

    static func remove(_ observation: Observation, from object: any KeyValueObserving) {
        guard let center = object.observationCenter else { return }
        center.observations.removeAll { $0 === observation }
        center.leaveIfUnused(by: object)
    }

    static func remove(_ link: ObservedLink, from object: any KeyValueObserving) {
        guard let center = object.observationCenter else { return }
        center.links[link.key]?.removeAll { $0 === link }
        if center.links[link.key]?.isEmpty == true { center.links[link.key] = nil }
        center.leaveIfUnused(by: object)
    }

    /// An object without observers pays for a look at `nil` only. A handler may have ended the last
    /// observation and begun another, so that the object has a new center already.
    private func leaveIfUnused(by object: any KeyValueObserving) {
        guard observations.isEmpty, links.isEmpty, pendingChanges.isEmpty else { return }
        if object.observationCenter === self { object.observationCenter = nil }
    }

    /// The observation of a key path that was registered last, among those that are meant.
    func latestObservation(of keyPath: String, where isMeant: (Registration) -> Bool) -> Observation? {
        observations.last { $0.keyPath == keyPath && ($0.registration.map(isMeant) ?? false) }
    }

    /// Whether a key has observers.
    ///
    /// For objects that announce changes without a setter's being called: those that are about to be refreshed,
    /// for example, look here before they compute what changes.
    package func isWatched(_ key: String) -> Bool { links[key] != nil }

    /// The keys that have observers.
    package var watchedKeys: some Collection<String> { links.keys }

    // MARK: Changes

    /// An object is about to change a property.
    ///
    /// - Parameters:
    ///   - key: The property.
    ///   - object: The object that this center belongs to.
    ///   - description: How it changes. When announcements for a key are nested, that of the outermost counts.
    package func willChange(
        _ key: String, of object: any KeyValueObserving, _ description: ChangeDescription = .whole
    ) {
        if pendingChanges[key] != nil {
            pendingChanges[key]?.depth += 1
            return
        }
        guard let links = links[key] else { return }
        var parts = Self.parts(links, description)
        let membersBefore =
            parts.contains(where: \.concernsMembers)
            ? description.changeBefore(key, of: object) : ObservedChange()
        for index in parts.indices {
            parts[index].before =
                parts[index].concernsMembers ? membersBefore : parts[index].observation.changeBefore()
        }
        pendingChanges[key] = PendingChange(description: description, parts: parts)
        for part in parts { part.observation.deliverPrior(part.before) }
    }

    /// An object has changed a property. Without an announcement before, this has no effect.
    package func didChange(_ key: String, of object: any KeyValueObserving) {
        guard var pending = pendingChanges[key] else { return }
        pending.depth -= 1
        guard pending.depth == 0 else {
            pendingChanges[key] = pending
            return
        }
        // What handlers do from here on is not part of this change.
        pendingChanges[key] = nil
        // An observation that moved on to another object meanwhile does not watch this one any more.
        let parts = pending.parts.filter { $0.links.contains(where: \.isAttached) }
        for part in parts { part.links.forEach { $0.valueDidChange() } }
        let description = pending.description
        for part in parts {
            part.observation.deliverPosterior(
                part.concernsMembers ? description.change(after: part.before, key, of: object) : part.before)
        }
        leaveIfUnused(by: object)
    }

    /// One part for each observation, though several of its links may watch the key.
    private static func parts(_ links: [ObservedLink], _ description: ChangeDescription) -> [Part] {
        var parts: [Part] = []
        var indexed: [ObjectIdentifier: Int] = [:]
        for link in links {
            guard let observation = link.observation else { continue }
            var concernsMembers = link.isAtEnd
            switch description {
            case .whole, .indexed(.setting, _): concernsMembers = false
            case .indexed, .members: break
            }
            if let position = indexed[ObjectIdentifier(observation)] {
                parts[position].links.append(link)
                if concernsMembers { parts[position].concernsMembers = true }
            } else {
                indexed[ObjectIdentifier(observation)] = parts.count
                parts.append(Part(observation: observation, links: [link], concernsMembers: concernsMembers))
            }
        }
        return parts
    }
}
