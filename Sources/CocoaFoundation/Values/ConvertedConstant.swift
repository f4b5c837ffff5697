/// A constant that is compared with values of another type in a store: a number against text counts as its digits, a string
/// against numbers as the number that it is written as. A column of a database converts what it is compared with in this way.
package enum ConvertedConstant {
    /// The digits of a number; nil for other values.
    package static func text(of value: Any?) -> String? {
        switch PredicateValue(value) {
        case .integer(let number): number.description
        case .unsigned(let number): number.description
        case .double(let number): Number.double(number).description
        case .decimal(let number): number.description
        default: nil
        }
    }

    /// The number that a string represents, an integer or a real one; nil for another string, and for other values.
    package static func number(of value: Any?) -> Any? {
        guard case .text(let text) = PredicateValue(value) else { return nil }
        let digits = text.trimmingCharacters(in: .whitespaces)
        if let number = Int64(digits) { return Int(number) }
        // Swift reads "inf", "nan" and hexadecimal digits, too.
        guard digits.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
        return Double(digits)
    }
}

/// What the values of one side of a comparison are, as far as constants are converted for it.
struct ConvertibleValues {
    private(set) var hasNumbers = false
    private(set) var hasTexts = false

    init(_ value: Any?) {
        guard let value else { return }
        if type(of: value) == String.self {
            hasTexts = true
        } else if let collection = value as? any ValueCollection {
            for element in collection.collectionElements where !(hasNumbers && hasTexts) { note(element) }
        } else {
            note(value)
        }
    }

    private mutating func note(_ value: Any) {
        switch PredicateValue(value) {
        case .text: hasTexts = true
        case .integer, .unsigned, .double, .decimal: hasNumbers = true
        default: break
        }
    }
}
