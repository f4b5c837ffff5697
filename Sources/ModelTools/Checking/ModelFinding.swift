import ManagedObjectModel

/// One thing that `ModelCheck` says about a model, and where.
package struct ModelFinding: Codable, Equatable, Hashable, Sendable, CustomStringConvertible {
    /// How bad it is.
    package enum Severity: String, Codable, Sendable {
        /// The model cannot be used as it is.
        case error
        /// The model can be used, but probably not as meant.
        case warning
    }

    /// What it is: a name that stays the same, for scripts and for suppressing.
    package let code: Code
    /// How bad it is.
    package let severity: Severity
    /// The path of the file, if there is one.
    package internal(set) var file: String?
    /// The line of the element in the file, counted from 1, where it is known.
    package let line: Int?
    /// The name of the entity.
    package let entity: String?
    /// The name of the property, index, constraint, configuration or fetch request.
    package let property: String?
    /// What has that name, as model files call it (`attribute`, `fetchIndex`, `configuration`), where it is known: things of
    /// different kinds may have one name.
    package let kind: String?
    /// A sentence, without the position.
    package let message: String

    package init(
        _ code: Code, _ severity: Severity? = nil, file: String? = nil, line: Int? = nil,
        entity: String? = nil, property: String? = nil, kind: String? = nil, _ message: String
    ) {
        self.code = code
        self.severity = severity ?? code.usualSeverity
        self.file = file
        self.line = line
        self.entity = entity
        self.property = property
        self.kind = kind
        self.message = message
    }

    /// The finding in the form of a compiler's message: `file:line: warning: Book.pages: … [code]`.
    package var description: String {
        let location = file.map { $0 + (line.map { ":\($0)" } ?? "") + ": " } ?? ""
        let name = [entity, property].compactMap { $0 }.joined(separator: ".")
        return
            "\(location)\(severity.rawValue): \(name.isEmpty ? "" : name + ": ")\(message) [\(code.rawValue)]"
    }
}

extension ModelFinding {
    /// What can be found. The raw values are stable.
    package enum Code: String, Codable, CaseIterable, Sendable {
        // The file.
        case unreadable
        case unsupportedForm = "unsupported-form"
        case malformed
        case tooLarge = "too-large"
        case currentVersionUnknown = "current-version-unknown"
        case invalidSetting = "invalid-setting"
        case versionHashDiffers = "version-hash-differs"

        // Names.
        case missingName = "missing-name"
        case duplicateName = "duplicate-name"
        case reservedName = "reserved-name"
        case invalidName = "invalid-name"
        case nameStyle = "name-style"
        case methodName = "name-of-a-method"

        // Entities.
        case unknownSuperentity = "unknown-superentity"
        case inheritanceCycle = "inheritance-cycle"
        case redefinedProperty = "redefined-property"
        case missingClass = "missing-class"
        case duplicateClass = "duplicate-class"
        case abstractWithoutSubentities = "abstract-entity-without-subentities"
        case emptyEntity = "empty-entity"

        // Attributes.
        case attributeWithoutType = "attribute-without-type"
        case unknownType = "unknown-attribute-type"
        case invalidDefaultValue = "invalid-default-value"
        case defaultOutsideLimits = "default-outside-limits"
        case minimumAboveMaximum = "minimum-above-maximum"
        case invalidPattern = "invalid-regular-expression"
        case invalidDerivation = "invalid-derivation"
        case derivationTypeMismatch = "derivation-type-mismatch"
        case missingTransformer = "missing-transformer"
        case insecureTransformer = "insecure-transformer"
        case invalidComposite = "invalid-composite"

        // Relationships.
        case missingDestination = "missing-destination"
        case relationshipWithoutInverse = "relationship-without-inverse"
        case inverseMismatch = "inverse-mismatch"
        case noActionRule = "no-action-delete-rule"
        case nullifiedMandatoryInverse = "nullified-mandatory-inverse"
        case mutualDeny = "mutual-deny-delete-rule"
        case invalidCount = "invalid-count"
        case orderedToOne = "ordered-to-one"

        // Requests, indexes, constraints.
        case invalidPredicate = "invalid-predicate"
        case unknownKeyPath = "unknown-key-path"
        case invalidFetchRequest = "invalid-fetch-request"
        case invalidIndex = "invalid-index"
        case invalidConstraint = "invalid-constraint"

        // Configurations.
        case unknownMember = "unknown-configuration-member"
        case emptyConfiguration = "empty-configuration"
        case splitHierarchy = "hierarchy-across-configurations"
        case crossingRelationship = "relationship-across-configurations"

        // CloudKit.
        case cloudMandatoryRelationship = "cloudkit-mandatory-relationship"
        case cloudRelationshipWithoutInverse = "cloudkit-relationship-without-inverse"
        case cloudOrderedRelationship = "cloudkit-ordered-relationship"
        case cloudDenyRule = "cloudkit-deny-delete-rule"
        case cloudMandatoryAttribute = "cloudkit-mandatory-attribute-without-default"
        case cloudConstraint = "cloudkit-uniqueness-constraint"
        case cloudType = "cloudkit-attribute-type"

        /// The severity that findings of the code have.
        var usualSeverity: Severity {
            switch self {
            case .versionHashDiffers, .nameStyle, .methodName, .missingClass, .duplicateClass,
                .abstractWithoutSubentities,
                .emptyEntity,
                .defaultOutsideLimits, .minimumAboveMaximum, .derivationTypeMismatch, .missingTransformer,
                .insecureTransformer, .relationshipWithoutInverse, .noActionRule, .nullifiedMandatoryInverse,
                .mutualDeny, .orderedToOne, .unknownKeyPath, .emptyConfiguration, .splitHierarchy,
                .crossingRelationship:
                .warning
            default: .error
            }
        }
    }
}
