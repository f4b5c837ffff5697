/// A store that several processes may have open at once, and whose changes by others can be noticed.
package protocol FollowedStore: ObjectStore {
    /// A number that changes when another connection, of this process or another one, has changed the store.
    ///
    /// - Throws: 134070 when the store is removed; an error of the database.
    func foreignDataVersion() throws -> Int64

    /// The number of the last transaction that was ever saved; nil without a history, or where it cannot be read.
    var lastHistoryNumber: Int64? { get }

    /// What the history tells of the transactions after one, all in one state of the store.
    ///
    /// - Parameter own: transactions that are left out.
    /// - Throws: 134070 when there is no history; 134301 when one of them was deleted; an error of the database.
    func historyChanges(after number: Int64, but own: Set<Int64>) throws -> HistoryChanges

    /// Drops all rows from memory, because others have changed them.
    func forgetRows()
}

/// What became of objects in a part of a history.
package struct HistoryChanges {
    /// The last of the changes that decides what became of an object: an object that was inserted and then updated is new.
    package var types: [NSManagedObjectID: NSPersistentHistoryChangeType] = [:]
    /// The number of the last transaction.
    package var last: Int64

    package init(types: [NSManagedObjectID: NSPersistentHistoryChangeType] = [:], last: Int64) {
        self.types = types
        self.last = last
    }
}
