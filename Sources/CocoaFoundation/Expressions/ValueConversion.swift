/// The conversions of `CAST(value, "type")`, and the tests of `CAST(object, "kind")`.
package enum ValueConversion {
    /// The names of the types that a value can be converted to.
    package static let typeNames: Set<String> = [
        "NSString", "NSNumber", "NSDecimalNumber", "NSDate", "NSUUID", "NSURL", "NSData",
    ]

    /// A value as one of another type; `nil` when it has no counterpart there.
    ///
    /// Dates and numbers convert by the seconds since 2001, strings by what they spell, data by Base64. An object is
    /// one of its kind (see ``KindOfObject``), and `nil` as one of another.
    ///
    /// - Throws: ``PredicateEvaluationError`` when the type is not known.
    package static func value(_ value: Any?, ofTypeNamed typeName: String) throws -> Any? {
        guard typeNames.contains(typeName) else { return try object(value, ofKindNamed: typeName) }
        let source = PredicateValue(value)
        switch (typeName, source) {
        case (_, .absent): return nil
        case ("NSString", _): return text(of: source, value)
        case ("NSNumber", .text(let text)): return Int(text) ?? Double(text)
        case ("NSNumber", _): return Number(value)?.any
        case ("NSDecimalNumber", .text(let text)): return decimal(text)
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

    /// Whether a name may be that of a kind of objects. Names of values' types, also of those that are not known, are not.
    static func mayBeKind(_ name: String) -> Bool { !name.isEmpty && !name.hasPrefix("NS") }

    private static func object(_ value: Any?, ofKindNamed name: String) throws -> Any? {
        let unknown = PredicateEvaluationError(.predicate, "CAST does not know the type \"\(name)\".")
        guard mayBeKind(name) else { throw unknown }
        guard let value = presentValue(value) else { return nil }
        if let object = value as? any KindOfObject { return try object.isOfKind(named: name) ? value : nil }
        switch PredicateValue(value) {
        case .identity, .other: break
        default: throw unknown
        }
        guard let object = value as? NSObject else { throw unknown }
        var ancestor: AnyClass? = type(of: object)
        while let current = ancestor {
            if NSStringFromClass(current) == name { return value }
            ancestor = (current as? NSObject.Type)?.superclass
        }
        return nil
    }

    /// The number that all of a string spells: Foundation reads as far as it can.
    private static func decimal(_ text: String) -> Decimal? {
        let isSpelled = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
        }
        guard isSpelled, Double(text) != nil, let number = Decimal(string: text, locale: nil), !number.isNaN
        else { return nil }
        return number
    }

    private static func text(of source: PredicateValue, _ value: Any?) -> String? {
        switch source {
        case .text(let text): text
        case .integer, .unsigned, .double, .decimal, .date: Number(value)?.description
        case .uuid(let uuid): uuid.uuidString
        case .url(let url): url.absoluteString
        case .data(let data): data.base64EncodedString()
        case .absent, .identity, .collection, .other: nil
        }
    }
}
