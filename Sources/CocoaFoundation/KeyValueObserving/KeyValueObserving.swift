import Foundation

/// Objects whose changes can be observed.
///
/// Managed objects conform to it. So may any class that has ``KeyValueCoding`` and reports its changes:
///
/// ```swift
/// final class Account: KeyValueObserving {
///     var observationCenter: ObservationCenter?
///     var balance = 0 {
///         willSet { willChangeValue(forKey: "balance") }
///         didSet { didChangeValue(forKey: "balance") }
///     }
///     …
/// }
/// ```
///
/// Nothing is observed automatically: Linux has no way to notice the call of a setter. An object without
/// observers pays for a look at ``observationCenter``, which is `nil` then.
///
/// An observation does not retain the object. Objects on the way of a key path, such as the author in
/// `author.name`, are observed too if they conform. An object, those on the way from it and its observers belong to
/// one thread or queue.
public protocol KeyValueObserving: KeyValueCoding {
    /// The observers of this object; `nil` while there are none. Store it, and leave it alone otherwise.
    var observationCenter: ObservationCenter? { get set }

    /// The key paths of values that the value of a key is computed from: a change of theirs is one of its own.
    ///
    /// The default is that there are none. Apple's also calls a method `keyPathsForValuesAffecting` with the
    /// key at its end, which needs the Objective-C runtime.
    static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String>

    /// Announces that the value of a key is about to change. Each call is followed by one of
    /// ``didChangeValue(forKey:)``.
    ///
    /// Pairs of calls for one key may be nested: observers are notified once, of the outermost change.
    func willChangeValue(forKey key: String)

    /// Reports that the value of a key has changed.
    func didChangeValue(forKey key: String)

    /// Announces that an ordered to-many property is about to change at some indexes.
    func willChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String)

    /// Reports that an ordered to-many property has changed at some indexes.
    func didChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String)

    /// Announces that an unordered to-many property is about to be changed by a set.
    func willChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
        using objects: Set<AnyHashable>)

    /// Reports that an unordered to-many property has been changed by a set.
    func didChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
        using objects: Set<AnyHashable>)
}

extension KeyValueObserving {
    /// No key paths.
    public static func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }

    /// Notifies the observers.
    public func willChangeValue(forKey key: String) {
        observationCenter?.willChange(key, of: self)
    }

    /// Notifies the observers.
    public func didChangeValue(forKey key: String) {
        observationCenter?.didChange(key, of: self)
    }

    /// Notifies the observers.
    public func willChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        observationCenter?.willChange(key, of: self, .indexed(changeKind, indexes))
    }

    /// Notifies the observers.
    public func didChange(_ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, forKey key: String) {
        observationCenter?.didChange(key, of: self)
    }

    /// Notifies the observers.
    public func willChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
        using objects: Set<AnyHashable>
    ) {
        observationCenter?.willChange(key, of: self, .members(mutationKind, objects))
    }

    /// Notifies the observers.
    public func didChangeValue(
        forKey key: String, withSetMutation mutationKind: NSKeyValueSetMutationKind,
        using objects: Set<AnyHashable>
    ) {
        observationCenter?.didChange(key, of: self)
    }
}

// MARK: Observers with a method

extension KeyValueObserving {
    /// Notifies an observer of the changes of a value, until ``removeObserver(_:forKeyPath:)``.
    ///
    /// An observer that is registered twice is notified twice. The object does not retain it. A deallocated observer gets no
    /// notifications; its registration stays until it is removed or the object is deallocated.
    ///
    /// - Parameters:
    ///   - observer: The object to notify.
    ///   - keyPath: The key path of the value, for example `title` or `author.name`.
    ///   - options: What is reported, and when.
    ///   - context: What is handed to the observer, and distinguishes registrations.
    public func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [], context: UnsafeMutableRawPointer?
    ) {
        let registration = Registration(observer: ObjectIdentifier(observer), context: context)
        _ = addObservation(
            of: keyPath, options, registration,
            read: { object in
                keyPath.contains(".") ? object.value(forKeyPath: keyPath) : object.value(forKey: keyPath)
            },
            deliver: { [weak observer] object, change in
                observer?.observeValue(
                    forKeyPath: keyPath, of: object, change: change.dictionary, context: context)
            })
    }

    /// Removes the latest registration of an observer for a key path.
    ///
    /// Stops the program when there is none, as Apple's raises an exception.
    public func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        removeObserver(observer, keyPath) { _ in true }
    }

    /// Removes the latest registration of an observer for a key path and a context.
    ///
    /// Stops the program when there is none, as Apple's raises an exception.
    public func removeObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String, context: UnsafeMutableRawPointer?
    ) {
        removeObserver(observer, keyPath) { $0 == context }
    }

    private func removeObserver(
        _ observer: any KeyValueObserver, _ keyPath: String, _ isMeant: (UnsafeMutableRawPointer?) -> Bool
    ) {
        // An observer at its very end may still do this, when it cannot be referred to weakly any more.
        let identity = ObjectIdentifier(observer)
        let observation = observationCenter?.latestObservation(of: keyPath) {
            $0.observer == identity && isMeant($0.context)
        }
        guard let observation else {
            fatalError(
                "The observer of the class \(type(of: observer)) cannot be removed: it is not registered for the key "
                    + "path \"\(keyPath)\" with the object of the class \(type(of: self)).")
        }
        observation.invalidate()
    }

    /// Begins an observation of this object.
    func addObservation(
        of keyPath: String, _ options: NSKeyValueObservingOptions, _ registration: Registration?,
        read: @escaping (any KeyValueObserving) -> Any?,
        deliver: @escaping (any KeyValueObserving, ObservedChange) -> Void
    ) -> Observation {
        let observation = Observation(
            of: self, keyPath, options, registration, read: read, deliver: deliver)
        observation.begin()
        return observation
    }
}
