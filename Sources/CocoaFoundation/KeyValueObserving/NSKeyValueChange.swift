import Foundation

/// Which values an observer gets, and when it is notified.
///
/// `[.old, .new]` gives both values after each change. Without `.old` and `.new` the observer learns only that a value changed. The raw
/// values are Apple's.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: UInt

    /// Makes options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The value after the change.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)

    /// The value before the change.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)

    /// A notification at once, before the registering call returns: with ``new`` it has the present value.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)

    /// One notification before and one after each change. The first never has the new value.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// How an observed value changed: as a whole, or by members of a to-many property.
///
/// For a `.setting` the old and the new value are the whole values; for the other kinds they are only the members that came or left. The
/// raw values are Apple's.
public enum NSKeyValueChange: UInt, Sendable {
    /// The value as a whole was set.
    case setting = 1
    /// Objects were put into a to-many property.
    case insertion = 2
    /// Objects were removed from a to-many property.
    case removal = 3
    /// Objects of a to-many property were exchanged for others.
    case replacement = 4
}

/// The keys of the dictionary that describes a change to an observer.
///
/// `kindKey` is always there, `oldKey` and `newKey` if the observer was registered with `.old` and `.new`, `indexesKey` for members of an
/// ordered to-many property, `notificationIsPriorKey` only in a notification before the change. A missing value is an `NSNull`. The raw
/// values are Apple's.
public struct NSKeyValueChangeKey: RawRepresentable, Hashable, Sendable {
    /// The text of the key.
    public let rawValue: String

    /// Makes a key from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// How the value changed: an `NSNumber` with the raw value of an ``NSKeyValueChange``.
    public static let kindKey = NSKeyValueChangeKey(rawValue: "kind")

    /// The new value, or the objects that came into a to-many property; `NSNull` for no value.
    public static let newKey = NSKeyValueChangeKey(rawValue: "new")

    /// The old value, or the objects that left a to-many property; `NSNull` for no value.
    public static let oldKey = NSKeyValueChangeKey(rawValue: "old")

    /// Where the objects are in an ordered to-many property: an `NSIndexSet`.
    public static let indexesKey = NSKeyValueChangeKey(rawValue: "indexes")

    /// The number `true` in a notification before the change.
    public static let notificationIsPriorKey = NSKeyValueChangeKey(rawValue: "notificationIsPrior")
}

/// How a set changes an unordered to-many property, for `willChangeValue(forKey:withSetMutation:using:)` and its counterpart.
///
/// Observers receive an insertion, a removal or a replacement with the members that really come or leave. The raw values are Apple's.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// The objects are put in: an insertion of those that were not there.
    case union = 1
    /// The objects are removed: a removal of those that were there.
    case minus = 2
    /// All other objects are removed: a removal of them.
    case intersect = 3
    /// The objects replace those that were there: a replacement.
    case set = 4
}
