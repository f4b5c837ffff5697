import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The computation of one property of one new object from its mapping's expression.
struct PropertyMigration {
    private let property: NSPropertyMapping
    private let mapping: NSEntityMapping
    private let policy: NSEntityMigrationPolicy
    private let manager: NSMigrationManager

    init(
        _ property: NSPropertyMapping, _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy,
        _ manager: NSMigrationManager
    ) {
        self.property = property
        self.mapping = mapping
        self.policy = policy
        self.manager = manager
    }

    private var name: String { property.name ?? "" }

    /// - Throws: 134110 with the mapping, the property and the reason.
    func setAttribute(of object: NSManagedObject, from source: NSManagedObject) throws {
        guard object.entity.attributesByName[name] != nil else { throw unknownProperty(object) }
        let value = try value(object, source)
        try failing { try object.setValue(checking: value, forKey: name) }
    }

    /// - Throws: 134110 with the mapping, the property and the reason.
    func setRelationship(of object: NSManagedObject, from source: NSManagedObject?) throws {
        guard let relationship = object.entity.relationshipsByName[name] else {
            throw unknownProperty(object)
        }
        let value = try value(object, source)
        let destinations = try failing { try MigratedObjects.list(value) }
        try failing {
            if !relationship.isToMany {
                try object.setValue(checking: destinations.first, forKey: name)
            } else if relationship.isOrdered {
                try object.setValue(checking: NSOrderedSet(array: destinations), forKey: name)
            } else {
                try object.setValue(checking: Set(destinations), forKey: name)
            }
        }
    }

    private func value(_ object: NSManagedObject, _ source: NSManagedObject?) throws -> Any? {
        guard let expression = property.valueExpression else { return nil }
        let variables: NSMutableDictionary = [
            NSMigrationManagerKey: manager, NSMigrationDestinationObjectKey: object,
            NSMigrationEntityMappingKey: mapping, NSMigrationPropertyMappingKey: property,
            NSMigrationEntityPolicyKey: policy,
        ]
        if let source { variables[NSMigrationSourceObjectKey] = source }
        return try failing {
            try UnknownKeys.throwing { try expression.value(with: source, context: variables) }
        }
    }

    private func failing<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            let reason = error.localizedDescription
            throw NSError.migration(
                "property '\(name)' of the entity mapping '\(mapping.name ?? "")': \(reason)",
                error as NSError)
        }
    }

    private func unknownProperty(_ object: NSManagedObject) -> NSError {
        NSError.migration(
            """
            the entity mapping '\(mapping.name ?? "")' has a value for '\(name)', and entity \
            '\(object.entity.name ?? "")' has no such property
            """)
    }
}

/// The managed objects in the value of an expression.
enum MigratedObjects {
    /// The objects of a collection in its order, one object, or none.
    ///
    /// - Throws: 134110 for anything else.
    static func list(_ value: Any?) throws -> [NSManagedObject] {
        let elements: [Any]
        switch value {
        case nil, is NSNull: return []
        case let object as NSManagedObject: return [object]
        case let collection as any ValueCollection where collection.collectionKind != .dictionary:
            elements = collection.collectionElements
        case let other?: throw NSError.migration("\(type(of: other)) is not a managed object")
        }
        return try elements.map { element in
            guard let object = element as? NSManagedObject else {
                throw NSError.migration("\(type(of: element)) is not a managed object")
            }
            return object
        }
    }
}
