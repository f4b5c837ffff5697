import CoreData
import Foundation
import GRDBSQLite

/// The same work on stores of ten thousand rows and of ten, a hundred and a thousand times as many.
enum Scaling {
    final class Item: NSManagedObject {
        static let code = ManagedKey<Int64>("code")
        static let text = ManagedKey<String?>("text")
        static let amount = ManagedKey<Double>("amount")
    }

    private struct Result {
        let rows: Int
        /// Rows a second.
        let importRate: Double
        let importPeak: Int?
        /// Seconds: an object found by an indexed attribute, and its row by SQLite's C calls.
        let lookup: Double
        let plainLookup: Double
        let scanRate: Double
        let scanPeak: Int?
    }

    /// Prints a line for each size up to `most`, and the goals.
    static func run(upTo most: Int, _ folder: Folder, _ report: inout Report) throws {
        var results: [Result] = []
        print("      rows   import rows/s   peak MB   lookup µs   C calls µs   scan rows/s   peak MB")
        var rows = 10_000
        while rows <= most {
            let result = try measure(rows, folder.file("scale-\(rows).sqlite"))
            results.append(result)
            print(
                String(
                    format: "%10d %15.0f %9.0f %11.2f %12.2f %13.0f %9.0f", result.rows, result.importRate,
                    megabytes(result.importPeak), result.lookup * 1e6, result.plainLookup * 1e6,
                    result.scanRate, megabytes(result.scanPeak)))
            rows *= 10
        }
        guard let first = results.first, let last = results.last, results.count > 1 else { return }
        let size = "\(first.rows) to \(last.rows) rows"
        report.add([
            Figure(
                name: "indexed fetch, \(size)", value: last.lookup / first.lookup, goal: 2, unit: "×"),
            Figure(
                name: "time to import a row, \(size)", value: first.importRate / last.importRate, goal: 1.3,
                unit: "×"),
        ])
        // Nothing is said where the system does not tell.
        for (name, peak) in [("import", last.importPeak), ("scan", last.scanPeak)] where peak != nil {
            report.add([
                Figure(name: "\(name) of \(last.rows) rows", value: megabytes(peak), goal: 200, unit: "MB")
            ])
        }
    }

    private static func megabytes(_ bytes: Int?) -> Double { bytes.map { Double($0) / 1e6 } ?? .nan }

    private static func measure(_ rows: Int, _ file: URL) throws -> Result {
        let (model, entity) = model(
            "Item", [("code", .integer64), ("text", .string), ("amount", .double)], class: Item.self)
        if let code = entity.attributesByName["code"] {
            entity.indexes = [
                NSFetchIndexDescription(
                    name: "byCode",
                    elements: [NSFetchIndexElementDescription(property: code, collationType: .binary)])
            ]
        }
        let coordinator = try NSPersistentStoreCoordinator.opening(file, model)
        let (importing, importPeak) = try timed { try fill(rows, coordinator) }
        let (looking, _) = try timed { try lookUp(10_000, in: rows, coordinator) }
        let (plainlyLooking, _) = try timed { try lookUpPlainly(10_000, in: rows, file) }
        let (scanning, scanPeak) = try timed { try scan(rows, coordinator) }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
        return Result(
            rows: rows, importRate: Double(rows) / importing, importPeak: importPeak,
            lookup: looking / 10_000, plainLookup: plainlyLooking / 10_000,
            scanRate: Double(rows) / scanning, scanPeak: scanPeak)
    }

    private static func timed(_ work: () throws -> Void) throws -> (seconds: Double, peak: Int?) {
        let canMeasure = Footprint.reset()
        let start = ContinuousClock.now
        try work()
        let time = ContinuousClock.now - start
        return (
            Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18,
            canMeasure ? Footprint.peak : nil
        )
    }

    /// Inserts and saves ten thousand objects at a time.
    private static func fill(_ rows: Int, _ coordinator: NSPersistentStoreCoordinator) throws {
        for start in stride(from: 0, to: rows, by: 10_000) {
            try coordinator.inContext { context in
                for index in start..<min(rows, start + 10_000) {
                    let item = Item(context: context)
                    item[Item.code] = Int64(index)
                    item[Item.text] = "item \(index)"
                    item[Item.amount] = Double(index) / 8
                }
                try context.save()
            }
        }
    }

    private static func lookUp(_ turns: Int, in rows: Int, _ coordinator: NSPersistentStoreCoordinator) throws
    {
        try coordinator.inContext { context in
            for turn in 0..<turns {
                let code = Int64(turn &* 7_919_001 % rows)
                let request = NSFetchRequest<Item>(entityName: "Item")
                request.predicate = NSPredicate(format: "code == %lld", code)
                guard try context.fetch(request).first?[Item.code] == code else {
                    throw Workload.Failure(description: "item \(code) not found")
                }
            }
        }
    }

    /// The same by one prepared statement.
    private static func lookUpPlainly(_ turns: Int, in rows: Int, _ file: URL) throws {
        let sql = "SELECT Z_PK, Z_OPT, ZCODE, ZTEXT, ZAMOUNT FROM ZITEM WHERE ZCODE = ?"
        try Raw(file.path).with(sql) { statement in
            for turn in 0..<turns {
                let code = Int64(turn &* 7_919_001 % rows)
                sqlite3_reset(statement)
                sqlite3_bind_int64(statement, 1, code)
                guard sqlite3_step(statement) == SQLITE_ROW, sqlite3_column_int64(statement, 2) == code else {
                    throw Workload.Failure(description: "item \(code) not found")
                }
            }
        }
    }

    /// Reads every object once, a thousand at a time.
    private static func scan(_ rows: Int, _ coordinator: NSPersistentStoreCoordinator) throws {
        try coordinator.inContext { context in
            let request = NSFetchRequest<Item>(entityName: "Item")
            request.fetchBatchSize = 1000
            var sum: Int64 = 0
            for item in try context.lazyResults(of: request) { sum &+= item[Item.code] }
            guard sum == Int64(rows) * Int64(rows - 1) / 2 else {
                throw Workload.Failure(description: "wrong sum")
            }
        }
    }
}
