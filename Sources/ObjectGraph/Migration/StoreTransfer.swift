import Foundation
import ManagedObjectModel

/// Copies the objects of a store into a new one of another type, which then replaces it: the objects have the same references
/// in this process, so that every context keeps its objects.
struct StoreTransfer {
    private let coordinator: NSPersistentStoreCoordinator
    private let old: any ObjectStore
    private let type: any ObjectStore.Type
    private let url: URL
    private let options: [AnyHashable: Any]?

    init(
        _ coordinator: NSPersistentStoreCoordinator, from old: any ObjectStore, to type: any ObjectStore.Type,
        at url: URL, _ options: [AnyHashable: Any]?
    ) {
        self.coordinator = coordinator
        self.old = old
        self.type = type
        self.url = url
        self.options = options
    }

    /// The new store, open.
    ///
    /// - Throws: 134080 when there is something at the URL, or an error of either store; nothing is left then.
    func run() throws -> any ObjectStore {
        let new = store(at: url, options)
        guard url.isFileURL, !url.isNullDevice, !type.isInMemory else {
            try new.open(model: coordinator.managedObjectModel, inPlaceOf: old)
            try fill(new)
            return new
        }
        if type.isWrittenInPieces { return try makeAsDraft(new) }
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw StoreDocument.unopenable(url, "there is a file already; destroy that store first")
        }
        // All objects are in one save, with the metadata, which makes the file, and nothing fails after it.
        new.makesFile(like: old.fileURL)
        try new.open(model: coordinator.managedObjectModel, inPlaceOf: old)
        try fill(new)
        return new
    }

    /// Makes the store as a draft, and opens it at its location.
    private func makeAsDraft(_ new: any ObjectStore) throws -> any ObjectStore {
        try type.makeAsDraft(at: url, options, like: old.fileURL) { url in
            let draft = store(at: url, type.optionsOfDraft(options))
            try draft.open(model: coordinator.managedObjectModel, inPlaceOf: old)
            try fill(draft)
            draft.willRemove(from: coordinator)
        } opening: {
            try new.open(model: coordinator.managedObjectModel, inPlaceOf: old)
            return new
        }
    }

    private func store(at url: URL, _ options: [AnyHashable: Any]?) -> any ObjectStore {
        type.init(
            _opening: _StoreOpening(
                coordinator, configuration: old.configurationName, at: url, options: options))
    }

    /// Writes everything to an open store; closes it if that fails.
    private func fill(_ new: any ObjectStore) throws {
        do {
            var metadata = old.metadata ?? [:]
            for key in [NSStoreUUIDKey, NSStoreTypeKey, "_NSAutoVacuumLevel"] { metadata[key] = nil }
            new.metadata = metadata
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            try context.performAndWait { try copyObjects(context, to: new) }
            try new.saveMetadata()
        } catch {
            new.willRemove(from: coordinator)
            throw error
        }
    }

    /// Makes all objects in a separate context, as new ones with their existing references, and saves them.
    private func copyObjects(_ context: NSManagedObjectContext, to new: any ObjectStore) throws {
        var unit = UnitOfWork()
        var objects: [ObjectKey: NSManagedObject] = [:]
        var rows: [(object: NSManagedObject, row: Row)] = []
        for storedEntity in old.storedEntities {
            var query = FetchQuery(storedEntity: storedEntity)
            query.includesSubentities = false
            query.reader.client = context
            for row in try old.rows(for: query) {
                let object = storedEntity.instantiate(reference: row.reference)
                object.context = context
                object.row = row
                context.register(object)
                objects[ObjectKey(table: storedEntity.table, reference: row.reference)] = object
                rows.append((object, row))
            }
        }
        for (object, row) in rows { try load(object, row, objects, context) }
        // External data that could not be read must not be written.
        if let error = context.session.faultingError { throw error }
        try new.keepReferences(of: rows.map(\.object))
        let plan = StorePlan(old, author: nil, contextName: nil)
        var encoder = RowEncoder()
        for (object, row) in rows {
            let row = try encoder.row(
                object, object.storedEntity, plan, timestamp: Date.timeIntervalSinceReferenceDate,
                version: row.version)
            unit.inserts.append(.init(storedEntity: object.storedEntity, row: row))
            unit.objects.inserted.append(object)
            addLinks(object, &unit)
        }
        unit.objects.client = context
        do {
            if !unit.isEmpty { try new.fill(with: unit) }
        } catch let violations as ConstraintViolations {
            throw violations.cause
        }
        for (object, _) in rows { context.releaseUnsaved(object) }
    }

    /// Sets an object's values and destinations as its changes.
    private func load(
        _ object: NSManagedObject, _ row: Row, _ objects: [ObjectKey: NSManagedObject],
        _ context: NSManagedObjectContext
    ) throws {
        object.ensureValues()
        for (index, slot) in object.layout.slots.enumerated() where slot.isStored {
            switch slot.kind {
            case .toOne:
                let storedEntity = row.destinationStoredEntity(slot, old)
                let destination = storedEntity.flatMap {
                    objects[ObjectKey(table: $0.table, reference: row.integer(slot.rowSlot))]
                }
                object.values[index] = destination.map(SlotValue.object) ?? .null
            case .toMany:
                guard let relationship = slot.relationship else { continue }
                let found = try old.destinations(
                    of: relationship, storedEntity: object.storedEntity, owners: [object.reference],
                    for: StoreReader(client: context))
                let contents = ToManyContents(isOrdered: slot.isOrdered, isLoaded: true)
                for key in found[object.reference] ?? [] {
                    guard let table = old.storedEntity(number: key.entityNumber)?.table,
                        let destination = objects[ObjectKey(table: table, reference: key.reference)]
                    else { continue }
                    contents.insert(destination)
                }
                object.values[index] = .toMany(contents)
            // Its bytes are unchanged.
            case .transformable: continue
            default:
                object.values[index] =
                    slot.isExternal
                    ? object.stored(row, slot.rowSlot, slot) ?? .null : row.value(slot.rowSlot, slot)
            }
            object.touched.insert(index)
        }
    }

    private func addLinks(_ object: NSManagedObject, _ unit: inout UnitOfWork) {
        for index in object.layout.toManyIndexes where object.layout.slots[index].isStored {
            guard case .toMany(let contents) = object.values[index],
                let relationship = object.layout.slots[index].relationship
            else { continue }
            if relationship.keepsOwnLinks {
                unit.addedLinks += contents.members.map {
                    .init(relationship: relationship, owner: object.key, destination: $0.key)
                }
            }
            if contents.isOrdered {
                unit.orders.append(
                    .init(
                        relationship: relationship, owner: object.key, destinations: contents.order.map(\.key)
                    ))
            }
        }
    }
}
