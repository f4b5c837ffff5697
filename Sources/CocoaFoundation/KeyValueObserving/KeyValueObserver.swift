import Foundation

/// Objects that are notified of changes by the method that Apple's `NSObject` has.
///
/// Foundation on Linux has no key-value observing: a class that implements `observeValue(forKeyPath:…)` there
/// conforms to this protocol, without `override`.
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
