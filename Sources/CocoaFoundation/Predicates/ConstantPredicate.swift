/// `TRUEPREDICATE` or `FALSEPREDICATE` as the parser makes it: Foundation's own on Linux has no hash that fits
/// its equality, and cannot be archived.
package final class ConstantPredicate: NSPredicate, NSSecureCoding {
    /// What the predicate always says.
    package let value: Bool

    package override init(value: Bool) {
        self.value = value
        super.init(value: value)
    }

    package override var predicateFormat: String { formatString }
    package override var description: String { formatString }

    package override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPredicate).map(isEquivalent(to:)) ?? false
    }

    package override var hash: Int { structuralHash }

    package override func copy() -> Any { self }
    package override func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Coding

    package static var supportsSecureCoding: Bool { true }

    package init?(coder: NSCoder) {
        fatalError("not yet written")
    }

    package func encode(with coder: NSCoder) {
        fatalError("not yet written")
    }
}
