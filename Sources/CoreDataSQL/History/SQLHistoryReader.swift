import CoreDataSQL
import ObjectGraph
import CocoaFoundation
import Foundation
import GRDB
import GRDBSQLite
import ManagedObjectModel

/// Reads the persistent history of one store.
///
/// The rows of a file may be anything: a change of an unknown entity, of an unknown type, or without an object is left
/// out, and so is one whose transaction is not there.
struct SQLiteHistoryReader: HistoryReader {
    let store: SQLiteStore
    let history: StoreHistory
    let database: Database
    /// Whether the values of deleted objects that are in files are read; they are left out if not.
    var readsFiles = true

    package var storeIdentifier: String { store.identifier ?? "" }

    package func number(of entity: NSEntityDescription) -> Int32? {
        store.homes.first { $0.entity.name == entity.name }?.entityNumber
    }

    /// Calls `body` with each transaction, in order, until that returns false.
    package func forEachRecord(after start: HistoryPosition, _ body: (HistoryRecord) throws -> Bool) throws {
        let statement = SQLStatement(
            history.tables.transactions(afterTime: start.isTime), [start.argument])
        try untilEnough { enough in
            try forEachRecord(statement) { if try !body($0) { throw enough } }
        }
    }

    /// Calls `body` with each transaction before a position, in order, until that returns false.
    package func forEachRecord(before end: HistoryPosition, _ body: (HistoryRecord) throws -> Bool) throws {
        let statement = SQLStatement(
            history.tables.transactions(beforeTime: end.isTime), [end.argument])
        try untilEnough { enough in
            try forEachRecord(statement) { if try !body($0) { throw enough } }
        }
    }

    func records(_ statement: SQLStatement) throws -> [HistoryRecord] {
        var records: [HistoryRecord] = []
        try forEachRecord(statement) { records.append($0) }
        return records
    }

    /// A transaction; nil when it is not there, or does not come after a position.
    package func record(number: Int64, after start: HistoryPosition) throws -> HistoryRecord? {
        try records(
            SQLStatement(
                history.tables.transaction(afterTime: start.isTime), [.integer(number), start.argument])
        ).first
    }

    private func forEachRecord(_ statement: SQLStatement, _ body: (HistoryRecord) throws -> Void) throws {
        try SQLiteReader(database).step(statement) { row in
            func text(_ index: Int32) -> String? {
                sqlite3_column_type(row, index) == SQLITE_TEXT ? SQLiteReader.text(row, index) : nil
            }
            let time = sqlite3_column_double(row, 1)
            try body(
                HistoryRecord(
                    number: sqlite3_column_int64(row, 0), time: time.isFinite ? time : 0, author: text(2),
                    bundleID: text(3), contextName: text(4), processID: text(5)))
        }
    }

    /// Ends a statement before its last row.
    private struct Enough: Error {}

    private func untilEnough(_ body: (Enough) throws -> Void) throws {
        do { try body(Enough()) } catch is Enough {}
    }

    // MARK: Changes

    /// The lowest number that a transaction after a position may have; nil when there is none.
    package func lowestNumber(after start: HistoryPosition) throws -> Int64? {
        switch start {
        case .number(let number): return number == .max ? nil : number + 1
        case .time(let time):
            var lowest: Int64?
            try SQLiteReader(database).step(SQLStatement(HistoryTables.firstAfterTime, [.double(time)])) {
                if sqlite3_column_type($0, 0) == SQLITE_INTEGER { lowest = sqlite3_column_int64($0, 0) }
            }
            return lowest
        }
    }

    /// Calls `body` with each change of some transactions, in order, until that returns false.
    package func forEachChange(of numbers: ClosedRange<Int64>, _ body: (HistoryChangeRow) throws -> Bool)
        throws
    {
        try untilEnough { enough in
            try forEachChange(
                SQLStatement(
                    history.tables.changes, [.integer(numbers.lowerBound), .integer(numbers.upperBound)])
            ) { if try !body($0) { throw enough } }
        }
    }

    /// Changes by the numbers of their transactions.
    func changes(_ statement: SQLStatement) throws -> [Int64: [NSPersistentHistoryChange]] {
        var changes: [Int64: [NSPersistentHistoryChange]] = [:]
        try forEachChange(statement) { changes[$0.transactionNumber, default: []].append(change($0)) }
        return changes
    }

    private func forEachChange(_ statement: SQLStatement, _ body: (HistoryChangeRow) throws -> Void) throws {
        var skipped = 0
        defer {
            if skipped > 0 {
                Log.store.warning(
                    "\(skipped) changes in the history of \(store.url?.path ?? "") cannot be read.")
            }
        }
        try SQLiteReader(database).step(statement) { row in
            guard let number = Int32(exactly: sqlite3_column_int64(row, 2)),
                let home = store.home(number: number),
                let type = NSPersistentHistoryChangeType(rawValue: Int(sqlite3_column_int64(row, 1))),
                sqlite3_column_type(row, 1) == SQLITE_INTEGER, sqlite3_column_int64(row, 3) > 0
            else {
                skipped += 1
                return
            }
            try body(
                HistoryChangeRow(
                    id: sqlite3_column_int64(row, 0), type: type,
                    transactionNumber: sqlite3_column_int64(row, 4), home: home,
                    reference: sqlite3_column_int64(row, 3), cursor: row))
        }
    }

    /// The change of a row, with all that the row says.
    package func change(_ found: HistoryChangeRow) -> NSPersistentHistoryChange {
        history.noteMade()
        let row = found.cursor
        let columns = history.columns(of: found.home)
        var bitmap: [UInt8] = []
        if found.type == .update, let bytes = sqlite3_column_blob(row, 5) {
            // What is longer than an entity's bitmap can only be nonsense.
            let count = min(Int(sqlite3_column_bytes(row, 5)), columns.byteCount)
            bitmap = Array(UnsafeRawBufferPointer(start: bytes, count: count))
        }
        return NSPersistentHistoryChange(
            changeID: found.id, changedObjectID: found.objectID, changeType: found.type, bitmap: bitmap,
            columns: found.type == .update ? columns : nil,
            tombstone: found.type == .delete ? tombstone(row, columns.tombstones) : nil)
    }

    private func tombstone(_ row: OpaquePointer, _ slots: [PropertySlot]) -> Tombstone? {
        guard !slots.isEmpty else { return nil }
        var values: [AnyHashable: Any] = [:]
        var archived: [(slot: PropertySlot, data: Data)] = []
        for (index, slot) in slots.prefix(history.tables.tombstoneCount).enumerated() {
            let value = SQLValue(row, Int32(6 + index))
            if slot.kind == .transformable {
                if case .blob(let data) = value { archived.append((slot, data)) }
            } else {
                values[slot.name] = value.keptValue(slot, store, readsFiles)
            }
        }
        return Tombstone(values, archived: archived)
    }

    // MARK: Tokens

    /// The number of the last transaction that was ever saved.
    package func lastNumber() throws -> Int64 {
        let sql = """
            SELECT MAX(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?), 0), \
            IFNULL((SELECT MAX(Z_PK) FROM ATRANSACTION), 0))
            """
        return Int64(
            try SQLiteReader(database).integer(
                SQLStatement(sql, [.integer(HistoryTables.transactionNumber)])))
    }

    /// A token has expired when its own transaction was deleted, and the token of an empty history when any was: something
    /// that was saved after it may be gone.
    ///
    /// - Throws: 134301 for the number of a transaction that is not there.
    package func checkNotExpired(_ number: Int64) throws {
        let first = Int64(
            try SQLiteReader(database).integer(
                SQLStatement(
                    "SELECT IFNULL(MIN(Z_PK), 0) FROM ATRANSACTION WHERE Z_PK >= ?", [.integer(number)])))
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
    func checkHasAll(after number: Int64) throws {
        let next = Int64(
            try SQLiteReader(database).integer(
                SQLStatement(
                    "SELECT IFNULL(MIN(Z_PK), 0) FROM ATRANSACTION WHERE Z_PK > ?", [.integer(number)])))
        // Numbers follow each other without a gap.
        guard try next > 0 ? next == number + 1 : lastNumber() <= number else { throw expired(number) }
    }

    /// The error for the token of a transaction that is not there.
    package func expired(_ number: Int64) -> NSError {
        .coreData(
            CocoaError.Code(rawValue: NSPersistentHistoryTokenExpiredError),
            """
            The history token has expired: the store at \(store.url?.path ?? "") does not have transaction \(number), so what \
            was saved after it may be gone as well.
            """, [NSAffectedStoresErrorKey: [store]])
    }
}

extension SQLValue {
    /// The value of an attribute of a deleted object that needs no transformer; nil when it does not fit the attribute.
    fileprivate func keptValue(
        _ slot: PropertySlot, _ store: SQLiteStore, _ readsFiles: Bool
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
            return try? ExternalData.data(value, in: store.externalDataFolder)
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
