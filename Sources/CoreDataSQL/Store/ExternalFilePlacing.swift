import ObjectGraph

/// Puts large data into files of their own, for one transaction.
package protocol ExternalFilePlacing: AnyObject {
    /// Writes the large data of a unit of work to files.
    ///
    /// - Returns: the unit with the names of the files in its rows.
    /// - Throws: 134030 when a file cannot be written.
    func take(_ unit: UnitOfWork) throws -> UnitOfWork

    /// Notes files that nothing names any more once the transaction is committed.
    func leave(_ names: Set<String>)

    /// The names of files that rows have now. O(rows); the data of rows is not read.
    func names(_ connection: any SQLConnection, _ schema: SQLSchema) throws -> Set<String>
}

extension ExternalData {
    /// The most data that a row keeps itself. Apple's stores have 99,812 bytes in a row; its documents speak of 100 kilobytes.
    package static let largestInRow = 100 << 10
}
