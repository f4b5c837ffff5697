import ModelTools

extension ModelEditing {
    /// Settings that only attributes of some types have.
    private static let typedSettings = [
        "composite", "valueTransformerName", "minValueString", "maxValueString", "minDateTimeInterval",
        "maxDateTimeInterval", "regularExpressionString", "defaultDateTimeInterval", "defaultValueString",
        "usesScalarValueType", "allowsExternalBinaryDataStorage", "customClassName",
    ]

    /// Gives an attribute a type with the settings that Xcode gives to a new attribute of the type.
    mutating func setType(_ path: [Int], _ typeName: String?, _ composite: String?) throws {
        let element = try element(path, .attribute)
        var type = NSAttributeType.undefinedAttributeType
        if let typeName, !typeName.isEmpty {
            guard
                let known = NSAttributeType.allCases.first(where: {
                    $0.displayName == typeName && $0 != .undefinedAttributeType
                })
            else {
                throw EditError("There is no attribute type '\(typeName)'.", setting: "attributeType")
            }
            type = known
        }
        if type == .compositeAttributeType {
            let known = root.children(named: "composite").compactMap { $0["name"] }
            guard let composite, known.contains(composite) else {
                throw EditError(
                    "There is no composite type '\(composite ?? "")'; add one first.",
                    setting: "attributeType")
            }
        }
        let isDerived = element["derived"] == "YES"
        try change(path) { element in
            for setting in Self.typedSettings { element[setting] = nil }
            let name = type == .undefinedAttributeType ? nil : type.displayName
            element.setInOrder("attributeType", name)
            switch type {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
                if !isDerived { element.setInOrder("defaultValueString", "0") }
                element.setInOrder("usesScalarValueType", "YES")
            case .doubleAttributeType, .floatAttributeType:
                if !isDerived { element.setInOrder("defaultValueString", "0.0") }
                element.setInOrder("usesScalarValueType", "YES")
            case .decimalAttributeType:
                if !isDerived { element.setInOrder("defaultValueString", "0.0") }
            case .booleanAttributeType: element.setInOrder("usesScalarValueType", "YES")
            case .dateAttributeType, .UUIDAttributeType: element.setInOrder("usesScalarValueType", "NO")
            case .transformableAttributeType:
                element.setInOrder("valueTransformerName", "NSSecureUnarchiveFromData")
            case .compositeAttributeType: element.setInOrder("composite", composite)
            default: break
            }
        }
    }

    /// A derived attribute has an expression, and neither a default value nor limits.
    mutating func setDerived(_ path: [Int], _ isDerived: Bool) throws {
        _ = try element(path, .attribute)
        try change(path) { element in
            element.setInOrder("derived", isDerived ? "YES" : nil)
            element.setInOrder(
                "derivationExpression", isDerived ? element["derivationExpression"] ?? "now()" : nil)
            guard isDerived else { return }
            for setting in [
                "minValueString", "maxValueString", "minDateTimeInterval", "maxDateTimeInterval",
                "regularExpressionString", "defaultDateTimeInterval", "defaultValueString",
            ] { element[setting] = nil }
        }
    }
}
