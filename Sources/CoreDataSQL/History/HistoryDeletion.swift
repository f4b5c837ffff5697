import ObjectGraph

/// Which transactions are deleted from a history, with their changes.
package enum HistoryDeletion {
    case before(HistoryPosition)
    case transaction(Int64)

    private var transactions: SQLStatement {
        switch self {
        case .before(.number(let number)): "Z_PK < \(value: .integer(number))"
        case .before(.time(let time)): "ZTIMESTAMP < \(value: .double(time))"
        case .transaction(let number): "Z_PK = \(value: .integer(number))"
        }
    }

    /// The condition of a change of one of the transactions.
    package var changes: SQLStatement {
        "ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE \(transactions))"
    }

    /// Deletes them.
    ///
    /// - Returns: how many there were.
    package func run(_ connection: any SQLConnection) throws -> Int {
        try connection.run("DELETE FROM ACHANGE WHERE \(changes)")
        try connection.run("DELETE FROM ATRANSACTION WHERE \(transactions)")
        return connection.changeCount
    }
}
