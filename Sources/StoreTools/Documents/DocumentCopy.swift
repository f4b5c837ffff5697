import CoreDataSQL
import CoreData
import Synchronization

/// The objects of an XML or binary store in a SQLite store of its own, which goes with this: so tools look at all stores
/// in one way. All of such a file is in memory when it is read, and it is small beside databases.
///
/// Objects have the numbers of the file as their keys. What changes in the copy is written to the file by `save(_:)` only.
final class DocumentCopy: Sendable {
    /// A store with its folder. A reader keeps the store until it has read, also when another one has replaced it.
    private final class LocalStack: Sendable {
        let store: any InspectedStore
        let coordinator: NSPersistentStoreCoordinator
        /// Nil for a store in memory.
        private let folder: TemporaryFolder?

        init(_ model: NSManagedObjectModel, _ configuration: String?) throws {
            // No file is made with a model that was made from objects; neither is there external data then.
            folder = model.isReconstructed ? nil : try TemporaryFolder()
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            let made = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: configuration,
                at: folder?.url.appendingPathComponent("Copy.sqlite") ?? URL(fileURLWithPath: "/dev/null"))
            guard let made = made as? any InspectedStore else {
                throw StoreToolError("It is not a SQLite store.")
            }
            store = made
        }

        func close() {
            try? coordinator.remove(store)
            folder?.remove()
        }
    }

    private struct State {
        let stack: LocalStack
        /// What the copy could not take as it is, each as a sentence.
        let notices: [String]
        /// What the file held when the copy was made, or saved; nil for a copy that is only read.
        var contents: Data?
    }

    private let url: URL
    private let type: StoreFileType
    private let model: NSManagedObjectModel
    private let configuration: String?
    private let isReadOnly: Bool
    private let state: Mutex<State>

    var opened: (coordinator: NSPersistentStoreCoordinator, store: any InspectedStore) {
        state.withLock { ($0.stack.coordinator, $0.stack.store) }
    }

    /// What the copy could not take as it is, each as a sentence.
    var notices: [String] { state.withLock { $0.notices } }

    /// - Throws: as `NSPersistentStoreCoordinator.addPersistentStore(ofType:configurationName:at:options:)`: for a file that
    ///   is damaged, or is not one of the model; an error for a file that is to be saved and is write-protected.
    init(_ url: URL, _ type: StoreFileType, _ model: NSManagedObjectModel, isReadOnly: Bool) throws {
        (self.url, self.type, self.model, self.isReadOnly) = (url, type, model, isReadOnly)
        // A save renames a new file, which the protection of the old one would not keep from being lost.
        let files = FileManager.default
        guard isReadOnly || !files.fileExists(atPath: url.path) || files.isWritableFile(atPath: url.path)
        else {
            throw StoreToolError("The store at \(url.path) is write-protected: it can only be read.")
        }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: type.storeType, at: url)
        configuration = model.configuration(ofStoreWith: metadata)
        state = Mutex(try Self.read(url, type, model, configuration, isReadOnly: isReadOnly))
    }

    deinit { close() }

    /// Removes the copy. Who reads it still gets errors.
    func close() { state.withLock { $0.stack }.close() }

    /// A copy of what the file holds now.
    private static func read(
        _ url: URL, _ type: StoreFileType, _ model: NSManagedObjectModel, _ configuration: String?,
        isReadOnly: Bool
    ) throws -> State {
        let origin = NSPersistentStoreCoordinator(managedObjectModel: model)
        let opened = try origin.addPersistentStore(
            ofType: type.storeType, configurationName: configuration, at: url,
            options: [
                NSReadOnlyPersistentStoreOption: true, DocumentStore.guardsFileOption: !isReadOnly,
            ])
        defer { try? origin.remove(opened) }
        guard let source = opened as? any GuardedDocument else {
            throw StoreToolError("The store at \(url.path) cannot be read.")
        }
        let stack = try LocalStack(model, configuration)
        var notices: [String] = []
        try stack.store.importing { target in try copy(source, to: target, &notices) }
        return State(stack: stack, notices: notices, contents: source.knownContents)
    }

    /// Writes what a context of the copy has changed to the file, and then to the copy. To be called on its queue.
    ///
    /// - Throws: as `DocumentSave.write(_:)`; nothing has changed then. When the file was written and the copy could not be, the
    ///   context has lost its objects, which the file has, and the copy is made anew; an error says so. Where that fails too,
    ///   nothing is saved until `reread(for:)` succeeds.
    func save(_ context: NSManagedObjectContext) throws {
        context.processPendingChanges()
        guard context.hasChanges else { return try context.save() }
        let save = DocumentSave(
            url: url, storeType: type.storeType, configuration: configuration, model: model)
        let written = try save.write(context, replacing: state.withLock { $0.contents })
        state.withLock { $0.contents = written.contents }
        do {
            try number(written.numbers, in: context)
            try context.save()
        } catch {
            // The file has what was to be saved, which must not be saved to it once more.
            context.rollback()
            context.reset()
            // No file is equal to nothing.
            state.withLock { $0.contents = nil }
            try reread(for: context)
            throw StoreToolError(
                """
                Saved to \(url.path). The objects were read from there again, since the copy could not be updated: \
                \(error.localizedDescription)
                """)
        }
    }

    /// Gives new objects the keys that are their numbers in the file.
    private func number(
        _ numbers: [(object: NSManagedObject, number: Int64)], in context: NSManagedObjectContext
    ) throws {
        var rest = numbers.sorted { $0.number < $1.number }[...]
        while let first = rest.first {
            // Those that come one after the other in one entity.
            let run = rest.enumerated().prefix { index, next in
                next.object.entity === first.object.entity && next.number == first.number + Int64(index)
            }
            let store = opened.store
            guard let storedEntity = store.schema.entity(of: first.object.entity)?.storedEntity else {
                throw StoreToolError(
                    "The copy of \(url.path) has no entity '\(first.object.entity.name ?? "")'.")
            }
            try store.importing { try $0.reserve(upTo: first.number - 1, of: storedEntity) }
            try context.obtainPermanentIDs(for: run.map(\.element.object))
            guard run.allSatisfy({ $0.element.object.objectID.reference == $0.element.number }) else {
                throw StoreToolError("The copy of \(url.path) has objects that the file does not have.")
            }
            rest = rest.dropFirst(run.count)
        }
    }

    /// Reads the file's present contents into the copy. The context, on whose queue this is called, discards its changes.
    ///
    /// - Throws: as `init(_:_:_:isReadOnly:)`; everything is as it was then.
    func reread(for context: NSManagedObjectContext) throws {
        let fresh = try Self.read(url, type, model, configuration, isReadOnly: isReadOnly)
        context.rollback()
        context.reset()
        context.persistentStoreCoordinator = fresh.stack.coordinator
        state.withLock { $0 = fresh }
    }

    private static let batchSize = 256

    private static func copy(
        _ source: any ObjectStore, to target: StoreImport, _ notices: inout [String]
    ) throws {
        var builder = RowBuilder()
        var highest: [UInt32: (storedEntity: StoredEntity, key: Int64)] = [:]
        let schema = target.snapshot.schema
        for storedEntity in source.storedEntities where !storedEntity.entity.isAbstract {
            guard let entity = schema.entity(of: storedEntity.entity) else { continue }
            var query = FetchQuery(storedEntity: storedEntity)
            query.includesSubentities = false
            var unit = UnitOfWork()
            for row in try source.rows(for: query) {
                let made = try Self.row(row, storedEntity, entity, source, schema, &builder)
                let known = highest[entity.storedEntity.table]?.key ?? 0
                highest[entity.storedEntity.table] = (entity.storedEntity, max(known, made.reference))
                unit.inserts.append(.init(storedEntity: entity.storedEntity, row: made))
                guard unit.inserts.count == Self.batchSize else { continue }
                try target.save(unit)
                unit = UnitOfWork()
            }
            if !unit.isEmpty { try target.save(unit) }
        }
        for (storedEntity, key) in highest.values { try target.reserve(upTo: key, of: storedEntity) }
        try copyLinks(source, to: target, &notices)
    }

    /// The number that an object has in the file.
    private static func number(
        _ reference: Int64, _ storedEntity: StoredEntity, _ source: any ObjectStore
    ) throws -> Int64 {
        guard let number = Int64(source.referenceText(reference, storedEntity)) else {
            throw StoreToolError("An object of \(storedEntity.entity.name ?? "") has no number.")
        }
        return number
    }

    private static func row(
        _ row: CoreData.Row, _ storedEntity: StoredEntity, _ entity: SQLEntity, _ source: any ObjectStore,
        _ schema: SQLSchema, _ builder: inout RowBuilder
    ) throws -> CoreData.Row {
        builder.begin(slotCount: storedEntity.layout.rowSlotCount)
        for slot in storedEntity.layout.slots where slot.isStored && !row.isNull(slot.rowSlot) {
            switch slot.kind {
            case .toMany, .composite, .undefined, .fetched: continue
            case .toOne:
                let stored =
                    slot.entitySlot >= 0
                    ? source.storedEntity(number: Int32(truncatingIfNeeded: row.integer(slot.entitySlot)))
                    : nil
                guard
                    let destination = stored
                        ?? slot.relationship?.destinationEntity.flatMap(source.storedEntity(of:))
                else { continue }
                builder.set(
                    slot.rowSlot, integer: try number(row.integer(slot.rowSlot), destination, source))
                if slot.entitySlot >= 0, let number = schema.entity(of: destination.entity)?.number {
                    builder.set(slot.entitySlot, integer: Int64(number))
                }
            default: builder.copy(slot.rowSlot, from: row, hasBytes: slot.kind.hasBytes)
            }
        }
        return try builder.finish(
            reference: try number(row.reference, storedEntity, source), version: row.version,
            entityNumber: entity.number, timestamp: row.timestamp)
    }

    // MARK: Links

    private struct Link: Hashable {
        let owner: Int64
        let destination: Int64
    }

    private static func copyLinks(
        _ source: any ObjectStore, to target: StoreImport, _ notices: inout [String]
    ) throws {
        let relationships = Set(
            source.storedEntities.flatMap { storedEntity in
                let inherited = storedEntity.layout.superlayout?.slots.count ?? 0
                return storedEntity.layout.slots[inherited...].filter(\.isStored).compactMap(\.relationship)
            })
        let ordered = relationships.sorted {
            ($0.entity.name ?? "", $0.name) < ($1.entity.name ?? "", $1.name)
        }
        for relationship in ordered {
            let inverse = relationship.inverseRelationship.flatMap {
                Self.isCompared(relationship, $0) ? $0 : nil
            }
            guard relationship.isToMany || inverse != nil else { continue }
            let links = try Self.links(relationship, source)
            if let inverse,
                let notice = try Self.disagreement(relationship, links.flatMap(\.value), inverse, source)
            {
                notices.append(notice)
            }
            guard relationship.isToMany else { continue }
            var unit = UnitOfWork()
            for (entity, links) in links {
                guard let owner = target.snapshot.schema.entity(of: entity.entity),
                    let destination = relationship.destinationEntity.flatMap(
                        target.snapshot.schema.entity(of:))
                else { continue }
                try Self.add(
                    links, of: relationship, (owner.storedEntity.table, destination.storedEntity.table),
                    to: &unit)
            }
            if !unit.isEmpty { try target.save(unit) }
        }
    }

    /// In how many places the two ends of a relationship do not agree, as a sentence; nil when they do.
    private static func disagreement(
        _ relationship: NSRelationshipDescription, _ links: [Link], _ inverse: NSRelationshipDescription,
        _ source: any ObjectStore
    ) throws -> String? {
        let isOwnInverse = inverse === relationship
        let found = isOwnInverse ? links : try Self.links(inverse, source).flatMap(\.value)
        let others = found.map { Link(owner: $0.destination, destination: $0.owner) }
        // The links that only one end has; of a relationship that is its own inverse each is on both sides.
        let count = Set(links).symmetricDifference(others).count / (isOwnInverse ? 2 : 1)
        guard count > 0 else { return nil }
        return """
            \(relationship.entity.name ?? "").\(relationship.name) and its inverse do not agree in \(count) \
            place\(count == 1 ? "" : "s"); check lists them.
            """
    }

    /// Whether a relationship is the one of a pair that is compared with the other: the end to many, or else the one that
    /// sorts first.
    private static func isCompared(
        _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription
    ) -> Bool {
        if relationship.isToMany { return !inverse.isToMany || relationship.keepsOwnLinks }
        guard !inverse.isToMany else { return false }
        let (one, other) = (relationship.entity.name ?? "", inverse.entity.name ?? "")
        return (one, relationship.name) <= (other, inverse.name)
    }

    private static func add(
        _ links: [Link], of relationship: NSRelationshipDescription, _ tables: (UInt32, UInt32),
        to unit: inout UnitOfWork
    ) throws {
        var order: [Int64: [ObjectKey]] = [:]
        for link in links {
            let owner = ObjectKey(table: tables.0, reference: link.owner)
            let destination = ObjectKey(table: tables.1, reference: link.destination)
            if relationship.keepsOwnLinks {
                unit.addedLinks.append(
                    .init(relationship: relationship, owner: owner, destination: destination))
            } else if let inverse = relationship.inverseRelationship, inverse.isToMany {
                unit.addedLinks.append(
                    .init(relationship: inverse, owner: destination, destination: owner))
            }
            if relationship.isOrdered { order[link.owner, default: []].append(destination) }
        }
        for (owner, destinations) in order {
            unit.orders.append(
                .init(
                    relationship: relationship, owner: ObjectKey(table: tables.0, reference: owner),
                    destinations: destinations))
        }
    }

    /// What the objects of each entity have for a relationship, in the numbers of the file.
    private static func links(
        _ relationship: NSRelationshipDescription, _ source: any ObjectStore
    ) throws -> [(storedEntity: StoredEntity, value: [Link])] {
        try relationship.entity.selfAndDescendants.compactMap(source.storedEntity(of:)).filter {
            !$0.entity.isAbstract
        }
        .map { storedEntity in
            var query = FetchQuery(storedEntity: storedEntity)
            query.includesSubentities = false
            let owners = try source.keys(for: query).map(\.reference)
            let found = try source.destinations(
                of: relationship, storedEntity: storedEntity, owners: owners, for: StoreReader())
            let links = try owners.flatMap { owner in
                let key = try number(owner, storedEntity, source)
                return try (found[owner] ?? []).compactMap { destination -> Link? in
                    guard let storedEntity = source.storedEntity(number: destination.entityNumber) else {
                        return nil
                    }
                    return Link(
                        owner: key, destination: try number(destination.reference, storedEntity, source))
                }
            }
            return (storedEntity, links)
        }
    }
}
