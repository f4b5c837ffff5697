import ManagedObjectModel

/// A property of a generated class.
struct GeneratedProperty {
    enum Kind: Equatable {
        /// One that is read and written.
        case value
        /// A fetched property: its value is the result of a request.
        case fetched
        /// A relationship to many objects, with the class of one of them.
        case toMany(destination: String, isOrdered: Bool)
    }

    /// The name in the model.
    let key: String
    let type: String
    let kind: Kind

    /// The name as it is written.
    var name: String { SwiftName.escaped(key) }
    /// The name of the constant that finds the property's value; as the macros call theirs.
    var keyConstant: String { "_managedKey_\(key)" }
}

extension GeneratedClass {
    /// The properties that the entity declares: attributes, relationships, fetched properties, each sorted by name.
    ///
    /// - Parameter notices: gets what is left out.
    static func properties(
        of entity: NSEntityDescription, _ context: ModelContext, _ notices: inout [GenerationNotice]
    ) throws -> [GeneratedProperty] {
        var properties: [GeneratedProperty] = []
        let sorted = entity.ownProperties.sorted { ($0.position, $0.name) < ($1.position, $1.name) }
        for property in sorted {
            if let reason = reasonToOmit(property.name) {
                let advice = "so it has no accessor; use value(forKey:), or rename it in the model"
                notices.append(
                    GenerationNotice(element: property.qualifiedName, detail: "\(reason), \(advice)"))
                continue
            }
            if let generated = try generatedProperty(property, context) { properties.append(generated) }
        }
        return properties
    }

    /// Why a property cannot be one of a Swift class; `nil` if it can.
    private static func reasonToOmit(_ name: String) -> String? {
        if !SwiftName.isIdentifier(name) { return "the name is not a Swift identifier" }
        if SwiftName.membersOfEveryObject.contains(name) { return "every object has a property of this name" }
        if SwiftName.wordsBehindDot.contains(name) { return "the name has a meaning of its own in Swift" }
        return nil
    }

    private static func generatedProperty(
        _ property: NSPropertyDescription, _ context: ModelContext
    ) throws -> GeneratedProperty? {
        let name = property.name
        switch property {
        case let attribute as NSAttributeDescription:
            return GeneratedProperty(
                key: name, type: try context.types.property(attribute), kind: .value)
        case let relationship as NSRelationshipDescription:
            let destination = try context.classText(ofEntityNamed: relationship.destinationEntityName)
            guard relationship.isToMany else {
                return GeneratedProperty(key: name, type: "\(destination)?", kind: .value)
            }
            let collection = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
            return GeneratedProperty(
                key: name, type: "\(context.types.foundation(collection))?",
                kind: .toMany(destination: destination, isOrdered: relationship.isOrdered))
        case let fetched as NSFetchedPropertyDescription:
            let element = try context.classText(ofEntityNamed: fetched.fetchRequest?.entityName)
            return GeneratedProperty(key: name, type: "[\(element)]?", kind: .fetched)
        default:
            return nil
        }
    }
}

extension NSPropertyDescription {
    /// The index of the kind of property among the others.
    fileprivate var position: Int {
        switch self {
        case is NSAttributeDescription: 0
        case is NSRelationshipDescription: 1
        default: 2
        }
    }
}
