// Key-value coding of Foundation's collections, by the rules of Apple's *Key-Value Coding Programming Guide*: a call on
// a collection goes to its elements.
//
// Elements are managed objects and others with `KeyValueCoding`, dictionaries, and values of Foundation. Each method stops with a
// message for an element that has no such key, as Apple's raises an exception.

/// What the methods of the collections share.
private enum CollectionKeys {
    /// The value of a key of each element, or the value of an operator.
    static func value(of collection: Any, forKey key: String) -> Any? {
        do {
            return try KeyPathSteps(singleKey: key).value(of: collection).map(boxedNumbers)
        } catch {
            fatalError("Key \"\(key)\" of a collection: \(error)")
        }
    }

    /// The value at the end of a key path.
    static func value(of collection: Any, forKeyPath keyPath: String) -> Any? {
        do {
            return try KeyPathSteps(keyPath).value(of: collection).map(boxedNumbers)
        } catch {
            fatalError("Key path \"\(keyPath)\" of a collection: \(error)")
        }
    }

    /// Gives what a key path of the elements leads to a value.
    static func setValue(_ value: Any?, forKeyPath keyPath: String, of collection: Any) {
        guard let dot = keyPath.lastIndex(of: ".") else {
            return assign(value, forKey: keyPath, to: collection, keyPath)
        }
        let owners = self.value(of: collection, forKeyPath: String(keyPath[..<dot]))
        assign(value, forKey: String(keyPath[keyPath.index(after: dot)...]), to: owners, keyPath)
    }

    /// A number, or the numbers of an array, as Foundation's.
    private static func boxedNumbers(_ value: Any) -> Any {
        (value as? [Any])?.map(boxedNumber) ?? boxedNumber(value)
    }
}

/// Gives a key of an object, or of each object of a collection, a value.
///
/// - Precondition: the objects have keys.
func assign(_ value: Any?, forKey key: String, to owner: Any?, _ keyPath: String) {
    switch presentValue(owner) {
    case nil: return
    case let owner as any KeyValueCoding: owner.setValue(value, forKey: key)
    case let owner as NSMutableDictionary: owner.setValue(value, forKey: key)
    case let owners as any ValueCollection where owners.collectionKind != .dictionary:
        for owner in owners.collectionElements { assign(value, forKey: key, to: owner, keyPath) }
    default: fatalError("Key path \"\(keyPath)\": \(described(owner)) cannot store a value for \"\(key)\"")
    }
}

extension NSArray {
    /// An array (`NSArray`) of the values of a key of the elements; `NSNull` stands for none. Of an operator, such as `@count`,
    /// its value.
    public func value(forKey key: String) -> Any {
        let value = CollectionKeys.value(of: self, forKey: key)
        return (value as? [Any]).map { NSArray(array: $0) } ?? value ?? NSNull()
    }

    /// Gives a key of each element a value, or none.
    public func setValue(_ value: Any?, forKey key: String) { assign(value, forKey: key, to: self, key) }

    /// The value at the end of a key path of the elements: `owner.name`, `@sum.price`.
    public func value(forKeyPath keyPath: String) -> Any? {
        let value = CollectionKeys.value(of: self, forKeyPath: keyPath)
        return (value as? [Any]).map { NSArray(array: $0) } ?? value
    }

    /// Gives what a key path of each element leads to a value, or none.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        CollectionKeys.setValue(value, forKeyPath: keyPath, of: self)
    }
}

extension NSSet {
    /// A set (`NSSet`) of the values of a key of the elements, those without a value left out. Of an operator, such as `@count`,
    /// its value.
    public func value(forKey key: String) -> Any {
        set(CollectionKeys.value(of: self, forKey: key)) ?? NSNull()
    }

    /// Gives a key of each element a value, or none.
    public func setValue(_ value: Any?, forKey key: String) { assign(value, forKey: key, to: self, key) }

    /// The value at the end of a key path of the elements: `owner.name`, `@sum.price`.
    public func value(forKeyPath keyPath: String) -> Any? {
        set(CollectionKeys.value(of: self, forKeyPath: keyPath))
    }

    /// Gives what a key path of each element leads to a value, or none.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        CollectionKeys.setValue(value, forKeyPath: keyPath, of: self)
    }

    private func set(_ value: Any?) -> Any? {
        guard let set = value as? Set<AnyHashable> else { return value }
        // See `distinctSet` for why such an `NSSet` cannot be.
        let hasDecimals = set.contains { if case .decimal = PredicateValue($0.base) { true } else { false } }
        return hasDecimals ? set : NSSet(set: set)
    }
}

extension NSOrderedSet {
    /// An ordered set (`NSOrderedSet`) of the values of a key of the elements, those without a value left out. Of an operator,
    /// such as `@count`, its value.
    public func value(forKey key: String) -> Any { CollectionKeys.value(of: self, forKey: key) ?? NSNull() }

    /// Gives a key of each element a value, or none.
    public func setValue(_ value: Any?, forKey key: String) { assign(value, forKey: key, to: self, key) }

    /// The value at the end of a key path of the elements: `owner.name`, `@sum.price`.
    public func value(forKeyPath keyPath: String) -> Any? {
        CollectionKeys.value(of: self, forKeyPath: keyPath)
    }

    /// Gives what a key path of each element leads to a value, or none.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        CollectionKeys.setValue(value, forKeyPath: keyPath, of: self)
    }
}

extension NSDictionary {
    /// The value at the end of a key path that begins with a key of the dictionary: `owner.name`, `cars.@count`.
    public func value(forKeyPath keyPath: String) -> Any? {
        CollectionKeys.value(of: self, forKeyPath: keyPath)
    }

    /// The values of several keys; `NSNull` stands for none. A key with dots in it is a key, not a path; one that begins with
    /// `@` is an operator, as for `valueForKey:` of Apple's dictionaries.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, codedValue(forKey: $0) ?? NSNull()) }) { first, _ in first }
    }

    private func codedValue(forKey key: String) -> Any? {
        key.hasPrefix("@") ? CollectionKeys.value(of: self, forKey: key) : object(forKey: key)
    }
}

extension NSMutableDictionary {
    /// Gives a key a value, `NSNull` too, or removes it for nil.
    public func setValue(_ value: Any?, forKey key: String) {
        self[key] = presentValue(value) ?? (isNullObject(value) ? NSNull() : nil)
    }

    /// Whether a value is `NSNull`, within optionals or not.
    private func isNullObject(_ value: Any?) -> Bool {
        guard let value else { return false }
        guard let optional = value as? any OptionalValue else { return isNull(value) }
        return isNullObject(optional.wrappedValue)
    }

    /// Gives what a key path leads to a value, or none.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {
        CollectionKeys.setValue(value, forKeyPath: keyPath, of: self)
    }

    /// Gives several keys their values; `NSNull` stands for none, and removes the key.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues { setValue(presentValue(value), forKey: key) }
    }
}
