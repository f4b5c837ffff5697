import CoreData
import Foundation
import GRDBSQLite

// Results of which no objects are made, or few, and objects in two contexts at once.

extension Numbers {
    /// Fetch snapshots of all rows and read every value, beside structs filled by SQLite's C calls.
    static func snapshots(_ count: Int, _ folder: Folder) throws -> Workload {
        let coordinator = try filled(count, folder.file("snapshots.sqlite"))
        let raw = try Raw(folder.file("snapshots.sqlite").path)
        return Workload(
            name: "fetch \(count) snapshots of 10 integers, read all",
            contestants: [
                .init(name: "SQLite C calls into structs") {
                    try raw.with("SELECT \(columns) FROM ZNUMBER") { statement in
                        var rows: [Plain] = []
                        while sqlite3_step(statement) == SQLITE_ROW { rows.append(Plain(statement)) }
                        return rows.reduce(0) { $0 &+ Int($1.sum) }
                    }
                },
                .init(name: "CoreData snapshots") {
                    try coordinator.inContext { context in
                        let request = NSFetchRequest<Number>(entityName: "Number")
                        return try context.fetchSnapshots(request, of: names).reduce(0) {
                            $0 &+ Int(Number.sum(of: $1))
                        }
                    }
                },
            ],
            goals: [.ratio("CoreData snapshots", to: "SQLite C calls into structs", 1.2)])
    }

    /// Make lazy results of all rows and read the objects of one hundredth of them, beside stepping over the keys.
    static func lazily(_ count: Int, _ folder: Folder) throws -> Workload {
        let coordinator = try filled(count, folder.file("lazy.sqlite"))
        let raw = try Raw(folder.file("lazy.sqlite").path)
        let touched = max(1, count / 100)
        return Workload(
            name: "lazy results of \(count), \(touched) of them read",
            contestants: [
                .init(name: "SQLite C calls, keys copied") {
                    try raw.with("SELECT Z_PK FROM ZNUMBER") { statement in
                        var keys: [Int64] = []
                        while sqlite3_step(statement) == SQLITE_ROW {
                            keys.append(sqlite3_column_int64(statement, 0))
                        }
                        return keys.count
                    }
                },
                .init(name: "CoreData lazy results") {
                    try coordinator.inContext { context in
                        let request = NSFetchRequest<Number>(entityName: "Number")
                        let results = try context.lazyResults(of: request)
                        // Next to each other, as what a list shows is.
                        let start = results.count / 2
                        var sum = 0
                        for index in start..<min(start + touched, results.count) {
                            sum &+= Int(results[index].sum)
                        }
                        guard sum != 0 else { return 0 }
                        return results.count
                    }
                },
            ],
            goals: [.ratio("CoreData lazy results", to: "SQLite C calls, keys copied", 1.1)])
    }

    /// Fetch all rows and read every value in one context, and in two contexts on two threads.
    static func concurrently(_ count: Int, _ folder: Folder) throws -> Workload {
        let coordinator = try filled(count, folder.file("two.sqlite"))
        @Sendable func read() throws -> Int {
            try coordinator.inContext { context in
                let request = NSFetchRequest<Number>(entityName: "Number")
                return try context.fetch(request).reduce(0) { $0 &+ Int($1.sum) }
            }
        }
        let path = folder.file("two.sqlite").path
        @Sendable func step() throws -> Int {
            try Raw(path).with("SELECT \(columns) FROM ZNUMBER") { statement in
                var rows: [Plain] = []
                while sqlite3_step(statement) == SQLITE_ROW { rows.append(Plain(statement)) }
                return rows.reduce(0) { $0 &+ Int($1.sum) }
            }
        }
        return Workload(
            name: "fetch \(count) × 10 integers in two contexts",
            contestants: [
                .init(name: "one thread", run: read),
                .init(name: "two threads, each as much") { try twice(read) },
                // What the machine makes of it.
                .init(name: "SQLite C calls, one thread", run: step),
                .init(name: "SQLite C calls, two threads") { try twice(step) },
            ],
            // 1.8 times as many rows a second.
            goals: [.ratio("two threads, each as much", to: "one thread", 2 / 1.8)])
    }

    /// Does the work on two threads at once and answers its check value, if both are equal.
    private static func twice(_ work: @Sendable () throws -> Int) throws -> Int {
        let results = Results()
        DispatchQueue.concurrentPerform(iterations: 2) { _ in results.note(Result { try work() }) }
        let sums = try results.values.map { try $0.get() }
        guard sums.count == 2, sums[0] == sums[1] else { return 0 }
        return sums[0]
    }

    private final class Results: @unchecked Sendable {
        private let lock = NSLock()
        private(set) var values: [Result<Int, any Error>] = []

        func note(_ result: Result<Int, any Error>) { lock.withLock { values.append(result) } }
    }
}

extension Numbers.Plain {
    init(_ statement: OpaquePointer) {
        func value(_ index: Int32) -> Int64 { sqlite3_column_int64(statement, index) }
        values = (
            value(0), value(1), value(2), value(3), value(4), value(5), value(6), value(7), value(8), value(9)
        )
    }

    var sum: Int64 {
        let v = values
        return v.0 &+ v.1 &+ v.2 &+ v.3 &+ v.4 &+ v.5 &+ v.6 &+ v.7 &+ v.8 &+ v.9
    }
}

extension Number {
    static func sum(of values: ManagedObjectSnapshot) -> Int64 {
        values[key0] &+ values[key1] &+ values[key2] &+ values[key3] &+ values[key4] &+ values[key5]
            &+ values[key6] &+ values[key7] &+ values[key8] &+ values[key9]
    }
}
