/// Optionals, whatever they wrap: a `nil` inside an `Any` is found through this protocol.
private protocol OptionalValue {
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedValue: Any? { self }
}

/// The value without optionals around it; `nil` for `nil` and for `NSNull`.
package func presentValue(_ value: Any?) -> Any? {
    guard let value else { return nil }
    if value is NSNull { return nil }
    if type(of: value) == AnyHashable.self, let hashable = value as? AnyHashable {
        return presentValue(hashable.base)
    }
    guard let optional = value as? any OptionalValue else { return value }
    return presentValue(optional.wrappedValue)
}
