import Foundation

/// The change that is passed to the handler of `observe(_:options:changeHandler:)`.
///
/// The values have the type of the observed property. `oldValue` and `newValue` are nil unless the observation was made with `.old` and
/// `.new`, and where the key path leads over an object that is missing. The present value can also be read from the object itself.
public struct NSKeyValueObservedChange<Value> {
    /// How a value changed.
    public typealias Kind = NSKeyValueChange

    /// How the value changed.
    public let kind: Kind

    /// The new value, if it was requested by `.new`. For an insertion or a replacement these are only the objects
    /// that came in, if the property's type can hold them.
    public let newValue: Value?

    /// The old value, if it was requested by `.old`. For a removal or a replacement these are only the objects that
    /// left, if the property's type can hold them.
    public let oldValue: Value?

    /// Where the objects are in an ordered to-many property.
    public let indexes: IndexSet?

    /// Whether the change is still to come, as requested by `.prior`.
    public let isPrior: Bool

    init(_ change: ObservedChange) {
        kind = change.kind
        newValue = change.new.cast()
        oldValue = change.old.cast()
        indexes = change.indexes
        isPrior = change.isPrior
    }
}

/// An observation that `observe(_:options:changeHandler:)` has begun.
///
/// Keep it for as long as the handler is to be called: the observation ends when this object is released, and by ``invalidate()``.
///
/// ```swift
/// observation = book.observe(\.title, options: [.old, .new]) { book, change in
///     print(change.oldValue ?? "", change.newValue ?? "")
/// }
/// ```
///
/// It does not retain the observed object; the handler is not called after that is deallocated. Use it on the thread or queue of the
/// object.
public class NSKeyValueObservation: NSObject {
    private weak var observation: Observation?

    init(_ observation: Observation) { self.observation = observation }

    /// Ends the observation. Has no effect a second time, or after the observed object is gone.
    public func invalidate() {
        observation?.invalidate()
        observation = nil
    }

    deinit { observation?.invalidate() }
}
