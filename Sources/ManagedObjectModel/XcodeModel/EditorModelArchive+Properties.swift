import CocoaFoundation

// Properties, with the settings of each in the order in which Xcode writes them.
extension EditorModelArchive {
    /// The attributes, relationships and fetched properties of an entity, each by name.
    func properties(of entity: Object, named name: String) throws -> [ModelElement] {
        let properties = try storage("OwnedAttributes", of: entity).map { try property($1, of: name) }
        return ["attribute", "relationship", "fetchedProperty"].flatMap { kind in
            Self.sorted(properties.filter { $0.name == kind })
        }
    }

    private func property(_ property: Object, of entity: String) throws -> ModelElement {
        let name = try text("_name", of: property) ?? ""
        return try at("\(entity).\(name)") {
            var settings = try self.settings(of: property)
            let userInfo = try userInfo(settings.take("XD_PPSK_userInfo"))
            let common = try CommonSettings(&settings, isSyncable: userInfo.isSyncable)
            var element: ModelElement
            switch property.className {
            case "XDPMAttribute": element = try attribute(name, common, &settings)
            case "XDPMRelationship": element = try relationship(name, common, &settings)
            case "XDPMFetchedProperty": element = try fetchedProperty(name, common, &settings)
            case let other:
                throw ModelFileError(.unsupportedForm, "the archive holds a \(other) as a property")
            }
            try settings.end()
            element.children += userInfo.elements
            return element
        }
    }

    /// The settings that all kinds of properties have.
    private struct CommonSettings {
        let optional, transient, spotlight, truthFile, indexed: String?
        let elementID, hashModifier, syncable: String?

        init(_ settings: inout Settings, isSyncable: Bool) throws {
            optional = try settings.flag("XD_PPSK_isOptional")
            transient = try settings.flag("XD_PPSK_isTransient")
            spotlight = try settings.flag("XD_PPSK_isSpotlightIndexed")
            truthFile = try settings.flag("XD_PPSK_isStoredInTruthFile")
            indexed = try settings.flag("XD_PPSK_isIndexed")
            elementID = try settings.word("XD_PPSK_elementID")
            hashModifier = try settings.word("XD_PPSK_versionHashModifier")
            syncable = isSyncable ? "YES" : nil
        }

        /// Writes what Xcode has behind the settings of the kind.
        func writeIndexing(into element: inout ModelElement) {
            element["spotlightIndexingEnabled"] = spotlight
            element["storedInTruthFile"] = truthFile
            element["indexed"] = indexed
        }
    }

    // MARK: Attributes

    private func attribute(
        _ name: String, _ common: CommonSettings, _ settings: inout Settings
    ) throws -> ModelElement {
        var element = ModelElement("attribute", attributes: [.init("name", name)])
        element["optional"] = common.optional
        element["transient"] = common.transient
        let type = try attributeType(&settings)
        if type != .undefinedAttributeType { element["attributeType"] = type.displayName }
        element["valueTransformerName"] = try settings.word("XD_PAttK_valueTransformerName")
        let least = try settings.word("XD_PAttK_minValueString")
        let most = try settings.word("XD_PAttK_maxValueString")
        let pattern = try settings.word("XD_PAttK_regularExpressionString")
        // An empty default is one of a string.
        let value = try settings.text("XD_PAttK_defaultValueAsString")
        if type == .dateAttributeType {
            element["minDateTimeInterval"] = try least.map(Self.interval)
            element["maxDateTimeInterval"] = try most.map(Self.interval)
            element["regularExpressionString"] = pattern
            element["defaultDateTimeInterval"] = try value.flatMap { $0.isEmpty ? nil : $0 }.map(
                Self.interval)
        } else {
            element["minValueString"] = least
            element["maxValueString"] = most
            element["regularExpressionString"] = pattern
            element["defaultValueString"] = value
        }
        element["allowsExternalBinaryDataStorage"] =
            try settings.flag("XD_PAttK_allowsExternalBinaryDataStorage")
        common.writeIndexing(into: &element)
        element["elementID"] = common.elementID
        element["versionHashModifier"] = common.hashModifier
        element["syncable"] = common.syncable
        return element
    }

    private func attributeType(_ settings: inout Settings) throws -> NSAttributeType {
        let number = try settings.number("XD_PAttK_attributeType") ?? 0
        guard let type = UInt(exactly: number).flatMap(NSAttributeType.init(rawValue:)) else {
            throw ModelFileError(.invalidValue, "the attribute is of the unknown type \(number)")
        }
        return type
    }

    /// A time as seconds, which is the form of today's files.
    private static func interval(_ text: String) throws -> String {
        guard let text = TimeText.interval(text).flatMap(NumberText.text) else {
            throw ModelFileError(
                .invalidValue, "'\(text)' is not a time such as 2010-01-01 12:00:00 +0000")
        }
        return text
    }

    // MARK: Relationships

    private func relationship(
        _ name: String, _ common: CommonSettings, _ settings: inout Settings
    ) throws -> ModelElement {
        var element = ModelElement("relationship", attributes: [.init("name", name)])
        element["optional"] = common.optional
        element["transient"] = common.transient
        let isToMany = try settings.flag("XD_PRK_isToMany")
        let least = try settings.number("XD_PRK_minCount")
        if let least, least != 0 { element["minCount"] = "\(least)" }
        element["toMany"] = isToMany
        // Without a number there is no bound for many, and one is the bound for one.
        let most = try settings.number("XD_PRK_maxCount")
        if let most, most != 0 || isToMany == nil { element["maxCount"] = "\(most)" }
        switch try settings.number("XD_PRK_deleteRule") {
        case 0: element["deletionRule"] = "No Action"
        case 1, nil: element["deletionRule"] = "Nullify"
        case 2: element["deletionRule"] = "Cascade"
        case 3: element["deletionRule"] = "Deny"
        case let rule?: throw ModelFileError(.invalidValue, "the delete rule \(rule) is unknown")
        }
        element["ordered"] = try settings.flag("XD_PRK_ordered")
        if let field = settings.take("XD_PRK_destination"), let destination = try object(at: field) {
            element["destinationEntity"] = try text("_name", of: destination)
        }
        if let field = settings.take("XD_PRK_inverseRelationship"), let inverse = try object(at: field) {
            element["inverseName"] = try text("_name", of: inverse)
            element["inverseEntity"] = try object("_owner", of: inverse).flatMap { try text("_name", of: $0) }
        }
        common.writeIndexing(into: &element)
        element["versionHashModifier"] = common.hashModifier
        element["elementID"] = common.elementID
        element["syncable"] = common.syncable
        return element
    }

    // MARK: Fetches

    /// A fetched property is always transient, which files do not say.
    private func fetchedProperty(
        _ name: String, _ common: CommonSettings, _ settings: inout Settings
    ) throws -> ModelElement {
        var element = ModelElement("fetchedProperty", attributes: [.init("name", name)])
        element["optional"] = common.optional
        common.writeIndexing(into: &element)
        element["versionHashModifier"] = common.hashModifier
        element["elementID"] = common.elementID
        element["syncable"] = common.syncable
        if let field = settings.take("XD_PFP_fetchRequestKey"), let request = try object(at: field) {
            try element.children.append(fetchRequest(request))
        }
        return element
    }

    private static let fetchRequestFields: Set = [
        "$class", "_name", "_predicateString", "_entity", "_fetchedProperty",
    ]

    func fetchRequest(_ request: Object) throws -> ModelElement {
        var element = ModelElement("fetchRequest")
        element["name"] = try text("_name", of: request)
        if let entity = try object("_entity", of: request) {
            element["entity"] = try text("_name", of: entity)
        }
        element["predicateString"] = try text("_predicateString", of: request)
        for (name, field) in request.fields.sorted(by: { $0.key.utf8Precedes($1.key) })
        where try !Self.fetchRequestFields.contains(name) && !isEmpty(field) {
            throw ModelFileError(
                .unsupportedForm, "the fetch request has a setting '\(name)' that is not known",
                element: element["name"])
        }
        return element
    }
}
