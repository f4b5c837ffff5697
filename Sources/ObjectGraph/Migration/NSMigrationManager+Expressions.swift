import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The manager's properties and methods for expressions.
extension NSMigrationManager: KeyValueObserving {
    /// The value of a property by its name.
    ///
    /// - Precondition: the manager has the property.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "sourceModel": sourceModel
        case "destinationModel": destinationModel
        case "mappingModel": mappingModel
        case "sourceContext": sourceContext
        case "destinationContext": destinationContext
        case "currentEntityMapping": currentEntityMapping
        case "migrationProgress": migrationProgress
        case "userInfo": userInfo
        case "usesStoreSpecificMigrationManager": usesStoreSpecificMigrationManager
        default: unknown(key)
        }
    }

    private func unknown(_ key: String) -> Any? {
        let message = "NSMigrationManager is not key value coding-compliant for '\(key)'."
        precondition(UnknownKeys.note(message), message)
        return nil
    }

    /// Sets `userInfo` or `usesStoreSpecificMigrationManager`.
    ///
    /// - Precondition: it is one of these.
    public func setValue(_ value: Any?, forKey key: String) {
        switch (key, value) {
        case ("userInfo", _): userInfo = value as? [AnyHashable: Any]
        case ("usesStoreSpecificMigrationManager", let flag as Bool): usesStoreSpecificMigrationManager = flag
        default: preconditionFailure("NSMigrationManager has no value '\(key)' that can be set.")
        }
    }
}

extension NSMigrationManager: KeyPathNaming {
    /// The progress, for `observe(_:options:changeHandler:)`.
    public static var keyPathNames: [(key: String, keyPath: AnyKeyPath)] {
        [("migrationProgress", \NSMigrationManager.migrationProgress)]
    }
}

extension NSMigrationManager: FunctionResponding {
    /// The methods that the expressions of Xcode's and of inferred mapping models call.
    ///
    /// - Throws: `PredicateEvaluationError` for another method, an unknown mapping or entity, and a condition that cannot be
    ///   read; 134110 for values that are not managed objects.
    public func result(ofFunction name: String, arguments: [Any?]) throws -> Any? {
        switch (name, arguments.count) {
        case ("destinationInstancesForEntityMappingNamed:sourceInstances:", 2):
            return destinationInstances(
                forEntityMappingName: try mappingName(arguments[0]),
                sourceInstances: try MigratedObjects.list(arguments[1]))
        case ("sourceInstancesForEntityMappingNamed:destinationInstances:", 2):
            return sourceInstances(
                forEntityMappingName: try mappingName(arguments[0]),
                destinationInstances: try MigratedObjects.list(arguments[1]))
        case ("destinationInstancesForSourceRelationshipNamed:sourceInstances:", 2):
            return destinationInstances(ofAnyMappingFor: try MigratedObjects.list(arguments[1]))
        case ("fetchRequestForSourceEntityNamed:predicateString:", 2):
            return try fetchRequest(arguments[0], arguments[1])
        default:
            throw PredicateEvaluationError(.predicate, "The migration manager has no method \(name).")
        }
    }

    private func mappingName(_ name: Any?) throws -> String {
        guard let name = name as? String, mappingModel.entityMappingsByName[name] != nil else {
            throw PredicateEvaluationError(
                .predicate, "There is no entity mapping '\(name.map { "\($0)" } ?? "nil")'.")
        }
        return name
    }

    /// A request for the objects of one source entity, without those of subentities, which have mappings of their own.
    private func fetchRequest(
        _ name: Any?, _ condition: Any?
    ) throws -> NSFetchRequest<any NSFetchRequestResult> {
        guard let name = name as? String, let entity = sourceModel.entitiesByName[name] else {
            throw PredicateEvaluationError(
                .predicate, "The source model has no entity '\(name.map { "\($0)" } ?? "nil")'.")
        }
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        request.includesSubentities = false
        if let condition = condition as? String { request.predicate = try NSPredicate(parsing: condition) }
        return request
    }
}
