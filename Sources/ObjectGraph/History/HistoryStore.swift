import Foundation

/// A store that may have a persistent history.
package protocol HistoryStore: ObjectStore {
    /// Whether the store, as it was opened, has a history.
    var hasHistory: Bool { get }

    /// Reads the history, all in one state of the store.
    ///
    /// - Throws: 134060 when the store has no history, or it is damaged; what `body` throws.
    func readHistory<Value>(_ body: (any HistoryReader) throws -> Value) throws -> Value

    /// Deletes the transactions before a position, and their changes.
    ///
    /// - Returns: the number of the transactions.
    func deleteHistory(before end: HistoryPosition) throws -> Int

    /// Deletes the transactions with some numbers, and their changes.
    ///
    /// - Returns: how many there were.
    func deleteHistory(_ numbers: [Int64]) throws -> Int
}

/// A position in a history.
package enum HistoryPosition {
    /// The position of the transaction with a number.
    case number(Int64)
    /// A time, in seconds since 2001.
    case time(Double)
}

/// A stored change, valid while its reader is at it.
package struct HistoryChangeRow {
    package let id: Int64
    package let type: NSPersistentHistoryChangeType
    package let transactionNumber: Int64
    package let storedEntity: StoredEntity
    package let reference: Int64

    package init(
        id: Int64, type: NSPersistentHistoryChangeType, transactionNumber: Int64, storedEntity: StoredEntity,
        reference: Int64
    ) {
        self.id = id
        self.type = type
        self.transactionNumber = transactionNumber
        self.storedEntity = storedEntity
        self.reference = reference
    }

    package var objectID: NSManagedObjectID {
        NSManagedObjectID(storedEntity: storedEntity, reference: reference)
    }
}

/// Reads the persistent history of one store, in one state of it.
///
/// The stored history may be damaged: a change of an unknown entity, of an unknown type, or without an object is left out, and
/// so is one whose transaction is not there.
package protocol HistoryReader {
    /// The identifier of the store, by which tokens name it.
    var storeIdentifier: String { get }

    /// The number that an entity has in the store; nil for an entity that it does not have.
    func number(of entity: NSEntityDescription) -> Int32?

    /// Calls `body` with each transaction after a position, in order, until that returns false.
    func forEachRecord(after start: HistoryPosition, _ body: (HistoryRecord) throws -> Bool) throws

    /// Calls `body` with each transaction before a position, in order, until that returns false.
    func forEachRecord(before end: HistoryPosition, _ body: (HistoryRecord) throws -> Bool) throws

    /// A transaction; nil when it is missing, or not after a position.
    func record(number: Int64, after start: HistoryPosition) throws -> HistoryRecord?

    /// The lowest number that a transaction after a position may have; nil when there is none.
    func lowestNumber(after start: HistoryPosition) throws -> Int64?

    /// Calls `body` with each change of some transactions, in order, until that returns false.
    func forEachChange(of numbers: ClosedRange<Int64>, _ body: (HistoryChangeRow) throws -> Bool) throws

    /// The complete change of a row. The reader has to be at the row.
    func change(_ row: HistoryChangeRow) -> NSPersistentHistoryChange

    /// The number of the last transaction that was ever saved.
    func lastNumber() throws -> Int64

    /// A token has expired when its own transaction was deleted, and the token of an empty history when any was: later saves
    /// may be missing.
    ///
    /// - Throws: 134301 for the number of a transaction that is not there.
    func checkNotExpired(_ number: Int64) throws

    /// The error for the token of a missing transaction.
    func expired(_ number: Int64) -> NSError
}
