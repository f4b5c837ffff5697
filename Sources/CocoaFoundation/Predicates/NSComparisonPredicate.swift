import Synchronization

/// A predicate that compares two expressions.
///
/// Make one in code where a format string would have to be put together from parts, such as the name of an attribute:
///
/// ```swift
/// let predicate = NSComparisonPredicate(
///     leftExpression: NSExpression(forKeyPath: "title"), rightExpression: NSExpression(forConstantValue: "emma"),
///     modifier: .direct, type: .contains, options: [.caseInsensitive, .diacriticInsensitive])
/// ```
///
/// It is equal to `NSPredicate(format: "title CONTAINS[cd] %@", "emma")`, which is an object of this class too. Comparison predicates
/// never change after they are made, and can be shared between threads. A predicate with the operator `.customSelector` cannot be
/// evaluated.
///
/// Foundation on Linux has only the shell of this class, so it is declared here, with Apple's names and raw values; see the note at
/// ``NSExpression`` about the name.
open class NSComparisonPredicate: NSPredicate {
    /// Whether the left side is one value, or a collection of which all or some elements must compare: `ALL` and `ANY` of the format
    /// language.
    ///
    /// For `.all` and `.any` the left side must be a collection. The raw values are Apple's.
    public enum Modifier: UInt, Sendable {
        /// The left side is compared as it is.
        case direct = 0
        /// Every element of the left side must compare.
        case all = 1
        /// At least one element of the left side must compare.
        case any = 2
    }

    /// How the two sides are compared. Strings are compared as `Options` say, without them by their characters and not by the rules of a
    /// locale. The raw values are Apple's.
    public enum Operator: UInt, Sendable {
        /// `<`
        case lessThan = 0
        /// `<=`
        case lessThanOrEqualTo = 1
        /// `>`
        case greaterThan = 2
        /// `>=`
        case greaterThanOrEqualTo = 3
        /// `==`
        case equalTo = 4
        /// `!=`
        case notEqualTo = 5
        /// `MATCHES`: the whole string matches a regular expression of ICU.
        case matches = 6
        /// `LIKE`: the whole string matches a pattern with `?` and `*`.
        case like = 7
        /// `BEGINSWITH`
        case beginsWith = 8
        /// `ENDSWITH`
        case endsWith = 9
        /// `IN`: the left side is an element or a substring of the right side.
        case `in` = 10
        /// A method of the client's own. Linux has no selectors: evaluation reports an error.
        case customSelector = 11
        /// `CONTAINS`: the right side is an element or a substring of the left side.
        case contains = 99
        /// `BETWEEN`: not below the first and not above the second of two bounds.
        case between = 100
    }

    /// How strings are compared: the letters in brackets behind an operator of the format language, as in `==[cd]`. They have no effect on
    /// other values. The raw values are Apple's.
    public struct Options: OptionSet, Hashable, Sendable {
        /// The bits of the options.
        public let rawValue: UInt

        /// Makes options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// `[c]`: upper and lower case are the same.
        public static let caseInsensitive = Options(rawValue: TextOptions.caseInsensitive.rawValue)
        /// `[d]`: letters with and without diacritical marks are the same.
        public static let diacriticInsensitive = Options(rawValue: TextOptions.diacriticInsensitive.rawValue)
        /// `[n]`: both strings have been brought to one form already; they are compared as they are.
        public static let normalized = Options(rawValue: TextOptions.normalized.rawValue)
        /// `[l]`: compared by the rules of the current locale. Apple's framework keeps this option private.
        public static let localeSensitive = Options(rawValue: TextOptions.localeSensitive.rawValue)
        /// `[w]`: what is found must be whole words. Apple's framework keeps this option private.
        package static let wholeWords = Options(rawValue: TextOptions.wholeWords.rawValue)
    }

    /// The expression on the left of the operator.
    open var leftExpression: NSExpression { left }
    /// The expression on the right of the operator.
    open var rightExpression: NSExpression { right }
    /// Whether the left side is one value or a collection.
    open var comparisonPredicateModifier: Modifier { modifier }
    /// How the two sides are compared.
    open var predicateOperatorType: Operator { type }
    /// How strings are compared.
    open var options: Options { stringOptions }

    private let left: NSExpression
    private let right: NSExpression
    private let modifier: Modifier
    private let type: Operator
    private let stringOptions: Options
    /// The right side, if it is a constant, prepared for comparing by the logic of predicates and by that of stores, which
    /// round decimal numbers: once it was needed.
    let constantOperands = Mutex<
        (predicate: ConstantOperand<ComparedOperand>?, store: ConstantOperand<StoreSide>?)
    >((nil, nil))
    /// Of a list that is written out or constant and `CONTAINS` a value: that the value is `IN` the list, as which stores
    /// read it.
    let membership: NSComparisonPredicate?

    /// For the superclass, to which a predicate with a value would be equal to `NSPredicate(value:)`.
    private static let unusedBlock: @Sendable (Any?, [String: Any]?) -> Bool = { _, _ in false }

    /// Makes a predicate that compares two expressions.
    public init(
        leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier,
        type: Operator, options: Options = []
    ) {
        left = lhs
        right = rhs
        self.modifier = modifier
        self.type = type
        stringOptions = options
        membership = Self.membership(lhs, rhs, modifier, type, options)
        super.init(block: Self.unusedBlock)
    }

    /// Whether the comparison holds for an object.
    ///
    /// The answer is `false` where the values do not fit the operator or a function; see
    /// `matches(_:substitutionVariables:)` for the error instead.
    ///
    /// - Precondition: all variables have values, every function is known, and the left side of `ANY` or `ALL`
    ///   is a collection.
    open override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        evaluateOrStop(with: object, bindings)
    }

    /// The text of the predicate, as `formatString`; Foundation marks this property as deprecated on Linux.
    open override var predicateFormat: String { formatString }

    /// The text of the predicate.
    open override var description: String { formatString }

    /// Whether the object is a predicate with the same structure, operators and values.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPredicate).map(hasSameStructure(as:)) ?? false
    }

    open override var hash: Int { structuralHash }

    open override func copy() -> Any { self }

    /// The predicate itself: predicates do not change.
    open override func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Coding

    /// Comparison predicates are decoded from secure coders.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a predicate from a keyed archive.
    ///
    /// - Returns: `nil` when the archive's predicate is not complete.
    public required init?(coder: NSCoder) {
        guard let parts = Self.parts(in: coder) else { return nil }
        (left, right) = (parts.left, parts.right)
        (modifier, type, stringOptions) = (parts.modifier, parts.type, parts.options)
        membership = Self.membership(left, right, modifier, type, stringOptions)
        super.init(block: Self.unusedBlock)
    }

    private static func membership(
        _ list: NSExpression, _ value: NSExpression, _ modifier: Modifier, _ type: Operator,
        _ options: Options
    ) -> NSComparisonPredicate? {
        guard type == .contains, modifier == .direct, list.isList else { return nil }
        return NSComparisonPredicate(
            leftExpression: value, rightExpression: list, modifier: .direct, type: .in, options: options)
    }

    /// Writes the predicate to a keyed archive, under the keys of Apple's framework.
    ///
    /// - Precondition: both sides can be archived; see ``NSExpression/encode(with:)``.
    open func encode(with coder: NSCoder) {
        encodeFields(coder)
    }
}
