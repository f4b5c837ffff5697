/// Archives predicates in keyed archives, which Foundation's own on Linux cannot do.
///
/// Only an initialiser in a protocol extension may put another object, here one of a subclass, in place of `self`.
/// `NSPredicate` is the only type that conforms.
public protocol _PredicateCoding {}

extension NSPredicate: _PredicateCoding, @retroactive NSSecureCoding {}

extension _PredicateCoding {
    /// Predicates are decoded from secure coders.
    public static var supportsSecureCoding: Bool { true }

    /// Reads a predicate from a keyed archive.
    ///
    /// - Returns: `nil` when the archive's predicate is not complete.
    public init?(coder: NSCoder) {
        guard let predicate = PredicateArchive.predicate(of: Self.self, coder) as? Self else { return nil }
        self = predicate
    }

    /// Writes the predicate to a keyed archive, under the keys of Apple's framework.
    ///
    /// - Precondition: the predicate is not a closure and contains none; it is not of a client's subclass other than one of
    ///   `NSComparisonPredicate`; it is not an `NSCompoundPredicate` or `NSPredicate(value:)` made in code, of which
    ///   `structuralCopy()` is archived; and `coder` is a keyed archiver.
    public func encode(with coder: NSCoder) {
        guard let predicate = self as? NSPredicate else { return }
        PredicateArchive.encodePredicate(predicate, coder)
    }
}

extension PredicateArchive {
    /// Reads a predicate that an archive names by its class.
    fileprivate static func predicate(of type: Any.Type, _ coder: NSCoder) -> NSPredicate? {
        switch type {
        case let type as NSComparisonPredicate.Type: type.init(coder: coder)
        case let type as ConstantPredicate.Type: type.init(coder: coder)
        case is NSCompoundPredicate.Type: CompoundPredicate(coder: coder)
        default: ConstantPredicate(coder: coder)
        }
    }

    fileprivate static func encodePredicate(_ predicate: NSPredicate, _ coder: NSCoder) {
        // A subclass may write more.
        if let comparison = predicate as? NSComparisonPredicate { return comparison.encode(with: coder) }
        if let constant = predicate as? ConstantPredicate {
            require(coder.allowsKeyedCoding, "Predicates are archived with keyed archivers only")
            return coder.encode(constant.value, forKey: "NSValue")
        }
        // An archiver takes objects that are equal for one, and Foundation finds predicates equal that are not.
        guard predicate is CompoundPredicate || predicate.isOpaque else {
            fatalError(
                "The predicate \"\(predicate.formatString)\" is of Foundation's class and cannot be archived; archive its structuralCopy()"
            )
        }
        encode(predicate, coder)
    }
}

extension NSPredicate {
    fileprivate var isOpaque: Bool {
        if case .opaque = shape { true } else { false }
    }
}
