import ManagedObjectModel

/// How types are called in the generated text of one model.
///
/// A class of the model may have the name of a type of Swift or Foundation, such as `Date` or `Data`. Then the type
/// is named with its module.
struct TypeNames {
    private let taken: Set<String>

    /// - Parameter taken: the names of the classes and value types of the model.
    init(taken: Set<String>) { self.taken = taken }

    /// A type of the standard library.
    func swift(_ name: String) -> String { taken.contains(name) ? "Swift.\(name)" : name }

    /// A type of Foundation.
    func foundation(_ name: String) -> String { taken.contains(name) ? "Foundation.\(name)" : name }

    /// The type of an attribute's property, as Xcode chooses it.
    ///
    /// A value is optional whatever the model says, because a new object has none. A number is scalar if the model
    /// says so; without a setting it is not, as Xcode writes into the file when it saves one that has no setting.
    ///
    /// - Throws: `GenerationError` for a class that is not a Swift type.
    func property(_ attribute: NSAttributeDescription) throws -> String {
        let usesScalar = attribute.usesScalarValueType ?? false
        switch attribute.attributeType {
        case .integer16AttributeType: return number("Int16", usesScalar)
        case .integer32AttributeType: return number("Int32", usesScalar)
        case .integer64AttributeType: return number("Int64", usesScalar)
        case .doubleAttributeType: return number("Double", usesScalar)
        case .floatAttributeType: return number("Float", usesScalar)
        case .booleanAttributeType: return number("Bool", usesScalar)
        case .decimalAttributeType: return "\(foundation("NSDecimalNumber"))?"
        case .stringAttributeType: return "\(swift("String"))?"
        case .dateAttributeType:
            return usesScalar ? foundation("TimeInterval") : "\(foundation("Date"))?"
        case .binaryDataAttributeType: return "\(foundation("Data"))?"
        case .UUIDAttributeType: return "\(foundation("UUID"))?"
        case .URIAttributeType: return "\(foundation("URL"))?"
        case .objectIDAttributeType: return "NSManagedObjectID?"
        case .compositeAttributeType: return "[\(swift("String")): Any]?"
        case .transformableAttributeType:
            return "\(try customClass(attribute) ?? foundation("NSObject"))?"
        case .undefinedAttributeType: return "\(try customClass(attribute) ?? "Any")?"
        }
    }

    private func number(_ name: String, _ usesScalar: Bool) -> String {
        usesScalar ? swift(name) : "\(foundation("NSNumber"))?"
    }

    /// The class of a transformable attribute's values. It may be any type, such as `[String]`.
    func customClass(_ attribute: NSAttributeDescription) throws -> String? {
        guard var name = attribute.attributeValueClassName, !name.isEmpty else { return nil }
        if name.hasPrefix(".") { name.removeFirst() }
        let isType = name.allSatisfy { $0.isLetter || $0.isASCII && $0.isNumber || "_.[]<>:,? ".contains($0) }
        guard isType, name.contains(where: \.isLetter) else {
            throw GenerationError(
                element: attribute.qualifiedName,
                detail: "the custom class '\(name)' is not a valid name for a Swift type")
        }
        return name
    }
}
