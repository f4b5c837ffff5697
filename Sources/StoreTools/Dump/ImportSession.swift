import CoreDataSQL
import CoreData

/// Puts objects into a store in one transaction: rows as they come, what leads from one to another when all are there.
///
/// What leads nowhere is left out and reported: a user who saves what is left of a damaged store wants the rest.
final class ImportSession {
    private let store: StoreImport
    private let keepsKeys: Bool
    private let keys: ImportedKeys
    private let spool: ImportSpool
    private var builder: ObjectBuilder
    private var unit = UnitOfWork()
    private var unitSize = 0
    /// The times of their last saves that the input has for objects of the unit.
    private var explicitTimes: [(entity: SQLEntity, row: CoreData.Row, slots: [PropertySlot])] = []
    private var missingFiles = MissingFiles()
    private var skippedRows = SkippedRows()
    private var count = 0

    /// How many objects are written at once, at most, and about how many bytes.
    private static let batchSize = 256
    private static let batchBytes = 4 << 20

    /// - Parameters:
    ///   - keepsKeys: whether the store is new, and objects keep their keys.
    ///   - reconstruction: what the model of the dump was made from; nil for a real one.
    init(_ store: StoreImport, keepsKeys: Bool, reconstruction: ModelReconstruction?) throws {
        self.store = store
        self.keepsKeys = keepsKeys
        let keys = try ImportedKeys(store, keepsKeys: keepsKeys)
        self.keys = keys
        spool = try ImportSpool(store.snapshot)
        builder = ObjectBuilder(store.snapshot.schema, reconstruction: reconstruction, key: keys.key)
    }

    private var schema: SQLSchema { store.snapshot.schema }

    /// Takes an object.
    ///
    /// - Throws: an error that names the object and what of it does not fit; an error of SQLite.
    func add(_ object: ObjectReference, _ values: [String: JSONValue]) throws {
        guard !keepsKeys || object.key > 0 else { return try spool.add(object, values) }
        try insert(object, values)
    }

    private func insert(_ object: ObjectReference, _ values: [String: JSONValue]) throws {
        let made = try builder.object(values, object)
        missingFiles.note(values)
        try keys.note(made.row, made.entity)
        unit.inserts.append(.init(storedEntity: made.entity.storedEntity, row: made.row))
        if !made.explicitTimes.isEmpty { explicitTimes.append((made.entity, made.row, made.explicitTimes)) }
        for waiting in made.waiting { try spool.add(waiting, of: made.row.reference, made.entity) }
        for list in made.lists { try spool.add(list) }
        count += 1
        unitSize += made.row.cost
        if unit.inserts.count >= Self.batchSize || unitSize >= Self.batchBytes { try flush() }
    }

    private func flush() throws {
        if !unit.isEmpty { try store.save(unit) }
        unit = UnitOfWork()
        unitSize = 0
        for (entity, row, slots) in explicitTimes { try store.keepTimes(slots, of: row, entity) }
        explicitTimes = []
    }

    /// Puts in what waited.
    ///
    /// - Throws: an error of SQLite.
    func finish() throws -> DumpImport.Outcome {
        keys.isComplete = true
        try spool.forEachObject(insert)
        try flush()
        try spool.forEachReference(lead)
        try keys.reserve()
        try removeStrays()
        try link()
        try arrange()
        try spool.removeTables()
        try keys.removeTables()
        return DumpImport.Outcome(
            count: count, notices: [missingFiles.notice].compactMap(\.self), skippedRows: skippedRows.notices)
    }

    // MARK: To-one relationships

    private func lead(
        _ owner: SQLEntity, _ key: Int64, _ slot: PropertySlot, _ object: ObjectReference, _ entity: SQLEntity
    ) throws {
        guard let destination = try keys.imported(object, entity) else {
            try skippedRows.note("\(owner.name).\(slot.name)", Self.missing) {
                (try keys.object(key, owner), object)
            }
            return
        }
        var values = [(owner.column(rowSlot: slot.rowSlot)?.name, destination)]
        if slot.entitySlot >= 0 {
            values.append((owner.column(rowSlot: slot.entitySlot)?.name, Int64(entity.number)))
        }
        for case (let column?, let value) in values {
            try store.update(RowLookup.change(column, to: value, key, of: owner))
        }
    }

    private static let missing = "it leads to an object that does not exist"

    private func removeStrays() throws {
        let references = ReferenceFaults(schema)
        let kinds: [((SQLEntity) -> [ReferenceFaults.Query], String)] = [
            (references.dangling, Self.missing),
            (references.wrongEntities, "it leads to an object of another entity than the one given"),
            (references.oneSided, "the inverse does not lead back"),
        ]
        for (queries, reason) in kinds {
            for entity in schema.entities {
                guard let first = keys.first(entity) else { continue }
                for query in queries(entity) { try removeStrays(query, entity, above: first, reason) }
            }
        }
    }

    private func removeStrays(
        _ query: ReferenceFaults.Query, _ entity: SQLEntity, above first: Int64, _ reason: String
    ) throws {
        var last = first
        while true {
            var rows: [(key: Int64, destination: Int64)] = []
            try store.snapshot.connection.forEachPair(of: query.next(1000, above: last)) {
                rows.append(($0, $1))
            }
            guard !rows.isEmpty else { return }
            for (key, destination) in rows {
                last = key
                try skippedRows.note("\(entity.name).\(query.property)", reason) {
                    (try keys.object(key, entity), try keys.object(destination, query.destination))
                }
                try store.update(query.removal(from: key))
            }
        }
    }

    // MARK: To-many relationships

    /// The members of a list that are there, each once, with their positions in the dump.
    private func members(
        _ list: ImportSpool.List, telling: Bool
    ) throws -> [(key: ObjectKey, object: ObjectReference)] {
        var members: [(key: ObjectKey, object: ObjectReference)] = []
        var known: Set<Int64> = []
        for (object, entity) in list.destinations {
            let reason: String
            if let key = try keys.imported(object, entity) {
                if known.insert(key).inserted {
                    members.append((ObjectKey(table: entity.storedEntity.table, reference: key), object))
                    continue
                }
                reason = "the list has an object twice"
            } else {
                reason = "the list has an object that does not exist"
            }
            if telling { try note(list, object, reason) }
        }
        return members
    }

    private func note(_ list: ImportSpool.List, _ object: ObjectReference, _ reason: String) throws {
        try skippedRows.note("\(list.owner.name).\(list.relationship.name)", reason) {
            (try keys.object(list.ownerKey, list.owner), object)
        }
    }

    /// Links that are not in rows of objects: those of join tables, from both of their ends, and of relationships
    /// without inverse.
    private func link() throws {
        var links = UnitOfWork()
        try spool.forEachList { list in
            let owner = ObjectKey(table: list.owner.storedEntity.table, reference: list.ownerKey)
            let inverse = list.relationship.inverseRelationship
            for (member, _) in try members(list, telling: true) {
                if list.relationship.keepsOwnLinks {
                    links.addedLinks.append(
                        .init(relationship: list.relationship, owner: owner, destination: member))
                } else if let inverse, inverse.isToMany {
                    links.addedLinks.append(.init(relationship: inverse, owner: member, destination: owner))
                }
            }
            guard links.addedLinks.count >= Self.batchSize else { return }
            try store.save(links)
            links = UnitOfWork()
        }
        if !links.isEmpty { try store.save(links) }
    }

    /// Orders, when all links are there. Whom a list has, and the objects do not, is left out; whom it lacks comes last.
    private func arrange() throws {
        var orders = UnitOfWork()
        try spool.forEachList { list in
            let linked =
                try store.snapshot.destinations(
                    of: list.relationship, owners: [list.ownerKey])[list.ownerKey] ?? []
            let linkedKeys = Set(linked.map(\.reference))
            var keys: [ObjectKey] = []
            for (key, object) in try members(list, telling: false) {
                if linkedKeys.contains(key.reference) {
                    keys.append(key)
                } else {
                    try note(list, object, "the list has an object that does not lead back")
                }
            }
            guard list.relationship.isOrdered else { return }
            let listed = Set(keys.map(\.reference))
            let table =
                list.relationship.destinationEntity.flatMap(schema.entity(of:))?.storedEntity.table ?? 0
            keys += linked.map(\.reference).filter { !listed.contains($0) }.sorted()
                .map { ObjectKey(table: table, reference: $0) }
            guard !keys.isEmpty else { return }
            orders.orders.append(
                .init(
                    relationship: list.relationship,
                    owner: ObjectKey(table: list.owner.storedEntity.table, reference: list.ownerKey),
                    destinations: keys))
            guard orders.orders.count >= Self.batchSize else { return }
            try store.save(orders)
            orders = UnitOfWork()
        }
        if !orders.isEmpty { try store.save(orders) }
    }
}
