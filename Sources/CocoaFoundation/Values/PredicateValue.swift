/// A value as predicates compare it, whichever type it came in.
///
/// Numbers of all types compare by what they are, without loss: an `Int64` is not rounded to compare with a
/// `Double`. A `Decimal` compares with the decimal number that a `Double` is written as, so that a price of
/// 9.99 equals the literal `9.99`. A date compares with a number as its seconds since 2001, which is what a
/// SQL store holds. Strings compare by their code points. Managed objects and their identifiers are the same.
package enum PredicateValue {
    case absent
    case integer(Int64)
    /// A number above the range of `Int64`.
    case unsigned(UInt64)
    case double(Double)
    case decimal(Decimal)
    case text(String)
    case date(Date)
    case data(Data)
    case uuid(UUID)
    case url(URL)
    case identity(AnyHashable)
    case collection(any ValueCollection)
    case other(Any)

    /// The value that something is compared as.
    package init(_ value: Any?) {
        guard let value else {
            self = .absent
            return
        }
        if let common = PredicateValue(common: value) {
            self = common
            return
        }
        guard let value = presentValue(value) else {
            self = .absent
            return
        }
        self = PredicateValue(common: value) ?? PredicateValue(rare: value)
    }

    /// The types that most values have. A failed `as?` is slow, the comparison of two types is not.
    private init?(common value: Any) {
        let type = type(of: value)
        if type == String.self, let text = value as? String {
            self = .text(text)
        } else if type == Int.self, let number = value as? Int {
            self = .integer(Int64(number))
        } else if type == Int64.self, let number = value as? Int64 {
            self = .integer(number)
        } else if type == Double.self, let number = value as? Double {
            self = .double(number)
        } else if type == Bool.self, let flag = value as? Bool {
            self = .integer(flag ? 1 : 0)
        } else if type == Date.self, let date = value as? Date {
            self = .date(date)
        } else if type == UUID.self, let uuid = value as? UUID {
            self = .uuid(uuid)
        } else if type == Decimal.self, let number = value as? Decimal {
            self = .decimal(number)
        } else if type == Int32.self, let number = value as? Int32 {
            self = .integer(Int64(number))
        } else if type == Int16.self, let number = value as? Int16 {
            self = .integer(Int64(number))
        } else {
            return nil
        }
    }

    private init(rare value: Any) {
        switch value {
        case let value as any PredicateIdentity: self = .identity(value.predicateIdentity)
        case let value as any ValueCollection: self = .collection(value)
        case let number as NSDecimalNumber: self = .decimal(number.decimalValue)
        case let number as NSNumber: self = PredicateValue(number)
        case let number as any BinaryInteger:
            if let number = Int64(exactly: number) {
                self = .integer(number)
            } else if let number = UInt64(exactly: number) {
                self = .unsigned(number)
            } else {
                self = .other(value)
            }
        case let number as any BinaryFloatingPoint: self = .double(Double(number))
        case let text as String: self = .text(text)
        case let text as Substring: self = .text(String(text))
        case let date as Date: self = .date(date)
        case let data as Data: self = .data(data)
        case let uuid as UUID: self = .uuid(uuid)
        case let url as URL: self = .url(url)
        default: self = .other(value)
        }
    }

    private init(_ number: NSNumber) {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"):
            self = .double(number.doubleValue)
        case UInt8(ascii: "Q"):
            let value = number.uint64Value
            self = Int64(exactly: value).map(PredicateValue.integer) ?? .unsigned(value)
        default:
            self = .integer(number.int64Value)
        }
    }

    /// Whether there is no value: `nil`, `NSNull`.
    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    /// The text, if it is one.
    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The collection, if it is one.
    var collection: (any ValueCollection)? {
        if case .collection(let collection) = self { collection } else { nil }
    }
}
