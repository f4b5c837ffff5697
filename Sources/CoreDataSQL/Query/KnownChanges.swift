import ObjectGraph

/// What the persistent history of a store has of the changes after one of its transactions.
///
/// All changes after the transaction are known only where its own record is still there, and no record after it is missing: their
/// numbers follow each other without a gap. While a history has records, a store is not opened for writing without them; a program that
/// opened it before leaves out a number with each change (`HistoryWriter.skip()`), also where there was no history at all then.
package struct KnownChanges: Sendable {
    private let number: SQLValue
    private let time: SQLValue

    /// - Parameters:
    ///   - number: the number of the transaction.
    ///   - time: its time, by which the history of another file is noticed.
    package init(afterNumber number: Int64, time: Double) {
        self.number = .integer(number)
        self.time = .double(time)
    }

    /// The number of the last transaction that was ever saved.
    package static let lastNumber: SQLStatement = {
        let counted: SQLStatement =
            "(SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(integer: transactionNumber))"
        let stored: SQLStatement = "(SELECT MAX(Z_PK) FROM ATRANSACTION)"
        return "SELECT \(.greatest("\(.coalesce(counted, "0"))", "\(.coalesce(stored, "0"))"))"
    }()

    /// The entity number of transactions.
    static let transactionNumber: Int64 = 16002

    /// The condition that all changes after the transaction are there.
    private var areComplete: SQLStatement {
        """
        EXISTS (SELECT 1 FROM ATRANSACTION WHERE Z_PK = \(value: number) AND ZTIMESTAMP = \(value: time)) \
        AND (SELECT COUNT(*) FROM ATRANSACTION WHERE Z_PK > \(value: number)) = \
        (\(Self.lastNumber)) - \(value: number)
        """
    }

    /// How many changes there are, counted up to one more than a limit; -1 where not all are known.
    func count(limit: Int) -> SQLStatement {
        let changes: SQLStatement = """
            SELECT 1 v FROM ACHANGE WHERE ZTRANSACTIONID > \(value: number)\(.limit(Int64(limit) + 1, offset: nil))
            """
        return "SELECT CASE WHEN \(areComplete) THEN (SELECT COUNT(*) FROM (\(changes)) c) ELSE -1 END"
    }

    /// The keys of rows that have changed, as a SELECT to be joined to others by UNION ALL: of all rows where not all changes are known.
    /// It is evaluated in the state of the store that the statement around it reads.
    func keys(in entity: SQLEntity) -> SQLStatement {
        """
        SELECT ZENTITYPK FROM ACHANGE WHERE ZTRANSACTIONID > \(value: number) AND ZENTITY IN (\(integers: entity.familyNumbers)) \
        UNION ALL SELECT a.Z_PK FROM (SELECT 1 v WHERE NOT (\(areComplete))) u \
        LEFT OUTER JOIN \(name: entity.table) a ON \(.boolean(true))
        """
    }
}

extension PredicateCompiler {
    /// The condition that a row is among candidates of an index, or has changed since.
    func candidateCondition(_ candidates: CandidatePredicate) -> SQLStatement {
        guard let entity = root.table else { return SQLStatement(.boolean(true)) }
        let changes = KnownChanges(afterNumber: candidates.number, time: candidates.time)
        let keys = candidates.keys.map(SQLValue.integer)
        return "\(root.object.sql) IN (\(.list(keys)) UNION ALL \(changes.keys(in: entity)))"
    }
}
