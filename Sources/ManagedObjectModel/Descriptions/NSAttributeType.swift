import CocoaFoundation

/// The type of an attribute's values, under the names that Apple's Objective-C interface has.
///
/// Swift code usually writes the short names of `NSAttributeDescription.AttributeType`. The raw values are Apple's; they are part of model
/// files and of every version hash, so that another type makes another version of the model.
public enum NSAttributeType: UInt, Sendable, CaseIterable {
    /// No type: allowed for transient attributes only.
    case undefinedAttributeType = 0
    /// A signed 16-bit integer.
    case integer16AttributeType = 100
    /// A signed 32-bit integer.
    case integer32AttributeType = 200
    /// A signed 64-bit integer.
    case integer64AttributeType = 300
    /// A decimal number, exact in 38 digits.
    case decimalAttributeType = 400
    /// A 64-bit floating-point number.
    case doubleAttributeType = 500
    /// A 32-bit floating-point number.
    case floatAttributeType = 600
    /// Text.
    case stringAttributeType = 700
    /// A truth value.
    case booleanAttributeType = 800
    /// A point in time.
    case dateAttributeType = 900
    /// Bytes.
    case binaryDataAttributeType = 1000
    /// A UUID.
    case UUIDAttributeType = 1100
    /// A URI.
    case URIAttributeType = 1200
    /// Any object that a value transformer turns into bytes.
    case transformableAttributeType = 1800
    /// The identifier of a managed object: for results and history, not for values in a store.
    case objectIDAttributeType = 2000
    /// Several attributes under one name.
    case compositeAttributeType = 2100
}

extension NSAttributeType {
    /// The class of values that Apple's framework gives to an attribute of the type; `nil` where it gives
    /// none.
    package var valueClassName: String? {
        switch self {
        case .undefinedAttributeType, .transformableAttributeType: nil
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: "NSNumber"
        case .doubleAttributeType, .floatAttributeType, .booleanAttributeType: "NSNumber"
        case .decimalAttributeType: "NSDecimalNumber"
        case .stringAttributeType: "NSString"
        case .dateAttributeType: "NSDate"
        case .binaryDataAttributeType: "NSData"
        case .UUIDAttributeType: "NSUUID"
        case .URIAttributeType: "NSURL"
        case .objectIDAttributeType: "NSManagedObjectID"
        case .compositeAttributeType: "NSDictionary"
        }
    }

    /// Whether values are numbers, the truth value included.
    package var isNumeric: Bool {
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: true
        case .decimalAttributeType, .doubleAttributeType, .floatAttributeType, .booleanAttributeType: true
        default: false
        }
    }

    /// The name of the type in messages, as the model editor writes it.
    package var displayName: String {
        switch self {
        case .undefinedAttributeType: "Undefined"
        case .integer16AttributeType: "Integer 16"
        case .integer32AttributeType: "Integer 32"
        case .integer64AttributeType: "Integer 64"
        case .decimalAttributeType: "Decimal"
        case .doubleAttributeType: "Double"
        case .floatAttributeType: "Float"
        case .stringAttributeType: "String"
        case .booleanAttributeType: "Boolean"
        case .dateAttributeType: "Date"
        case .binaryDataAttributeType: "Binary"
        case .UUIDAttributeType: "UUID"
        case .URIAttributeType: "URI"
        case .transformableAttributeType: "Transformable"
        case .objectIDAttributeType: "Object ID"
        case .compositeAttributeType: "Composite"
        }
    }
}

extension NSAttributeDescription {
    /// The type of an attribute's values, under the short names of Swift.
    ///
    /// ```swift
    /// let price = NSAttributeDescription()
    /// price.name = "price"
    /// price.type = .decimal
    /// ```
    ///
    /// It is a struct over `NSAttributeType`, as in Apple's Swift overlay, so that `.string` can be written where `NSAttributeType` has
    /// `.stringAttributeType`. A change of the type makes another version of the model.
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        /// The enumeration of the same types.
        public typealias RawValue = NSAttributeType

        /// The type as the enumeration.
        public var rawValue: NSAttributeType

        /// Wraps a value of the enumeration.
        public init(rawValue: NSAttributeType) {
            self.rawValue = rawValue
        }

        /// No type: allowed for transient attributes only.
        public static let undefined = AttributeType(rawValue: .undefinedAttributeType)
        /// A signed 16-bit integer.
        public static let integer16 = AttributeType(rawValue: .integer16AttributeType)
        /// A signed 32-bit integer.
        public static let integer32 = AttributeType(rawValue: .integer32AttributeType)
        /// A signed 64-bit integer.
        public static let integer64 = AttributeType(rawValue: .integer64AttributeType)
        /// A decimal number, exact in 38 digits.
        public static let decimal = AttributeType(rawValue: .decimalAttributeType)
        /// A 64-bit floating-point number.
        public static let double = AttributeType(rawValue: .doubleAttributeType)
        /// A 32-bit floating-point number.
        public static let float = AttributeType(rawValue: .floatAttributeType)
        /// Text.
        public static let string = AttributeType(rawValue: .stringAttributeType)
        /// A truth value.
        public static let boolean = AttributeType(rawValue: .booleanAttributeType)
        /// A point in time.
        public static let date = AttributeType(rawValue: .dateAttributeType)
        /// Bytes.
        public static let binaryData = AttributeType(rawValue: .binaryDataAttributeType)
        /// A UUID.
        public static let uuid = AttributeType(rawValue: .UUIDAttributeType)
        /// A URI.
        public static let uri = AttributeType(rawValue: .URIAttributeType)
        /// Any object that a value transformer turns into bytes.
        public static let transformable = AttributeType(rawValue: .transformableAttributeType)
        /// The identifier of a managed object.
        public static let objectID = AttributeType(rawValue: .objectIDAttributeType)
        /// Several attributes under one name.
        public static let composite = AttributeType(rawValue: .compositeAttributeType)
    }
}
