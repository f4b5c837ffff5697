extension SortDescriptor where Compared: NSObject {
    /// Makes a Swift sort descriptor from one of Foundation's; nil when there is no equivalent.
    ///
    /// There is one for an order by `compare:` of a single property whose Swift key path is known to ``KeyPathNames`` and
    /// whose values are `Comparable`. Swift on Linux orders strings by code points only, so that the other selectors have
    /// none.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor to convert.
    ///   - comparedType: the class of the objects that are compared.
    public init?(_ descriptor: NSSortDescriptor, comparing comparedType: Compared.Type) {
        guard descriptor.stringOrder == .compare, let key = descriptor.key,
            let keyPath = KeyPathNames.keyPath(named: key, of: comparedType)
        else { return nil }
        let order: SortOrder = descriptor.ascending ? .forward : .reverse
        let values = type(of: keyPath).valueType
        let made: SortDescriptor<Compared>? =
            if let values = values as? any Comparable.Type {
                Self.descriptor(keyPath, values, order)
            } else if let values = (values as? any OptionalValue.Type)?.wrappedType as? any Comparable.Type {
                Self.descriptor(keyPath, optional: values, order)
            } else {
                nil
            }
        guard let made else { return nil }
        self = made
    }

    private static func descriptor<Value: Comparable>(
        _ keyPath: AnyKeyPath, _: Value.Type, _ order: SortOrder
    ) -> SortDescriptor? {
        (keyPath as? KeyPath<Compared, Value>).map { SortDescriptor(shared($0), order: order) }
    }

    private static func descriptor<Value: Comparable>(
        _ keyPath: AnyKeyPath, optional _: Value.Type, _ order: SortOrder
    ) -> SortDescriptor? {
        (keyPath as? KeyPath<Compared, Value?>).map { SortDescriptor(shared($0), order: order) }
    }

    /// A key path of a registered property captures nothing, so that it can be shared, which a cast cannot check: the
    /// protocol leaves no trace at run time, in the key path's form neither.
    private static func shared<Value>(
        _ keyPath: KeyPath<Compared, Value>
    ) -> any KeyPath<Compared, Value> & Sendable {
        unsafeBitCast(keyPath, to: (any KeyPath<Compared, Value> & Sendable).self)
    }
}
