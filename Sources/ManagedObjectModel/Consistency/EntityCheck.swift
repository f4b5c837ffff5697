import CocoaFoundation

/// The search for mistakes in one entity of a model.
package struct EntityCheck {
    let entity: NSEntityDescription
    let model: NSManagedObjectModel
    /// Taken once: making the table for each index would take a time that grows with the square of their
    /// number.
    private let propertiesByName: [String: NSPropertyDescription]
    private let entitiesByName: [String: NSEntityDescription]
    private var found: [ModelInconsistency] = []

    /// Names that every managed object has properties under, so that no key could reach a modelled one.
    static let reservedNames: Set<String> = [
        "class", "changedValues", "debugDescription", "description", "entity", "faultingState", "hasChanges",
        "hasPersistentChangedValues", "hash", "isDeleted", "isFault", "isInserted", "isUpdated",
        "managedObjectContext", "objectID", "self", "superclass",
    ]

    /// Whether no property can have a name.
    package static func isReserved(_ name: String) -> Bool { reservedNames.contains(name) }

    /// Names that indexes of Apple's own models use for the columns of the row's key and entity.
    static let rowColumnNames: Set<String> = ["self", "entity", "objectID"]

    init(
        entity: NSEntityDescription, model: NSManagedObjectModel,
        entitiesByName: [String: NSEntityDescription]
    ) {
        self.entity = entity
        self.model = model
        self.entitiesByName = entitiesByName
        propertiesByName = entity.propertiesByName
    }

    mutating func run() -> [ModelInconsistency] {
        checkNames()
        for property in entity.ownProperties {
            switch property {
            case let attribute as NSAttributeDescription: check(attribute)
            case let relationship as NSRelationshipDescription: check(relationship)
            case let fetched as NSFetchedPropertyDescription: check(fetched)
            default: break
            }
        }
        checkIndexes()
        checkConstraints()
        return found
    }

    private mutating func report(
        _ problem: ModelInconsistency.Problem, _ property: String?, _ detail: String
    ) {
        found.append(.init(problem, entity: entity.name, property: property, detail))
    }

    // MARK: Names

    /// The properties that the entity has twice, by itself or by inheritance.
    mutating func namesThatAreTaken() -> [ModelInconsistency] {
        checkNames()
        return found.filter { $0.problem == .duplicateName || $0.problem == .redefinedProperty }
    }

    private mutating func checkNames() {
        let inherited = Set(entity.inheritedProperties.map(\.name))
        var own = Set<String>(minimumCapacity: entity.ownProperties.count)
        for property in entity.ownProperties {
            let name = property.name
            if name.isEmpty {
                report(.missingName, nil, "a property has no name")
            } else if !own.insert(name).inserted {
                report(.duplicateName, name, "two properties have this name")
            } else if inherited.contains(name) {
                report(.redefinedProperty, name, "the entity inherits a property of this name")
            }
            if Self.reservedNames.contains(name) {
                report(
                    .reservedName, name, "every managed object has a property of this name; choose another")
            } else if name.utf8.contains(UInt8(ascii: ".")) || name.utf8.first == UInt8(ascii: "@") {
                report(.reservedName, name, "a name must not contain a point or begin with @")
            }
        }
    }

    // MARK: Attributes

    private mutating func check(_ attribute: NSAttributeDescription) {
        let name = attribute.name
        let type = attribute.attributeType
        if type == .undefinedAttributeType, !attribute.isTransient {
            report(.invalidType, name, "an attribute without a type must be transient")
        }
        if type == .objectIDAttributeType, !attribute.isTransient {
            report(.invalidType, name, "an object ID cannot be stored: make it a relationship, or transient")
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            checkElements(of: composite, path: name, enclosing: [])
        } else if type == .compositeAttributeType {
            report(
                .invalidComposite, name, "a composite attribute must be an NSCompositeAttributeDescription")
        }
        if let value = attribute.defaultValue, !type.accepts(value) {
            report(
                .invalidDefaultValue, name, "the default value '\(value)' is not of type \(type.displayName)")
        }
        if let derived = attribute as? NSDerivedAttributeDescription,
            let problem = DerivationCheck(derived, in: entity).problem
        {
            let text =
                derived.derivationExpression.map { "the derivation '\(DerivationText($0).text)': " } ?? ""
            report(.invalidDerivation, name, text + problem)
        }
    }

    private mutating func checkElements(
        of composite: NSCompositeAttributeDescription, path: String,
        enclosing: [NSCompositeAttributeDescription]
    ) {
        guard !enclosing.contains(where: { $0 === composite }) else {
            report(.invalidComposite, path, "the composite attribute contains itself")
            return
        }
        if composite.elements.isEmpty {
            report(.invalidComposite, path, "the composite attribute has no elements")
        }
        var names: Set<String> = []
        for element in composite.elements {
            let elementPath = "\(path).\(element.name)"
            if element.name.isEmpty {
                report(.missingName, path, "an element has no name")
            } else if !names.insert(element.name).inserted {
                report(.duplicateName, elementPath, "two elements have this name")
            }
            if let nested = element as? NSCompositeAttributeDescription {
                checkElements(of: nested, path: elementPath, enclosing: enclosing + [composite])
            } else if [.undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType]
                .contains(element.attributeType)
            {
                report(
                    .invalidComposite, elementPath,
                    "an element cannot be of type \(element.attributeType.displayName)")
            }
        }
    }

    // MARK: Relationships and fetched properties

    private mutating func check(_ relationship: NSRelationshipDescription) {
        let name = relationship.name
        let (least, most) = (relationship.minCount, relationship.maxCount)
        if least < 0 || most < 0 || (most != 0 && least > most) {
            report(
                .invalidCount, name,
                "a minimum of \(least) and a maximum of \(most) destinations exclude each other")
        }
        guard let destination = relationship.destinationEntity else {
            let missing =
                relationship.destinationEntityName.map { "'\($0)' is not in the model" } ?? "is not set"
            report(.missingEntity, name, "the destination \(missing)")
            return
        }
        guard destination.model === model else {
            report(.missingEntity, name, "the destination '\(destination.name ?? "?")' is not in the model")
            return
        }
        guard let inverse = relationship.inverseRelationship else {
            if let missing = relationship.inverseRelationshipName {
                report(
                    .inverseMismatch, name,
                    "the inverse '\(missing)' is not a relationship of '\(destination.name ?? "?")'")
            }
            return
        }
        if !destination.hasProperty(inverse) {
            report(
                .inverseMismatch, name,
                "the inverse \(inverse.qualifiedName) is not a relationship of '\(destination.name ?? "?")'")
        } else if inverse.inverseRelationship !== relationship {
            let other = inverse.inverseRelationship.map { "is \($0.qualifiedName)" } ?? "is missing"
            report(.inverseMismatch, name, "the inverse of the inverse \(inverse.qualifiedName) \(other)")
        }
    }

    private mutating func check(_ fetched: NSFetchedPropertyDescription) {
        guard let request = fetched.fetchRequest else {
            report(.invalidFetchRequest, fetched.name, "the fetched property has no fetch request")
            return
        }
        guard let name = request.entityName, entitiesByName[name] != nil else {
            let entity = request.entityName.map { "'\($0)', which is not in the model" } ?? "no entity"
            report(.invalidFetchRequest, fetched.name, "the fetch request is for \(entity)")
            return
        }
    }

    // MARK: Indexes and constraints

    private mutating func checkIndexes() {
        var names: Set<String> = []
        for index in entity.indexes {
            if index.name.isEmpty {
                report(.missingName, nil, "an index has no name")
            } else if !names.insert(index.name).inserted, !entity.allowsEqualIndexNames {
                report(.duplicateName, index.name, "two indexes have this name")
            }
            if index.elements.isEmpty { report(.invalidIndex, index.name, "the index has no elements") }
            let usesTree = index.elements.contains { $0.collationType == .rTree }
            for element in index.elements {
                if let problem = problem(ofColumn: element) {
                    report(.invalidIndex, index.name, problem)
                } else if usesTree {
                    checkTreeElement(element, of: index)
                }
            }
        }
    }

    private mutating func checkTreeElement(
        _ element: NSFetchIndexElementDescription, of index: NSFetchIndexDescription
    ) {
        let type = (property(atPath: element.propertyName ?? "") as? NSAttributeDescription)?.attributeType
        if element.collationType != .rTree || !(type?.isNumeric ?? false) {
            report(
                .invalidIndex, index.name,
                "all elements of an R-tree must be numbers in an R-tree; '\(element.propertyName ?? "?")' is not"
            )
        }
    }

    private mutating func checkConstraints() {
        for (tuple, names) in zip(entity.uniquenessConstraints, entity.uniquenessConstraintNames) {
            let title = names.joined(separator: ", ")
            if names.isEmpty || names.count != tuple.count {
                report(
                    .invalidConstraint, title, "a uniqueness constraint must be over names or descriptions")
            }
            for name in names {
                if let problem = problem(ofColumn: name) {
                    report(.invalidConstraint, title, problem)
                }
            }
        }
    }

    private func problem(ofColumn element: NSFetchIndexElementDescription) -> String? {
        guard !element.isOverExpression else { return nil }
        let name = element.propertyName ?? ""
        // Models of Apple's own have indexes over to-many relationships.
        if let relationship = property(atPath: name) as? NSRelationshipDescription, relationship.isToMany {
            return nil
        }
        return problem(ofColumn: name)
    }

    /// Why a store has no column for a property, or `nil` if it has one.
    private func problem(ofColumn name: String) -> String? {
        if Self.rowColumnNames.contains(name) { return nil }
        guard let property = property(atPath: name) else {
            return "'\(name)' is not a property of the entity"
        }
        if let relationship = property as? NSRelationshipDescription, relationship.isToMany {
            return "'\(name)' is a to-many relationship"
        }
        if property.isTransient { return "'\(name)' is transient" }
        return nil
    }

    private func property(atPath path: String) -> NSPropertyDescription? {
        if let property = propertiesByName[path] { return property }
        return path.contains(".") ? entity.property(atPath: path) : nil
    }
}
