/// Statements that find what is wrong in the tables of the store's own, and in keys. They take no model.
package enum TableFaults {
    /// Rows whose key no object can have.
    package static func invalidKeys(in table: String) -> SQLStatement {
        "SELECT Z_PK FROM \(name: table) WHERE Z_PK < 1"
    }

    /// The highest key of a table; NULL for a table without rows.
    package static func highestKey(in table: String) -> SQLStatement {
        "SELECT MAX(Z_PK) FROM \(name: table)"
    }

    // MARK: History

    /// The columns of a transaction that lead to strings.
    package static let references = ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]

    /// Changes whose transaction is not there.
    ///
    /// - Parameter hasTransactions: whether there is a table of transactions.
    package static func changesWithoutTransaction(hasTransactions: Bool) -> SQLStatement {
        guard hasTransactions else { return "SELECT Z_PK FROM ACHANGE" }
        return """
            SELECT c.Z_PK FROM ACHANGE c WHERE NOT EXISTS \
            (SELECT 1 FROM ATRANSACTION t WHERE t.Z_PK = c.ZTRANSACTIONID)
            """
    }

    /// Changes of an entity whose number the store does not have.
    package static var changesWithoutEntity: SQLStatement {
        """
        SELECT c.Z_PK FROM ACHANGE c WHERE NOT EXISTS \
        (SELECT 1 FROM Z_PRIMARYKEY p WHERE p.Z_ENT = c.ZENTITY)
        """
    }

    /// Transactions that lead to a string which is not there.
    ///
    /// - Parameters:
    ///   - column: the column that leads to it.
    ///   - hasStrings: whether there is a table of strings.
    package static func transactionsWithoutString(_ column: String, hasStrings: Bool) -> SQLStatement {
        let isMissing: SQLStatement =
            hasStrings
            ? " AND NOT EXISTS (SELECT 1 FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(name: column))" : ""
        return "SELECT t.Z_PK FROM ATRANSACTION t WHERE t.\(name: column) IS NOT NULL\(isMissing)"
    }
}
