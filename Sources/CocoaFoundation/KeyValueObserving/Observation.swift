import Foundation

/// Who registered an observation, to find it again when it is to be removed.
struct Registration {
    let observer: ObjectIdentifier
    let context: UnsafeMutableRawPointer?
}

/// One observation of a key path of an object.
///
/// The object's ``ObservationCenter`` keeps it; it keeps the chain of what it observes, which the centers of the
/// objects on the way know.
final class Observation {
    let keyPath: String
    let registration: Registration?
    private weak var object: (any KeyValueObserving)?
    private let options: NSKeyValueObservingOptions
    private let read: (any KeyValueObserving) -> Any?
    private let deliver: (any KeyValueObserving, ObservedChange) -> Void
    private var chain: ObservedLink?
    private(set) var isValid = true

    init(
        of object: any KeyValueObserving, _ keyPath: String, _ options: NSKeyValueObservingOptions,
        _ registration: Registration?, read: @escaping (any KeyValueObserving) -> Any?,
        deliver: @escaping (any KeyValueObserving, ObservedChange) -> Void
    ) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
        self.registration = registration
        self.read = read
        self.deliver = deliver
    }

    // The chain has parts at objects that live on.
    deinit { chain?.detach() }

    /// Enters the observation at its object, and delivers the initial notification that was requested.
    func begin() {
        guard let object else { return }
        ObservationCenter.of(object).add(self)
        chain = ObservedLink(keyPath, of: object, for: self, role: .start)
        if options.contains(.initial) {
            deliver(
                object, ObservedChange(new: options.contains(.new) ? .reported(read(object)) : .unreported))
        }
    }

    /// Ends the observation. Nothing is delivered from now on, not even of a change that is under way.
    func invalidate() {
        guard isValid else { return }
        isValid = false
        chain?.detach()
        chain = nil
        if let object { ObservationCenter.remove(self, from: object) }
    }

    /// What is known of a change of the value as a whole, before it.
    func changeBefore() -> ObservedChange {
        ObservedChange(old: options.contains(.old) ? .reported(object.flatMap(read)) : .unreported)
    }

    /// Delivers a notification before a change, if it was requested.
    func deliverPrior(_ change: ObservedChange) {
        guard isValid, options.contains(.prior), let object else { return }
        var reported = reported(of: change)
        reported.new = .unreported
        reported.isPrior = true
        deliver(object, reported)
    }

    /// Delivers a notification after a change.
    func deliverPosterior(_ change: ObservedChange) {
        guard isValid, let object else { return }
        var change = change
        if change.kind == .setting, options.contains(.new) { change.new = .reported(read(object)) }
        deliver(object, reported(of: change))
    }

    /// The requested part of a change.
    private func reported(of change: ObservedChange) -> ObservedChange {
        var reported = change
        if !options.contains(.new) { reported.new = .unreported }
        if !options.contains(.old) { reported.old = .unreported }
        return reported
    }
}
