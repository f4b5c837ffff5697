import ManagedObjectModel

/// What there is to see of a model, as plain values with a stable spelling in JSON.
///
/// The shape is documented in `Documentation/CommandLine.md`; what is added later is optional. Entities and
/// properties come in the order of their names, compared byte by byte.
package struct ModelReport: Codable, Equatable, Sendable {
    package var versionIdentifiers: [String]
    /// Base64, as stores and `VersionInfo.plist` hold it.
    package var versionChecksum: String
    package var entities: [EntityReport]
    /// The names of the entities by the name of the configuration; the default one is left out.
    package var configurations: [String: [String]]
    package var fetchRequests: [FetchRequestReport]

    package init(_ model: NSManagedObjectModel) {
        versionIdentifiers = model.versionIdentifiers.map { "\($0.base)" }.filter { !$0.isEmpty }.sorted()
        let hashes = model.entityVersionHashesByName
        versionChecksum = NSManagedObjectModel.versionChecksum(of: hashes)
        entities = model.entities.map {
            EntityReport($0, versionHash: hashes[$0.name ?? ""] ?? $0.versionHash)
        }
        .sorted { $0.name.utf8Precedes($1.name) }
        configurations = [:]
        for name in model.configurations where name != NSManagedObjectModel.defaultConfigurationName {
            let members = model.entities(forConfigurationName: name) ?? []
            configurations[name] = members.compactMap(\.name).sorted { $0.utf8Precedes($1) }
        }
        fetchRequests = model.fetchRequestTemplatesByName
            .sorted { $0.key.utf8Precedes($1.key) }
            .map { FetchRequestReport(name: $0.key, $0.value) }
    }
}

/// An entity of a ``ModelReport``.
package struct EntityReport: Codable, Equatable, Sendable {
    package var name: String
    package var className: String
    package var isAbstract: Bool
    package var parent: String?
    package var renamingIdentifier: String?
    package var versionHashModifier: String?
    /// Hexadecimal digits.
    package var versionHash: String
    package var userInfo: [String: String]?
    package var attributes: [AttributeReport]
    package var relationships: [RelationshipReport]
    package var fetchedProperties: [FetchRequestReport]
    package var indexes: [IndexReport]
    package var uniquenessConstraints: [[String]]

    init(_ entity: NSEntityDescription, versionHash: Data) {
        name = entity.name ?? ""
        className = entity.managedObjectClassName ?? ""
        isAbstract = entity.isAbstract
        parent = entity.superentity?.name
        renamingIdentifier = entity.renamingIdentifier == entity.name ? nil : entity.renamingIdentifier
        versionHashModifier = entity.versionHashModifier
        self.versionHash = versionHash.hexadecimal
        userInfo = texts(entity.userInfo)
        // What the parent declares is reported there.
        let inherited = entity.superentity?.propertiesByName ?? [:]
        let own = entity.properties.filter { inherited[$0.name] == nil }
            .sorted { $0.name.utf8Precedes($1.name) }
        attributes = own.compactMap { $0 as? NSAttributeDescription }.map(AttributeReport.init)
        relationships = own.compactMap { $0 as? NSRelationshipDescription }.map(RelationshipReport.init)
        fetchedProperties = own.compactMap { $0 as? NSFetchedPropertyDescription }.map {
            FetchRequestReport(name: $0.name, $0.fetchRequest)
        }
        indexes = entity.indexes.map(IndexReport.init)
        uniquenessConstraints = entity.uniquenessConstraintNames
    }
}

/// An attribute of an ``EntityReport``, or an element of a composite one.
package struct AttributeReport: Codable, Equatable, Sendable {
    package var name: String
    /// As Xcode writes the type: "Integer 64", "String".
    package var type: String
    package var isOptional: Bool
    package var isTransient: Bool
    package var defaultValue: String?
    /// The expression of a derived attribute.
    package var derivation: String?
    /// The conditions of validation, as predicates.
    package var validation: [String]?
    package var valueClassName: String?
    package var valueTransformerName: String?
    package var elements: [AttributeReport]?
    package var allowsExternalStorage: Bool
    package var preservesValueInHistoryOnDeletion: Bool
    package var isIndexedBySpotlight: Bool
    package var allowsCloudEncryption: Bool
    package var renamingIdentifier: String?
    package var versionHashModifier: String?
    package var userInfo: [String: String]?

    init(_ attribute: NSAttributeDescription) {
        name = attribute.name
        type = attribute.attributeType.displayName
        isOptional = attribute.isOptional
        isTransient = attribute.isTransient
        defaultValue = attribute.defaultValue.map(ValueText.text)
        derivation = (attribute as? NSDerivedAttributeDescription)?.derivationExpression.map { "\($0)" }
        validation =
            attribute.validationPredicates.isEmpty
            ? nil : attribute.validationPredicates.map(\.formatString)
        let ownClass = attribute.attributeValueClassName
        valueClassName = ownClass == attribute.attributeType.valueClassName ? nil : ownClass
        valueTransformerName = attribute.valueTransformerName
        elements = (attribute as? NSCompositeAttributeDescription)?.elements.map(AttributeReport.init)
        allowsExternalStorage = attribute.allowsExternalBinaryDataStorage
        preservesValueInHistoryOnDeletion = attribute.preservesValueInHistoryOnDeletion
        isIndexedBySpotlight = attribute.isIndexedBySpotlight
        allowsCloudEncryption = attribute.allowsCloudEncryption
        renamingIdentifier = attribute.ownRenamingIdentifier
        versionHashModifier = attribute.versionHashModifier
        userInfo = texts(attribute.userInfo)
    }
}

/// A relationship of an ``EntityReport``.
package struct RelationshipReport: Codable, Equatable, Sendable {
    package var name: String
    package var destination: String?
    package var inverse: String?
    package var isOptional: Bool
    package var isTransient: Bool
    package var isToMany: Bool
    package var isOrdered: Bool
    package var minimumCount: Int
    /// 0 stands for no bound.
    package var maximumCount: Int
    /// "Nullify", "Cascade", "Deny" or "No Action".
    package var deleteRule: String
    package var renamingIdentifier: String?
    package var versionHashModifier: String?
    package var userInfo: [String: String]?

    init(_ relationship: NSRelationshipDescription) {
        name = relationship.name
        destination = relationship.destinationEntityName
        inverse = relationship.inverseRelationshipName
        isOptional = relationship.isOptional
        isTransient = relationship.isTransient
        isToMany = relationship.isToMany
        isOrdered = relationship.isOrdered
        minimumCount = relationship.minCount
        maximumCount = relationship.maxCount
        deleteRule = relationship.deleteRule.displayName
        renamingIdentifier = relationship.ownRenamingIdentifier
        versionHashModifier = relationship.versionHashModifier
        userInfo = texts(relationship.userInfo)
    }
}

/// A fetch request of a ``ModelReport``, or a fetched property of an ``EntityReport``.
package struct FetchRequestReport: Codable, Equatable, Sendable {
    package var name: String
    package var entity: String?
    package var predicate: String?
    package var fetchLimit: Int?

    init(name: String, _ request: NSFetchRequest<any NSFetchRequestResult>?) {
        self.name = name
        entity = request?.entityName
        predicate = request?.predicate?.formatString
        fetchLimit = request.flatMap { $0.fetchLimit == 0 ? nil : $0.fetchLimit }
    }
}

/// A fetch index of an ``EntityReport``.
package struct IndexReport: Codable, Equatable, Sendable {
    package struct Element: Codable, Equatable, Sendable {
        /// The property, or the expression.
        package var name: String
        package var isAscending: Bool
        /// "Binary" or "RTree".
        package var type: String
    }

    package var name: String
    package var elements: [Element]
    /// The condition of a partial index.
    package var predicate: String?

    init(_ index: NSFetchIndexDescription) {
        name = index.name
        predicate = index.partialIndexPredicate?.formatString
        elements = index.elements.map { element in
            let expression = (element.property as? NSExpressionDescription)?.expression
            return Element(
                name: expression.map { "\($0)" } ?? element.propertyName ?? "",
                isAscending: element.isAscending, type: element.collationType == .rTree ? "RTree" : "Binary")
        }
    }
}

extension NSPropertyDescription {
    /// The renaming identifier, if it is not just the name.
    fileprivate var ownRenamingIdentifier: String? { renamingIdentifier == name ? nil : renamingIdentifier }
}

extension NSDeleteRule {
    /// As Xcode writes the rule.
    package var displayName: String {
        switch self {
        case .noActionDeleteRule: "No Action"
        case .nullifyDeleteRule: "Nullify"
        case .cascadeDeleteRule: "Cascade"
        case .denyDeleteRule: "Deny"
        }
    }
}

extension Data {
    /// Two lower-case digits a byte.
    package var hexadecimal: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

private func texts(_ info: [AnyHashable: Any]?) -> [String: String]? {
    guard let info, !info.isEmpty else { return nil }
    return Dictionary(info.map { ("\($0.key.base)", ValueText.text($0.value)) }) { first, _ in first }
}
