/// Values as a store keeps them.
package enum StoredValue {
    /// The value that is read back when `value` was stored: NaN becomes no value, a decimal number has
    /// the digits that a store keeps, an integer above 9,223,372,036,854,775,807 is a real number.
    package static func kept(_ value: Any?) -> Any? {
        guard let value else { return nil }
        // Types are compared one by one: casts to a protocol are slow, and this is called for every value.
        let type = type(of: value)
        if type == String.self || type == Int.self || type == Bool.self || type == Date.self { return value }
        if type == Double.self, let number = value as? Double { return number.isNaN ? nil : number }
        if type == Float.self, let number = value as? Float { return number.isNaN ? nil : number }
        if type == Decimal.self, let number = value as? Decimal { return kept(number) }
        if type == UInt64.self || type == UInt.self || type == Int128.self || type == UInt128.self {
            guard let number = value as? any BinaryInteger else { return value }
            return real(number) ?? value
        }
        guard type is NSNumber.Type, let number = value as? NSNumber else { return value }
        if number.objCType.pointee == CChar(UInt8(ascii: "Q")), let real = real(number.uint64Value) {
            return real
        }
        if let decimal = number as? NSDecimalNumber { return kept(decimal.decimalValue) }
        return number.doubleValue.isNaN ? nil : number
    }

    /// What a store has in the column of a decimal that is not a number, as Apple's framework writes it.
    package static let notANumber = "NaN"

    /// An integer that does not fit 64 bits with a sign as the real number that columns have instead; nil for others.
    private static func real(_ number: some BinaryInteger) -> Double? {
        Int64(exactly: number) == nil ? Double(number) : nil
    }

    /// A number without its fraction, or the nearest of 64 bits, as a column reads it; nil for other values.
    package static func whole(_ value: Any) -> Int64? { Number(value)?.truncated }

    /// A collection with its elements as a store keeps them; any other value as it is.
    static func keptElements(_ value: Any?) -> Any? {
        guard let collection = value as? any ValueCollection, collection.collectionKind != .dictionary else {
            return value
        }
        return KeptCollection(
            collectionKind: collection.collectionKind,
            collectionElements: collection.collectionElements.map { kept($0) ?? NSNull() })
    }

    private struct KeptCollection: ValueCollection {
        let collectionKind: ValueCollectionKind
        let collectionElements: [Any]
        var collectionCount: Int { collectionElements.count }
    }

    /// The decimal number that is read back when `value` was stored in a column with numeric affinity.
    ///
    /// Whole numbers of 64 bits are kept exactly. Anything else is kept as a binary real number, of which 15 decimal
    /// digits count.
    package static func kept(_ value: Decimal) -> Decimal? {
        if value.isNaN { return value }
        let text = "\(value)"
        if let integer = Int64(text) { return Decimal(integer) }
        guard let real = Double(text) else { return nil }
        // Numeric affinity turns a whole real number into an integer.
        if let integer = Int64(exactly: real), integer != .min, integer != .max { return Decimal(integer) }
        return decimal(of: real)
    }

    /// The decimal number that a real number of a column stands for; nil for an infinite one.
    package static func decimal(of real: Double) -> Decimal? {
        guard real.isFinite else { return nil }
        return Decimal(string: String(format: "%.15g", real), locale: nil)
    }

    /// The decimal number that a string of a column stands for; nil for a string that is not a number.
    package static func decimal(of text: String) -> Decimal? {
        text == notANumber ? .nan : Decimal(string: text, locale: nil)
    }
}

extension PredicateValue {
    /// Whether a store keeps the value as none.
    var isNoStoredValue: Bool {
        switch self {
        case .absent: true
        case .double(let number): number.isNaN
        default: false
        }
    }

    /// The order of two numbers of columns of which one is a decimal that is not a number: that is a string there, and comes
    /// after every number. Nil for any others.
    func columnOrderBesideNaN(_ other: PredicateValue) -> ComparisonResult? {
        guard isDecimalNaN || other.isDecimalNaN, isNumber, other.isNumber else { return nil }
        if isDecimalNaN { return other.isDecimalNaN ? .orderedSame : .orderedDescending }
        return .orderedAscending
    }

    private var isDecimalNaN: Bool {
        if case .decimal(let number) = self { number.isNaN } else { false }
    }
}
