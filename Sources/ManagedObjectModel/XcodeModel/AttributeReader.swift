import CocoaFoundation

/// Makes an attribute of its element in a model file.
struct AttributeReader {
    let settings: ElementSettings
    let composites: CompositeTypes

    init(_ settings: ElementSettings, composites: CompositeTypes) {
        self.settings = settings
        self.composites = composites
    }

    /// The attribute, without the settings that all kinds of properties share.
    func attribute() throws -> NSAttributeDescription {
        let namedType = try settings.text("attributeType").map { try Self.type(named: $0, settings) }
        let type = namedType ?? (settings.text("composite") == nil ? nil : .compositeAttributeType)
        let attribute: NSAttributeDescription
        if type == .compositeAttributeType {
            let composite = NSCompositeAttributeDescription()
            let typeName = try settings.required("composite")
            composite.typeName = typeName
            composite.elements = try composites.elementsOfType(named: typeName, for: settings)
            attribute = composite
        } else if try settings.flag("derived") {
            attribute = try derivedAttribute()
        } else {
            attribute = NSAttributeDescription()
        }
        attribute.attributeType = type ?? .undefinedAttributeType
        if let name = settings.text("customClassName") { attribute.attributeValueClassName = name }
        attribute.valueTransformerName = settings.text("valueTransformerName")
        attribute.allowsExternalBinaryDataStorage = try settings.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = try settings.flag("preserveAfterDeletion")
        attribute.allowsCloudEncryption = try settings.flag("allowsCloudEncryption")
        attribute.usesScalarValueType = try settings.flagIfPresent("usesScalarValueType")
        attribute.isSyncable = try settings.flag("syncable")
        attribute.defaultValue = try defaultValue(attribute.attributeType)
        let limits = try AttributeLimits(settings, type: attribute.attributeType)
        attribute.setValidation(limits.predicates, warnings: limits.warnings)
        return attribute
    }

    private func derivedAttribute() throws -> NSDerivedAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        let text = try settings.required("derivationExpression")
        let expression: NSExpression
        do {
            expression = try NSExpression(parsing: text)
        } catch {
            throw settings.error(.invalidValue, "the derivation '\(text)' cannot be read: \(error)")
        }
        // Apple's model compiler turns the key path of an aggregate into a function, and so is it archived.
        if case .aggregate(let aggregate, let keyPath) = Derivation(expression) {
            attribute.derivationExpression = NSExpression(
                forFunction: aggregate.functionName, arguments: [NSExpression(forKeyPath: keyPath)])
        } else {
            attribute.derivationExpression = expression
        }
        return attribute
    }

    /// The type that a model file calls by a name.
    static func type(named name: String, _ settings: ElementSettings) throws -> NSAttributeType {
        if let type = NSAttributeType.allCases.first(where: { $0.displayName == name }) { return type }
        switch name {
        case "Binary Data": return .binaryDataAttributeType
        case "ObjectID": return .objectIDAttributeType
        default: throw settings.error(.invalidValue, "the attribute type '\(name)' is unknown")
        }
    }
}
