import CoreDataSQL
import Foundation
import GRDB
import ManagedObjectModel

/// The tables of persistent history, as a file has them.
struct HistoryTables: Sendable, Equatable {
    static let change = "ACHANGE"
    static let transaction = "ATRANSACTION"
    static let strings = "ATRANSACTIONSTRING"
    /// The entity numbers of the three.
    static let changeNumber: Int64 = 16001
    static let transactionNumber: Int64 = 16002
    static let stringNumber: Int64 = 16003

    /// How many columns there are for the values of deleted objects.
    var tombstoneCount: Int
    /// Whether author, bundle, context and process are references to a table of strings. Older versions of Apple's
    /// framework have only the columns for the strings themselves, which newer ones leave empty.
    let hasStrings: Bool

    private static let texts = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]
    private static let changeColumns = [
        "Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS",
    ]

    /// The tables that a new store gets.
    static func new(tombstoneCount: Int) -> HistoryTables {
        HistoryTables(tombstoneCount: tombstoneCount, hasStrings: true)
    }

    private init(tombstoneCount: Int, hasStrings: Bool) {
        self.tombstoneCount = tombstoneCount
        self.hasStrings = hasStrings
    }

    /// The tables of a file; nil when it has none.
    ///
    /// - Throws: 134020 when some are there and are not those of persistent history.
    init?(_ existing: ExistingTables) throws {
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

    static func damaged(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreIncompatibleSchema,
            "The persistent history of the store cannot be used: \(reason).")
    }

    /// Whether there is any history.
    func haveRows(_ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: "SELECT EXISTS (SELECT 1 FROM \(Self.transaction)) OR EXISTS (SELECT 1 FROM \(Self.change))")
            ?? false
    }

    // MARK: Making

    /// The statements that make the tables, as Apple's stores have them.
    var creation: [String] {
        let tombstones = (0..<tombstoneCount).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
        return [
            """
            CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY \
            INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(tombstones) )
            """,
            """
            CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, \
            ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, \
            ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )
            """,
            """
            CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )
            """,
            "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
            "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
            "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
            "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
            "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
            "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
            "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
            """
            CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)
            """,
        ] + primaryKeys
    }

    /// The rows of `Z_PRIMARYKEY`, where they are missing.
    var primaryKeys: [String] {
        [
            (Self.changeNumber, "CHANGE"), (Self.transactionNumber, "TRANSACTION"),
            (Self.stringNumber, "TRANSACTIONSTRING"),
        ].map { number, name in
            """
            INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\(number), '\(name)', 0, 0)
            """
        }
    }

    /// The statements that add columns for the values of deleted objects.
    func widening(to count: Int) -> [String] {
        (min(tombstoneCount, count)..<count).map { "ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\($0) BLOB" }
    }

    // MARK: Writing

    /// Takes primary keys. Parameters: how many, the entity's number.
    static func reserve(_ table: String) -> String {
        """
        UPDATE Z_PRIMARYKEY SET Z_MAX = MAX(IFNULL(Z_MAX, 0), IFNULL((SELECT MAX(Z_PK) FROM \(table)), 0)) + ? \
        WHERE Z_ENT = ?
        """
    }

    /// Parameters: key, time, then author, bundle, context and process, as references or strings.
    var insertTransaction: String {
        let names = Self.texts.map { hasStrings ? $0 + "TS" : $0 }.joined(separator: ", ")
        return """
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, \(names)) VALUES (?, \(Self.transactionNumber), ?, ?, ?, ?, ?)
            """
    }

    /// Parameters: key, type, entity, key of the object, transaction, bitmap, values of a deleted object.
    var insertChange: String {
        let tombstones = (0..<tombstoneCount).map { ", ZTOMBSTONE\($0)" }.joined()
        let parameters = Array(repeating: ", ?", count: tombstoneCount).joined()
        return """
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(tombstones)) \
            VALUES (?, \(Self.changeNumber), ?, ?, ?, ?, ?\(parameters))
            """
    }

    // MARK: Reading

    /// The columns of a transaction: key, time, author, bundle, context, process.
    private var transactions: String {
        guard hasStrings else {
            return """
                SELECT t.Z_PK, t.ZTIMESTAMP, \(Self.texts.map { "t." + $0 }.joined(separator: ", ")) FROM ATRANSACTION t
                """
        }
        let texts = Self.texts.map { name in
            "IFNULL((SELECT ZNAME FROM ATRANSACTIONSTRING WHERE Z_PK = t.\(name)TS), t.\(name))"
        }
        return "SELECT t.Z_PK, t.ZTIMESTAMP, \(texts.joined(separator: ", ")) FROM ATRANSACTION t"
    }

    /// Transactions in order. Parameters: the highest number, or the latest time, excluded.
    func transactions(afterTime: Bool) -> String {
        "\(transactions) WHERE t.\(afterTime ? "ZTIMESTAMP" : "Z_PK") > ? ORDER BY t.Z_PK"
    }

    /// Transactions in order. Parameters: the lowest number, or the earliest time, excluded.
    func transactions(beforeTime: Bool) -> String {
        "\(transactions) WHERE t.\(beforeTime ? "ZTIMESTAMP" : "Z_PK") < ? ORDER BY t.Z_PK"
    }

    /// One transaction, if it is in range. Parameters: its number; the highest number, or the latest time, excluded.
    func transaction(afterTime: Bool) -> String {
        "\(transactions) WHERE t.Z_PK = ? AND t.\(afterTime ? "ZTIMESTAMP" : "Z_PK") > ?"
    }

    /// The lowest number of a transaction after a time. Parameter: the time.
    static let firstAfterTime = "SELECT MIN(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP > ?"

    /// The latest transactions first. Parameters: the number that all are below, how many.
    var latestTransactions: String { "\(transactions) WHERE t.Z_PK < ? ORDER BY t.Z_PK DESC LIMIT ?" }

    /// The columns of a change: key, type, entity, key of the object, transaction, bitmap, values of deleted objects.
    private var allChanges: String {
        let tombstones = (0..<tombstoneCount).map { ", ZTOMBSTONE\($0)" }.joined()
        return
            "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(tombstones) FROM ACHANGE"
    }

    /// Changes in order. Parameters: the lowest and the highest transaction wanted.
    var changes: String {
        "\(allChanges) WHERE ZTRANSACTIONID >= ? AND ZTRANSACTIONID <= ? ORDER BY ZTRANSACTIONID, Z_PK"
    }

    /// The first changes of a transaction. Parameters: its number, how many.
    var firstChanges: String { "\(allChanges) WHERE ZTRANSACTIONID = ? ORDER BY Z_PK LIMIT ?" }
}
