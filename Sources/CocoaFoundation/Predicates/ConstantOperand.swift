import Synchronization

/// What was made of a constant, for as long as the constant is compared as the same value.
struct ConstantOperand<Operand: Sendable>: Sendable {
    private let operand: Operand
    /// The count of changed identities it was made at; nil where none of the constant's can change.
    private let identityChanges: Int?

    init(of constant: Any?, _ make: () throws -> Operand) rethrows {
        // Before anything is made: a change meanwhile makes it outdated.
        let changes = IdentityChanges.count
        operand = try make()
        identityChanges = Self.isPermanent(constant) ? nil : changes
    }

    /// The operand; nil when it has to be made anew.
    var current: Operand? {
        identityChanges == nil || identityChanges == IdentityChanges.count ? operand : nil
    }

    /// Whether a constant is compared as the same value for ever.
    private static func isPermanent(_ value: Any?) -> Bool {
        switch presentValue(value) {
        case let value as any PredicateIdentity: value.isPermanentIdentity
        case let value as any ValueCollection: value.collectionElements.allSatisfy(isPermanent)
        default: true
        }
    }
}

/// The right side of a comparison in a store, prepared for comparing values as they are and, once that is needed, as strings.
///
/// What a list needs work for is done once, and not for every left side.
final class StoreSide: @unchecked Sendable {
    // Unchecked: the value is that of an expression, which does not change.

    let operand: ComparedOperand
    private let value: Any?
    private let type: NSComparisonPredicate.Operator
    private let options: NSComparisonPredicate.Options
    private let texts = Mutex<(isOrHas: Bool?, operand: ComparedOperand?)>((nil, nil))
    private let convertible: ConvertibleValues
    /// The operand with numbers as strings, and that with strings as numbers.
    private let converted = Mutex<(texts: ComparedOperand?, numbers: ComparedOperand?)>((nil, nil))

    /// - Throws: ``PredicateEvaluationError`` when the operator does not take the value.
    init(
        _ type: NSComparisonPredicate.Operator, _ value: Any?, options: NSComparisonPredicate.Options,
        isConstant: Bool
    ) throws {
        self.type = type
        self.value = value
        self.options = options
        convertible = ConvertibleValues(value)
        let kept = isConstant ? StoredValue.keptElements(value) : value
        operand = try ComparedOperand(type, type.isOfTextAlone ? Self.digits(kept) : kept, options: options)
    }

    /// Whether a left side holds when the constant of the two sides, of which one is text and the other a number, is
    /// converted to the type of the other side; nil for others.
    func holdsConverted(
        for left: Any, isLeftConstant: @autoclosure () -> Bool, isRightConstant: @autoclosure () -> Bool
    ) throws -> Bool? {
        // Almost always both are strings, or numbers: their types show that.
        let isText = Swift.type(of: left) == String.self || left is NSString
        guard isText ? convertible.hasNumbers : convertible.hasTexts else { return nil }
        let leftSide = ConvertibleValues(left)
        if leftSide.hasTexts, !leftSide.hasNumbers, convertible.hasNumbers {
            if isRightConstant() {
                return try converted(\.texts, Self.digits).holds(for: PredicateValue(left))
            }
            guard isLeftConstant(), let number = ConvertedConstant.number(of: left) else { return nil }
            return try operand.holds(for: PredicateValue(number))
        }
        if leftSide.hasNumbers, !leftSide.hasTexts, convertible.hasTexts {
            if isRightConstant() {
                return try converted(\.numbers, Self.number).holds(for: PredicateValue(left))
            }
            guard isLeftConstant(), let digits = ConvertedConstant.text(of: left) else { return nil }
            return try operand.holds(for: PredicateValue(digits))
        }
        return nil
    }

    private func converted(
        _ side: WritableKeyPath<(texts: ComparedOperand?, numbers: ComparedOperand?), ComparedOperand?>,
        _ convert: (Any?) -> Any?
    ) throws -> ComparedOperand {
        try converted.withLock { converted in
            if let made = converted[keyPath: side] { return made }
            let made = try ComparedOperand(type, convert(value), options: options)
            converted[keyPath: side] = made
            return made
        }
    }

    /// Numbers as their digits, those in collections, too.
    private static func digits(_ value: Any?) -> Any? {
        guard let collection = value as? any ValueCollection else {
            return ConvertedConstant.text(of: value) ?? value
        }
        return collection.collectionElements.map { ConvertedConstant.text(of: $0) ?? $0 }
    }

    /// Strings as the numbers that they are written as, those in collections, too.
    private static func number(_ value: Any?) -> Any? {
        guard let collection = value as? any ValueCollection else {
            return ConvertedConstant.number(of: value) ?? value
        }
        return collection.collectionElements.map { ConvertedConstant.number(of: $0) ?? $0 }
    }

    /// Whether a left side holds when both are compared as strings; nil for values that are not.
    ///
    /// They are when one is a URL or a UUID, and the other is or has text, which stores let stand for it, or options ask for
    /// a comparison of strings.
    func holdsAsText(for left: Any) throws -> Bool? {
        guard left is URL || left is UUID || value is URL || value is UUID else { return nil }
        guard left is String || options.rawValue != 0 || isOrHasText else { return nil }
        return try textual().holds(for: PredicateValue(Self.text(left)))
    }

    private var isOrHasText: Bool {
        texts.withLock { texts in
            if let known = texts.isOrHas { return known }
            let elements = (value as? any ValueCollection)?.collectionElements
            let found = value is String || elements?.contains { $0 is String } ?? false
            texts.isOrHas = found
            return found
        }
    }

    private func textual() throws -> ComparedOperand {
        try texts.withLock { texts in
            if let made = texts.operand { return made }
            let made = try ComparedOperand(type, Self.text(value), options: options)
            texts.operand = made
            return made
        }
    }

    /// URLs and UUIDs as strings, those in collections, too.
    private static func text(_ value: Any?) -> Any? {
        switch value {
        case let url as URL: url.absoluteString
        case let uuid as UUID: uuid.uuidString
        case let text as String: UUID(uuidString: text)?.uuidString ?? text
        case let collection as any ValueCollection:
            collection.collectionElements.map { text($0) ?? NSNull() }
        default: value
        }
    }
}

extension NSComparisonPredicate.Operator {
    /// Whether the operator takes nothing but strings.
    fileprivate var isOfTextAlone: Bool { [.beginsWith, .endsWith, .like, .matches].contains(self) }
}
