/// The conversions of `CAST(value, "type")`.
package enum ValueConversion {
    /// The names of the types that a value can be converted to.
    package static let typeNames: Set<String> = [
        "NSString", "NSNumber", "NSDecimalNumber", "NSDate", "NSUUID", "NSURL", "NSData",
    ]

    /// A value as one of another type; `nil` when it has no counterpart there.
    ///
    /// Dates and numbers convert by the seconds since 2001, texts by what they spell, data by Base64.
    ///
    /// - Throws: ``PredicateEvaluationError`` when the type is not known.
    package static func value(_ value: Any?, ofTypeNamed typeName: String) throws -> Any? {
        guard typeNames.contains(typeName) else {
            throw PredicateEvaluationError(.predicate, "CAST does not know the type \"\(typeName)\".")
        }
        let source = PredicateValue(value)
        switch (typeName, source) {
        case (_, .absent): return nil
        case ("NSString", _): return text(of: source, value)
        case ("NSNumber", .text(let text)): return Int(text) ?? Double(text)
        case ("NSNumber", _): return Number(value)?.any
        case ("NSDecimalNumber", .text(let text)): return Decimal(string: text)
        case ("NSDecimalNumber", _): return Number(value)?.decimal
        case ("NSDate", .date(let date)): return date
        case ("NSDate", .text(let text)):
            return Double(text).map { Date(timeIntervalSinceReferenceDate: $0) }
        case ("NSDate", _): return source.doubleValue.map { Date(timeIntervalSinceReferenceDate: $0) }
        case ("NSUUID", .uuid(let uuid)): return uuid
        case ("NSUUID", .text(let text)): return UUID(uuidString: text)
        case ("NSURL", .url(let url)): return url
        case ("NSURL", .text(let text)): return URL(string: text)
        case ("NSData", .data(let data)): return data
        case ("NSData", .text(let text)): return Data(base64Encoded: text)
        default: return nil
        }
    }

    private static func text(of source: PredicateValue, _ value: Any?) -> String? {
        switch source {
        case .text(let text): text
        case .integer, .unsigned, .double, .decimal: Number(value)?.description
        case .date(let date): NSNumber(value: date.timeIntervalSinceReferenceDate).stringValue
        case .uuid(let uuid): uuid.uuidString
        case .url(let url): url.absoluteString
        case .data(let data): data.base64EncodedString()
        case .absent, .identity, .collection, .other: nil
        }
    }
}
