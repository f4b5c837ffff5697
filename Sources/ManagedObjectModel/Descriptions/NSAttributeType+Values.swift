import CocoaFoundation

extension NSAttributeType {
    /// Whether a value can be the value of an attribute of the type, in the class of Swift or of Foundation.
    package func accepts(_ value: Any) -> Bool {
        switch self {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
            value is NSNumber
        case .stringAttributeType: value is NSString
        case .dateAttributeType: value is NSDate
        case .binaryDataAttributeType: value is NSData
        case .UUIDAttributeType: value is NSUUID
        case .URIAttributeType: value is NSURL
        case .compositeAttributeType: value is NSDictionary
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType: true
        }
    }
}
