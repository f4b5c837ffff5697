import Foundation
import ObjectGraph

/// A transaction of many saves, with primary keys that the caller gives. In the history of the store, it is one.
///
/// Valid only inside the call that hands it out.
package protocol ImportTarget: AnyObject {
    /// What is in the store, with what was saved so far.
    var contents: any StoreContents { get }

    /// The highest primary key that was ever given out in an entity's table.
    ///
    /// - Throws: 134060 when the store does not count the keys of the table.
    func highestReference(of home: StoredEntity) throws -> Int64
    /// Gives out all primary keys of an entity's table up to one.
    ///
    /// - Throws: as `highestReference(of:)`.
    func reserve(upTo reference: Int64, of home: StoredEntity) throws
    /// Saves a unit of work whose references are those that the rows get.
    ///
    /// - Throws: an error of the database, such as that of a violated constraint.
    func save(_ unit: UnitOfWork) throws
    /// Changes a row that came in.
    ///
    /// - Throws: an error of the database.
    func update(_ statement: SQLStatement) throws
    /// Gives a row that came in the times of its last save that it has itself.
    ///
    /// - Parameter slots: attributes of the entity that are derived by `now()`.
    /// - Throws: an error of the database.
    func keepTimes(_ slots: [PropertySlot], of row: Row, _ entity: SQLEntity) throws
}

extension PropertySlot {
    /// The bytes that the column of an attribute gets for data.
    package func column(_ data: Data) -> Data { isExternal ? ExternalData.column(data) : data }

    /// The bytes that the column of an attribute gets for data in a file; nil when the attribute is not kept in files.
    package func column(naming file: UUID) -> Data? { isExternal ? ExternalData.column(naming: file) : nil }
}
