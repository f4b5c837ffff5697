import CoreData
import GRDB
import TestSupport
import Testing

/// Stores of Apple's, migrated to a model with one more attribute in each entity.
@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.missing)"))
struct MigratedCorpusTests {
    @Test("Migrating Apple's stores keeps every row and relationship")
    func everyRowIsMigrated() throws {
        var counts = (stores: 0, rows: 0, refused: 0)
        for store in CorpusStore.all {
            let folder = try store.copy()
            guard try folder.hasTable("Z_MODELCACHE"),
                let model = try? NSPersistentStoreCoordinator.cachedModelForPersistentStore(
                    ofType: NSSQLiteStoreType, at: folder.file),
                let newer = model.copy() as? NSManagedObjectModel
            else { continue }
            for entity in newer.entities where entity.superentity == nil {
                entity.add(attribute("addedByTheTest", .string, defaultValue: "new"))
            }
            // History is not taken over, and what is not known here is refused.
            var options: [AnyHashable: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: true,
                NSInferMappingModelAutomaticallyOption: true,
            ]
            if try folder.hasTable("ATRANSACTION") { options[NSPersistentHistoryTrackingKey] = true }
            let configuration = model.configuration(ofStoreWith: try folder.metadata())
            let before = try counted(folder, model, configuration)
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: newer)
            do {
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: configuration, at: folder.file,
                    options: options)
            } catch let error as NSError where error.code == 134110 || error.code == 134020 {
                counts.refused += 1
                print("not migrated: \(store.name): \(error.localizedDescription.prefix(300))")
                continue
            }
            let after = try coordinator.inContext { try $0.counted(newer, configuration) }
            #expect(after == before, "\(store.name)")
            let added = try coordinator.inContext { context in
                try newer.entitiesByName.keys.sorted().compactMap { name -> Bool? in
                    guard let first = try context.all(name).first else { return nil }
                    return first.value(forKey: "addedByTheTest") as? String == "new"
                }
            }
            #expect(added.allSatisfy { $0 }, "\(store.name)")
            #expect(try folder.value("PRAGMA integrity_check") == "ok".databaseValue, "\(store.name)")
            counts.stores += 1
            counts.rows += after.values.reduce(0) { $0 + $1.rows }
            try coordinator.close()
        }
        print(
            "migrated \(counts.stores) stores of Apple's with \(counts.rows) rows; \(counts.refused) refused")
        #expect(counts.stores >= 25)
    }

    private func counted(
        _ folder: StoreFolder, _ model: NSManagedObjectModel, _ configuration: String?
    ) throws -> [String: EntityCount] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: configuration, at: folder.file,
            options: [NSReadOnlyPersistentStoreOption: true])
        defer { try? coordinator.close() }
        return try coordinator.inContext { try $0.counted(model, configuration) }
    }
}

/// How many rows an entity has, and how many objects their relationships lead to.
struct EntityCount: Equatable {
    var rows = 0
    var links: [String: Int] = [:]
}

extension NSManagedObjectContext {
    fileprivate func counted(
        _ model: NSManagedObjectModel, _ configuration: String?
    ) throws -> [String: EntityCount] {
        let entities = configuration.flatMap { model.entities(forConfigurationName: $0) } ?? model.entities
        var counts: [String: EntityCount] = [:]
        for entity in entities {
            let name = entity.name ?? ""
            let objects = try all(name)
            var count = EntityCount(rows: objects.count)
            for (key, relationship) in entity.relationshipsByName where !relationship.isTransient {
                for object in objects {
                    switch object.value(forKey: key) {
                    case let set as Set<NSManagedObject>: count.links[key, default: 0] += set.count
                    case let set as NSOrderedSet: count.links[key, default: 0] += set.count
                    case is NSManagedObject: count.links[key, default: 0] += 1
                    default: break
                    }
                }
            }
            counts[name] = count
        }
        return counts
    }
}
