import CocoaFoundation

/// The limits of an attribute in a model file, as the validation predicates that Apple's model compiler
/// makes of them. The warning of each is the number of the error that a value beyond the limit is rejected
/// with.
///
/// For strings `minValueString` and `maxValueString` are the bounds of the length.
struct AttributeLimits {
    private(set) var predicates: [NSPredicate] = []
    private(set) var warnings: [NSNumber] = []

    /// Codes of Core Data's validation errors, which the module above gives names to.
    enum Code {
        static let numberTooLarge = 1610
        static let numberTooSmall = 1620
        static let dateTooLate = 1630
        static let dateTooSoon = 1640
        static let stringTooLong = 1660
        static let stringTooShort = 1670
        static let stringPattern = 1680
    }

    init(_ settings: ElementSettings, type: NSAttributeType) throws {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType:
            if let least = try Self.number(settings, "minValueString", type) {
                add(.value, .greaterThanOrEqualTo, least, Code.numberTooSmall)
            }
            if let most = try Self.number(settings, "maxValueString", type) {
                add(.value, .lessThanOrEqualTo, most, Code.numberTooLarge)
            }
        case .dateAttributeType:
            if let first = try settings.numberIfPresent("minDateTimeInterval") {
                add(
                    .value, .greaterThanOrEqualTo, Date(timeIntervalSinceReferenceDate: first),
                    Code.dateTooSoon)
            }
            if let last = try settings.numberIfPresent("maxDateTimeInterval") {
                add(.value, .lessThanOrEqualTo, Date(timeIntervalSinceReferenceDate: last), Code.dateTooLate)
            }
        case .stringAttributeType:
            if let shortest = try settings.countIfPresent("minValueString") {
                add(.length, .greaterThanOrEqualTo, NSNumber(value: shortest), Code.stringTooShort)
            }
            if let longest = try settings.countIfPresent("maxValueString") {
                add(.length, .lessThanOrEqualTo, NSNumber(value: longest), Code.stringTooLong)
            }
            if let pattern = settings.text("regularExpressionString") {
                add(.value, .matches, pattern, Code.stringPattern)
            }
        default:
            break
        }
    }

    private enum Subject {
        case value
        case length
    }

    private mutating func add(
        _ subject: Subject, _ comparison: NSComparisonPredicate.Operator, _ bound: Any, _ code: Int
    ) {
        let left =
            switch subject {
            case .value: NSExpression.expressionForEvaluatedObject()
            case .length: NSExpression(forKeyPath: "length")
            }
        predicates.append(
            NSComparisonPredicate(
                leftExpression: left, rightExpression: NSExpression(forConstantValue: bound),
                modifier: .direct,
                type: comparison))
        warnings.append(NSNumber(value: code))
    }

    private static func number(
        _ settings: ElementSettings, _ attribute: String, _ type: NSAttributeType
    ) throws -> NSNumber? {
        guard let text = settings.text(attribute) else { return nil }
        if type == .decimalAttributeType, let decimal = DecimalText.number(text) { return decimal }
        if let whole = Int64(text) { return NSNumber(value: whole) }
        if let number = Double(text), number.isFinite, type != .decimalAttributeType {
            return NSNumber(value: number)
        }
        throw settings.error(.invalidValue, "'\(attribute)' is '\(text)'; it must be a number")
    }
}
