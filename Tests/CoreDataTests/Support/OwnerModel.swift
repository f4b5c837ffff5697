import CoreData

/// Owners with items: one relationship to try delete rules and limits of counts on.
enum OwnerModel {
    static func model(
        _ rule: NSDeleteRule = .nullifyDeleteRule, optionalItems: Bool = true, optionalOwner: Bool = true,
        ordered: Bool = false, min: Int = 0, max: Int = 0, inverseRule: NSDeleteRule = .nullifyDeleteRule
    ) -> NSManagedObjectModel {
        let owner = NSEntityDescription.make("Owner", [])
        let item = NSEntityDescription.make("Item", [])
        let items = NSRelationshipDescription.toMany(
            "items", ordered: ordered, optional: optionalItems, min: min, max: max, rule: rule)
        let ownerOfItem = NSRelationshipDescription.toOne(
            "owner", optional: optionalOwner, rule: inverseRule)
        items.joined(from: owner, to: item, inverse: ownerOfItem)
        owner.properties = [attribute("name", .string), items]
        item.properties = [attribute("name", .string), ownerOfItem]
        return .of(owner, item)
    }
}

extension NSManagedObjectContext {
    /// A new owner with items of these names.
    func owner(_ name: String, items: String...) throws -> NSManagedObject {
        let owner = try insert("Owner", ["name": name])
        for item in items { try insert("Item", ["name": item, "owner": owner]) }
        return owner
    }

    /// The only object of an entity with this name.
    func named(_ name: String, _ entity: String) throws -> NSManagedObject? {
        try all(entity, where: NSPredicate(format: "name == %@", name)).first
    }

    /// The names of the destinations that the object of this name has in a relationship.
    func names(of name: String, _ entity: String, _ relationship: String) throws -> [String]? {
        try named(name, entity)?.names(relationship)
    }

    /// The names of all objects of an entity, sorted.
    func names(_ entity: String) throws -> [String] {
        try all(entity, by: "name").map { $0.value(forKey: "name") as? String ?? "-" }
    }
}

extension NSManagedObject {
    /// The destination of a to-one relationship.
    func one(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }

    /// The destinations of a to-many relationship.
    func many(_ key: String) -> Set<NSManagedObject> { value(forKey: key) as? Set<NSManagedObject> ?? [] }

    /// The destinations of an ordered to-many relationship.
    func list(_ key: String) -> [NSManagedObject] {
        (value(forKey: key) as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
    }

    /// The names of the destinations of a relationship: in order, or else sorted.
    func names(_ key: String) -> [String] {
        func name(_ object: NSManagedObject) -> String { object.value(forKey: "name") as? String ?? "-" }
        if let set = value(forKey: key) as? NSOrderedSet {
            return set.array.compactMap { $0 as? NSManagedObject }.map(name)
        }
        return many(key).map(name).sorted()
    }
}
