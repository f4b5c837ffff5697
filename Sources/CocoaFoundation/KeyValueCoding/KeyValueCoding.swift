/// Objects whose properties are read and written by name.
///
/// Foundation on Linux has no key-value coding: `NSObject` does not answer `value(forKey:)` there. Managed objects conform to this
/// protocol; so may any class whose objects are to be filtered by an `NSPredicate`, sorted by an `NSSortDescriptor(key:ascending:)` or
/// read by an `NSExpression(forKeyPath:)`. Two methods are enough, those for key paths follow from them:
///
/// ```swift
/// final class Song: KeyValueCoding {
///     var title = ""
///     func value(forKey key: String) -> Any? { key == "title" ? title : nil }
///     func setValue(_ value: Any?, forKey key: String) { if key == "title" { title = value as? String ?? "" } }
/// }
/// ```
///
/// What happens with an unknown key is the object's own affair: a managed object stops with a clear message, as Apple's
/// `valueForUndefinedKey:` raises an exception.
public protocol KeyValueCoding: AnyObject {
    /// The value of the property named `key`; `nil` when the property has no value.
    func value(forKey key: String) -> Any?

    /// Gives the property named `key` a value, or none.
    func setValue(_ value: Any?, forKey key: String)

    /// The value at the end of a dotted path, for example `author.name` or `pages.@count`.
    ///
    /// A step over an array or a set collects the values of its elements, and a component that begins with
    /// `@` is a collection operator; the rules are those of Apple's *Key-Value Coding Programming Guide*.
    func value(forKeyPath keyPath: String) -> Any?

    /// Gives the property at the end of a dotted path a value, or none.
    ///
    /// Does nothing when an object before the last key is missing, as Apple's does.
    func setValue(_ value: Any?, forKeyPath keyPath: String)
}

extension KeyValueCoding {
    /// The value at the end of a dotted path; a number is an `NSNumber`.
    ///
    /// - Precondition: every object on the path has its key.
    public func value(forKeyPath keyPath: String) -> Any? {
        do {
            return try KeyPathSteps(keyPath).value(of: self).map(boxedNumber)
        } catch {
            fatalError("Key path \"\(keyPath)\" of \(type(of: self)): \(error)")
        }
    }

    /// Gives the property at the end of a dotted path a value, or none.
    ///
    /// Where the path leads over a collection, each element gets the value, as in Apple's.
    ///
    /// - Precondition: every object on the path has its key, and the last ones conform to
    ///   `KeyValueCoding` or are mutable dictionaries.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return setValue(value, forKey: keyPath) }
        let owner = self.value(forKeyPath: String(keyPath[..<dot]))
        assign(value, forKey: String(keyPath[keyPath.index(after: dot)...]), to: owner, keyPath)
    }

    /// The values of several properties; `NSNull` stands for no value.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, presentValue(value(forKey: $0)) ?? NSNull()) }) { first, _ in first }
    }

    /// Gives several properties their values; `NSNull` stands for no value.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(presentValue(value), forKey: key) }
    }
}
