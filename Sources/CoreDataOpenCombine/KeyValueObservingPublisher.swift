import CoreData
import OpenCombine

extension KeyValueObserving {
    /// The values of a property as they change.
    ///
    /// ```swift
    /// let titles = book.publisher(for: \.title).sink { print($0 ?? "untitled") }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: the property; it must have a name in `KeyPathNames`.
    ///   - options: `.initial` begins with the present value; `.prior` also hands on the value before each change.
    public func publisher<Value>(
        for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> KeyValueObservingPublisher<Self, Value> {
        KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
}

/// Publishes the values of an observed property as they change.
///
/// `publisher(for:options:)` of a managed object, or of any other `KeyValueObserving` object, makes it:
///
/// ```swift
/// let titles = book.publisher(for: \.title).sink { print($0 ?? "untitled") }
/// ```
///
/// Values come on the thread or queue that changes the object. A subscription retains the object. While the subscriber asks for nothing,
/// only the newest value is kept. It never completes.
public struct KeyValueObservingPublisher<Subject: KeyValueObserving, Value>: Publisher {
    /// What is published.
    public typealias Output = Value
    /// It does not fail.
    public typealias Failure = Never

    /// The observed object.
    public let object: Subject
    /// The observed property.
    public let keyPath: KeyPath<Subject, Value>
    /// What is handed on.
    public let options: NSKeyValueObservingOptions

    /// Makes a publisher; see `publisher(for:options:)`.
    public init(object: Subject, keyPath: KeyPath<Subject, Value>, options: NSKeyValueObservingOptions) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
    }

    /// Begins to observe.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Value, Downstream.Failure == Never {
        let subscription = DemandedSubscription(subscriber, keepsLatest: true)
        subscriber.receive(subscription: subscription)
        let object = object
        let keyPath = keyPath
        let observation = object.observe(keyPath, options: options.subtracting([.new, .old])) {
            [weak subscription] object, _ in
            subscription?.offer(object[keyPath: keyPath])
        }
        subscription.onEnd {
            observation.invalidate()
            _ = object
        }
    }
}
