import Foundation

/// An object that is notified of changes by the method that Apple's `NSObject` has.
///
/// Foundation on Linux has no key-value observing: a class that implements `observeValue(forKeyPath:of:change:context:)` there conforms to
/// this protocol, without `override`. Pass it to `addObserver(_:forKeyPath:options:context:)` of an observed object:
///
/// ```swift
/// final class Witness: KeyValueObserver {
///     func observeValue(
///         forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
///     ) {
///         print(keyPath ?? "", change?[.newKey] ?? "")
///     }
/// }
/// ```
///
/// Observers are not retained. New code is shorter with `observe(_:options:changeHandler:)`, which needs no observer class.
public protocol KeyValueObserver: AnyObject {
    /// Reports a change of an observed value.
    ///
    /// - Parameters:
    ///   - keyPath: The key path as it was registered.
    ///   - object: The object that it was registered with.
    ///   - change: What changes; see ``NSKeyValueChangeKey``.
    ///   - context: What was given when it was registered.
    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?)
}
