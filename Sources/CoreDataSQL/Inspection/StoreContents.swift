import Foundation
import ManagedObjectModel
import ObjectGraph

/// What an open store holds at one moment, with what only its database knows: for tools that look at all of it and keep none of it.
///
/// Valid only inside the call that hands it out.
package protocol StoreContents {
    /// The rows.
    var snapshot: StoreSnapshot { get }

    /// Calls `body` with the key of each object of an entity itself whose value in a column is not of the type that the model
    /// says, until it returns false. A row without a key has nil.
    ///
    /// - Parameter keys: those of the objects to look at; nil for all.
    /// - Throws: an error of the database, or what `body` throws.
    func forEachMistypedRow(
        of entity: SQLEntity, _ column: SQLColumn, keys: [Int64]?, _ body: (Int64?) throws -> Bool
    ) throws

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

    /// What keeps the store from being written to, each as part of a sentence; none when it can be.
    func unsupportedFeatures() throws -> [String]

    /// All tables of the database, by name.
    ///
    /// - Throws: an error of the database.
    func databaseTables() throws -> [StoreTable]

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
    package var schema: SQLSchema { snapshot.schema }
    package var connection: any SQLConnection { snapshot.connection }
}
