/// Gives `NSSortDescriptor` its initialisers for keys.
///
/// Only an initialiser in a protocol extension may put an object of a subclass in place of `self`.
/// `NSSortDescriptor` is the only type that conforms.
public protocol _SortDescriptorKeying {}

extension NSSortDescriptor: _SortDescriptorKeying {}

extension _SortDescriptorKeying {
    /// Makes a sort descriptor for the values of a key path, in their natural order.
    ///
    /// Strings are ordered by code points, as SQL stores order them. Objects without a value come first in
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

    /// Makes a sort descriptor for the values of a Swift key path, in their natural order; also for values that are not
    /// `Comparable`, as optional ones are not.
    public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self = Self.own(KeySortDescriptor(.keyPath(keyPath), ascending: ascending, order: .method(.compare)))
    }

    /// Makes a sort descriptor from a `SortDescriptor`.
    ///
    /// Strings are ordered by code points: Swift on Linux has no other comparator than `.lexical` for them.
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

    fileprivate init(_ descriptor: KeySortDescriptor) {
        self = Self.own(descriptor)
    }

    fileprivate static func own(_ descriptor: KeySortDescriptor) -> Self {
        guard let own = descriptor as? Self else {
            fatalError("A sort descriptor with a key is not a \(Self.self)")
        }
        return own
    }
}

// Foundation's own initialisers with key paths do not show whether a closure decides, which a SQL store must know. These
// two are taken before them: they are made for fewer types, those of objects.
extension NSSortDescriptor {
    /// Makes a sort descriptor for the values of a Swift key path of an object, in their natural order: strings by their code
    /// points.
    public convenience init<Root: NSObject, Value: Comparable>(
        keyPath: KeyPath<Root, Value>, ascending: Bool
    ) {
        self.init(KeySortDescriptor(.keyPath(keyPath), ascending: ascending, order: .method(.compare)))
    }

    /// Makes a sort descriptor for the values of a Swift key path of an object, in the order that a closure gives.
    ///
    /// The closure gets `NSNull` for no value. SQL stores do not understand closures.
    public convenience init<Root: NSObject, Value>(
        keyPath: KeyPath<Root, Value>, ascending: Bool, comparator cmptr: @escaping Comparator
    ) {
        self.init(KeySortDescriptor(.keyPath(keyPath), ascending: ascending, order: .comparator(cmptr)))
    }
}

extension NSSortDescriptor: @retroactive NSSecureCoding {}

extension _SortDescriptorKeying {
    /// Sort descriptors are decoded from secure coders.
    public static var supportsSecureCoding: Bool { true }

    /// Reads a sort descriptor from a keyed archive.
    ///
    /// - Returns: `nil` when the archive's descriptor has an order that is not known.
    public init?(coder: NSCoder) {
        guard let descriptor = KeySortDescriptor(coder: coder) as? Self else { return nil }
        self = descriptor
    }

    /// Writes the sort descriptor to a keyed archive, under the keys of Apple's framework.
    ///
    /// - Precondition: the descriptor has no closure and is of no subclass, its key path has a name, it was not made by an
    ///   initialiser of Foundation's own, and `coder` is a keyed archiver.
    public func encode(with coder: NSCoder) {
        guard let descriptor = self as? KeySortDescriptor else {
            fatalError(
                "The sort descriptor \(self) cannot be archived: Foundation does not reveal whether it has a closure"
            )
        }
        descriptor.write(to: coder)
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

    /// How strings are ordered; `nil` when a closure decides.
    ///
    /// Foundation does not show whether a descriptor made with its own key path initialisers, as a file makes it that does
    /// not import this module, has a closure of the client's; they count as in natural order, as they most often are.
    package var stringOrder: StringOrder? {
        guard let descriptor = self as? KeySortDescriptor else { return isOfFoundation ? .compare : nil }
        if case .method(let method) = descriptor.order { return method }
        return nil
    }

    /// Whether an initialiser of Foundation's own made the descriptor, and not a subclass of a client's.
    var isOfFoundation: Bool { type(of: self) == NSSortDescriptor.self }

    /// Does nothing: kept for source compatibility with Apple's, where decoded descriptors are locked.
    public func allowEvaluation() {}
}
