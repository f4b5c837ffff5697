import GRDB

/// Whether the history is whole: a transaction for each save, without gaps, each with its changes, which lead to what the
/// tables hold. The beginning may have been deleted.
struct HistoryJudgement {
    private let database: Database
    private let ledger: StressLedger

    init(_ database: Database, _ ledger: StressLedger) {
        self.database = database
        self.ledger = ledger
    }

    func failures() throws -> [String] {
        var failures = try number()
        let statements = [
            (
                "changes of no transaction",
                "SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)"
            ),
            (
                "transactions without changes",
                "SELECT Z_PK FROM ATRANSACTION WHERE Z_PK NOT IN (SELECT ZTRANSACTIONID FROM ACHANGE)"
            ),
            (
                "gaps behind transactions",
                """
                SELECT Z_PK FROM ATRANSACTION t WHERE Z_PK < (SELECT max(Z_PK) FROM ATRANSACTION)
                AND NOT EXISTS (SELECT 1 FROM ATRANSACTION n WHERE n.Z_PK = t.Z_PK + 1)
                """
            ),
            (
                "gaps behind changes",
                """
                SELECT Z_PK FROM ACHANGE c WHERE Z_PK < (SELECT max(Z_PK) FROM ACHANGE)
                AND NOT EXISTS (SELECT 1 FROM ACHANGE n WHERE n.Z_PK = c.Z_PK + 1)
                """
            ),
            (
                "changes out of order",
                """
                SELECT c.Z_PK FROM ACHANGE c JOIN ACHANGE n ON n.Z_PK = c.Z_PK + 1
                WHERE n.ZTRANSACTIONID NOT IN (c.ZTRANSACTIONID, c.ZTRANSACTIONID + 1)
                """
            ),
        ]
        for (what, sql) in statements {
            let keys = try Int.fetchAll(database, sql: sql)
            if !keys.isEmpty { failures.append("the history has \(keys.count) \(what): \(keys.prefix(5))") }
        }
        for entity in ["Counter", "Receipt", "Box", "Item", "Record", "Note"] {
            failures += try lives(entity)
        }
        return failures
    }

    /// Each step that is saved took a number, and so did the making of counters and boxes.
    private func number() throws -> [String] {
        let highest =
            try Int.fetchOne(database, sql: "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") ?? 0
        let last = try Int.fetchOne(database, sql: "SELECT max(Z_PK) FROM ATRANSACTION") ?? 0
        let saved = ledger.savedSteps
        var failures: [String] = []
        if !((saved.lowerBound + 1)...(saved.upperBound + 1)).contains(highest) {
            failures.append(
                "the history has numbered \(highest) transactions; there were \(saved) saves and one")
        }
        if last != highest { failures.append("the last transaction is \(last) of \(highest)") }
        return failures
    }

    /// An object is inserted once, then updated, then perhaps deleted, and its row is there until then.
    private func lives(_ entity: String) throws -> [String] {
        guard
            let number = try Int.fetchOne(
                database, sql: "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = ?", arguments: [entity])
        else { return ["there is no entity \(entity)"] }
        let table = "Z\(entity.uppercased())"
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT c.ZENTITYPK, c.ZCHANGETYPE, r.Z_PK IS NOT NULL FROM ACHANGE c
                LEFT JOIN \(table) r ON r.Z_PK = c.ZENTITYPK WHERE c.ZENTITY = ? ORDER BY c.ZENTITYPK, c.Z_PK
                """, arguments: [number])
        var failures: [String] = []
        var life: (key: Int, types: [Int], isThere: Bool)?
        func check() {
            guard let life else { return }
            // 0: inserted, 1: updated, 2: deleted.
            let isWhole = !life.types.dropFirst().contains(0) && !life.types.dropLast().contains(2)
            guard !isWhole || (life.types.last == 2) == life.isThere else { return }
            failures.append(
                "\(entity) \(life.key) has changes \(life.types) and \(life.isThere ? "a" : "no") row")
        }
        while let row = try rows.next(), failures.count < 10 {
            let (key, type, isThere): (Int, Int, Bool) = (row[0], row[1], row[2])
            if life?.key != key {
                check()
                life = (key, [], isThere)
            }
            life?.types.append(type)
        }
        check()
        // Keys are given in the order of saves, so those that were inserted since the beginning follow each other.
        let missing = try Int.fetchAll(
            database,
            sql: """
                WITH inserted AS (SELECT ZENTITYPK FROM ACHANGE WHERE ZENTITY = ? AND ZCHANGETYPE = 0)
                SELECT Z_PK FROM \(table) WHERE Z_PK > (SELECT min(ZENTITYPK) FROM inserted)
                AND Z_PK NOT IN (SELECT ZENTITYPK FROM inserted)
                """, arguments: [number])
        if !missing.isEmpty {
            failures.append("\(entity): \(missing.prefix(5)) were inserted, and the history does not say so")
        }
        return failures
    }
}
