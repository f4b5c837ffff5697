import Foundation

/// Optionals, whatever they wrap: a `nil` inside an `Any` is found through this protocol.
package protocol OptionalValue {
    var wrappedValue: Any? { get }
    /// The type of the value that may be there.
    static var wrappedType: any Any.Type { get }
}

extension Optional: OptionalValue {
    package var wrappedValue: Any? { self }
    package static var wrappedType: any Any.Type { Wrapped.self }
}

/// Whether a value is `NSNull`.
///
/// Comparing types is all it takes; a cast of a Swift value, such as a URL, would make its Foundation object first.
package func isNull(_ value: Any) -> Bool { type(of: value) == NSNull.self }

/// The value without optionals around it; `nil` for `nil` and for `NSNull`.
package func presentValue(_ value: Any?) -> Any? {
    guard let value else { return nil }
    let type = type(of: value)
    if isPlain(type) { return value }
    if type is AnyClass { return type == NSNull.self ? nil : value }
    if type == AnyHashable.self, let hashable = value as? AnyHashable { return presentValue(hashable.base) }
    guard let optional = value as? any OptionalValue else { return value }
    return presentValue(optional.wrappedValue)
}

/// Whether a type is one that most values have: neither a collection, an object, nor something that can be absent.
///
/// Casts to a protocol are slow, and the identity of the type is enough for almost every value.
package func isPlain(_ type: any Any.Type) -> Bool {
    type == String.self || type == Int.self || type == Int64.self || type == Double.self || type == Bool.self
        || type == Date.self || type == UUID.self || type == Decimal.self || type == Int32.self
        || type == Int16.self
        || type == Float.self || type == URL.self
}
