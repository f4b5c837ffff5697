import CoreData
import GRDB

/// Whether the rows of persistent history lead to each other, and to entities of the store. It takes no model.
struct HistoryCheck {
    private let database: Database

    init(_ database: Database) { self.database = database }

    func findings() throws -> [StoreFinding] {
        let changes = try columns(of: "ACHANGE")
        let transactions = try columns(of: "ATRANSACTION")
        guard !changes.isEmpty || !transactions.isEmpty else { return [] }
        var findings: [StoreFinding] = []
        if changes.isSuperset(of: ["Z_PK", "ZTRANSACTIONID", "ZENTITY"]) {
            let change = Examples(database, "CHANGE")
            findings += try change.report(
                transactions.isEmpty
                    ? "SELECT Z_PK FROM ACHANGE"
                    : """
                    SELECT c.Z_PK FROM ACHANGE c WHERE NOT EXISTS \
                    (SELECT 1 FROM ATRANSACTION t WHERE t.Z_PK = c.ZTRANSACTIONID)
                    """, .error, .historyTransaction, property: nil,
                "a change of the history is of a transaction that is not there")
            findings += try change.report(
                """
                SELECT c.Z_PK FROM ACHANGE c WHERE NOT EXISTS \
                (SELECT 1 FROM Z_PRIMARYKEY p WHERE p.Z_ENT = c.ZENTITY)
                """, .error, .historyEntity, property: nil,
                "a change of the history is of an entity whose number the store does not have")
        }
        let strings = try columns(of: "ATRANSACTIONSTRING")
        for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"]
        where transactions.contains(column) {
            let isThere =
                strings.isEmpty
                ? "0" : "EXISTS (SELECT 1 FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.\(column))"
            findings += try Examples(database, "TRANSACTION").report(
                "SELECT t.Z_PK FROM ATRANSACTION t WHERE t.\(column) NOT NULL AND NOT \(isThere)", .error,
                .historyString, property: nil,
                "column \(column) of a transaction leads to a text that is not there")
        }
        return findings
    }

    private func columns(of table: String) throws -> Set<String> {
        try String.fetchSet(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
    }
}
