/// Gives `NSSortDescriptor` its initialisers for keys.
///
/// Only an initialiser in a protocol extension may put an object of a subclass in the place of `self`.
/// `NSSortDescriptor` is the only type that conforms.
public protocol SortDescriptorKeying {}

extension NSSortDescriptor: SortDescriptorKeying {}

extension SortDescriptorKeying {
    /// Makes a sort descriptor for the values of a key path, in their natural order.
    ///
    /// Texts are ordered by code points, as SQL stores order them. Objects without a value come first in
    /// ascending and last in descending order.
    ///
    /// - Parameters:
    ///   - key: a dotted key path; `nil` compares the objects themselves.
    ///   - ascending: whether the least value comes first.
    public init(key: String?, ascending: Bool) {
        self = Self.descriptor(key, ascending, .method(.compare))
    }

    /// Makes a sort descriptor for the values of a key path, in the order that a method gives.
    ///
    /// - Precondition: `selector` is `nil`, `compare:`, `caseInsensitiveCompare:`, `localizedCompare:`,
    ///   `localizedCaseInsensitiveCompare:` or `localizedStandardCompare:`. Linux cannot call a method by its
    ///   name; for any other order use a comparator.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        let name = selector?.description ?? StringOrder.compare.rawValue
        guard let method = StringOrder(rawValue: name) else {
            let known = StringOrder.allCases.map(\.rawValue).joined(separator: ", ")
            fatalError("Unsupported sort descriptor selector: \(name); supported are \(known)")
        }
        self = Self.descriptor(key, ascending, .method(method))
    }

    /// Makes a sort descriptor for the values of a key path, in the order that a closure gives.
    ///
    /// The closure gets `NSNull` for no value. SQL stores do not understand closures.
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        self = Self.descriptor(key, ascending, .comparator(cmptr))
    }

    /// Makes a sort descriptor for the values of a Swift key path, in their natural order.
    ///
    /// Foundation's own initialiser, which is taken where it fits, wants `Comparable` values; this one takes
    /// all others, optional ones above all.
    public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self = Self.own(KeySortDescriptor(.keyPath(keyPath), ascending: ascending, order: .method(.compare)))
    }

    /// Makes a sort descriptor from a `SortDescriptor`.
    ///
    /// Texts are ordered by code points: Swift on Linux has no other comparator than `.lexical` for them.
    public init<Compared>(_ sortDescriptor: SortDescriptor<Compared>) {
        let ascending = sortDescriptor.order == .forward
        guard let keyPath = sortDescriptor.keyPath else {
            self = Self.own(
                KeySortDescriptor(
                    .object, ascending: ascending,
                    order: .comparator { left, right in
                        guard let left = left as? Compared, let right = right as? Compared else {
                            return .orderedSame
                        }
                        let result = sortDescriptor.compare(left, right)
                        return ascending ? result : result.reversed
                    }))
            return
        }
        self = Self.own(KeySortDescriptor(.keyPath(keyPath), ascending: ascending, order: .method(.compare)))
    }

    private static func descriptor(
        _ key: String?, _ ascending: Bool, _ order: KeySortDescriptor.Order
    ) -> Self {
        own(KeySortDescriptor(key: key, ascending: ascending, order: order))
    }

    private static func own(_ descriptor: KeySortDescriptor) -> Self {
        guard let own = descriptor as? Self else {
            fatalError("A sort descriptor with a key is no \(Self.self)")
        }
        return own
    }
}

extension NSSortDescriptor {
    /// The key path of the values that are compared; `nil` for the objects themselves.
    ///
    /// A descriptor made with a Swift key path answers the name that ``KeyPathNames`` knows for it, and `nil`
    /// when it knows none.
    public var key: String? {
        if let descriptor = self as? KeySortDescriptor { return descriptor.keyPathString }
        return KeyPathNames.name(of: keyPath)
    }

    /// The method that compares the values; `nil` with a closure.
    public var selector: Selector? {
        stringOrder.map { Selector($0.rawValue) }
    }

    /// How texts are ordered; `nil` when a closure decides.
    ///
    /// Foundation does not tell whether a descriptor made with its own key path initialisers has a closure of
    /// the client's; they count as in natural order, as they most often are.
    package var stringOrder: StringOrder? {
        guard let descriptor = self as? KeySortDescriptor else { return .compare }
        if case .method(let method) = descriptor.order { return method }
        return nil
    }

    /// Does nothing: kept for source compatibility with Apple's, where decoded descriptors are locked.
    public func allowEvaluation() {}
}
