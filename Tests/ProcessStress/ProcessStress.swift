import Foundation
import TestSupport

/// Eight processes that insert, update, delete, run batch requests, search, build and delete search indexes, read and prune history
/// and checkpoint one SQLite store at once. Some are killed wherever they are, and others take their place.
///
/// Each search has to find what a look at all objects does. Afterwards the store has to hold what the processes were told is saved, and
/// nothing else.
package struct ProcessStress {
    /// What a run did, and what was wrong.
    package struct Report: Sendable {
        package var counts: [String: Int] = [:]
        package var kills = 0
        package var failures: [String] = []
    }

    private static let workerCount = 8
    private let program: URL
    private let seconds: Double
    private let seed: UInt64

    /// - Parameter program: the executable that runs a worker on request.
    package init(_ program: URL, seconds: Double, seed: UInt64) {
        self.program = program
        self.seconds = seconds
        self.seed = seed
    }

    /// Runs the stress. On an error, the store is left where the report says.
    package func run() throws -> Report {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "ProcessStress-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("Stress.sqlite")
        try ProcessStressModel.makeStore(file)
        var report = Report()
        let ledger = try work(on: file, &report)
        report.counts = ledger.counts
        report.failures = ledger.failures
        do {
            report.failures += try StoreJudgement(file, ledger).failures()
        } catch {
            report.failures.append("The store cannot be judged: \(error)")
        }
        if report.failures.isEmpty || seconds <= 60 {
            try FileManager.default.removeItem(at: folder)
        } else {
            report.failures.append("The store is left at \(file.path).")
        }
        return report
    }

    private func work(on file: URL, _ report: inout Report) throws -> StressLedger {
        var numbers = SeededNumbers(seed: seed)
        var ledger = StressLedger()
        func start(_ worker: Int, _ generation: Int) throws -> WorkerProcess {
            try WorkerProcess(
                program, .init(worker: worker, generation: generation), file, seed: numbers.next())
        }
        var workers: [WorkerProcess] = []
        defer { for worker in workers { worker.finish() } }
        for worker in 0..<Self.workerCount { workers.append(try start(worker, 0)) }
        let end = Date(timeIntervalSinceNow: seconds)
        while Date() < end, ledger.failures.isEmpty {
            // Long enough for most to have begun, short enough for many kills.
            usleep(UInt32.random(in: 50_000...900_000, using: &numbers))
            let index = Int.random(in: 0..<workers.count, using: &numbers)
            let killed = workers[index]
            ledger.add(killed.kill(), of: killed.life, wasKilled: true)
            report.kills += 1
            workers[index] = try start(killed.life.worker, killed.life.generation + 1)
        }
        for worker in workers { worker.finish() }
        for worker in workers {
            let (output, status) = worker.wait()
            ledger.add(output, of: worker.life, wasKilled: false)
            if status != 0 {
                let how = status.map { "with status \($0)" } ?? "by a signal"
                ledger.fail("process \(worker.life.worker).\(worker.life.generation) ended \(how).")
            }
        }
        return ledger
    }
}
