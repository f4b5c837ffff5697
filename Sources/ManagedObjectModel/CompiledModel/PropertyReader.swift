import CocoaFoundation

/// Makes a property of its object in a model's archive. What refers to other entities is connected later.
struct PropertyReader {
    private let object: ArchivedObject
    private let expressions: ArchivedExpressions
    /// The elements of composite attributes of the whole model.
    private let elementCount: CompositeElementCount
    /// The composite attributes around the one that is read.
    private let enclosing: [Int]

    /// The bits of an attribute's flags.
    ///
    /// External storage is in archives of Apple's tools. The other is set in the models of Apple's own stores for just
    /// those attributes whose values are in the history of deleted objects.
    enum Flags {
        static let allowsExternalBinaryDataStorage = 4
        static let preservesValueInHistoryOnDeletion = 16
    }

    init(
        _ object: ArchivedObject, _ expressions: ArchivedExpressions, _ elementCount: CompositeElementCount,
        enclosing: [Int] = []
    ) {
        self.object = object
        self.expressions = expressions
        self.elementCount = elementCount
        self.enclosing = enclosing
    }

    /// The property, whose kind is the class of the object.
    func property() throws -> NSPropertyDescription {
        let property: NSPropertyDescription
        if object.isOf("NSAttributeDescription") {
            property = try attribute()
        } else if object.isOf("NSRelationshipDescription") {
            property = try relationship()
        } else if object.isOf("NSFetchedPropertyDescription") {
            property = NSFetchedPropertyDescription()
        } else {
            throw object.error(.invalidValue, "an object of the class \(object.className) is not a property")
        }
        try readCommonSettings(into: property)
        return property
    }

    private func readCommonSettings(into property: NSPropertyDescription) throws {
        property.name = try object.required("NSPropertyName")
        property.isOptional = try object.flag("NSIsOptional")
        property.isTransient = try object.flag("NSIsTransient")
        // An archive says it twice, as it does for other flags.
        let bits = try object.number("_P") ?? 0
        let isReadOnly =
            try object.flag("NSIsReadOnly") || bits & CompiledModelWriter.PropertyBits.isReadOnly != 0
        if isReadOnly != property.isReadOnly { property.isMarkedReadOnly = isReadOnly }
        property.isIndexedAlone = try object.flag("NSIsIndexed")
        property.isIndexedBySpotlight = try object.flag("NSIsIndexedBySpotlight")
        property.isInExternalRecord = try object.flag("NSIsStoredInExternalRecord")
        property.userInfo = try object.dictionary("NSUserInfo") ?? [:]
        property.versionHashModifier = try object.text("NSVersionHashModifier")
        if let identifier = try object.text("NSRenamingIdentifier"), identifier != property.name {
            property.renamingIdentifier = identifier
        }
        let predicates = try expressions.predicates("NSValidationPredicates", of: object)
        let warnings = try (object.elements("NSValidationWarnings") ?? []).map { index in
            guard let warning = try object.value(at: index), warning is String || warning is NSNumber else {
                throw object.error(.invalidValue, "a validation warning is neither a string nor a number")
            }
            return warning
        }
        if !predicates.isEmpty || !warnings.isEmpty { property.setValidation(predicates, warnings: warnings) }
    }

    // MARK: Attributes

    private func attribute() throws -> NSAttributeDescription {
        let attribute: NSAttributeDescription
        if object.isOf("NSCompositeAttributeDescription") {
            attribute = try composite()
        } else if object.isOf("NSDerivedAttributeDescription") {
            let derived = NSDerivedAttributeDescription()
            derived.derivationExpression = try expressions.expression("NSDerivationExpression", of: object)
            derived.filteringPredicate = try expressions.predicate("NSFilteringPredicate", of: object)
            attribute = derived
        } else {
            attribute = NSAttributeDescription()
        }
        let type = try object.number("NSAttributeType") ?? 0
        guard let known = UInt(exactly: type).flatMap(NSAttributeType.init) else {
            throw object.error(.invalidValue, "the attribute type \(type) is unknown")
        }
        guard (known == .compositeAttributeType) == (attribute is NSCompositeAttributeDescription) else {
            throw object.error(
                .invalidValue, "a \(object.className) cannot be of the type \(known.displayName)")
        }
        attribute.attributeType = known
        if object.has("NSAttributeValueClassName") {
            attribute.attributeValueClassName = try object.text("NSAttributeValueClassName")
        }
        attribute.defaultValue =
            known == .transformableAttributeType
            ? try object.valueOrArchive("NSDefaultValue") : try object.value("NSDefaultValue")
        attribute.valueTransformerName = try object.text("NSValueTransformerName")
        let flags = try object.number("NSFlagsKey") ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & Flags.allowsExternalBinaryDataStorage != 0
        attribute.preservesValueInHistoryOnDeletion = flags & Flags.preservesValueInHistoryOnDeletion != 0
        attribute.allowsCloudEncryption = try object.flag("NSAllowsCloudEncryption")
        return attribute
    }

    private static let deepestComposite = 64

    private func composite() throws -> NSCompositeAttributeDescription {
        let composite = NSCompositeAttributeDescription()
        guard !enclosing.contains(object.position) else {
            throw object.error(.cycle, "the composite attribute contains itself")
        }
        guard enclosing.count < Self.deepestComposite else {
            throw object.error(.tooLarge, "composite attributes are nested too deeply")
        }
        composite.elements = try (object.objects("NSCompositeElements", of: "NSAttributeDescription") ?? [])
            .map { element in
                var element = element
                let name = try element.text("NSPropertyName") ?? "?"
                element.element = "\(object.element ?? "?").\(name)"
                guard elementCount.add() else {
                    throw object.error(
                        .tooLarge, "the composite attributes of the model have too many elements")
                }
                let reader = PropertyReader(
                    element, expressions, elementCount, enclosing: enclosing + [object.position])
                guard let attribute = try reader.property() as? NSAttributeDescription else {
                    throw element.error(.invalidValue, "the element is not an attribute")
                }
                return attribute
            }
        return composite
    }

    // MARK: Relationships

    private func relationship() throws -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.maxCount = try object.count("NSMaxCount")
        relationship.minCount = try object.count("NSMinCount")
        relationship.isOrdered = try object.flag("NSIsOrdered")
        let rule = try object.number("NSDeleteRule") ?? 0
        guard let deleteRule = UInt(exactly: rule).flatMap(NSDeleteRule.init) else {
            throw object.error(.invalidValue, "the delete rule \(rule) is unknown")
        }
        relationship.deleteRule = deleteRule
        return relationship
    }
}
