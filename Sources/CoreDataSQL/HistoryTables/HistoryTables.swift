import Foundation
import ManagedObjectModel

/// The tables of persistent history, as a database has them.
package struct HistoryTables: Sendable, Equatable {
    package static let change = "ACHANGE"
    package static let transaction = "ATRANSACTION"
    package static let strings = "ATRANSACTIONSTRING"
    /// The entity numbers of the three.
    package static let changeNumber: Int64 = 16001
    package static let transactionNumber = KnownChanges.transactionNumber
    package static let stringNumber: Int64 = 16003

    /// How many columns there are for the values of deleted objects.
    package var tombstoneCount: Int
    /// Whether author, bundle, context and process are references to a table of strings. Older versions of Apple's
    /// framework have only the columns for the strings themselves, which newer ones leave empty.
    package let hasStrings: Bool

    private static let texts = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
    private static let changeColumns = [
        "Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS",
    ]

    /// The tables that a new store gets.
    package static func new(tombstoneCount: Int) -> HistoryTables {
        HistoryTables(tombstoneCount: tombstoneCount, hasStrings: true)
    }

    private init(tombstoneCount: Int, hasStrings: Bool) {
        self.tombstoneCount = tombstoneCount
        self.hasStrings = hasStrings
    }

    /// The tables of a file; nil when it has none.
    ///
    /// - Throws: 134020 when some are there and are not those of persistent history.
    package init?(_ existing: ExistingTables) throws {
        let changes = existing.columns(of: Self.change)
        let transactions = existing.columns(of: Self.transaction)
        guard changes != nil || transactions != nil else { return nil }
        let missing =
            Self.changeColumns.filter { !(changes ?? []).contains($0) }.map { "\(Self.change).\($0)" }
            + (["Z_PK", "Z_ENT", "Z_OPT", "ZTIMESTAMP"] + Self.texts)
            .filter { !(transactions ?? []).contains($0) }.map { "\(Self.transaction).\($0)" }
        guard missing.isEmpty else { throw Self.damaged("it has no column \(missing[0])") }
        tombstoneCount = 0
        while (changes ?? []).contains("ZTOMBSTONE\(tombstoneCount)") { tombstoneCount += 1 }
        let references = Self.texts.filter { (transactions ?? []).contains($0 + "TS") }
        hasStrings = !references.isEmpty
        guard hasStrings else { return }
        let strings = existing.columns(of: Self.strings) ?? []
        guard references.count == 4, ["Z_PK", "Z_ENT", "Z_OPT", "ZNAME"].allSatisfy(strings.contains) else {
            throw Self.damaged("\(Self.strings) is not complete")
        }
    }

    package static func damaged(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreIncompatibleSchema,
            "The persistent history of the store cannot be used: \(reason).")
    }

    /// Whether there is any history.
    package func haveRows(_ connection: any SQLConnection) throws -> Bool {
        let isThere: SQLStatement = """
            EXISTS (SELECT 1 FROM \(name: Self.transaction)) OR EXISTS (SELECT 1 FROM \(name: Self.change))
            """
        return try connection.integer("SELECT \(.number(isThere))") != 0
    }

    // MARK: Making

    /// The statements that make the tables, as Apple's stores have them.
    package var creation: [SQLStatement] {
        let key = SQLPiece.columnType(.primaryKey)
        let integer = SQLPiece.columnType(.integer)
        let string = SQLPiece.columnType(.string(length: nil))
        let data = SQLPiece.columnType(.data)
        func index(_ column: String) -> SQLPiece { .indexed(column, isAscending: true) }
        let tombstones = tombstoneNames.map { name -> SQLStatement in ", \(name: name) \(data)" }.joined(
            separator: "")
        return [
            """
            CREATE TABLE ACHANGE ( Z_PK \(key), Z_ENT \(integer), Z_OPT \(integer), ZCHANGETYPE \(integer), ZENTITY \
            \(integer), ZENTITYPK \(integer), ZTRANSACTIONID \(integer), ZCOLUMNS \(data)\(tombstones) )
            """,
            """
            CREATE TABLE ATRANSACTION ( Z_PK \(key), Z_ENT \(integer), Z_OPT \(integer), ZAUTHORTS \(integer), \
            ZBUNDLEIDTS \(integer), ZCONTEXTNAMETS \(integer), ZPROCESSIDTS \(integer), \
            ZTIMESTAMP \(.columnType(.property(.double))), ZAUTHOR \(string), ZBUNDLEID \(string), \
            ZCONTEXTNAME \(string), ZPROCESSID \(string), ZQUERYGEN \(data) )
            """,
            """
            CREATE TABLE ATRANSACTIONSTRING ( Z_PK \(key), Z_ENT \(integer), Z_OPT \(integer), ZNAME \(string) )
            """,
            "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
            "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
            "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
            "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
            "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
            "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (\(index("ZAUTHOR")))",
            "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (\(index("ZTIMESTAMP")))",
            """
            CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (\(index("ZNAME")))
            """,
        ] + primaryKeys
    }

    /// The rows of `Z_PRIMARYKEY`, where they are missing.
    package var primaryKeys: [SQLStatement] {
        [
            (Self.changeNumber, "CHANGE"), (Self.transactionNumber, "TRANSACTION"),
            (Self.stringNumber, "TRANSACTIONSTRING"),
        ].map { number, name in
            let values: [SQLStatement] = [
                "\(integer: number)", SQLStatement(.literal(.text(name))), "0", "0",
            ]
            return SQLStatement(
                .insertUnlessThere(
                    table: "Z_PRIMARYKEY", columns: ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"], values: values))
        }
    }

    /// The statements that add columns for the values of deleted objects.
    package func widening(to count: Int) -> [SQLStatement] {
        (min(tombstoneCount, count)..<count).map {
            "ALTER TABLE ACHANGE ADD COLUMN \(name: Self.tombstone($0)) \(.columnType(.data))"
        }
    }

    /// The name of a column for a value of a deleted object.
    package static func tombstone(_ index: Int) -> String { "ZTOMBSTONE\(index)" }

    private var tombstoneNames: [String] { (0..<tombstoneCount).map(Self.tombstone) }

    // MARK: Writing

    /// Takes primary keys. Parameters: how many, the entity's number.
    static func reserve(_ table: String) -> SQLStatement {
        let highest: SQLStatement = "(SELECT MAX(Z_PK) FROM \(name: table))"
        return """
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(.greatest("\(.coalesce("Z_MAX", "0"))", "\(.coalesce(highest, "0"))")) \
            + \(.parameter) WHERE Z_ENT = \(.parameter)
            """
    }

    /// The highest primary key taken. Parameter: the entity's number.
    static let highest: SQLStatement = "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(.parameter)"

    /// The key of a string. Parameter: the string.
    static let string: SQLStatement = "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = \(.parameter)"

    /// Parameters: key, string.
    static let insertString: SQLStatement = """
        INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) \
        VALUES (\(.parameter), \(integer: stringNumber), \(.parameter))
        """

    /// Parameters: key, time, then author, bundle, context and process, as references or strings.
    var insertTransaction: SQLStatement {
        """
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, \(names: Self.texts.map { hasStrings ? $0 + "TS" : $0 })) \
        VALUES (\(.parameter), \(integer: Self.transactionNumber), \(parameters: 5))
        """
    }

    /// Parameters: key, type, entity, key of the object, transaction, bitmap, values of a deleted object.
    var insertChange: SQLStatement {
        let columns = ["ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"] + tombstoneNames
        return """
            INSERT INTO ACHANGE (Z_PK, Z_ENT, \(names: columns)) \
            VALUES (\(.parameter), \(integer: Self.changeNumber), \(parameters: columns.count))
            """
    }

    // MARK: Reading

    /// The columns of a transaction: key, time, author, bundle, context, process.
    private var transactions: SQLStatement {
        let texts = Self.texts.map { name -> SQLStatement in
            guard hasStrings else { return "t.\(name: name)" }
            let string: SQLStatement =
                "(SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = t.\(name: name + "TS"))"
            return SQLStatement(.coalesce(string, "t.\(name: name)"))
        }
        return "SELECT t.Z_PK, t.ZTIMESTAMP, \(list: texts) FROM ATRANSACTION t"
    }

    private static func position(isTime: Bool) -> SQLStatement { isTime ? "ZTIMESTAMP" : "Z_PK" }

    /// Transactions in order. Parameters: the highest number, or the latest time, excluded.
    func transactions(afterTime isTime: Bool) -> SQLStatement {
        "\(transactions) WHERE t.\(Self.position(isTime: isTime)) > \(.parameter) ORDER BY t.Z_PK"
    }

    /// Transactions in order. Parameters: the lowest number, or the earliest time, excluded.
    func transactions(beforeTime isTime: Bool) -> SQLStatement {
        "\(transactions) WHERE t.\(Self.position(isTime: isTime)) < \(.parameter) ORDER BY t.Z_PK"
    }

    /// One transaction, if it is in range. Parameters: its number; the highest number, or the latest time, excluded.
    func transaction(afterTime isTime: Bool) -> SQLStatement {
        "\(transactions) WHERE t.Z_PK = \(.parameter) AND t.\(Self.position(isTime: isTime)) > \(.parameter)"
    }

    /// The lowest number of a transaction after a time. Parameter: the time.
    static let firstAfterTime: SQLStatement =
        "SELECT MIN(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP > \(.parameter)"

    /// The latest transactions first. Parameters: the number that all are below, how many.
    var latestTransactions: SQLStatement {
        "\(transactions) WHERE t.Z_PK < \(.parameter) ORDER BY t.Z_PK DESC\(.limitParameter)"
    }

    /// The lowest number of a transaction from another one on, 0 for none. Parameter: the other one, which counts or not.
    static func lowestNumber(including isIncluded: Bool) -> SQLStatement {
        """
        SELECT \(.coalesce("MIN(Z_PK)", "0")) FROM ATRANSACTION \
        WHERE Z_PK \(isIncluded ? ">=" : ">" as SQLStatement) \(.parameter)
        """
    }

    /// The columns of a change: key, type, entity, key of the object, transaction, bitmap, values of deleted objects.
    private var allChanges: SQLStatement {
        let columns =
            ["Z_PK", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"] + tombstoneNames
        return "SELECT \(names: columns) FROM ACHANGE"
    }

    /// All changes in the order of their keys.
    var changesByKey: SQLStatement { "\(allChanges) ORDER BY Z_PK" }

    /// Changes in order. Parameters: the lowest and the highest transaction wanted.
    var changes: SQLStatement {
        """
        \(allChanges) WHERE ZTRANSACTIONID >= \(.parameter) AND ZTRANSACTIONID <= \(.parameter) \
        ORDER BY ZTRANSACTIONID, Z_PK
        """
    }

    /// The first changes of a transaction. Parameters: its number, how many.
    var firstChanges: SQLStatement {
        "\(allChanges) WHERE ZTRANSACTIONID = \(.parameter) ORDER BY Z_PK\(.limitParameter)"
    }

    /// How many changes a transaction has. Parameter: its number.
    static let changeCount: SQLStatement = "SELECT COUNT(*) FROM ACHANGE WHERE ZTRANSACTIONID = \(.parameter)"
}
