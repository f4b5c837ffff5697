import Foundation

/// Turns a value into another one and, if it can, back.
///
/// Core Data keeps the values of transformable attributes through such objects: in the store they are data.
/// Subclass this class, override ``transformedValue(_:)`` and ``reverseTransformedValue(_:)``, and register an
/// object under a name before the stack is set up:
///
/// ```swift
/// ValueTransformer.setValueTransformer(ColorToData(), forName: .colorToData)
/// ```
///
/// For values that conform to `Codable` there is ``CodableTransformer``.
///
/// Apple's methods do not throw, so that a transformer can only answer `nil` when it fails. Here it may say why,
/// see ``transformationFailed(with:)``, and callers ask for the reason by ``checkedTransformedValue(_:)`` and
/// ``checkedReverseTransformedValue(_:)``, as Core Data does.
///
/// A registered transformer is used by any thread, several at once.
open class ValueTransformer: NSObject {
    /// Makes a transformer.
    public override init() { super.init() }

    /// The class of the values that ``transformedValue(_:)`` gives.
    ///
    /// The default is `NSObject`: any.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether ``reverseTransformedValue(_:)`` may be called. The default is `true`.
    open class func allowsReverseTransformation() -> Bool { true }

    /// The value that a given one is turned into.
    ///
    /// The default gives back what it got.
    ///
    /// - Parameter value: A value or none.
    /// - Returns: The new value; `nil` for none and after a failure.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The value that was turned into a given one.
    ///
    /// The default is that of Apple's documentation: it calls ``transformedValue(_:)``, as fits transformers that
    /// are their own reverse, and must not be called when ``allowsReverseTransformation()`` is `false`.
    ///
    /// - Parameter value: A value or none.
    /// - Returns: The value before; `nil` for none and after a failure.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
        require(
            type(of: self).allowsReverseTransformation(),
            "\(type(of: self)) cannot reverse values: its allowsReverseTransformation() is false.")
        return transformedValue(value)
    }
}
