import CocoaFoundation

extension NSAttributeType {
    /// Whether a value can be the value of an attribute of the type, in the class of Swift or of Foundation: for
    /// numbers, whether it is one that the type has, without a fraction that is lost or digits that do not fit.
    package func accepts(_ value: Any) -> Bool {
        switch self {
        case .integer16AttributeType: Self.whole(value).map { Int16(exactly: $0) != nil } ?? false
        case .integer32AttributeType: Self.whole(value).map { Int32(exactly: $0) != nil } ?? false
        case .integer64AttributeType: Self.whole(value) != nil
        case .booleanAttributeType: Self.whole(value).map { $0 == 0 || $0 == 1 } ?? false
        case .decimalAttributeType, .doubleAttributeType, .floatAttributeType:
            ((value as AnyObject) as? NSNumber)?.doubleValue.isFinite ?? false
        case .stringAttributeType: value is NSString
        case .dateAttributeType: value is NSDate
        case .binaryDataAttributeType: value is NSData
        case .UUIDAttributeType: value is NSUUID
        case .URIAttributeType: value is NSURL
        case .compositeAttributeType: value is NSDictionary
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType: true
        }
    }

    /// The whole number that a value is; `nil` for one with a fraction, or beyond 64 bits.
    static func whole(_ value: Any) -> Int64? {
        guard let number = (value as AnyObject) as? NSNumber else { return nil }
        if let decimal = number as? NSDecimalNumber { return Int64(decimal.decimalValue.description) }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"), UInt8(ascii: "f"): return Int64(exactly: number.doubleValue)
        case UInt8(ascii: "Q"): return Int64(exactly: number.uint64Value)
        default: return number.int64Value
        }
    }
}
