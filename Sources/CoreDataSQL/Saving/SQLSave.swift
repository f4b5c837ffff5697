import CocoaFoundation
import Foundation
import ManagedObjectModel
import ObjectGraph

/// Writes units of work in one transaction.
package struct SQLSave {
    private let store: any SQLStore
    private let connection: any SQLConnection
    private let tables: StoreTables
    private let schema: SQLSchema
    private let statements: SaveStatements

    /// - Parameter connection: inside of the transaction.
    package init(_ store: any SQLStore, _ connection: any SQLConnection) {
        self.store = store
        self.connection = connection
        tables = store.tables
        schema = tables.schema
        statements = SaveStatements(connection, tables)
    }

    /// - Parameter historyNumber: the number of the transaction of history that this belongs to; nil for a new one.
    package func run(_ unit: UnitOfWork, historyNumber: Int64? = nil) throws -> SaveOutcome {
        let references = try assignReferences(unit.inserts)
        var mismatches: [ChangedRows.Candidate] = []
        var outcome = SaveOutcome()
        // Owners go before what they own, so that derived values of the dead are not computed.
        let missing = try delete(unit.deletions, &mismatches)
        outcome.inserted = try insert(unit.inserts, references)
        outcome.updated = try update(unit.updates, references, &mismatches)
        mismatches += unit.locks.map { .init(storedEntity: $0.storedEntity, old: $0.old, isDeletion: false) }
        let conflicts = try ChangedRows(store, connection).conflicts(among: mismatches)
        if !conflicts.isEmpty { throw SaveConflicts(conflicts) }
        let reordered = try write(unit, references)
        try adoptDerivedValues(unit, &outcome)
        if let history = tables.trackedHistory, !unit.isEmpty {
            outcome.historyNumber = try HistoryWriter(store, history, connection)
                .write(unit, outcome, missing: missing, reordered: reordered, into: historyNumber)
        } else if let history = tables.history, !unit.isEmpty {
            try HistoryWriter(store, history, connection).skip()
        }
        return outcome
    }

    /// Takes from the rows what changes of the values that must be unique, so that others can have them first.
    package func vacate(_ updates: [UnitOfWork.Update]) throws {
        let save = UUID().uuidString
        var unique: [Int32: [SQLColumn]] = [:]
        for update in updates {
            let entity = schema.entity(update.storedEntity)
            let constrained = unique[entity.number] ?? schema.uniqueColumns(entity)
            unique[entity.number] = constrained
            let columns = constrained.filter { update.changed.contains($0.slot) }
            guard !columns.isEmpty else { continue }
            // Data that begins with no digit is zero to sums.
            let vacantValue = SQLValue.blob(Data("vacant \(save) \(update.old.reference)".utf8))
            let values = columns.flatMap { column -> [SQLValue] in
                [.integer(update.row.isNull(column.rowSlot) ? 1 : 0), vacantValue]
            }
            try connection.run(
                SaveCompiler(schema: schema).vacate(entity, columns),
                values + [.integer(update.old.reference), .integer(update.old.version)])
        }
    }

    /// Gives a row that came in the times of its last save that it has itself. The triggers of such attributes look at
    /// inserts and at versions only, so these stay.
    ///
    /// - Parameter slots: attributes of the entity that are derived by `now()`.
    package func keepTimes(_ slots: [PropertySlot], of row: Row, _ entity: SQLEntity) throws {
        for slot in slots {
            guard let column = entity.column(rowSlot: slot.rowSlot) else { continue }
            try statements.keepTime(column, of: row, entity)
        }
    }

    // MARK: References

    /// Takes `count` references of an entity's table; the first one.
    package func reserve(_ storedEntity: StoredEntity, count: Int) throws -> Int64 {
        let root = storedEntity.entity.rootEntity
        let number = Int64(store.storedEntity(of: root)?.entityNumber ?? storedEntity.entityNumber)
        let highest = try statements.reserve(Int64(count), of: schema.entity(storedEntity), number)
        guard highest >= count, highest < .max else {
            throw NSError.coreData(
                .coreData,
                """
                The store is damaged: Z_PRIMARYKEY has no number left for a new object of entity \
                '\(storedEntity.entity.name ?? "")'.
                """)
        }
        return highest - Int64(count) + 1
    }

    /// The references that new rows get.
    private func assignReferences(_ inserts: InsertList) throws -> AssignedReferences {
        var groups: [(storedEntity: StoredEntity, count: Int, next: Int64)] = []
        var positions: [UInt32: Int] = [:]
        for run in inserts.runs {
            let count = run.indexes.count { inserts.reference(at: $0) < 0 }
            guard count > 0 else { continue }
            let table = run.storedEntity.table
            if let position = positions[table] {
                groups[position].count += count
            } else {
                positions[table] = groups.count
                groups.append((run.storedEntity, count, 0))
            }
        }
        for index in groups.indices {
            groups[index].next = try reserve(groups[index].storedEntity, count: groups[index].count)
        }
        var assigned = ReferenceList()
        for run in inserts.runs {
            let position = positions[run.storedEntity.table]
            for index in run.indexes {
                let reference = inserts.reference(at: index)
                guard reference < 0, let position else {
                    assigned.append(reference)
                    continue
                }
                assigned.append(groups[position].next)
                groups[position].next += 1
            }
        }
        return AssignedReferences(inserts, assigned)
    }

    // MARK: Rows

    /// Writes new rows, and returns them: the list of the unit itself where nothing in them had to be replaced.
    private func insert(_ inserts: InsertList, _ references: AssignedReferences) throws -> [Row] {
        var written: [Row] = []
        var areSame = true
        var writers: [Int32: any RowWriting] = [:]
        defer { for writer in writers.values { writer.finish() } }
        for run in inserts.runs {
            let entity = schema.entity(run.storedEntity)
            let writer = try writers[entity.number] ?? statements.insertion(of: entity)
            writers[entity.number] = writer
            for index in run.indexes {
                let packed = inserts.rows[index]
                let row = try packed.resolved(references, entity)
                // A row of a save that is tried again has the reference of the first try.
                if inserts.reference(at: index) < 0 { row.assign(reference: references[index]) }
                if areSame {
                    if row.isSame(as: packed) { continue }
                    areSame = false
                    written.reserveCapacity(inserts.count)
                    written += inserts.rows[..<index]
                }
                written.append(row)
            }
            try writer.insert((areSame ? inserts.rows : written)[run.indexes])
        }
        return areSame ? inserts.rows : written
    }

    private func update(
        _ updates: [UnitOfWork.Update], _ references: AssignedReferences,
        _ mismatches: inout [ChangedRows.Candidate]
    ) throws -> [Row] {
        var rows: [Row] = []
        rows.reserveCapacity(updates.count)
        // Objects that changed alike share a statement, and mostly come one after the other.
        var writers: [SaveStatement: any RowWriting] = [:]
        defer { for writer in writers.values { writer.finish() } }
        func belongs(_ index: Int, _ first: Int) -> Bool {
            updates[index].storedEntity === updates[first].storedEntity
                && updates[index].changed == updates[first].changed
        }
        try updates.indices.forEachRun(where: belongs) { indexes in
            let (storedEntity, changed) = (
                updates[indexes.lowerBound].storedEntity, updates[indexes.lowerBound].changed
            )
            let entity = schema.entity(storedEntity)
            let shape = SaveStatement.update(entity: entity.number, changed)
            let writer = try writers[shape] ?? statements.update(of: entity, changed)
            writers[shape] = writer
            for index in indexes {
                let row = try updates[index].row.resolved(references, entity)
                if try !writer.update(row, oldVersion: updates[index].old.version) {
                    mismatches.append(
                        .init(
                            storedEntity: storedEntity, old: updates[index].old, isDeletion: false,
                            isUnwritten: true))
                }
                rows.append(row)
            }
        }
        return rows
    }

    /// Deletes rows; the positions of those that others have deleted already.
    private func delete(
        _ deletions: [UnitOfWork.Deletion], _ mismatches: inout [ChangedRows.Candidate]
    ) throws -> Set<Int> {
        var missing: Set<Int> = []
        var writers: [Int32: any RowWriting] = [:]
        defer { for writer in writers.values { writer.finish() } }
        try deletions.indices.forEachRun(where: {
            deletions[$0].storedEntity === deletions[$1].storedEntity
        }) { indexes in
            let storedEntity = deletions[indexes.lowerBound].storedEntity
            let entity = schema.entity(storedEntity)
            let writer = try writers[entity.number] ?? statements.deletion(of: entity)
            writers[entity.number] = writer
            let hasLinks = !storedEntity.layout.toManyIndexes.isEmpty
            for index in indexes {
                // While the row is there, what it counted for can be taken from derived sums.
                if hasLinks { try endLinks(deletions[index], entity) }
                if try writer.delete(deletions[index].old) { continue }
                missing.insert(index)
                mismatches.append(
                    .init(
                        storedEntity: storedEntity, old: deletions[index].old, isDeletion: true,
                        isUnwritten: true))
            }
        }
        return missing
    }

    private func endLinks(_ deletion: UnitOfWork.Deletion, _ entity: SQLEntity) throws {
        for slot in entity.storedEntity.layout.toManyIndexes {
            guard let relationship = entity.storedEntity.layout.slots[slot].relationship,
                let links = schema.links(of: relationship),
                links.kind == .joinTable || relationship.inverseRelationship == nil
            else { continue }
            let columns = links.isReflexive ? [links.owner, links.destination] : [links.owner]
            for column in columns {
                try statements.endLinks(
                    relationship, links, column: column, of: entity, deletion.old.reference)
            }
        }
    }

    // MARK: Links and orders

    /// Writes what is not in the rows of the objects.
    ///
    /// - Returns: the objects that were in an ordered relationship and have another position there; none without history.
    private func write(_ unit: UnitOfWork, _ references: AssignedReferences) throws -> ReorderedMembers {
        let isTracked = tables.trackedHistory != nil
        var reordered = ReorderedMembers()
        func reference(_ key: ObjectKey) -> Int64 { references.permanent(key.reference) }
        func resolved(_ key: ObjectKey) -> SQLValue { .integer(reference(key)) }
        for link in unit.removedLinks {
            guard let links = schema.links(of: link.relationship) else { continue }
            let (owner, destination) = (resolved(link.owner), resolved(link.destination))
            try statements.removeLink(link.relationship, links, owner, destination)
            if links.isReflexive { try statements.removeLink(link.relationship, links, destination, owner) }
        }
        for link in unit.addedLinks {
            guard let links = schema.links(of: link.relationship) else { continue }
            let (owner, destination) = (resolved(link.owner), resolved(link.destination))
            // Both ends of a link of an entity with itself bring it; it is kept once.
            if links.isReflexive, case .integer(let a) = owner, case .integer(let b) = destination {
                try statements.addLink(link.relationship, links, .integer(max(a, b)), .integer(min(a, b)))
            } else {
                try statements.addLink(link.relationship, links, owner, destination)
            }
        }
        for order in unit.orders {
            guard let links = schema.links(of: order.relationship), let column = links.order else { continue }
            let owner = resolved(order.owner)
            let destinations = order.destinations.map(reference)
            let positions = try statements.positions(order.relationship, links, column, owner)
            for change in OrderColumn.changes(destinations.map { positions[$0] }) {
                try statements.order(
                    order.relationship, links, column, .integer(change.number), owner,
                    .integer(destinations[change.index]))
                let key = ObjectKey(
                    table: order.destinations[change.index].table, reference: destinations[change.index])
                guard isTracked, positions[key.reference] != nil else { continue }
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
        guard let storedEntity = relationship.destinationEntity.flatMap(store.storedEntity) else {
            return nil
        }
        return try statements.entityNumber(of: reference, in: schema.entity(storedEntity))
    }

    // MARK: Derived values

    /// Puts what the triggers computed into the rows.
    private func adoptDerivedValues(_ unit: UnitOfWork, _ outcome: inout SaveOutcome) throws {
        var changes = store.derivedValues.changes
        func take(_ row: Row) -> [DerivedValue] {
            Self.values(changes.removeValue(forKey: .init(row)) ?? [:])
        }
        if !changes.isEmpty {
            // The list is that of the unit, and copied when it is changed.
            var rows = outcome.inserted
            for index in rows.indices where !changes.isEmpty {
                let found = take(rows[index])
                guard !found.isEmpty else { continue }
                rows[index] = try rows[index].replacing(found, unit.inserts.storedEntity(at: index))
            }
            outcome.inserted = rows
        }
        for index in outcome.updated.indices {
            let storedEntity = unit.updates[index].storedEntity
            guard !(changes.isEmpty && storedEntity.layout.derivedIndexes.isEmpty) else { continue }
            let row = outcome.updated[index]
            var values = take(row)
            if !storedEntity.layout.derivedIndexes.isEmpty {
                // Others may have changed what is derived since the row was read: that counts up no version.
                values = try statements.derivedValues(of: row.reference, schema.entity(storedEntity)) + values
            }
            if !values.isEmpty { outcome.updated[index] = try row.replacing(values, storedEntity) }
        }
        for deletion in unit.deletions { changes[DerivedRow(deletion.old)] = nil }
        for (position, found) in changes {
            guard let storedEntity = store.storedEntity(number: position.entityNumber) else { continue }
            outcome.affected.append((storedEntity, position.reference, Self.values(found)))
        }
    }

    private static func values(_ reported: [String: SQLValue]) -> [DerivedValue] {
        reported.map { DerivedValue(attribute: $0, value: $1) }
    }
}
