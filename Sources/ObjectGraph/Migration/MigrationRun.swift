import CocoaFoundation
import Foundation
import ManagedObjectModel

/// The stages of a migration by a mapping model: objects, relationships, validation, and the save.
struct MigrationRun {
    private let manager: NSMigrationManager
    private let steps: [(mapping: NSEntityMapping, name: String, policy: NSEntityMigrationPolicy)]

    /// - Throws: 134110 for mappings that do not fit the models, 134170 for a policy whose class does not exist.
    init(_ manager: NSMigrationManager) throws {
        self.manager = manager
        var names: Set<String> = []
        steps = try (manager.mappingModel.entityMappings ?? []).map { mapping in
            guard let name = mapping.name, !name.isEmpty, names.insert(name).inserted else {
                throw NSError.migration(
                    "there are several entity mappings named '\(mapping.name ?? "")', or it has no name")
            }
            try Self.check(
                mapping, mapping.sourceEntityName, mapping.sourceEntityVersionHash, manager.sourceModel)
            try Self.check(
                mapping, mapping.destinationEntityName, mapping.destinationEntityVersionHash,
                manager.destinationModel)
            return (mapping, name, try Self.policy(mapping, manager))
        }
    }

    private static func check(
        _ mapping: NSEntityMapping, _ name: String?, _ hash: Data?, _ model: NSManagedObjectModel
    ) throws {
        guard let name else { return }
        guard let entity = model.entitiesByName[name] else {
            throw NSError.migration(
                "the entity mapping '\(mapping.name ?? "")' names an entity '\(name)' that its model does not have"
            )
        }
        guard hash == nil || hash == entity.versionHash else {
            throw NSError.migration(
                "the entity mapping '\(mapping.name ?? "")' is for another version of entity '\(name)'")
        }
    }

    private static func policy(
        _ mapping: NSEntityMapping, _ manager: NSMigrationManager
    ) throws -> NSEntityMigrationPolicy {
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty,
            name != "NSEntityMigrationPolicy"
        else { return NSEntityMigrationPolicy() }
        let found: AnyClass? = ManagedObjectClasses.other(
            named: name, of: [manager.destinationModel, manager.sourceModel])
        guard let policy = found as? NSEntityMigrationPolicy.Type else {
            throw NSError.coreData(
                .entityMigrationPolicy,
                """
                The entity mapping '\(mapping.name ?? "")' names the policy class '\(name)', and there is no subclass of \
                NSEntityMigrationPolicy with that name.
                """)
        }
        return policy.init()
    }

    func run() throws {
        try makeObjects()
        try setRelationships()
        try validate()
        do {
            // Values of the source that could not be read must not be written.
            try manager.sourceContext.throwFaultingError()
            try manager.destinationContext.save()
        } catch {
            throw NSError.migration(error.localizedDescription, error as NSError)
        }
        manager.migrationProgress = 1
    }

    private func makeObjects() throws {
        for (index, step) in steps.enumerated() {
            try turn(step.mapping)
            try step.policy.begin(step.mapping, with: manager)
            let sources = try sources(step.mapping, step.policy)
            for (position, source) in sources.enumerated() {
                try manager.checkCancellation()
                try step.policy.createDestinationInstances(
                    forSource: source, in: step.mapping, manager: manager)
                progress(0, index, position, sources.count)
            }
            try step.policy.endInstanceCreation(forMapping: step.mapping, manager: manager)
        }
    }

    private func setRelationships() throws {
        for (index, step) in steps.enumerated() {
            try turn(step.mapping)
            let made = manager.destinationInstances(forEntityMappingName: step.name, sourceInstances: nil)
            for (position, object) in made.enumerated() {
                try manager.checkCancellation()
                try step.policy.createRelationships(
                    forDestination: object, in: step.mapping, manager: manager)
                progress(1, index, position, made.count)
            }
            try step.policy.endRelationshipCreation(forMapping: step.mapping, manager: manager)
        }
    }

    private func validate() throws {
        for (index, step) in steps.enumerated() {
            try turn(step.mapping)
            try step.policy.performCustomValidation(forMapping: step.mapping, manager: manager)
            try step.policy.end(step.mapping, manager: manager)
            progress(2, index, 0, 1)
        }
        try manager.checkCancellation()
    }

    private func turn(_ mapping: NSEntityMapping) throws {
        try manager.checkCancellation()
        manager.currentEntityMapping = mapping
    }

    /// Each stage and each mapping counts alike; the save is the rest. Reported in hundredths, so that observers of a large
    /// store are not called for every object.
    private func progress(_ stage: Int, _ index: Int, _ position: Int, _ count: Int) {
        let done = Float(stage) + (Float(index) + Float(position + 1) / Float(count)) / Float(steps.count)
        let hundredths = (done / 3 * 99).rounded(.down) / 100
        if hundredths > manager.migrationProgress { manager.migrationProgress = hundredths }
    }

    /// The objects that a mapping is for.
    private func sources(
        _ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy
    ) throws -> [NSManagedObject] {
        // Objects without a destination entity are not needed.
        if mapping.destinationEntityName == nil, type(of: policy) == NSEntityMigrationPolicy.self {
            return []
        }
        guard let expression = mapping.sourceExpression else { return [] }
        do {
            let variables: NSMutableDictionary = [
                NSMigrationManagerKey: manager, NSMigrationEntityMappingKey: mapping,
                NSMigrationEntityPolicyKey: policy,
            ]
            let value = try UnknownKeys.throwing { try expression.value(with: nil, context: variables) }
            return try MigratedObjects.list(value)
        } catch {
            let reason = error.localizedDescription
            throw NSError.migration(
                "the source objects of the entity mapping '\(mapping.name ?? "")': \(reason)",
                error as NSError)
        }
    }
}
