import Foundation
import ManagedObjectModel
import ObjectGraph

/// What an open store holds at one moment, row by row: for tools that look at all of it and keep none of it.
///
/// Valid only inside the call that hands it out.
package protocol StoreContents {
    var schema: SQLSchema { get }
    /// The connection, inside a transaction.
    var connection: any SQLConnection { get }

    // MARK: Rows

    /// Hands out the rows of an entity itself, its subentities left out, in batches by primary key.
    ///
    /// - Throws: 134060 for a value that is not of its column's type, an error of the database, or what `body` throws.
    func forEachBatch(of entity: SQLEntity, _ body: ([Row]) throws -> Void) throws
    /// The rows with these primary keys that an entity and its subentities have, in no order.
    ///
    /// - Throws: as `forEachBatch`.
    func rows(of entity: SQLEntity, references: [Int64]) throws -> [Row]
    /// The destinations of a to-many relationship for each owner that has any, in order when it is ordered.
    ///
    /// - Parameter limit: the most destinations that are read, of all owners together; nil for all.
    /// - Throws: an error of the database.
    func destinations(
        of relationship: NSRelationshipDescription, owners: [Int64], limit: Int?
    ) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]]
    /// Calls `body` with the key of each object of an entity itself whose value in a column is not of the type that the model
    /// says, until it returns false. A row without a key has nil.
    ///
    /// - Parameter keys: those of the objects to look at; nil for all.
    /// - Throws: an error of the database, or what `body` throws.
    func forEachMistypedRow(
        of entity: SQLEntity, _ column: SQLColumn, keys: [Int64]?, _ body: (Int64?) throws -> Bool
    ) throws

    // MARK: External data

    /// The data of an attribute, from a file when it is kept in one.
    ///
    /// - Throws: 134060 when the row names no file, or the file cannot be read.
    func data(_ row: Row, _ slot: PropertySlot) throws -> Data
    /// The first bytes of the data of an attribute, and how many it has; no more of a file is read.
    ///
    /// - Throws: as `data(_:_:)`.
    func dataStart(_ row: Row, _ slot: PropertySlot, atMost most: Int) throws -> (start: Data, length: Int)
    /// The name of the file that has a value's bytes; nil when they are in the row, as are those of a reference that
    /// names no file.
    func externalFile(_ row: Row, _ slot: PropertySlot) -> String?
    /// Calls `body` with the key of each object of an entity itself whose value of an attribute is in a file, and with the
    /// name of the file. A row without a key has nil.
    ///
    /// - Throws: an error of the database, or what `body` throws.
    func forEachExternalFile(
        of entity: SQLEntity, _ column: SQLColumn, _ body: (Int64?, String) throws -> Void
    ) throws
    /// The files of external data that the history keeps for values of deleted objects.
    ///
    /// - Throws: an error of the database.
    func filesOfHistory() throws -> Set<String>

    // MARK: The store itself

    /// What keeps the store from being written to, each as part of a sentence; none when it can be.
    func unsupportedFeatures() throws -> [String]
    /// All tables of the database, by name.
    ///
    /// - Throws: an error of the database.
    func tables() throws -> [StoreTable]
    /// The bytes of the copy of the model that the store keeps; nil when it has none.
    ///
    /// - Throws: an error of the database.
    func modelArchive() throws -> Data?
    /// Runs a block, and returns the statements that it ran on the connection, each text once.
    ///
    /// - Throws: what the block throws; an error of the database.
    func traced<Value>(_ body: () throws -> Value) throws -> (value: Value, executions: [StatementExecution])
}

extension StoreContents {
    package func destinations(
        of relationship: NSRelationshipDescription, owners: [Int64]
    ) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]] {
        try destinations(of: relationship, owners: owners, limit: nil)
    }
}
