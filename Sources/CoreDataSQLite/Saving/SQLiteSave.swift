import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import GRDB
import GRDBSQLite
import ManagedObjectModel

extension SQLiteStore {
    package func newReferences(for groups: [NewObjects]) throws -> [[Int64]] {
        try write("reserve object IDs") { database in
            let save = SQLiteSave(self, database)
            return try groups.map { group in
                let first = try save.reserve(group.home, count: group.objects.count)
                return group.objects.indices.map { first + Int64($0) }
            }
        }
    }

    package func save(_ unit: UnitOfWork) throws -> SaveOutcome {
        try changingFiles { files in try saveRows(files.take(unit), files) }
    }

    private func saveRows(_ unit: UnitOfWork, _ files: ExternalFiles) throws -> SaveOutcome {
        do {
            return try save(unit, files, vacating: false)
        } catch let error as NSError where error.isConstraintMerge {
            try read("check the uniqueness constraints") { database in
                try ConstraintCheck(self, database).check(unit, cause: error)
            }
            // In the end no two rows have the same values, but they have on the way there.
            return try save(unit, files, vacating: true)
        }
    }

    private func save(_ unit: UnitOfWork, _ files: ExternalFiles, vacating: Bool) throws -> SaveOutcome {
        try write("save", files, isDurable: files.isChangingFiles) { database in
            let save = SQLiteSave(self, database)
            if vacating { try save.vacate(unit.updates) }
            let outcome = try save.run(unit)
            if try writers.areSeveral(with: unit.objects.client, database) {
                try DanglingLinkCheck(self, database).check(unit)
            }
            try writeMetadata(database)
            noteOwnTransaction(outcome.historyNumber, database)
            // While no other connection can write, so that this row does not replace that of the next save. Before
            // `write` returns, so nothing is shared.
            nonisolated(unsafe) let saved = (unit, outcome)
            database.afterNextTransaction { _ in self.keepInCache(saved.0, saved.1) }
            return outcome
        }
    }

    private func keepInCache(_ unit: UnitOfWork, _ outcome: SaveOutcome) {
        rowCache.update { cache in
            var start = 0
            while start < outcome.inserted.count {
                // Objects of one table mostly come one after the other.
                let table = unit.inserts[start].home.table
                let end =
                    unit.inserts[start...].firstIndex { $0.home.table != table } ?? outcome.inserted.count
                cache.add(outcome.inserted[start..<end], table)
                start = end
            }
            for (update, row) in zip(unit.updates, outcome.updated) { cache.add(row, update.home.table) }
            for (home, reference, values) in outcome.affected {
                let key = ObjectKey(table: home.table, reference: reference)
                guard let row = cache.row(key) else { continue }
                // What was reported of another entity than the row's, or does not fit, is read from the file.
                if let newer = try? row.replacing(values, home) {
                    cache.add(newer, home.table)
                } else {
                    cache.remove(key)
                }
            }
            for deletion in unit.deletions {
                cache.remove(ObjectKey(table: deletion.home.table, reference: deletion.old.reference))
            }
        }
    }

    package func saveMetadata() throws {
        guard hasUnsavedMetadata else { return }
        try write("save the metadata", writeMetadata)
    }

    /// Runs a transaction, which is rolled back when `body` throws.
    ///
    /// - Throws: 134070 when the caller is called from inside of another transaction; what `body` throws.
    func write<Value>(_ what: String, _ body: (Database) throws -> Value) throws -> Value {
        try write(what, isDurable: false, body)
    }

    /// Runs a transaction that outlives a power cut once this returns.
    func writeDurably<Value>(_ what: String, _ body: (Database) throws -> Value) throws -> Value {
        try write(what, isDurable: true, body)
    }

    private func write<Value>(
        _ what: String, isDurable: Bool, _ body: (Database) throws -> Value
    ) throws -> Value {
        let connections = try writer()
        func reporting(_ database: Database) throws -> Value {
            reports.begin(schema)
            defer { reports.removeAll() }
            return try MatchBudget.sharing { try body(database) }
        }
        do {
            return try turns.enter(orThrow: nestedUse(what)) {
                try isDurable ? connections.writeDurably(reporting) : connections.write(reporting)
            }
        } catch let error as DatabaseError {
            throw saveError(error, what)
        }
    }

    /// Runs a transaction that may change files of external data.
    ///
    /// - Parameter isDurable: whether it does; by default, whether any entity can have such files.
    func write<Value>(
        _ what: String, _ files: ExternalFiles, isDurable: Bool? = nil,
        _ body: (Database) throws -> Value
    ) throws -> Value {
        try write(what, isDurable: isDurable ?? keepsExternalData) { database in
            files.begin()
            let value = try body(database)
            try files.prepareCommit()
            return value
        }
    }

    private var keepsExternalData: Bool {
        fileURL != nil && homes.contains { !$0.layout.externalSlots.isEmpty }
    }

    /// Runs a block whose transaction may change files of external data; afterwards files and rows agree.
    func changingFiles<Value>(_ body: (ExternalFiles) throws -> Value) throws -> Value {
        let files = ExternalFiles(of: self)
        do {
            let value = try body(files)
            files.end(nil)
            return value
        } catch {
            files.end(error)
            throw error
        }
    }

    private func saveError(_ error: DatabaseError, _ what: String) -> NSError {
        // Triggers and conditions of the file, and keys that are there twice, violate no constraint of the model.
        guard error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE else {
            return .sqlite(error, during: what, store: url)
        }
        return .coreData(
            .managedObjectConstraintMerge,
            "Could not \(what): a uniqueness constraint is violated (\(error.message ?? "")).",
            [
                NSSQLiteErrorDomain: NSNumber(value: error.extendedResultCode.rawValue),
                NSUnderlyingErrorKey: NSError(
                    domain: NSSQLiteErrorDomain, code: Int(error.extendedResultCode.rawValue),
                    userInfo: [NSLocalizedDescriptionKey: error.message ?? ""]),
            ])
    }
}

extension NSError {
    fileprivate var isConstraintMerge: Bool {
        domain == NSCocoaErrorDomain && code == CocoaError.Code.managedObjectConstraintMerge.rawValue
    }
}

/// What decides which UPDATE statement an object takes.
private struct UpdateShape: Hashable {
    let entity: Int32
    let changed: PropertySet
}

/// One save's transaction.
struct SQLiteSave {
    private let store: SQLiteStore
    private let database: Database
    private let compiler: SaveCompiler
    private var schema: SQLSchema { store.schema }

    init(_ store: SQLiteStore, _ database: Database) {
        self.store = store
        self.database = database
        compiler = SaveCompiler(schema: store.schema)
    }

    /// - Parameter historyNumber: the number of the transaction of history that this belongs to; nil for a new one.
    func run(_ unit: UnitOfWork, historyNumber: Int64? = nil) throws -> SaveOutcome {
        let references = try assignReferences(unit.inserts)
        var mismatches: [ChangedRows.Candidate] = []
        var outcome = SaveOutcome()
        // Owners go before what they own, so that derived values of the dead are not computed.
        let missing = try delete(unit.deletions, &mismatches)
        outcome.inserted = try insert(unit.inserts, references)
        outcome.updated = try update(unit.updates, references, &mismatches)
        mismatches += unit.locks.map { .init(home: $0.home, old: $0.old, isDeletion: false) }
        let conflicts = try ChangedRows(store, database).conflicts(among: mismatches)
        if !conflicts.isEmpty { throw SaveConflicts(conflicts) }
        let reordered = try write(unit, references)
        try takeDerivedValues(unit, &outcome)
        if let history = store.history, history.isTracking, !unit.isEmpty {
            outcome.historyNumber = try HistoryWriter(store: store, history: history, database: database)
                .write(unit, outcome, missing: missing, reordered: reordered, into: historyNumber)
        }
        return outcome
    }

    /// Takes from the rows what changes of the values that must be unique, so that others can have them first.
    func vacate(_ updates: [UnitOfWork.Update]) throws {
        let save = UUID().uuidString
        var unique: [Int32: [SQLColumn]] = [:]
        for update in updates {
            let entity = schema.entity(update.home)
            let constrained = unique[entity.number] ?? schema.uniqueColumns(entity)
            unique[entity.number] = constrained
            let columns = constrained.filter { update.changed.contains($0.slot) }
            guard !columns.isEmpty else { continue }
            // Data that begins with no digit is zero to sums.
            let nobodys = SQLValue.blob(Data("vacant \(save) \(update.old.reference)".utf8))
            let values = columns.flatMap { column -> [SQLValue] in
                [.integer(update.row.isNull(column.rowSlot) ? 1 : 0), nobodys]
            }
            try execute(
                compiler.vacate(entity, columns),
                values + [.integer(update.old.reference), .integer(update.old.version)])
        }
    }

    /// Gives a row that came in the times of its last save that it has itself. The triggers of such attributes look at
    /// inserts and at versions only, so these stay.
    ///
    /// - Parameter slots: attributes of the entity that are derived by `now()`.
    func keepTimes(_ slots: [PropertySlot], of row: Row, _ entity: SQLEntity) throws {
        for slot in slots {
            guard let column = entity.column(rowSlot: slot.rowSlot) else { continue }
            try execute(
                "UPDATE \(schema.quoted(entity.table)) SET \(schema.quoted(column.name)) = ? WHERE Z_PK = ?",
                [
                    row.isNull(slot.rowSlot) ? .null : .double(row.double(slot.rowSlot)),
                    .integer(row.reference),
                ])
        }
    }

    // MARK: References

    /// Takes `count` references of an entity's table; the first one.
    func reserve(_ home: StoredEntity, count: Int) throws -> Int64 {
        let root = home.entity.rootEntity
        let number = Int64(store.home(of: root)?.entityNumber ?? home.entityNumber)
        try execute(compiler.reserve(schema.entity(home)), [.integer(Int64(count)), .integer(number)])
        let highest = try SQLiteReader(database).integer(
            SQLStatement(compiler.highest(schema.entity(home)), [.integer(Int64(count)), .integer(number)]))
        guard highest >= count, highest < Int.max else {
            throw NSError.coreData(
                .coreData,
                """
                The store is damaged: Z_PRIMARYKEY has no number left for a new object of entity \
                '\(home.entity.name ?? "")'.
                """)
        }
        return Int64(highest) - Int64(count) + 1
    }

    /// The references that new rows get, by the temporary ones they have.
    private func assignReferences(_ inserts: [UnitOfWork.Insert]) throws -> ReferenceMap<Int64> {
        let references = ReferenceMap<Int64>()
        let temporary = inserts.lazy.filter { $0.row.reference < 0 }
        var groups: [(home: StoredEntity, count: Int)] = []
        for insert in temporary {
            if let place = groups.firstIndex(where: { $0.home.table == insert.home.table }) {
                groups[place].count += 1
            } else {
                groups.append((insert.home, 1))
            }
        }
        references.reserve(groups.reduce(0) { $0 + $1.count })
        for (home, count) in groups {
            var next = try reserve(home, count: count)
            for insert in temporary where insert.home.table == home.table {
                references.set(next, for: insert.row.reference)
                next += 1
            }
        }
        return references
    }

    // MARK: Rows

    private func insert(_ inserts: [UnitOfWork.Insert], _ references: ReferenceMap<Int64>) throws -> [Row] {
        var rows: [Row] = []
        rows.reserveCapacity(inserts.count)
        var writers: [Int32: RowWriter] = [:]
        defer { for writer in writers.values { writer.finish() } }
        var last: (entity: SQLEntity, writer: RowWriter)?
        for insert in inserts {
            if last?.entity.home !== insert.home {
                let entity = schema.entity(insert.home)
                let writer =
                    try writers[entity.number]
                    ?? RowWriter(database, compiler.insert(entity), entity.columns)
                writers[entity.number] = writer
                last = (entity, writer)
            }
            guard let last else { continue }
            let row = try insert.row.resolved(references, last.entity)
            try last.writer.insert(row)
            rows.append(row)
        }
        return rows
    }

    private func update(
        _ updates: [UnitOfWork.Update], _ references: ReferenceMap<Int64>,
        _ mismatches: inout [ChangedRows.Candidate]
    ) throws -> [Row] {
        var rows: [Row] = []
        rows.reserveCapacity(updates.count)
        // Objects that changed alike share a statement, and mostly come one after the other.
        var writers: [UpdateShape: RowWriter] = [:]
        defer { for writer in writers.values { writer.finish() } }
        var last: (home: StoredEntity, changed: PropertySet, entity: SQLEntity, writer: RowWriter)?
        for update in updates {
            if last?.home !== update.home || last?.changed != update.changed {
                let entity = schema.entity(update.home)
                let shape = UpdateShape(entity: entity.number, changed: update.changed)
                let writer =
                    try writers[shape]
                    ?? {
                        let columns = entity.columns.filter { update.changed.contains($0.slot) }
                        return try RowWriter(database, compiler.update(entity, columns), columns)
                    }()
                writers[shape] = writer
                last = (update.home, update.changed, entity, writer)
            }
            guard let last else { continue }
            let row = try update.row.resolved(references, last.entity)
            if try !last.writer.update(row, oldVersion: update.old.version) {
                mismatches.append(
                    .init(home: update.home, old: update.old, isDeletion: false, isUnwritten: true))
            }
            rows.append(row)
        }
        return rows
    }

    /// Deletes rows; the positions of those that others have deleted already.
    private func delete(
        _ deletions: [UnitOfWork.Deletion], _ mismatches: inout [ChangedRows.Candidate]
    ) throws -> Set<Int> {
        var missing: Set<Int> = []
        var writers: [Int32: RowWriter] = [:]
        defer { for writer in writers.values { writer.finish() } }
        var last: (entity: SQLEntity, writer: RowWriter)?
        for (index, deletion) in deletions.enumerated() {
            if last?.entity.home !== deletion.home {
                let entity = schema.entity(deletion.home)
                let writer =
                    try writers[entity.number] ?? RowWriter(database, compiler.delete(entity), [])
                writers[entity.number] = writer
                last = (entity, writer)
            }
            guard let last else { continue }
            // While the row is there, what it counted for can be taken from derived sums.
            try endLinks(deletion, last.entity)
            if try last.writer.delete(deletion.old) { continue }
            missing.insert(index)
            mismatches.append(
                .init(home: deletion.home, old: deletion.old, isDeletion: true, isUnwritten: true))
        }
        return missing
    }

    private func endLinks(_ deletion: UnitOfWork.Deletion, _ entity: SQLEntity) throws {
        for slot in entity.home.layout.toManyIndexes {
            guard let relationship = entity.home.layout.slots[slot].relationship,
                let links = schema.links(of: relationship),
                links.kind == .joinTable || relationship.inverseRelationship == nil
            else { continue }
            let columns = links.isReflexive ? [links.owner, links.destination] : [links.owner]
            for column in columns {
                try execute(
                    compiler.endLinks(links, column: column, of: entity), [.integer(deletion.old.reference)])
            }
        }
    }

    // MARK: Links and orders

    /// Writes what is not in the rows of the objects.
    ///
    /// - Returns: the objects that were in an ordered relationship and have another position there; none without history.
    private func write(_ unit: UnitOfWork, _ references: ReferenceMap<Int64>) throws -> ReorderedMembers {
        let isTracked = store.history?.isTracking ?? false
        var reordered = ReorderedMembers()
        func reference(_ key: ObjectKey) -> Int64 { references.value(key.reference) ?? key.reference }
        func resolved(_ key: ObjectKey) -> SQLValue { .integer(reference(key)) }
        for link in unit.removedLinks {
            guard let links = schema.links(of: link.relationship) else { continue }
            let (owner, destination) = (resolved(link.owner), resolved(link.destination))
            try execute(compiler.removeLink(links), [owner, destination])
            if links.isReflexive { try execute(compiler.removeLink(links), [destination, owner]) }
        }
        for link in unit.addedLinks {
            guard let links = schema.links(of: link.relationship) else { continue }
            let (owner, destination) = (resolved(link.owner), resolved(link.destination))
            // Both ends of a link of an entity with itself bring it; it is kept once.
            if links.isReflexive, case .integer(let a) = owner, case .integer(let b) = destination {
                try execute(compiler.addLink(links), [.integer(max(a, b)), .integer(min(a, b))])
            } else {
                try execute(compiler.addLink(links), [owner, destination])
            }
        }
        for order in unit.orders {
            guard let links = schema.links(of: order.relationship), let column = links.order else { continue }
            let owner = resolved(order.owner)
            let destinations = order.destinations.map(reference)
            let places = try SQLiteReader(database).places(compiler.places(links, column, owner: owner))
            for change in OrderColumn.changes(destinations.map { places[$0] }) {
                let place = SQLValue.integer(change.number)
                let destination = SQLValue.integer(destinations[change.index])
                try execute(compiler.order(links, column), [place, owner, destination])
                if links.isReflexive {
                    try execute(compiler.orderOfOtherWay(links, column), [place, destination, owner])
                }
                let key = ObjectKey(
                    table: order.destinations[change.index].table, reference: destinations[change.index])
                guard isTracked, places[key.reference] != nil else { continue }
                try reordered.note(key, in: order.relationship) {
                    try entityNumber(of: key.reference, destinationOf: order.relationship)
                }
            }
        }
        return reordered
    }

    /// The number of the entity of an object that a relationship leads to; nil for one that is not there.
    private func entityNumber(
        of reference: Int64, destinationOf relationship: NSRelationshipDescription
    ) throws -> Int32? {
        guard let home = relationship.destinationEntity.flatMap(store.home) else { return nil }
        let number = try SQLiteReader(database).integer(
            SQLStatement(
                "SELECT Z_ENT FROM \(schema.quoted(schema.entity(home).table)) WHERE Z_PK = ?",
                [.integer(reference)]))
        return number > 0 ? Int32(exactly: number) : nil
    }

    // MARK: Derived values

    /// Puts what the triggers computed into the rows.
    private func takeDerivedValues(_ unit: UnitOfWork, _ outcome: inout SaveOutcome) throws {
        var changes = store.reports.changes
        func take(_ row: Row) -> [DerivedValue] {
            Self.values(changes.removeValue(forKey: .init(row)) ?? [:])
        }
        for index in outcome.inserted.indices where !changes.isEmpty {
            let row = outcome.inserted[index]
            let found = take(row)
            guard !found.isEmpty else { continue }
            outcome.inserted[index] = try row.replacing(found, unit.inserts[index].home)
        }
        for index in outcome.updated.indices {
            let row = outcome.updated[index]
            let home = unit.updates[index].home
            var values = take(row)
            if !home.layout.derivedIndexes.isEmpty {
                // Others may have changed what is derived since the row was read: that counts up no version.
                values =
                    try SQLiteReader(database).derivedValues(
                        schema.entity(home), row.reference, dialect: schema.dialect) + values
            }
            if !values.isEmpty { outcome.updated[index] = try row.replacing(values, home) }
        }
        for deletion in unit.deletions { changes[DerivedReports.Place(deletion.old)] = nil }
        for (place, found) in changes {
            guard let home = store.home(number: place.entityNumber) else { continue }
            outcome.affected.append((home, place.reference, Self.values(found)))
        }
    }

    private static func values(_ reported: [String: SQLValue]) -> [DerivedValue] {
        reported.map { DerivedValue(attribute: $0, value: $1) }
    }

    private func execute(_ sql: String, _ values: [SQLValue]) throws {
        Log.sql.debug("\(sql)")
        Log.sql.trace("\(Log.description(of: values))")
        try PreparedStatements.step(sql, values, database)
    }
}
