import ObjectGraph
import Foundation
import ManagedObjectModel

/// Writes down what a save did, in the save's own SQL transaction: one row for the transaction and one for each
/// object that the save inserted, updated or deleted, in this order, as Apple's stores have them.
///
/// What only triggers changed (derived attributes of other objects) gets no row of its own.
package struct HistoryWriter {
    private let store: any SQLStore
    private let history: StoreHistory
    private let connection: any SQLConnection

    /// - Parameter connection: inside of the transaction of the save.
    package init(_ store: any SQLStore, _ history: StoreHistory, _ connection: any SQLConnection) {
        self.store = store
        self.history = history
        self.connection = connection
    }

    /// - Parameters:
    ///   - missing: indexes of the deletions whose rows others had deleted already.
    ///   - reordered: the objects that ordered relationships have in another position.
    ///   - begun: the number of a transaction that was written before, and to which this belongs; nil for a new one.
    /// - Returns: the number of the transaction.
    func write(
        _ unit: UnitOfWork, _ outcome: SaveOutcome, missing: Set<Int>, reordered: ReorderedMembers,
        into begun: Int64? = nil
    ) throws -> Int64 {
        let transaction = try begun ?? begin(unit)
        var reordered = reordered
        for (insert, row) in zip(unit.inserts, outcome.inserted) {
            _ = reordered.take(ObjectKey(table: insert.storedEntity.table, reference: row.reference))
        }
        let positions = zip(unit.updates, outcome.updated).map { update, row in
            reordered.take(ObjectKey(table: update.storedEntity.table, reference: row.reference))
        }
        let moved = reordered.rest
        let count =
            unit.inserts.count + unit.updates.count + unit.deletions.count - missing.count + moved.count
        guard count > 0 else { return transaction }
        var rows = try ChangeRows(
            connection, history, transaction: transaction,
            first: reserve(HistoryTables.change, HistoryTables.changeNumber, count))
        for row in outcome.inserted { try rows.insert(row) }
        // Objects come in groups of one entity, more or less.
        var last: (storedEntity: StoredEntity, columns: HistoryColumns)?
        func columns(_ storedEntity: StoredEntity) -> HistoryColumns {
            if let last, last.storedEntity === storedEntity { return last.columns }
            let columns = history.columns(of: storedEntity)
            last = (storedEntity, columns)
            return columns
        }
        for (index, (update, row)) in zip(unit.updates, outcome.updated).enumerated() {
            try rows.update(update, row, columns(update.storedEntity), positions: positions[index])
        }
        for (key, member) in moved {
            guard let storedEntity = store.storedEntity(number: member.entityNumber) else { continue }
            try rows.move((member.entityNumber, key.reference), member.relationships, columns(storedEntity))
        }
        for (index, deletion) in unit.deletions.enumerated() where !missing.contains(index) {
            try rows.delete(deletion.old, columns(deletion.storedEntity))
        }
        return transaction
    }

    /// Writes down which rows a statement changed, and that it changed the same properties of all.
    ///
    /// - Parameters:
    ///   - unit: who changed them.
    /// - Returns: the number of the transaction.
    package func write(
        _ keys: [(entityNumber: Int32, reference: Int64)], _ changed: PropertySet, _ unit: UnitOfWork
    ) throws -> Int64 {
        let transaction = try begin(unit)
        var rows = try ChangeRows(
            connection, history, transaction: transaction,
            first: reserve(HistoryTables.change, HistoryTables.changeNumber, keys.count))
        for key in keys {
            guard let storedEntity = store.storedEntity(number: key.entityNumber) else { continue }
            try rows.update(key, changed, history.columns(of: storedEntity))
        }
        return transaction
    }

    /// Leaves out the number of a transaction, for a change that is not written down: who follows the history notices that it lacks
    /// something. A store whose history has no records can be changed without one.
    func skip() throws {
        _ = try reserve(HistoryTables.transaction, HistoryTables.transactionNumber, 1)
    }

    /// Writes the row of a transaction; its number.
    private func begin(_ unit: UnitOfWork) throws -> Int64 {
        let transaction = try reserve(HistoryTables.transaction, HistoryTables.transactionNumber, 1)
        var values: [SQLValue] = [
            .integer(transaction), .double(Date.timeIntervalSinceReferenceDate),
        ]
        for text in [unit.author, StoreHistory.bundleID, unit.contextName, StoreHistory.processID] {
            values.append(try reference(to: text))
        }
        try run(.insertTransaction, history.tables.insertTransaction, values)
        return transaction
    }

    /// Takes primary keys; the first one.
    private func reserve(_ table: String, _ number: Int64, _ count: Int) throws -> Int64 {
        try run(
            .reserve(table: table), HistoryTables.reserve(table), [.integer(Int64(count)), .integer(number)])
        let highest = try integer(.highest, HistoryTables.highest, [.integer(number)])
        guard highest >= count, highest < .max else {
            throw HistoryTables.damaged("Z_PRIMARYKEY has no number left for \(table)")
        }
        return highest - Int64(count) + 1
    }

    /// What the row of a transaction has for a string.
    private func reference(to text: String?) throws -> SQLValue {
        guard let text else { return .null }
        guard history.tables.hasStrings else { return .text(text) }
        let known = try integer(.string, HistoryTables.string, [.text(text)])
        if known != 0 { return .integer(known) }
        let key = try reserve(HistoryTables.strings, HistoryTables.stringNumber, 1)
        try run(.insertString, HistoryTables.insertString, [.integer(key), .text(text)])
        return .integer(key)
    }

    private func run(
        _ key: HistoryStatement, _ statement: @autoclosure () -> SQLStatement, _ values: [SQLValue]
    ) throws {
        try connection.run(history.statements.statement(key, statement), values)
    }

    private func integer(
        _ key: HistoryStatement, _ statement: @autoclosure () -> SQLStatement, _ values: [SQLValue]
    ) throws -> Int64 {
        try connection.integer(history.statements.statement(key, statement).binding(values))
    }
}

/// Writes the changes of one transaction, numbered one after the other.
private struct ChangeRows {
    private let writer: any ChangeWriting
    private let tombstoneCount: Int
    private var next: Int64
    private var bitmap: [UInt8] = []

    init(
        _ connection: any SQLConnection, _ history: StoreHistory, transaction: Int64, first: Int64
    ) throws {
        let tables = history.tables
        writer = try connection.changeWriter(
            history.statements.statement(.insertChange) { tables.insertChange }, transaction: transaction)
        tombstoneCount = tables.tombstoneCount
        next = first
    }

    mutating func insert(_ row: Row) throws {
        try writer.insert(next, .insert, row.entityNumber, row.reference, changed: nil)
        next += 1
    }

    mutating func update(
        _ update: UnitOfWork.Update, _ row: Row, _ columns: HistoryColumns,
        positions: [NSRelationshipDescription]
    ) throws {
        try self.update((row.entityNumber, row.reference), columns) {
            columns.mark(update, row, in: $0)
            columns.markPositions(positions, in: $0)
        }
    }

    /// Notes an object that has another position in the other ends of relationships.
    mutating func move(
        _ key: (entityNumber: Int32, reference: Int64), _ relationships: [NSRelationshipDescription],
        _ columns: HistoryColumns
    ) throws {
        try update(key, columns) { columns.markPositions(relationships, in: $0) }
    }

    mutating func update(
        _ key: (entityNumber: Int32, reference: Int64), _ changed: PropertySet, _ columns: HistoryColumns
    ) throws {
        try update(key, columns) { columns.mark(changed, in: $0) }
    }

    private mutating func update(
        _ key: (entityNumber: Int32, reference: Int64), _ columns: HistoryColumns,
        _ mark: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) throws {
        let count = columns.byteCount
        // Taken out, so that it is not copied.
        var taken = bitmap
        bitmap = []
        defer { bitmap = taken }
        if taken.count < count { taken = Array(repeating: 0, count: count) }
        try taken.withUnsafeMutableBufferPointer { bytes in
            bytes.update(repeating: 0)
            mark(bytes)
            let bits = UnsafeRawBufferPointer(start: bytes.baseAddress, count: count)
            try writer.insert(
                next, .update, key.entityNumber, key.reference, changed: count > 0 ? bits : nil)
        }
        next += 1
    }

    mutating func delete(_ row: Row, _ columns: HistoryColumns) throws {
        try writer.insertDeletion(
            next, of: row, keeping: columns.outlivingValues.prefix { $0.position < tombstoneCount })
        next += 1
    }
}
