import CoreDataSQL

/// Whether the rows of persistent history lead to each other, and to entities of the store. It takes no model.
struct HistoryCheck {
    private let connection: any SQLConnection
    private let tables: ExistingTables

    init(_ connection: any SQLConnection, _ tables: ExistingTables) {
        self.connection = connection
        self.tables = tables
    }

    func findings() throws -> [StoreFinding] {
        let changes = Set(tables.columns(of: HistoryTables.change) ?? [])
        let transactions = Set(tables.columns(of: HistoryTables.transaction) ?? [])
        guard !changes.isEmpty || !transactions.isEmpty else { return [] }
        var findings: [StoreFinding?] = []
        if changes.isSuperset(of: ["Z_PK", "ZTRANSACTIONID", "ZENTITY"]) {
            let strays = TableFaults.changesWithoutTransaction(hasTransactions: !transactions.isEmpty)
            findings.append(
                StoreFinding(
                    .error, .historyTransaction, try connection.found(strays), of: "CHANGE",
                    "a history change belongs to a transaction that does not exist"))
            findings.append(
                StoreFinding(
                    .error, .historyEntity, try connection.found(TableFaults.changesWithoutEntity),
                    of: "CHANGE",
                    "a history change belongs to an entity number that the store does not have"))
        }
        let hasStrings = tables.columns(of: HistoryTables.strings) != nil
        for column in TableFaults.references where transactions.contains(column) {
            let strays = TableFaults.transactionsWithoutString(column, hasStrings: hasStrings)
            findings.append(
                StoreFinding(
                    .error, .historyString, try connection.found(strays), of: "TRANSACTION",
                    "column \(column) of a transaction leads to a text that does not exist"))
        }
        return findings.compactMap(\.self)
    }
}
