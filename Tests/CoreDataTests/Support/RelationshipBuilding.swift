import CoreData

// Short ways to describe the models of tests in code.

extension NSEntityDescription {
    /// An entity with properties, of the class named, or of `NSManagedObject`.
    static func make(
        _ name: String, class objectClass: NSManagedObject.Type? = nil, _ properties: [NSPropertyDescription]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        if let objectClass {
            NSManagedObjectModel.register(objectClass)
            entity.managedObjectClassName = String(describing: objectClass)
        }
        entity.properties = properties
        return entity
    }
}

extension NSRelationshipDescription {
    /// A relationship to one object; its destination is set by `lead(_:to:)`.
    static func toOne(
        _ name: String, optional: Bool = true, rule: NSDeleteRule = .nullifyDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.maxCount = 1
        relationship.isOptional = optional
        relationship.deleteRule = rule
        return relationship
    }

    /// A relationship to many objects.
    static func toMany(
        _ name: String, ordered: Bool = false, optional: Bool = true, min: Int = 0, max: Int = 0,
        rule: NSDeleteRule = .nullifyDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.minCount = min
        relationship.maxCount = max
        relationship.isOptional = optional
        relationship.isOrdered = ordered
        relationship.deleteRule = rule
        return relationship
    }

    /// Joins this relationship of one entity with its inverse of another, or the same.
    func joined(
        from owner: NSEntityDescription, to destination: NSEntityDescription,
        inverse: NSRelationshipDescription?
    ) {
        destinationEntity = destination
        inverse?.destinationEntity = owner
        inverseRelationship = inverse
        inverse?.inverseRelationship = self
    }
}

extension NSManagedObjectModel {
    // No initialiser: what an initialiser assigns is not observed.
    static func of(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }
}

/// A generator whose numbers are the same for the same seed everywhere (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// True once in `n` times.
    mutating func oneIn(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
}
