import CoreData
import GRDB

/// Puts the objects of a dump into a store, in one transaction.
///
/// In a new store objects keep their primary keys; in one that has objects, those of each table are counted on from the
/// highest. Values are taken as they are: the model's validation rules, which real stores break, are not asked.
package struct DumpImport {
    private let dump: DumpFile

    package init(_ file: URL) { dump = DumpFile(file) }

    /// How many objects are written at once, at most, and about how many bytes.
    private static let batchSize = 256
    private static let batchBytes = 4 << 20

    /// Makes a new store. It is there when it is complete.
    ///
    /// - Parameters:
    ///   - url: the place, where nothing is, and beside which no log of another store is.
    ///   - model: the model of the store; nil for that of the dump.
    ///   - progress: gets how many bytes of the two readings were read.
    ///   - notice: gets what could not come in as it is, each as a sentence.
    /// - Returns: the number of objects.
    /// - Throws: an error that names the object, the line, or what of the store cannot be done.
    package func make(
        _ url: URL, model: NSManagedObjectModel?, progress: (Int) -> Void = { _ in },
        notice: (String) -> Void = { _ in }
    ) throws -> Int {
        let place = NewStorePlace(url)
        try place.requireEmpty()
        let header = try dump.header()
        let draft = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
        defer {
            for suffix in [""] + NewStorePlace.logSuffixes {
                try? FileManager.default.removeItem(atPath: draft.path + suffix)
            }
        }
        let target = try OpenStore(
            draft, model: try model ?? header.model(), isReadOnly: false, makesFile: true)
        let count: Int
        do {
            count = try add(to: target, progress, notice: notice)
        } catch {
            try? target.close()
            throw error
        }
        try target.close()
        if model == nil, let archive = header.modelArchive {
            // The copy of the model stays what it was, with what of it is not known here.
            try SQLiteStoreTables(draft).write {
                try $0.execute(sql: "UPDATE \(ModelCache.table) SET Z_CONTENT = ?", arguments: [archive])
            }
        }
        if !header.metadata.isEmpty {
            try StoreMetadata(draft).change(setting: header.metadata, removing: [])
        }
        try place.take(draft)
        return count
    }

    /// Adds the objects to a store, all or none.
    ///
    /// - Parameters:
    ///   - target: a store that is open for writing.
    ///   - progress: gets how many bytes of the two readings were read.
    ///   - notice: gets what could not come in as it is, each as a sentence.
    /// - Returns: the number of objects.
    /// - Throws: as `make(_:model:progress:)`.
    package func add(
        to target: OpenStore, _ progress: (Int) -> Void = { _ in }, notice: (String) -> Void = { _ in }
    ) throws -> Int {
        var count = 0
        var missingFiles = MissingFiles()
        try target.store.importing { store in
            let keys = ImportedKeys(store)
            count = try addRows(to: store, keys, &missingFiles, progress)
            try keys.reserve()
            try keys.checkDestinations()
            try addLinks(to: store, keys, progress)
        }
        if let text = missingFiles.notice { notice(text) }
        return count
    }

    private func addRows(
        to store: StoreImport, _ keys: ImportedKeys, _ missingFiles: inout MissingFiles,
        _ progress: (Int) -> Void
    ) throws -> Int {
        var builder = ObjectBuilder(store.snapshot.schema, key: keys.key)
        var unit = UnitOfWork()
        var count = 0
        var size = 0
        try dump.forEachObject { object, values, bytes in
            let row = try builder.row(values, object)
            missingFiles.note(values)
            guard let entity = store.snapshot.schema.entity(row.entityNumber) else { return }
            keys.note(row, entity)
            unit.inserts.append(.init(home: entity.home, row: row))
            count += 1
            size += row.cost
            if unit.inserts.count >= Self.batchSize || size >= Self.batchBytes {
                try store.save(unit)
                unit = UnitOfWork()
                size = 0
                progress(bytes)
            }
        }
        if !unit.inserts.isEmpty { try store.save(unit) }
        return count
    }

    /// When all rows are there: links, and orders, stand in tables of their own or in the rows of destinations.
    private func addLinks(to store: StoreImport, _ keys: ImportedKeys, _ progress: (Int) -> Void) throws {
        let builder = ObjectBuilder(store.snapshot.schema, key: keys.key)
        var links = UnitOfWork()
        // What is told must be what came of it; and an order counts when the links are there.
        var orders = UnitOfWork()
        var total = 0
        func flush() throws {
            if !links.isEmpty { try store.save(links) }
            links = UnitOfWork()
        }
        try dump.forEachObject { object, values, bytes in
            total = bytes
            try forEachList(object, values, store.snapshot.schema) { relationship, entity, value in
                guard relationship.keepsOwnLinks else { return }
                let owner = ObjectKey(table: entity.home.table, reference: try keys.key(object, entity))
                for key in try builder.destinations(value, of: relationship, object) {
                    links.addedLinks.append(
                        .init(relationship: relationship, owner: owner, destination: key))
                }
            }
            if links.addedLinks.count >= Self.batchSize { try flush() }
        }
        try flush()
        guard store.snapshot.schema.hasLists else { return }
        try dump.forEachObject { object, values, bytes in
            try forEachList(object, values, store.snapshot.schema) { relationship, entity, value in
                let owner = ObjectKey(table: entity.home.table, reference: try keys.key(object, entity))
                let list = try builder.destinations(value, of: relationship, object)
                let linked = try store.snapshot.destinations(of: relationship, owners: [owner.reference])
                guard Set(list.map(\.reference)) == Set((linked[owner.reference] ?? []).map(\.reference))
                else {
                    throw StoreToolError(
                        """
                        \(object), '\(relationship.name)': the list names an object that is not there, or is not what \
                        other objects say.
                        """)
                }
                guard relationship.isOrdered else { return }
                orders.orders.append(.init(relationship: relationship, owner: owner, destinations: list))
            }
            if orders.orders.count >= Self.batchSize {
                try store.save(orders)
                orders = UnitOfWork()
            }
            progress(total + bytes)
        }
        if !orders.isEmpty { try store.save(orders) }
    }

    private func forEachList(
        _ object: ObjectReference, _ values: [String: JSONValue], _ schema: SQLSchema,
        _ body: (NSRelationshipDescription, SQLEntity, JSONValue) throws -> Void
    ) throws {
        guard let entity = schema.entities.first(where: { $0.name == object.entity }) else { return }
        for slot in entity.home.layout.slots where slot.kind == .toMany && slot.isStored {
            guard let relationship = slot.relationship, let value = values[slot.name] else { continue }
            try body(relationship, entity, value)
        }
    }
}

extension SQLSchema {
    /// Whether any to-many relationship is told.
    fileprivate var hasLists: Bool {
        entities.contains { $0.home.layout.slots.contains { $0.kind == .toMany && $0.isStored && $0.isTold } }
    }
}
