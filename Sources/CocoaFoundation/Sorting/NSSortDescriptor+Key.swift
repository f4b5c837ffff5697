/// Gives `NSSortDescriptor` its initialisers for keys.
///
/// Only an initialiser in a protocol extension may put an object of a subclass in the place of `self`.
/// `NSSortDescriptor` is the only type that conforms.
public protocol SortDescriptorKeying {}

extension NSSortDescriptor: SortDescriptorKeying {}

extension SortDescriptorKeying {
    /// Makes a sort descriptor for the values of a key path, in their natural order.
    public init(key: String?, ascending: Bool) {
        fatalError("not yet written")
    }

    /// Makes a sort descriptor for the values of a key path, in the order that a method gives.
    ///
    /// - Precondition: `selector` is `nil`, `compare:`, `caseInsensitiveCompare:`, `localizedCompare:`,
    ///   `localizedCaseInsensitiveCompare:` or `localizedStandardCompare:`.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        fatalError("not yet written")
    }

    /// Makes a sort descriptor for the values of a key path, in the order that a closure gives.
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        fatalError("not yet written")
    }
}

extension NSSortDescriptor {
    /// The key path of the values that are compared; `nil` for the objects themselves.
    ///
    /// A descriptor made with a Swift key path answers the name that ``KeyPathNames`` knows for it.
    public var key: String? { fatalError("not yet written") }

    /// The method that compares the values; `nil` with a closure.
    public var selector: Selector? { fatalError("not yet written") }

    /// Does nothing: kept for source compatibility with Apple's, where decoded descriptors are locked.
    public func allowEvaluation() {}
}
