import Foundation

// The methods that take Swift key paths. The class of the object is known to them, as `Self`.
extension KeyValueObserving {
    /// Calls a handler when a value changes.
    ///
    /// ```swift
    /// let observation = book.observe(\.title, options: [.new]) { book, change in … }
    /// ```
    ///
    /// Values are read through the key path itself, so that they have the property's type. A value that may be
    /// missing and is gives `.some(nil)`; `nil` means that the value was not requested.
    ///
    /// - Parameters:
    ///   - keyPath: The key path of the value. Its name must be known: see `KeyPathNames`.
    ///   - options: What is reported, and when.
    ///   - changeHandler: What is called, with the object and what changed.
    /// - Returns: The observation, which ends when it is released.
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        NSKeyValueObservation(
            addObservation(
                of: Self.name(of: keyPath), options, nil,
                read: { ($0 as? Self)?[keyPath: keyPath] },
                deliver: { object, change in
                    if let object = object as? Self {
                        changeHandler(object, NSKeyValueObservedChange(change))
                    }
                }))
    }

    /// Announces that a value is about to change; see `willChangeValue(forKey:)`.
    public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        willChangeValue(forKey: Self.name(of: keyPath))
    }

    /// Reports that a value has changed.
    public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
        didChangeValue(forKey: Self.name(of: keyPath))
    }

    /// Announces that an ordered to-many property is about to change at some indexes.
    public func willChange<Value>(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, for keyPath: KeyPath<Self, Value>
    ) {
        willChange(changeKind, valuesAt: indexes, forKey: Self.name(of: keyPath))
    }

    /// Reports that an ordered to-many property has changed at some indexes.
    public func didChange<Value>(
        _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, for keyPath: KeyPath<Self, Value>
    ) {
        didChange(changeKind, valuesAt: indexes, forKey: Self.name(of: keyPath))
    }

    /// Announces that an unordered to-many property is about to be changed by a set.
    public func willChangeValue<Value>(
        for keyPath: KeyPath<Self, Value>, withSetMutation mutation: NSKeyValueSetMutationKind,
        using set: Set<Value>
    ) {
        willChangeValue(
            forKey: Self.name(of: keyPath), withSetMutation: mutation, using: Set<AnyHashable>(set))
    }

    /// Reports that an unordered to-many property has been changed by a set.
    public func didChangeValue<Value>(
        for keyPath: KeyPath<Self, Value>, withSetMutation mutation: NSKeyValueSetMutationKind,
        using set: Set<Value>
    ) {
        didChangeValue(
            forKey: Self.name(of: keyPath), withSetMutation: mutation, using: Set<AnyHashable>(set))
    }

    private static func name(of keyPath: AnyKeyPath) -> String {
        guard let name = KeyPathNames.name(of: keyPath) else {
            fatalError(
                "A key path of the class \(Self.self) has no name: register it by KeyPathNames.register(_:for:), or "
                    + "let the class conform to KeyPathNaming.")
        }
        return name
    }
}
