/// The kinds of elements of a model file that are edited, with the settings that each has.
///
/// The settings are in the order in which Xcode writes them, as its files show.
enum ElementKind: String, CaseIterable, Sendable {
    case model, entity, composite, fetchRequest, configuration
    case attribute, relationship, fetchedProperty, fetchIndex

    /// How the text of a setting has to look.
    enum Form: Sendable, Equatable {
        case text
        /// `YES`, or not there.
        case mark
        /// `YES` or `NO`, or not there.
        case choice
        /// A whole number from 0 up.
        case count
        /// A number.
        case number
        case oneOf([String])
    }

    struct Setting: Sendable {
        let name: String
        let form: Form
    }

    /// The settings that have no meaning of their own for others and are set by themselves.
    var settings: [Setting] {
        switch self {
        case .model:
            [Setting("userDefinedModelVersionIdentifier")]
        case .entity:
            [
                Setting("representedClassName"), Setting("isAbstract", .mark), Setting("parentEntity"),
                Setting("elementID"), Setting("versionHashModifier"),
                Setting("coreSpotlightDisplayNameExpression"), Setting("syncable", .mark),
                Setting("codeGenerationType", .oneOf(["class", "category"])),
            ]
        case .composite: []
        case .attribute: Self.attributeSettings
        case .relationship:
            [
                Setting("optional", .mark), Setting("transient", .mark), Setting("minCount", .count),
                Setting("toMany", .mark), Setting("maxCount", .count),
                Setting("deletionRule", .oneOf(["No Action", "Nullify", "Cascade", "Deny"])),
                Setting("ordered", .mark), Setting("destinationEntity"), Setting("inverseName"),
                Setting("inverseEntity"), Setting("spotlightIndexingEnabled", .mark),
                Setting("storedInTruthFile", .mark), Setting("indexed", .mark),
                Setting("versionHashModifier"), Setting("elementID"), Setting("syncable", .mark),
            ]
        case .fetchedProperty:
            [
                Setting("optional", .mark), Setting("versionHashModifier"), Setting("elementID"),
                Setting("syncable", .mark),
            ]
        case .fetchRequest:
            [
                Setting("entity"), Setting("predicateString"), Setting("fetchLimit", .count),
                Setting("fetchOffset", .count), Setting("fetchBatchSize", .count),
                Setting("resultType", .oneOf(["0", "1", "2", "4"])), Setting("includeSubentities", .choice),
                Setting("includePropertyValues", .choice), Setting("includesPendingChanges", .choice),
                Setting("returnObjectsAsFaults", .choice), Setting("returnDistinctResults", .choice),
            ]
        case .fetchIndex: [Setting("partialIndexPredicate")]
        case .configuration: [Setting("usedWithCloudKit", .mark)]
        }
    }

    private static let attributeSettings = [
        Setting("optional", .mark), Setting("transient", .mark), Setting("attributeType"),
        Setting("composite"), Setting("valueTransformerName"), Setting("minValueString"),
        Setting("maxValueString"), Setting("minDateTimeInterval", .number),
        Setting("maxDateTimeInterval", .number), Setting("regularExpressionString"),
        Setting("defaultDateTimeInterval", .number), Setting("defaultValueString"),
        Setting("derived", .mark), Setting("derivationExpression"), Setting("usesScalarValueType", .choice),
        Setting("allowsExternalBinaryDataStorage", .mark), Setting("allowsCloudEncryption", .mark),
        Setting("preserveAfterDeletion", .mark), Setting("customClassName"),
        Setting("spotlightIndexingEnabled", .mark), Setting("storedInTruthFile", .mark),
        Setting("indexed", .mark), Setting("elementID"), Setting("versionHashModifier"),
        Setting("syncable", .mark),
    ]

    /// The settings that name other elements, or are changed together with others, and have commands of their own.
    var connectedSettings: Set<String> {
        switch self {
        case .attribute: ["attributeType", "derived"]
        case .relationship: ["destinationEntity", "inverseName", "inverseEntity", "toMany"]
        default: []
        }
    }

    /// The name that a new element has, as Xcode gives it.
    var newName: String {
        switch self {
        case .entity: "Entity"
        case .composite: "Composite"
        case .fetchRequest: "FetchRequest"
        case .configuration: "Configuration"
        case .attribute: "attribute"
        case .relationship: "relationship"
        case .fetchedProperty: "fetchedProperty"
        case .fetchIndex: "fetchIndex"
        case .model: "model"
        }
    }

    /// What an element of the kind may hold, in the order of Xcode's files. Others keep their positions.
    static func order(in parent: String) -> [String] {
        switch parent {
        case "model": ["entity", "composite", "fetchRequest", "configuration", "elements"]
        case "entity":
            [
                "attribute", "relationship", "fetchedProperty", "fetchIndex", "compoundIndexes",
                "uniquenessConstraints", "userInfo",
            ]
        case "composite": ["attribute"]
        case "fetchedProperty": ["fetchRequest", "userInfo"]
        default: []
        }
    }

    /// The kinds whose names may not be the same within one element.
    var sharesNamesWith: Set<String> {
        switch self {
        case .attribute, .relationship, .fetchedProperty: ["attribute", "relationship", "fetchedProperty"]
        default: [rawValue]
        }
    }

    /// Whether Xcode keeps elements of the kind by their names.
    var isSorted: Bool { self != .fetchIndex }

    /// What a person calls it.
    var title: String {
        switch self {
        case .model: "model"
        case .entity: "entity"
        case .composite: "composite type"
        case .fetchRequest: "fetch request"
        case .configuration: "configuration"
        case .attribute: "attribute"
        case .relationship: "relationship"
        case .fetchedProperty: "fetched property"
        case .fetchIndex: "fetch index"
        }
    }
}

extension ElementKind.Setting {
    init(_ name: String, _ form: ElementKind.Form = .text) {
        self.init(name: name, form: form)
    }
}
