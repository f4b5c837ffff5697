import Foundation

/// A store that several processes may have open at once, and whose changes by others can be detected.
package protocol FollowedStore: ObjectStore {
    /// A value that changes when another connection, of this process or another one, has changed the store.
    ///
    /// - Throws: 134070 when the store is removed; an error of the database.
    func foreignDataVersion() throws -> Data

    /// What is appended to the name of the store's file for the other files that saves write to, such as a log.
    var logSuffixes: [String] { get }

    /// The number of the last transaction that was ever saved; nil without a history, or where it cannot be read.
    var lastHistoryNumber: Int64? { get }

    /// Runs a block between two transactions of this store's own: the coordinator then knows its own among the earlier ones.
    ///
    /// - Parameter body: receives the number of the last transaction that was ever saved.
    /// - Throws: 134070 when there is no history, and when the caller is called from inside of a transaction; an error of the
    ///   database; what the block throws.
    func betweenTransactions<Value>(_ body: (Int64) throws -> Value) throws -> Value

    /// The changes of objects in some transactions of the history: the last decisive change of each. An object that was
    /// inserted and then updated is new.
    ///
    /// - Parameters:
    ///   - numbers: the transactions, of which the caller knows all before the first.
    ///   - own: transactions that are left out.
    /// - Throws: 134070 when there is no history; 134301 when one of them was deleted; an error of the database.
    func historyChanges(
        in numbers: ClosedRange<Int64>, but own: Set<Int64>
    ) throws -> [NSManagedObjectID: NSPersistentHistoryChangeType]

    /// Drops all rows from memory, because others have changed them.
    func forgetRows()
}
