import Foundation
import ObjectGraph

/// A connection to a database, which one thread at a time uses.
///
/// Everything that writes or reads a store by statements runs over it: saves, batch requests, history, snapshots, the migration of rows. A
/// database's own module has the one implementation: it prepares statements and keeps them prepared by their texts, binds and reads values,
/// and packs whole rows straight from its client's memory, so that the values of objects do not pass through this protocol one by one.
///
/// Every method throws what the database reports as an `SQLError`.
package protocol SQLConnection: SQLReading {
    /// How the database spells statements.
    var dialect: any SQLDialect { get }

    /// How many rows the last INSERT, UPDATE or DELETE changed.
    var changeCount: Int { get }

    /// Runs a statement once, without keeping it prepared: one that changes the schema, or does not come again.
    func execute(_ statement: RenderedSQL) throws

    /// A statement that is ready to be bound, prepared if the connection does not have it.
    func prepare(_ statement: RenderedSQL) throws -> any SQLPreparedStatement

    /// The INSERT of an entity's rows, whose parameters are the key, the entity, the version and the entity's columns.
    func insertionWriter(_ statement: RenderedSQL, _ entity: SQLEntity) throws -> any RowWriting

    /// An UPDATE or DELETE that is run for many rows.
    ///
    /// - Parameter columns: those that the statement has parameters for.
    func rowWriter(_ statement: RenderedSQL, _ columns: [SQLColumn]) throws -> any RowWriting

    /// The INSERT that is run for the changes of a transaction of the history.
    ///
    /// - Parameter transaction: the number of the transaction.
    func changeWriter(_ statement: RenderedSQL, transaction: Int64) throws -> any ChangeWriting

    /// The names of the columns of a table, in their order; none where there is no such table.
    func columnNames(of table: String) throws -> [String]

    /// Runs a block in a transaction, which is rolled back when the block throws. There must not be one already.
    func inTransaction<Value>(_ body: () throws -> Value) throws -> Value

    /// Runs a block whose changes alone are rolled back when it throws.
    func inSavepoint<Value>(_ body: () throws -> Value) throws -> Value

    /// Ends the running statement with an error whose `isInterrupted` is true. Any thread may call it.
    func interrupt()
}

/// What finds rows by statements: a connection, also one that does nothing else.
package protocol SQLReading {
    /// Calls `body` with each row that a statement finds.
    func forEachRow(of statement: RenderedSQL, _ body: (any SQLRow) throws -> Void) throws

    /// Calls `body` with each row that a statement finds, packed.
    ///
    /// - Parameters:
    ///   - selection: what the statement selects.
    ///   - timestamp: when the rows are read, in seconds since 2001.
    /// - Throws: 134060 for a value that is not of its column's type, or a row of an unknown entity; what `body` throws.
    func forEachRow(
        of statement: RenderedSQL, as selection: RowSelection, timestamp: Double, _ body: (Row) throws -> Void
    ) throws

    /// Calls `body` with the integers in the first two columns of each row, such as the number of an entity and a key.
    func forEachPair(of statement: RenderedSQL, _ body: (Int64, Int64) throws -> Void) throws

    /// Owner, entity number and key of each link, which are the columns of the statement.
    func links(_ statement: RenderedSQL) throws -> [Int64: [(entityNumber: Int32, reference: Int64)]]
}

/// A statement that a connection keeps, with values that are bound by position, from 1.
///
/// It is the connection's one statement of that text: two users of it must not alternate.
package protocol SQLPreparedStatement: AnyObject {
    func bind(_ value: SQLValue, at position: Int) throws

    /// Goes to the next row; false when there is none.
    func step() throws -> Bool
    /// The row that the last step has found.
    var row: any SQLRow { get }
    /// Ends the statement; what is bound stays.
    func reset()
    /// Releases what is bound.
    func clearBindings()
}

extension SQLPreparedStatement {
    /// Runs the statement with values for what it changes.
    package func run(_ values: [SQLValue]) throws { try forEachRow(values) { _ in } }

    /// Runs the statement with values, and calls `body` with each row.
    package func forEachRow(_ values: [SQLValue], _ body: (any SQLRow) throws -> Void) throws {
        defer { reset() }
        for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
        while try step() { try body(row) }
    }
}

/// The row of a statement that was found last, by columns from 0.
package protocol SQLRow {
    func type(_ column: Int) -> SQLValueType
    /// The number in a column; 0 for NULL.
    func integer(_ column: Int) -> Int64
    /// The number in a column; 0 for NULL.
    func double(_ column: Int) -> Double
    /// The string in a column; an empty one for NULL.
    func string(_ column: Int) -> String
    /// The bytes in a column; none for NULL.
    func data(_ column: Int) -> Data
    /// The first bytes in a column; no others are copied.
    func bytes(_ column: Int, atMost count: Int) -> [UInt8]
    func value(_ column: Int) -> SQLValue
}

extension SQLRow {
    package func isNull(_ column: Int) -> Bool { type(column) == .null }
}

/// What a database has in a column of a row.
package enum SQLValueType: Sendable {
    case null, integer, double, text, blob
}

/// Binds packed rows to one statement, row after row, each in one call.
package protocol RowWriting: AnyObject {
    /// Inserts rows, in their order, up to the first that the database refuses.
    func insert(_ rows: ArraySlice<Row>) throws
    /// Writes a row if the stored one has the old version. Parameters: the columns, the new version, the key, the old version.
    ///
    /// - Returns: whether it has.
    func update(_ row: Row, oldVersion: Int64) throws -> Bool
    /// Deletes a row if the stored one has its version. Parameters: the key, the version.
    ///
    /// - Returns: whether it has.
    func delete(_ row: Row) throws -> Bool
    /// Releases the bytes of the last row, which stay bound until the next one replaces them.
    func finish()
}

/// Binds changes to the statement that inserts them into the history, one after the other, each in one call.
///
/// Parameters: the number of the change, its type, the number of the object's entity, the object's key, the transaction, the properties that an
/// update changed, and values of a deleted object.
package protocol ChangeWriting: AnyObject {
    /// Inserts a change.
    ///
    /// - Parameter changed: a bit for each property that changed; nil for a change that is not an update.
    func insert(
        _ number: Int64, _ type: NSPersistentHistoryChangeType, _ entityNumber: Int32, _ reference: Int64,
        changed: UnsafeRawBufferPointer?
    ) throws
    /// Inserts the deletion of an object.
    ///
    /// - Parameters:
    ///   - row: the object's last row.
    ///   - values: those of its values that outlive it, each with its position among the parameters for such values.
    func insertDeletion(_ number: Int64, of row: Row, keeping values: ArraySlice<OutlivingValue>) throws
}

/// A value of a row that is kept in the history when its object is deleted: its position among them, and where the row has it.
package typealias OutlivingValue = (position: Int, rowSlot: Int, kind: SlotKind)
