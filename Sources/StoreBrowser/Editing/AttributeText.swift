import CoreData

/// Values of attributes that were typed.
enum AttributeText {
    /// The value that a string stands for.
    ///
    /// - Throws: `BrowsingError` with what would be understood.
    static func value(_ text: String, of attribute: NSAttributeDescription) throws -> Any {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        func wrong(_ wanted: String) -> BrowsingError {
            BrowsingError("'\(text.prefix(100))' is not \(wanted).", code: "value", field: attribute.name)
        }
        switch attribute.attributeType {
        case .stringAttributeType: return text
        case .integer16AttributeType: return try number(Int16(trimmed), wrong("a whole number of 16 bits"))
        case .integer32AttributeType: return try number(Int32(trimmed), wrong("a whole number of 32 bits"))
        case .integer64AttributeType: return try number(Int64(trimmed), wrong("a whole number of 64 bits"))
        case .doubleAttributeType, .floatAttributeType:
            guard let value = Double(trimmed), !value.isNaN else { throw wrong("a number") }
            return NSNumber(value: value)
        case .decimalAttributeType:
            let isNumber = trimmed.wholeMatch(of: /[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?/) != nil
            guard isNumber, let value = Decimal(string: trimmed, locale: Locale(identifier: "en_US_POSIX")),
                !value.isNaN
            else { throw wrong("a decimal number, such as 12.50") }
            return NSDecimalNumber(decimal: value)
        case .booleanAttributeType:
            guard ["true", "false"].contains(trimmed) else { throw wrong("true or false") }
            return NSNumber(value: trimmed == "true")
        case .dateAttributeType:
            guard let seconds = MomentText.seconds(trimmed) else {
                throw wrong("a date such as 2024-01-31T12:00:00Z")
            }
            return Date(timeIntervalSinceReferenceDate: seconds)
        case .UUIDAttributeType:
            guard let value = UUID(uuidString: trimmed) else { throw wrong("a UUID") }
            return value
        case .URIAttributeType:
            guard !trimmed.isEmpty, let value = URL(string: trimmed) else { throw wrong("a URI") }
            return value
        case .transformableAttributeType: return try TransformableForm.value(text, of: attribute)
        default:
            throw BrowsingError(
                "Values of the type \(attribute.attributeType.displayName) cannot be entered.", code: "value",
                field: attribute.name)
        }
    }

    private static func number<Value: FixedWidthInteger>(
        _ value: Value?, _ error: BrowsingError
    ) throws -> NSNumber {
        guard let value else { throw error }
        return NSNumber(value: Int64(value))
    }
}
