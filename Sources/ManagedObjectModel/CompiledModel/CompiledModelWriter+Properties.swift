import CocoaFoundation

extension CompiledModelWriter {
    /// The bits of `_P`, in which an archive repeats what its other keys say about a property.
    ///
    /// The bits for which there is no archive of Apple's are those for the search index and the external record.
    enum PropertyBits {
        static let always = 0x01
        static let isOptional = 0x02
        static let isReadOnly = 0x04
        static let isTransient = 0x08
        static let hasNoValidationPredicates = 0x10
        static let hasNoValidationWarnings = 0x20
        static let hasNoUserInfo = 0x40
        static let hasNoVersionHashModifier = 0x80
        static let isOrdered = 0x400
        /// All that there is to say of the description of an expression in an index.
        static let ofExpressions =
            always | isOptional | isReadOnly | hasNoValidationPredicates | hasNoValidationWarnings
            | hasNoUserInfo | hasNoVersionHashModifier
    }

    private static let deepestComposite = 64

    /// Writes a property at its index.
    ///
    /// - Parameter entity: the entity that declares the property, or inherits it in the copy of a store.
    func write(_ property: NSPropertyDescription, of entity: NSEntityDescription, at position: Int) throws {
        switch property {
        case let attribute as NSAttributeDescription:
            try write(attribute, of: entity, at: position, enclosing: [])
        case let relationship as NSRelationshipDescription:
            archive.fill(
                position, ["NSRelationshipDescription", "NSPropertyDescription"],
                try commonFields(of: relationship, in: entity) + relationshipFields(of: relationship))
        case let fetched as NSFetchedPropertyDescription:
            archive.fill(
                position, ["NSFetchedPropertyDescription", "NSPropertyDescription"],
                try commonFields(of: fetched, in: entity) + fetchedFields(of: fetched))
        default:
            throw ModelFileError(
                .unsupportedForm, "a property of the class \(type(of: property)) has no archived form",
                element: property.qualifiedName)
        }
    }

    private func commonFields(
        of property: NSPropertyDescription, in entity: NSEntityDescription
    ) throws -> ModelArchiveWriter.Fields {
        let name = property.qualifiedName
        var fields: ModelArchiveWriter.Fields = [
            ("NSEntity", .object(try position(of: entity, for: name))),
            ("NSPropertyName", .text(property.name)),
            ("NSRenamingIdentifier", .text(property.renamingIdentifier)),
        ]
        var bits = PropertyBits.always
        func mark(_ isSet: Bool, _ key: String, _ bit: Int = 0) {
            guard isSet else { return }
            fields.append((key, .flag(true)))
            bits |= bit
        }
        mark(property.isOptional, "NSIsOptional", PropertyBits.isOptional)
        mark(property.isReadOnly, "NSIsReadOnly", PropertyBits.isReadOnly)
        mark(property.isTransient, "NSIsTransient", PropertyBits.isTransient)
        mark(property.isIndexedAlone || isSolelyIndexed(property), "NSIsIndexed")
        mark(property.isIndexedBySpotlight, "NSIsIndexedBySpotlight")
        mark(property.isInExternalRecord, "NSIsStoredInExternalRecord")
        if let relationship = property as? NSRelationshipDescription {
            mark(relationship.isOrdered, "NSIsOrdered", PropertyBits.isOrdered)
        }
        if let info = property.userInfo, !info.isEmpty {
            fields.append(("NSUserInfo", try archive.addValue(info, for: name)))
        } else {
            bits |= PropertyBits.hasNoUserInfo
        }
        if let modifier = property.versionHashModifier {
            fields.append(("NSVersionHashModifier", .text(modifier)))
        } else {
            bits |= PropertyBits.hasNoVersionHashModifier
        }
        if property.validationPredicates.isEmpty {
            bits |= PropertyBits.hasNoValidationPredicates
        } else {
            let positions = try property.validationPredicates.map { try add($0, for: name) }
            fields.append(
                ("NSValidationPredicates", archive.addList(ModelArchiveWriter.Collection.array, positions)))
        }
        if property.validationWarnings.isEmpty {
            bits |= PropertyBits.hasNoValidationWarnings
        } else {
            let positions = try property.validationWarnings.map { try archive.position(of: $0, for: name) }
            fields.append(
                ("NSValidationWarnings", archive.addList(ModelArchiveWriter.Collection.array, positions)))
        }
        return fields + [("_P", .number(bits))]
    }

    // MARK: Attributes

    private func write(
        _ attribute: NSAttributeDescription, of entity: NSEntityDescription, at position: Int,
        enclosing: [NSAttributeDescription]
    ) throws {
        var classNames = ["NSAttributeDescription", "NSPropertyDescription"]
        var fields = try commonFields(of: attribute, in: entity) + attributeFields(of: attribute)
        if let derived = attribute as? NSDerivedAttributeDescription {
            classNames.insert("NSDerivedAttributeDescription", at: 0)
            let expression = try derived.derivationExpression.map {
                try addDerivation($0, for: derived.qualifiedName)
            }
            let predicate = try derived.filteringPredicate.map { try add($0, for: derived.qualifiedName) }
            fields += [
                ("NSDerivationExpression", expression.map { .object($0) } ?? .null),
                ("NSFilteringPredicate", predicate.map { .object($0) } ?? .null),
            ]
        } else if let composite = attribute as? NSCompositeAttributeDescription {
            classNames.insert("NSCompositeAttributeDescription", at: 0)
            guard enclosing.count < Self.deepestComposite, !enclosing.contains(where: { $0 === composite })
            else {
                throw ModelFileError(
                    .cycle, "the composite attribute contains itself or is nested too deeply",
                    element: enclosing.first?.qualifiedName)
            }
            let elements = try composite.elements.map { element in
                let position = archive.reserve()
                try write(element, of: entity, at: position, enclosing: enclosing + [composite])
                return position
            }
            fields.append(
                (
                    "NSCompositeElements",
                    archive.addList(ModelArchiveWriter.Collection.mutableArray, elements)
                ))
        }
        archive.fill(position, classNames, fields)
    }

    private func attributeFields(of attribute: NSAttributeDescription) throws -> ModelArchiveWriter.Fields {
        var flags = 0
        if attribute.allowsExternalBinaryDataStorage {
            flags |= PropertyReader.Flags.allowsExternalBinaryDataStorage
        }
        if attribute.preservesValueInHistoryOnDeletion {
            flags |= PropertyReader.Flags.preservesValueInHistoryOnDeletion
        }
        var fields: ModelArchiveWriter.Fields = [
            ("NSAttributeType", .number(Int(attribute.attributeType.rawValue))),
            ("NSAttributeValueClassName", .text(attribute.attributeValueClassName)),
            ("NSDefaultValue", try archive.addValue(attribute.defaultValue, for: attribute.qualifiedName)),
            ("NSValueTransformerName", .text(attribute.valueTransformerName)),
            ("NSFlagsKey", .number(flags)),
        ]
        if attribute.allowsCloudEncryption { fields.append(("NSAllowsCloudEncryption", .flag(true))) }
        return fields
    }

    // MARK: Relationships and fetched properties

    private func relationshipFields(
        of relationship: NSRelationshipDescription
    ) throws -> ModelArchiveWriter.Fields {
        let name = relationship.qualifiedName
        guard let destination = relationship.destinationEntity else {
            throw ModelFileError(
                .unknownName,
                "the destination '\(relationship.destinationEntityName ?? "")' is not in the model",
                element: name)
        }
        let inverse = try relationship.inverseRelationship.map {
            try position(of: $0, in: destination, for: name)
        }
        return [
            ("NSDestinationEntity", .object(try position(of: destination, for: name))),
            ("_NSDestinationEntityName", .text(relationship.destinationEntityName)),
            ("NSInverseRelationship", inverse.map { .object($0) } ?? .null),
            ("_NSInverseRelationshipName", .text(relationship.inverseRelationshipName)),
            ("NSDeleteRule", .number(Int(relationship.deleteRule.rawValue))),
            ("NSMaxCount", .number(relationship.maxCount)),
            ("NSMinCount", .number(relationship.minCount)),
        ]
    }

    private func fetchedFields(of property: NSFetchedPropertyDescription) throws -> ModelArchiveWriter.Fields
    {
        guard let request = property.fetchRequest else {
            throw ModelFileError(
                .missingValue, "the fetched property has no fetch request", element: property.qualifiedName)
        }
        return [
            ("NSFetchRequest", .object(try add(request, for: property.qualifiedName))),
            ("_NSFetchRequestEntityName", .text(request.entityName)),
        ]
    }
}
