import CoreData
import GRDB
import TestSupport

/// Compares a store that processes have left with what they wrote down.
struct StoreJudgement {
    let file: URL
    let ledger: StressLedger

    init(_ file: URL, _ ledger: StressLedger) {
        self.file = file
        self.ledger = ledger
    }

    /// What is wrong, in words.
    func failures() throws -> [String] {
        var failures: [String] = []
        // What the last processes left in the log, and files of those that were killed, are the framework's to clear away.
        let coordinator = try ProcessStressModel.open(file)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        let queue = try DatabaseQueue(path: file.path)
        var counters: [[Int]] = []
        try queue.read { database in
            failures += try String.fetchAll(database, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
            failures += try ReceiptJudgement(database, ledger).failures()
            failures += try HistoryJudgement(database, ledger).failures()
            failures += try OwnObjectJudgement(database, ledger).failures()
            counters = try storedCounters(database)
        }
        try queue.close()
        failures += try context.performAndWait { try differences(context, counters) }
        failures += try SearchJudgement(file, coordinator).failures()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        for index in indexes { failures += try SearchIndexCheck(index).faults() }
        failures += try StoreFindings.of(file, ProcessStressModel.make())
        failures += try leftovers()
        return failures
    }

    private static let counterKeys = ["name", "value", "saves", "receiptCount", "total"]

    private func storedCounters(_ database: Database) throws -> [[Int]] {
        let columns = Self.counterKeys.map { "Z\($0.uppercased())" }.joined(separator: ", ")
        return try GRDB.Row.fetchAll(database, sql: "SELECT \(columns) FROM ZCOUNTER ORDER BY ZNAME")
            .map { row in Self.counterKeys.indices.map { Int.fromDatabaseValue(row[$0]) ?? -1 } }
    }

    /// Where the framework shows something else than the file has.
    private func differences(_ context: NSManagedObjectContext, _ stored: [[Int]]) throws -> [String] {
        var failures: [String] = []
        let request = NSFetchRequest<NSManagedObject>(entityName: "Counter")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let shown = try context.fetch(request).map { counter in
            Self.counterKeys.map { (counter.value(forKey: $0) as? NSNumber)?.intValue ?? -1 }
        }
        if shown != stored {
            failures.append("The framework shows counters \(shown), the file has \(stored).")
        }
        let items = NSFetchRequest<NSManagedObject>(entityName: "Item")
        items.predicate = NSPredicate(format: "payload != nil")
        items.fetchBatchSize = 20
        for item in try context.fetch(items) {
            let edit = (item.value(forKey: "edit") as? NSNumber)?.intValue ?? -1
            let data = item.value(forKey: "payload") as? Data ?? Data()
            let start = Data("\(edit) ".utf8)
            if data.count != start.count + ProcessStressModel.payloadLength || !data.starts(with: start)
                || data.last != UInt8(truncatingIfNeeded: edit)
            {
                failures.append("The data of \(item.objectID) are not those of edit \(edit).")
            }
            context.refresh(item, mergeChanges: false)
        }
        return failures
    }

    /// The files of the search indexes.
    private var indexes: [URL] {
        ["-search", "-search-_trigrams"].map { URL(fileURLWithPath: file.path + $0) }
    }

    /// Files that should not be there when all have closed the store.
    private func leftovers() throws -> [String] {
        let support = ".\(file.deletingPathExtension().lastPathComponent)_SUPPORT"
        let expected = Set([file.lastPathComponent, support] + indexes.map(\.lastPathComponent))
        return try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
            .filter { !expected.contains($0) }.map { "There is a file \($0)." }
    }
}

/// Whether each addition that was acknowledged is in the store, once and whole, and the counters are their sums.
struct ReceiptJudgement {
    private let database: Database
    private let ledger: StressLedger

    init(_ database: Database, _ ledger: StressLedger) {
        self.database = database
        self.ledger = ledger
    }

    private struct Addition: Hashable, Comparable {
        let counter: Int
        let amount: Int
        static func < (one: Self, other: Self) -> Bool {
            (one.counter, one.amount) < (other.counter, other.amount)
        }
    }

    func failures() throws -> [String] { try sums() + receipts() }

    private func sums() throws -> [String] {
        try String.fetchAll(
            database,
            sql: """
                SELECT 'counter ' || c.ZNAME || ' has value ' || c.ZVALUE || ', total ' || c.ZTOTAL || ', ' || c.ZSAVES
                    || ' saves, ' || c.ZRECEIPTCOUNT || ' receipts; the receipts are ' || count(r.Z_PK) || ' with '
                    || total(r.ZAMOUNT)
                FROM ZCOUNTER c LEFT JOIN ZRECEIPT r ON r.ZCOUNTER = c.Z_PK GROUP BY c.Z_PK
                HAVING c.ZVALUE IS NOT ifnull(sum(r.ZAMOUNT), 0) OR c.ZTOTAL IS NOT c.ZVALUE
                    OR c.ZSAVES IS NOT count(r.Z_PK) OR c.ZRECEIPTCOUNT IS NOT c.ZSAVES
                """)
    }

    private func receipts() throws -> [String] {
        var found: [StressLedger.Life: [Int: [Addition]]] = [:]
        let rows = try GRDB.Row.fetchCursor(
            database,
            sql: """
                SELECT r.ZWORKER, r.ZGENERATION, r.ZSERIAL, c.ZNAME, r.ZAMOUNT
                FROM ZRECEIPT r LEFT JOIN ZCOUNTER c ON c.Z_PK = r.ZCOUNTER
                """)
        while let row = try rows.next() {
            let life = StressLedger.Life(worker: row[0] ?? -1, generation: row[1] ?? -1)
            found[life, default: [:]][row[2] ?? -1, default: []].append(
                Addition(counter: row[3] ?? -1, amount: row[4] ?? 0))
        }
        var failures: [String] = []
        for (life, steps) in ledger.steps {
            for (serial, step) in steps {
                let wanted: [Addition]
                switch (step.kind, step.arguments.count) {
                case ("add", 2): wanted = [Addition(counter: step.arguments[0], amount: step.arguments[1])]
                case ("move", 3):
                    wanted = [
                        Addition(counter: step.arguments[0], amount: -step.arguments[2]),
                        Addition(counter: step.arguments[1], amount: step.arguments[2]),
                    ]
                default: continue
                }
                let stored = (found[life]?.removeValue(forKey: serial) ?? []).sorted()
                let isRight =
                    switch step.outcome {
                    case .done: stored == wanted.sorted()
                    case .void: stored.isEmpty
                    case .open: stored.isEmpty || stored == wanted.sorted()
                    }
                if !isRight {
                    failures.append(
                        "step \(serial) of \(life.worker).\(life.generation), \(step), left \(stored)")
                }
            }
        }
        for (life, steps) in found where !steps.isEmpty {
            failures.append("receipts that \(life.worker).\(life.generation) has not written: \(steps)")
        }
        return failures
    }
}
