import ManagedObjectModel

extension CheckContext {
    /// Methods without parameters of `NSManagedObject` and `NSObject` that no property may have the name of, besides
    /// the properties that the check of consistency knows.
    static let methodNames: Set<String> = [
        "autorelease", "awakeFromFetch", "awakeFromInsert", "classForCoder", "copy", "dealloc",
        "didSave", "didTurnIntoFault", "finalize", "init", "isProxy", "mutableCopy", "observationInfo",
        "prepareForDeletion", "release", "retain", "retainCount", "willSave", "willTurnIntoFault", "zone",
    ]

    /// Names that the model editor does not accept, or that hide a method.
    mutating func checkNames() {
        for entity in entities {
            let name = entity.name ?? ""
            if !name.isEmpty { checkSpelling(name, "an entity", isUpper: true, entity.name, nil) }
            for property in entity.ownProperties where !property.name.isEmpty {
                let kind = property is NSRelationshipDescription ? "a relationship" : "a property"
                checkSpelling(property.name, kind, isUpper: false, entity.name, property.name)
                if Self.methodNames.contains(property.name) {
                    report(
                        .methodName, property,
                        "every managed object has a method of this name; choose another name")
                }
            }
        }
    }

    private mutating func checkSpelling(
        _ name: String, _ kind: String, isUpper: Bool, _ entity: String?, _ property: String?
    ) {
        guard let first = name.unicodeScalars.first else { return }
        let isSpelled =
            (first == "_" || first.properties.isXIDStart)
            && name.unicodeScalars.allSatisfy(\.properties.isXIDContinue)
        // A point and an @ are reported with the reason that they have for key paths.
        guard isSpelled else {
            if !name.contains(".") && !name.hasPrefix("@") {
                report(
                    .invalidName, entity, property,
                    "the name of \(kind) consists of letters, digits and underscores and does not begin with a digit"
                )
            }
            return
        }
        let isWrong = isUpper ? first.properties.isLowercase : first.properties.isUppercase
        if isWrong {
            let letter = isUpper ? "an upper-case" : "a lower-case"
            report(.nameStyle, entity, property, "the name of \(kind) begins with \(letter) letter in Xcode")
        }
    }

    // MARK: Classes

    /// Classes that are missing or used more than once.
    mutating func checkClasses() {
        var users: [String: [NSEntityDescription]] = [:]
        for entity in entities {
            let name = entity.managedObjectClassName ?? ""
            let isGeneric = name.isEmpty || name == "NSManagedObject"
            if isGeneric, entity.codeGenerationType != nil {
                report(
                    .missingClass, entity.name, nil,
                    "code is to be generated for the entity, but it has no class name")
            }
            if !isGeneric { users[name, default: []].append(entity) }
        }
        for (name, sharing) in users.sorted(by: { $0.key < $1.key }) where sharing.count > 1 {
            for entity in sharing {
                let others = sharing.prefix(4).filter { $0 !== entity }.map { "'\($0.name ?? "?")'" }
                report(
                    .duplicateClass, entity.name, nil,
                    "the class '\(name)' is that of \(others.joined(separator: ", ")) too, so that it has no "
                        + "entity of its own: entity() and fetchRequest() do not work")
            }
        }
    }

    // MARK: Entities

    /// Entities of which no object is of any use.
    mutating func checkEntities() {
        for entity in entities {
            if entity.isAbstract && entity.subentities.isEmpty {
                report(
                    .abstractWithoutSubentities, entity.name, nil,
                    "the entity is abstract and has no subentities, so that there is no object of it")
            }
            if !entity.isAbstract && entity.subentities.isEmpty && entity.properties.isEmpty {
                report(.emptyEntity, entity.name, nil, "the entity has no properties")
            }
        }
    }
}
