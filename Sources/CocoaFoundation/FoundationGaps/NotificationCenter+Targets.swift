import Foundation
import Synchronization

// Observers with methods: what `addObserver(_:selector:name:object:)` does on Apple's platforms, for ported sources.

extension NotificationCenter {
    /// Calls a closure with an object and each notification, until the object is removed by `removeObserver(_:)` or is gone. It
    /// is not retained.
    ///
    /// For ported sources: `coredata port` writes it for `addObserver(_:selector:name:object:)` with a method of the observer.
    ///
    /// - Parameters:
    ///   - observer: the object.
    ///   - name: the name of the notifications; nil for any.
    ///   - object: whose notifications are meant; nil for those of all.
    ///   - body: is called on the thread that posts.
    public func _addObserver<Observer: AnyObject>(
        _ observer: Observer, name: Notification.Name?, object: Any?,
        _ body: @escaping (Observer, Notification) -> Void
    ) {
        let reference = Weak(observer)
        nonisolated(unsafe) let body = body
        let token = addObserver(forName: name, object: object, queue: nil) { notification in
            guard let observer = reference.object as? Observer else { return }
            body(observer, notification)
        }
        ObserverTokens.add(
            ObserverTokens.Entry(
                observer: reference, center: Weak(self), name: name,
                object: object.map { Weak($0 as AnyObject) }, token: token))
    }

    /// The same for a method of the main actor. Who posts is to do so there: nothing checks that, as nothing does on Apple's
    /// platforms, where the Objective-C runtime calls the method.
    public func _addMainActorObserver<Observer: AnyObject>(
        _ observer: Observer, name: Notification.Name?, object: Any?,
        _ body: @escaping @MainActor (Observer, Notification) -> Void
    ) {
        // A function of an actor differs from another one for the compiler only.
        _addObserver(
            observer, name: name, object: object,
            unsafeBitCast(body, to: ((Observer, Notification) -> Void).self))
    }

    /// Ends all that an object, or a token, observes.
    public func removeObserver(_ observer: AnyObject) {
        removeObserver(observer as Any)
        for token in ObserverTokens.remove(observer, from: self, where: { _ in true }) {
            removeObserver(token as Any)
        }
    }

    /// Ends that an object, or a token, observes the notifications of a name and of an object; nil stands for any.
    public func removeObserver(_ observer: AnyObject, name aName: Notification.Name?, object anObject: Any?) {
        removeObserver(observer as Any, name: aName, object: anObject)
        let ended = ObserverTokens.remove(observer, from: self) { entry in
            (aName == nil || entry.name == aName)
                && (anObject == nil || entry.object?.object === anObject.map { $0 as AnyObject })
        }
        for token in ended { removeObserver(token as Any) }
    }
}

private struct Weak: @unchecked Sendable {
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
}

/// The tokens of Foundation's that stand for observers with methods.
private enum ObserverTokens {
    struct Entry: @unchecked Sendable {
        let observer: Weak
        let center: Weak
        let name: Notification.Name?
        let object: Weak?
        let token: any NSObjectProtocol

        var isOver: Bool { observer.object == nil || center.object == nil }

        func end() { (center.object as? NotificationCenter)?.removeObserver(token as Any) }
    }

    private struct Tokens: Sendable {
        var entries: [ObjectIdentifier: [Entry]] = [:]
        /// How many observers there may be before those that are gone are looked for.
        var limit = 64
    }

    private static let tokens = Mutex(Tokens())

    static func add(_ entry: Entry) {
        guard let observer = entry.observer.object else { return }
        let over = tokens.withLock { tokens -> [Entry] in
            // Another object may have been where this one is now.
            var over = tokens.entries[ObjectIdentifier(observer)]?.filter(\.isOver) ?? []
            tokens.entries[ObjectIdentifier(observer), default: []].removeAll(where: \.isOver)
            tokens.entries[ObjectIdentifier(observer), default: []].append(entry)
            if tokens.entries.count > tokens.limit {
                over += tokens.entries.values.joined().filter(\.isOver)
                tokens.entries = tokens.entries.mapValues { $0.filter { !$0.isOver } }.filter { !$1.isEmpty }
                tokens.limit = max(64, 2 * tokens.entries.count)
            }
            return over
        }
        for entry in over { entry.end() }
    }

    /// Takes the tokens of an observer out.
    static func remove(
        _ observer: AnyObject, from center: NotificationCenter, where isMeant: (Entry) -> Bool
    ) -> [any NSObjectProtocol] {
        tokens.withLock { tokens in
            guard let entries = tokens.entries[ObjectIdentifier(observer)] else { return [] }
            func isEnded(_ entry: Entry) -> Bool { entry.center.object === center && isMeant(entry) }
            let kept = entries.filter { !isEnded($0) }
            tokens.entries[ObjectIdentifier(observer)] = kept.isEmpty ? nil : kept
            return entries.filter(isEnded).map(\.token)
        }
    }
}
