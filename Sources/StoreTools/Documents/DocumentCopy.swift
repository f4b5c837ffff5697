import CoreData

/// The objects of an XML or binary store in a SQLite store of its own, which goes with this: so tools look at all stores
/// in one way. All of such a file is in memory when it is read, and it is small beside databases.
///
/// Objects have the numbers of the file as their keys.
final class DocumentCopy {
    let store: SQLiteStore
    let coordinator: NSPersistentStoreCoordinator
    /// What the copy could not take as it is, each as a sentence.
    private(set) var notices: [String] = []
    /// Where the copy is; nil when it is in memory.
    private let folder: URL?

    /// - Throws: as `NSPersistentStoreCoordinator.addPersistentStore(ofType:configurationName:at:options:)`: for a file that
    ///   is damaged, or is not one of the model.
    init(_ url: URL, _ type: StoreFileType, _ model: NSManagedObjectModel) throws {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: type.storeType, at: url)
        let configuration = ModelCache.configuration(of: model, for: metadata)
        let origin = NSPersistentStoreCoordinator(managedObjectModel: model)
        let opened = try origin.addPersistentStore(
            ofType: type.storeType, configurationName: configuration, at: url,
            options: [NSReadOnlyPersistentStoreOption: true])
        defer { try? origin.remove(opened) }
        guard let source = opened as? any ObjectStore else {
            throw StoreToolError("The store at \(url.path) cannot be read.")
        }
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        // No file is made with a model that was made from objects; neither is there external data then.
        folder = model.isReconstructed ? nil : try Self.makeFolder()
        do {
            let made = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: configuration,
                at: folder?.appendingPathComponent("Copy.sqlite") ?? URL(fileURLWithPath: "/dev/null"))
            guard let made = made as? SQLiteStore else {
                throw StoreToolError("The store at \(url.path) cannot be copied.")
            }
            store = made
        } catch {
            if let folder { try? FileManager.default.removeItem(at: folder) }
            throw error
        }
        // From here on `deinit` removes the folder.
        try store.importing { target in try copy(source, to: target) }
    }

    deinit {
        try? coordinator.remove(store)
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    /// A folder that nobody else may look into.
    private static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "coredata-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        return folder
    }

    private static let batchSize = 256

    private func copy(_ source: any ObjectStore, to target: StoreImport) throws {
        var builder = RowBuilder()
        var highest: [UInt32: (home: StoredEntity, key: Int64)] = [:]
        let schema = target.snapshot.schema
        for home in source.homes where !home.entity.isAbstract {
            guard let entity = schema.entity(of: home.entity) else { continue }
            var query = FetchQuery(home: home)
            query.includesSubentities = false
            var unit = UnitOfWork()
            for row in try source.rows(for: query) {
                let made = try Self.row(row, home, entity, source, schema, &builder)
                let known = highest[entity.home.table]?.key ?? 0
                highest[entity.home.table] = (entity.home, max(known, made.reference))
                unit.inserts.append(.init(home: entity.home, row: made))
                guard unit.inserts.count == Self.batchSize else { continue }
                try target.save(unit)
                unit = UnitOfWork()
            }
            if !unit.isEmpty { try target.save(unit) }
        }
        for (home, key) in highest.values { try target.reserve(upTo: key, of: home) }
        try copyLinks(source, to: target)
    }

    /// The number that an object has in the file.
    private static func number(
        _ reference: Int64, _ home: StoredEntity, _ source: any ObjectStore
    ) throws -> Int64 {
        guard let number = Int64(source.referenceText(reference, home)) else {
            throw StoreToolError("An object of \(home.entity.name ?? "") has no number.")
        }
        return number
    }

    private static func row(
        _ row: CoreData.Row, _ home: StoredEntity, _ entity: SQLEntity, _ source: any ObjectStore,
        _ schema: SQLSchema, _ builder: inout RowBuilder
    ) throws -> CoreData.Row {
        builder.begin(slotCount: home.layout.rowSlotCount)
        for slot in home.layout.slots where slot.isStored && !row.isNull(slot.rowSlot) {
            switch slot.kind {
            case .toMany, .composite, .undefined, .fetched: continue
            case .toOne:
                let stored =
                    slot.entitySlot >= 0
                    ? source.home(number: Int32(truncatingIfNeeded: row.integer(slot.entitySlot))) : nil
                guard
                    let destination = stored
                        ?? slot.relationship?.destinationEntity.flatMap(source.home(of:))
                else { continue }
                builder.set(
                    slot.rowSlot, integer: try number(row.integer(slot.rowSlot), destination, source))
                if slot.entitySlot >= 0, let number = schema.entity(of: destination.entity)?.number {
                    builder.set(slot.entitySlot, integer: Int64(number))
                }
            default: builder.copy(slot.rowSlot, from: row, hasBytes: slot.kind.hasBytes)
            }
        }
        return builder.finish(
            reference: try number(row.reference, home, source), version: row.version,
            entityNumber: entity.number, timestamp: row.timestamp)
    }

    // MARK: Links

    private struct Link: Hashable {
        let owner: Int64
        let destination: Int64
    }

    private func copyLinks(_ source: any ObjectStore, to target: StoreImport) throws {
        let relationships = Set(
            source.homes.flatMap { home in
                let inherited = home.layout.superlayout?.slots.count ?? 0
                return home.layout.slots[inherited...].filter(\.isStored).compactMap(\.relationship)
            })
        let ordered = relationships.sorted {
            ($0.entity.name ?? "", $0.name) < ($1.entity.name ?? "", $1.name)
        }
        for relationship in ordered {
            let inverse = relationship.inverseRelationship.flatMap {
                Self.speaks(relationship, $0) ? $0 : nil
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
                    links, of: relationship, (owner.home.table, destination.home.table), to: &unit)
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
    private static func speaks(
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
    ) throws -> [(home: StoredEntity, value: [Link])] {
        try relationship.entity.selfAndDescendants.compactMap(source.home(of:)).filter {
            !$0.entity.isAbstract
        }
        .map { home in
            var query = FetchQuery(home: home)
            query.includesSubentities = false
            let owners = try source.keys(for: query).map(\.reference)
            let found = try source.destinations(
                of: relationship, home: home, owners: owners, in: nil)
            let links = try owners.flatMap { owner in
                let key = try number(owner, home, source)
                return try (found[owner] ?? []).compactMap { destination -> Link? in
                    guard let home = source.home(number: destination.entityNumber) else { return nil }
                    return Link(
                        owner: key, destination: try number(destination.reference, home, source))
                }
            }
            return (home, links)
        }
    }
}
