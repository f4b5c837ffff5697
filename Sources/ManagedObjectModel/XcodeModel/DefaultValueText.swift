import CocoaFoundation

/// The default value of an attribute as the text of a model file: the inverse of what `AttributeReader` does.
enum DefaultValueText {
    /// Writes the default value, if there is one.
    ///
    /// - Throws: `ModelFileError` (`.inexpressible`) for a value that is not of the attribute's type, and for
    ///   the types that have no text.
    static func write(
        _ attribute: NSAttributeDescription, into element: inout ModelElement, at location: String
    ) throws {
        guard let value = attribute.defaultValue else { return }
        let type = attribute.attributeType
        guard let text = text(of: value, type) else {
            throw ModelWriter.inexpressible(
                "the default value '\(value)' of an attribute of type \(type.displayName)", at: location)
        }
        element[type == .dateAttributeType ? "defaultDateTimeInterval" : "defaultValueString"] = text
    }

    private static func text(of value: Any, _ type: NSAttributeType) -> String? {
        switch type {
        case .integer16AttributeType:
            NSAttributeType.whole(value).flatMap { Int16(exactly: $0) }.map(String.init)
        case .integer32AttributeType:
            NSAttributeType.whole(value).flatMap { Int32(exactly: $0) }.map(String.init)
        case .integer64AttributeType: NSAttributeType.whole(value).map(String.init)
        case .booleanAttributeType: number(value).map { $0.boolValue ? "YES" : "NO" }
        case .doubleAttributeType, .floatAttributeType:
            number(value).map(\.doubleValue).flatMap { $0.isFinite ? "\($0)" : nil }
        case .decimalAttributeType:
            number(value).flatMap(NumberText.text).map { $0.allSatisfy(\.isNumber) ? $0 + ".0" : $0 }
        case .stringAttributeType: value as? String
        case .dateAttributeType:
            (value as? Date).flatMap { NumberText.text($0.timeIntervalSinceReferenceDate) }
        case .UUIDAttributeType: (value as? UUID)?.uuidString
        case .URIAttributeType: (value as? URL)?.absoluteString
        default: nil
        }
    }

    private static func number(_ value: Any) -> NSNumber? { (value as AnyObject) as? NSNumber }
}
