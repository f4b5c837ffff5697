import ObjectGraph
import CocoaFoundation
import Foundation
import ManagedObjectModel

/// Reads the persistent history of one store.
///
/// The rows of a file may be anything: a change of an unknown entity, of an unknown type, or without an object is left
/// out, and so is one whose transaction is not there.
package final class SQLHistoryReader: HistoryReader {
    private let store: any SQLStore
    private let history: StoreHistory
    private let connection: any SQLConnection
    /// Whether the values of deleted objects that are in files are read; they are left out if not.
    private let readsFiles: Bool
    /// The row of the change that the reader is at.
    private var row: (any SQLRow)?

    /// - Parameter connection: inside of a transaction.
    package init(
        _ store: any SQLStore, _ history: StoreHistory, _ connection: any SQLConnection,
        readsFiles: Bool = true
    ) {
        self.store = store
        self.history = history
        self.connection = connection
        self.readsFiles = readsFiles
    }

    package var storeIdentifier: String { store.identifier ?? "" }

    package func number(of entity: NSEntityDescription) -> Int32? {
        store.storedEntities.first { $0.entity.name == entity.name }?.entityNumber
    }

    /// Calls `body` with each transaction, in order, until that returns false.
    package func forEachRecord(after start: HistoryPosition, _ body: (HistoryRecord) throws -> Bool) throws {
        try readUntilEnd { stop in
            try forEachRecord(history.tables.transactions(afterTime: start.isTime), [start.argument]) {
                if try !body($0) { throw stop }
            }
        }
    }

    /// Calls `body` with each transaction before a position, in order, until that returns false.
    package func forEachRecord(before end: HistoryPosition, _ body: (HistoryRecord) throws -> Bool) throws {
        try readUntilEnd { stop in
            try forEachRecord(history.tables.transactions(beforeTime: end.isTime), [end.argument]) {
                if try !body($0) { throw stop }
            }
        }
    }

    private func records(_ statement: SQLStatement, _ values: [SQLValue]) throws -> [HistoryRecord] {
        var records: [HistoryRecord] = []
        try forEachRecord(statement, values) { records.append($0) }
        return records
    }

    /// The latest transactions first.
    ///
    /// - Parameters:
    ///   - number: the number that those of all transactions are below.
    ///   - count: how many there are at most.
    package func latestRecords(before number: Int64, count: Int) throws -> [HistoryRecord] {
        try records(history.tables.latestTransactions, [.integer(number), .integer(Int64(count))])
    }

    /// A transaction; nil when it is not there, or does not come after a position.
    package func record(number: Int64, after start: HistoryPosition) throws -> HistoryRecord? {
        try records(
            history.tables.transaction(afterTime: start.isTime), [.integer(number), start.argument]
        ).first
    }

    private func forEachRecord(
        _ statement: SQLStatement, _ values: [SQLValue], _ body: (HistoryRecord) throws -> Void
    ) throws {
        try connection.forEachRow(of: statement, values) { row in
            func text(_ column: Int) -> String? { row.type(column) == .text ? row.string(column) : nil }
            let time = row.double(1)
            try body(
                HistoryRecord(
                    number: row.integer(0), time: time.isFinite ? time : 0, author: text(2),
                    bundleID: text(3), contextName: text(4), processID: text(5)))
        }
    }

    /// Ends a statement before its last row.
    private struct StopReading: Error {}

    private func readUntilEnd(_ body: (StopReading) throws -> Void) throws {
        do { try body(StopReading()) } catch is StopReading {}
    }

    // MARK: Changes

    /// The lowest number that a transaction after a position may have; nil when there is none.
    package func lowestNumber(after start: HistoryPosition) throws -> Int64? {
        switch start {
        case .number(let number): return number == .max ? nil : number + 1
        case .time(let time):
            var lowest: Int64?
            try connection.forEachRow(of: HistoryTables.firstAfterTime, [.double(time)]) {
                if $0.type(0) == .integer { lowest = $0.integer(0) }
            }
            return lowest
        }
    }

    /// Calls `body` with each change of some transactions, in order, until that returns false.
    package func forEachChange(of numbers: ClosedRange<Int64>, _ body: (HistoryChangeRow) throws -> Bool)
        throws
    {
        try readUntilEnd { stop in
            let values: [SQLValue] = [.integer(numbers.lowerBound), .integer(numbers.upperBound)]
            try forEachChange(history.tables.changes, values) { if try !body($0) { throw stop } }
        }
    }

    /// The first changes of a transaction.
    package func firstChanges(of number: Int64, count: Int) throws -> [NSPersistentHistoryChange] {
        var changes: [NSPersistentHistoryChange] = []
        try forEachChange(history.tables.firstChanges, [.integer(number), .integer(Int64(count))]) {
            changes.append(change($0))
        }
        return changes
    }

    /// How many changes a transaction has, those included that cannot be read.
    package func changeCount(of number: Int64) throws -> Int {
        Int(try connection.integer(HistoryTables.changeCount, [.integer(number)]))
    }

    private func forEachChange(
        _ statement: SQLStatement, _ values: [SQLValue], _ body: (HistoryChangeRow) throws -> Void
    ) throws {
        // A body may read other changes meanwhile, but by another statement: the connection has one of each text.
        let outer = row
        defer { row = outer }
        var skipped = 0
        defer {
            if skipped > 0 {
                Log.store.warning(
                    "\(skipped) changes in the history of \(store.url?.path ?? "") cannot be read.")
            }
        }
        try connection.forEachRow(of: statement, values) { row in
            let reference = row.integer(3)
            guard let number = Int32(exactly: row.integer(2)),
                let storedEntity = store.storedEntity(number: number),
                let type = NSPersistentHistoryChangeType(rawValue: Int(row.integer(1))),
                row.type(1) == .integer, reference > 0
            else {
                skipped += 1
                return
            }
            self.row = row
            try body(
                HistoryChangeRow(
                    id: row.integer(0), type: type, transactionNumber: row.integer(4),
                    storedEntity: storedEntity,
                    reference: reference))
        }
    }

    /// The change of a row that the reader is at, with all that the row says.
    package func change(_ found: HistoryChangeRow) -> NSPersistentHistoryChange {
        assert(row?.integer(0) == found.id, "The reader is not at the row of the change.")
        history.noteMade()
        let columns = history.columns(of: found.storedEntity)
        // What is longer than an entity's bitmap can only be nonsense.
        let bitmap = found.type == .update ? row?.bytes(5, atMost: columns.byteCount) : nil
        return NSPersistentHistoryChange(
            changeID: found.id, changedObjectID: found.objectID, changeType: found.type, bitmap: bitmap ?? [],
            columns: found.type == .update ? columns : nil,
            tombstone: found.type == .delete ? row.flatMap { tombstone($0, columns.tombstones) } : nil)
    }

    private func tombstone(_ row: any SQLRow, _ slots: [PropertySlot]) -> Tombstone? {
        guard !slots.isEmpty else { return nil }
        var values: [AnyHashable: Any] = [:]
        var archived: [(slot: PropertySlot, data: Data)] = []
        for (index, slot) in slots.prefix(history.tables.tombstoneCount).enumerated() {
            let value = row.value(6 + index)
            if slot.kind == .transformable {
                if case .blob(let data) = value { archived.append((slot, data)) }
            } else {
                values[slot.name] = value.keptValue(slot, store, readsFiles)
            }
        }
        return Tombstone(values, archived: archived)
    }

    // MARK: Tokens

    /// How many changes there are after a transaction, counted up to one more than a limit; nil where not all are known, or the
    /// transaction has another time.
    package func changeCount(afterNumber number: Int64, time: Double, limit: Int) throws -> Int64? {
        let changes = KnownChanges(afterNumber: number, time: time)
        let count = try connection.integer(changes.count(limit: limit))
        return count < 0 ? nil : count
    }

    /// The number of the last transaction that was ever saved.
    package func lastNumber() throws -> Int64 {
        try connection.integer(KnownChanges.lastNumber)
    }

    /// A token has expired when its own transaction was deleted, and the token of an empty history when any was: something
    /// that was saved after it may be gone.
    ///
    /// - Throws: 134301 for the number of a transaction that is not there.
    package func checkNotExpired(_ number: Int64) throws {
        let first = try connection.integer(HistoryTables.lowestNumber(including: true), [.integer(number)])
        if number > 0, first == number { return }
        if number == 0 {
            if first == 1 { return }
            if first == 0, try lastNumber() == 0 { return }
        }
        throw expired(number)
    }

    /// For clients that know the transactions up to a number: that these were deleted does not matter to them.
    ///
    /// - Throws: 134301 when a transaction after that number was deleted.
    package func checkHasAll(after number: Int64) throws {
        let next = try connection.integer(HistoryTables.lowestNumber(including: false), [.integer(number)])
        // Numbers follow each other without a gap.
        guard try next > 0 ? next == number + 1 : lastNumber() <= number else { throw expired(number) }
    }

    /// The error for the token of a transaction that is not there.
    package func expired(_ number: Int64) -> NSError {
        .coreData(
            CocoaError.Code(rawValue: NSPersistentHistoryTokenExpiredError),
            """
            The history token has expired: the store at \(store.url?.path ?? "") does not have transaction \(number), so later \
            transactions may have been deleted as well.
            """, [NSAffectedStoresErrorKey: [store]])
    }
}

extension SQLValue {
    /// The value of an attribute of a deleted object that needs no transformer; nil when it does not fit the attribute.
    fileprivate func keptValue(
        _ slot: PropertySlot, _ store: any SQLStore, _ readsFiles: Bool
    ) -> Any? {
        switch (slot.kind, self) {
        case (.integer16, .integer(let value)), (.integer32, .integer(let value)),
            (.integer64, .integer(let value)), (.boolean, .integer(let value)):
            return SlotValue.integer(value).anyValue(slot.kind)
        case (.double, .double(let value)), (.float, .double(let value)), (.date, .double(let value)):
            return SlotValue.double(value).anyValue(slot.kind)
        case (.double, .integer(let value)), (.float, .integer(let value)), (.date, .integer(let value)):
            return SlotValue.double(Double(value)).anyValue(slot.kind)
        case (.string, .text(let value)): return value
        case (.uri, .text(let value)): return URL(string: value)
        case (.uuid, .blob(let value)) where value.count == 16:
            return value.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        case (.binary, .blob(let value)):
            guard slot.isExternal else { return value }
            if !readsFiles, ExternalData.fileName(value) != nil { return nil }
            return try? ExternalData.data(value, of: store)
        case (.decimal, .integer(let value)): return NSDecimalNumber(decimal: Decimal(value))
        case (.decimal, .double(let value)):
            return StoredValue.decimal(of: value).map { NSDecimalNumber(decimal: $0) }
        case (.decimal, .text(let value)):
            return StoredValue.decimal(of: value).map { NSDecimalNumber(decimal: $0) }
        default: return nil
        }
    }
}

extension HistoryPosition {
    fileprivate var isTime: Bool { if case .time = self { true } else { false } }

    fileprivate var argument: SQLValue {
        switch self {
        case .number(let number): .integer(number)
        case .time(let time): .double(time)
        }
    }
}
