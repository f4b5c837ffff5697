/// `TRUEPREDICATE` or `FALSEPREDICATE` as the parser makes it: Foundation's own on Linux has no hash that fits
/// its equality.
package class ConstantPredicate: NSPredicate {
    /// What the predicate always says.
    package let value: Bool

    package override init(value: Bool) {
        self.value = value
        super.init(value: value)
    }

    package override var predicateFormat: String { formatString }
    package override var description: String { formatString }

    package override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPredicate).map(hasSameStructure(as:)) ?? false
    }

    package override var hash: Int { structuralHash }

    package override func copy() -> Any { self }
    package override func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Coding

    package required init?(coder: NSCoder) {
        guard coder.allowsKeyedCoding, coder.containsValue(forKey: "NSValue") else { return nil }
        value = coder.decodeBool(forKey: "NSValue")
        super.init(value: value)
    }
}

/// How Apple's framework archives `TRUEPREDICATE`: the class says it all.
final class TruePredicate: ConstantPredicate {
    override init(value: Bool) { super.init(value: value) }
    required convenience init?(coder: NSCoder) { self.init(value: true) }
}

/// How Apple's framework archives `FALSEPREDICATE`.
final class FalsePredicate: ConstantPredicate {
    override init(value: Bool) { super.init(value: value) }
    required convenience init?(coder: NSCoder) { self.init(value: false) }
}
