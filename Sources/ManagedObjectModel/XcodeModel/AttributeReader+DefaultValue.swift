import CocoaFoundation

extension AttributeReader {
    /// The default value: numbers as `NSNumber` or `NSDecimalNumber`, everything else as a value type of
    /// Swift.
    func defaultValue(_ type: NSAttributeType) throws -> Any? {
        if type == .dateAttributeType { return try defaultDate() }
        guard let text = settings.element["defaultValueString"] else { return nil }
        // An empty string is a value for a string and a missing one for everything else.
        if type == .stringAttributeType { return text }
        guard !text.isEmpty else { return nil }
        switch type {
        case .integer16AttributeType: return NSNumber(value: try integer(text, Int16.self))
        case .integer32AttributeType: return NSNumber(value: try integer(text, Int32.self))
        case .integer64AttributeType: return NSNumber(value: try integer(text, Int64.self))
        case .booleanAttributeType:
            if let flag = ElementSettings.flag(text) { return NSNumber(value: flag) }
            guard let number = Double(text) else { throw invalid(text, "YES or NO") }
            return NSNumber(value: number != 0)
        case .doubleAttributeType, .floatAttributeType:
            guard let number = Double(text), number.isFinite else { throw invalid(text, "a number") }
            return NSNumber(value: number)
        case .decimalAttributeType:
            guard let decimal = DecimalText.number(text) else { throw invalid(text, "a decimal number") }
            return decimal
        case .UUIDAttributeType:
            if let uuid = UUID(uuidString: text) { return uuid }
            guard isLeftover(text) else { throw invalid(text, "a UUID") }
            return nil
        case .URIAttributeType:
            guard !isLeftover(text) else { return nil }
            guard let url = URL(string: text) else { throw invalid(text, "a URI") }
            return url
        default:
            // Binary, transformable and composite values have no text; the compiler ignores one that is
            // there.
            return nil
        }
    }

    /// Whether a string is the default of a number or truth value. The model editor leaves it in the file
    /// when the type of the attribute is changed to one that has no such values.
    private func isLeftover(_ text: String) -> Bool {
        Double(text) != nil || ElementSettings.flag(text) != nil
    }

    private func invalid(_ text: String, _ expected: String) -> ModelFileError {
        settings.error(.invalidValue, "the default value '\(text)' is not \(expected)")
    }

    /// A whole number. Older files hold `YES` and `NO`, and numbers with a fraction of zero, for integers.
    private func integer<Number: FixedWidthInteger>(_ text: String, _ type: Number.Type) throws -> Number {
        if let number = Number(text) { return number }
        if let flag = ElementSettings.flag(text) { return flag ? 1 : 0 }
        if let number = Double(text), let whole = Number(exactly: number) { return whole }
        throw invalid(text, "a whole number from \(Number.min) to \(Number.max)")
    }

    /// A date, as seconds since 2001-01-01 UTC. Old files have a string as well, which stands for the same
    /// time.
    private func defaultDate() throws -> Date? {
        if let interval = try settings.numberIfPresent("defaultDateTimeInterval") {
            return Date(timeIntervalSinceReferenceDate: interval)
        }
        guard let text = settings.text("defaultValueString") else { return nil }
        guard let interval = TimeText.interval(text) else {
            throw invalid(text, "a time such as 2010-01-01 12:00:00 +0000")
        }
        return Date(timeIntervalSinceReferenceDate: interval)
    }
}

/// A time in the text of an old model file: `2010-01-01 12:00:00 +0000`, or a number of seconds.
enum TimeText {
    /// Seconds since 2001-01-01 UTC; `nil` if the text is not a time.
    static func interval(_ text: String) -> Double? {
        if let interval = Double(text), interval.isFinite { return interval }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss Z"
        return formatter.date(from: text)?.timeIntervalSinceReferenceDate
    }
}

/// A decimal number in the text of a model file, which always has a point and no grouping.
enum DecimalText {
    static func number(_ text: String) -> NSDecimalNumber? {
        // No two parts of the pattern can take the same digits, so that a long string costs no more than its length.
        let pattern = /[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?/
        guard text.wholeMatch(of: pattern) != nil,
            let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), !decimal.isNaN
        else { return nil }
        return NSDecimalNumber(decimal: decimal)
    }
}
