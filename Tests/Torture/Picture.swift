import CoreData
import TestVFS

/// What is in the stores of a folder, as text that is the same for the same graph.
struct Picture: Equatable, CustomStringConvertible {
    /// The lines of each store.
    private(set) var stores: [String: [String]] = [:]
    /// How many objects of each entity are in a SQLite store.
    private(set) var counts: [String: [String: Int]] = [:]

    var description: String {
        stores.sorted { $0.key < $1.key }.map {
            ([$0.key + ":"] + $0.value.map { "  " + $0 }).joined(separator: "\n")
        }
        .joined(separator: "\n")
    }

    static func == (one: Picture, other: Picture) -> Bool { one.stores == other.stores }

    /// What is not metadata.
    var objects: [String: [String]] { stores.mapValues { $0.filter { !$0.hasPrefix("metadata ") } } }

    /// The lines that differ.
    func difference(from other: Picture) -> String {
        let (own, others) = (
            description.components(separatedBy: "\n"), other.description.components(separatedBy: "\n")
        )
        let missing = others.filter { !own.contains($0) }.map { "- \($0)" }
        let added = own.filter { !others.contains($0) }.map { "+ \($0)" }
        return (missing + added).prefix(12).joined(separator: "\n      ")
    }

    /// Opens each store of a scenario that is there.
    init(
        _ folder: URL, _ files: [Scenario.StoreFile]
    ) throws {
        for file in files {
            let url = folder.appendingPathComponent(file.name)
            guard let size = try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber
            else {
                stores[file.name] = ["none"]
                continue
            }
            guard size.intValue > 0 else {
                stores[file.name] = ["empty"]
                continue
            }
            let coordinator = try Self.open(url, file)
            do {
                try add(coordinator, file.name)
            } catch {
                for store in coordinator.persistentStores { try? coordinator.remove(store) }
                throw error
            }
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        }
    }

    /// Opens a store with the model that it has.
    private static func open(_ url: URL, _ file: Scenario.StoreFile) throws -> NSPersistentStoreCoordinator {
        var failure: (any Error)?
        for model in file.type == .sqlite ? TortureModel.all : [TortureModel.document] {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            do {
                try coordinator.addPersistentStore(type: file.type, at: url, options: file.options)
                return coordinator
            } catch let error as CocoaError where error.code == .persistentStoreIncompatibleVersionHash {
                failure = error
            }
        }
        throw failure ?? TortureError("There is no model.")
    }

    /// What a coordinator that is open sees.
    init(_ coordinator: NSPersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores {
            guard let url = store.url else { continue }
            try add(coordinator, url.lastPathComponent)
        }
    }

    private mutating func add(_ coordinator: NSPersistentStoreCoordinator, _ name: String) throws {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        let model = coordinator.managedObjectModel
        var lines: [String] = []
        var counts: [String: Int] = [:]
        try context.performAndWait {
            for entity in model.entities.sorted(by: { $0.name ?? "" < $1.name ?? "" }) {
                guard let entityName = entity.name else { continue }
                let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entityName))
                counts[entityName] = objects.count
                lines += objects.map { "\(entityName) \(Self.line($0, entity))" }.sorted()
            }
            lines += try Self.history(context, coordinator)
        }
        for store in coordinator.persistentStores {
            for (key, value) in coordinator.metadata(for: store).sorted(by: { $0.key < $1.key })
            where key.hasPrefix("Torture") {
                lines.append("metadata \(key) = \(value)")
            }
        }
        stores[name] = lines
        self.counts[name] = counts
    }

    private static func line(_ object: NSManagedObject, _ entity: NSEntityDescription) -> String {
        entity.propertiesByName.sorted { $0.key < $1.key }.map { key, property in
            "\(key)=\(text(object.value(forKey: key), isOrdered: (property as? NSRelationshipDescription)?.isOrdered ?? false))"
        }.joined(separator: " ")
    }

    private static func text(_ value: Any?, isOrdered: Bool) -> String {
        switch value {
        case nil: "nil"
        case let data as Data:
            "\(data.count):\(data.withUnsafeBytes { testvfs_hash($0.baseAddress, $0.count) })"
        case let object as NSManagedObject: name(object)
        case let set as NSOrderedSet: "[" + set.array.map(name).joined(separator: ",") + "]"
        case let set as NSSet: "{" + set.allObjects.map(name).sorted().joined(separator: ",") + "}"
        case let value?: "\(value)"
        }
    }

    private static func name(_ object: Any) -> String {
        ((object as? NSManagedObject)?.value(forKey: "name") as? String) ?? "?"
    }

    private static func history(
        _ context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> [String] {
        guard coordinator.persistentStores.contains(where: { $0.type == NSSQLiteStoreType }) else {
            return []
        }
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
        return transactions.map { transaction in
            let changes = (transaction.changes ?? []).map { change in
                let properties = (change.updatedProperties ?? []).map(\.name).sorted().joined(separator: ",")
                let tombstone = (change.tombstone ?? [:]).map { "\($0)=\($1)" }.sorted().joined(
                    separator: ",")
                return
                    "\(change.changeType.rawValue) \(change.changedObjectID.entity.name ?? "") \(properties)\(tombstone)"
            }.sorted()
            return "transaction \(transaction.transactionNumber): \(changes.joined(separator: "; "))"
        }
    }
}
