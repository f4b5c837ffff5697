import Foundation
import ObjectGraph

/// An open store in a database, as saves, batch requests, history and migration see it beside the connection that they run on.
package protocol SQLStore: ObjectStore {
    /// The tables of the database that is open now.
    var tables: StoreTables { get }
    /// What the database computed for derived attributes in the running transaction.
    var derivedValues: any DerivedValueReports { get }

    /// The row of an object, if it is in memory.
    func cachedRow(_ key: ObjectKey) -> Row?
    /// Counts a request that reads.
    func noteRead()
    /// The first bytes of external data that is not in its row, and how many it has; no more of it is read.
    ///
    /// - Throws: 134060 when there is none, or it cannot be read.
    func externalDataStart(named name: String, atMost most: Int) throws -> (start: Data, length: Int)
}

/// What derived attributes have become in a transaction, of objects that a save writes and of others.
package protocol DerivedValueReports: AnyObject {
    /// The last value of each attribute of each row, by the name of the attribute.
    var changes: [DerivedRow: [String: SQLValue]] { get }

    func removeAll()
    /// Runs a block and discards its reports: those of a statement that changes any number of rows.
    func ignoring<Value>(_ body: () throws -> Value) rethrows -> Value
}

/// A row that has derived attributes.
package struct DerivedRow: Hashable {
    package let entityNumber: Int32
    package let reference: Int64

    package init(entityNumber: Int32, reference: Int64) {
        self.entityNumber = entityNumber
        self.reference = reference
    }

    package init(_ row: Row) { self.init(entityNumber: row.entityNumber, reference: row.reference) }
}
