import ManagedObjectModel

/// A model that is being checked, and what has been found. The rules are in extensions, one file for each subject.
struct CheckContext {
    let model: NSManagedObjectModel
    let entities: [NSEntityDescription]
    /// The entities by name.
    let sound: [String: NSEntityDescription]
    private let lines: LineTable?
    private(set) var findings: [ModelFinding] = []

    init(_ model: NSManagedObjectModel, lines: LineTable?) {
        self.model = model
        self.lines = lines
        // The properties of an entity in a circle of superentities are not defined.
        entities = model.entities.filter { $0.rootEntity.superentity == nil }
        sound = Dictionary(entities.map { ($0.name ?? "", $0) }) { first, _ in first }
    }

    mutating func report(
        _ code: ModelFinding.Code, _ entity: String?, _ property: String?, kind: String? = nil,
        _ message: String
    ) {
        findings.append(
            ModelFinding(
                code, line: lines?.line(entity, property, kind: kind), entity: entity, property: property,
                kind: kind, message))
    }

    mutating func report(_ code: ModelFinding.Code, _ property: NSPropertyDescription, _ message: String) {
        report(code, property.owner?.name, property.name, kind: property.elementKind, message)
    }

    /// Everything that would keep a store from being made for the model.
    mutating func checkConsistency() {
        for found in model.inconsistencies() {
            let kind: String? =
                switch found.problem {
                case .invalidConstraint: "uniquenessConstraint"
                case .invalidIndex: "fetchIndex"
                default: nil
                }
            report(Self.code(of: found.problem), found.entity, found.property, kind: kind, found.detail)
        }
    }

    private static func code(of problem: ModelInconsistency.Problem) -> ModelFinding.Code {
        switch problem {
        case .missingName: .missingName
        case .duplicateName, .differentEntitiesOfOneName: .duplicateName
        case .reservedName: .reservedName
        case .inheritanceCycle: .inheritanceCycle
        case .missingEntity: .missingDestination
        case .redefinedProperty: .redefinedProperty
        case .invalidType: .attributeWithoutType
        case .invalidDefaultValue: .invalidDefaultValue
        case .invalidComposite: .invalidComposite
        case .invalidDerivation: .invalidDerivation
        case .inverseMismatch: .inverseMismatch
        case .invalidCount: .invalidCount
        case .invalidIndex: .invalidIndex
        case .invalidConstraint: .invalidConstraint
        case .invalidFetchRequest: .invalidFetchRequest
        }
    }
}

extension NSPropertyDescription {
    /// What the property is called in model files.
    fileprivate var elementKind: String? {
        switch self {
        case is NSAttributeDescription: "attribute"
        case is NSRelationshipDescription: "relationship"
        case is NSFetchedPropertyDescription: "fetchedProperty"
        default: nil
        }
    }
}

extension NSEntityDescription {
    var ownAttributes: [NSAttributeDescription] { ownProperties.compactMap { $0 as? NSAttributeDescription } }
    var ownRelationships: [NSRelationshipDescription] {
        ownProperties.compactMap { $0 as? NSRelationshipDescription }
    }
}
