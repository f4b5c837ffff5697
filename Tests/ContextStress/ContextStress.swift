import CoreData
import Foundation

/// Eight contexts that edit, save, merge, fetch and run batch requests on one SQLite store at once.
///
/// Afterwards every context, refreshed, has to show what the file holds.
package struct ContextStress {
    /// When the workers stop.
    package enum Length: Sendable {
        case steps(Int)
        case seconds(Double)
    }

    /// What a run did, and what was wrong.
    package struct Report: Sendable {
        package fileprivate(set) var counts: [String: Int] = [:]
        package fileprivate(set) var failures: [String] = []
        package fileprivate(set) var objectCount = 0
    }

    private let seed: UInt64
    private let length: Length

    package init(seed: UInt64, _ length: Length) {
        self.seed = seed
        self.length = length
    }

    /// Runs the stress. The main queue must be free meanwhile.
    package func run() async throws -> Report {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "Stress-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("Stress.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StressModel.make())
        try coordinator.addPersistentStore(
            type: .sqlite, at: file, options: [NSPersistentHistoryTrackingKey: true])
        let report = try await run(on: coordinator, file)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return report
    }

    private func run(on coordinator: NSPersistentStoreCoordinator, _ file: URL) async throws -> Report {
        let family = StressFamily(coordinator)
        try family.startFollowing()
        let workers = family.contexts.enumerated().map { index, context in
            StressWorker(context.name ?? "", context, family, seed: seed &+ UInt64(index) &* 7919)
        }
        let clock = StressClock(length)
        await withTaskGroup(of: Void.self) { group in
            for (index, worker) in workers.enumerated() {
                // Some wait on a thread for their context, the others in a task.
                group.addTask {
                    if index % 3 == 2 { await worker.run(clock) } else { await worker.runOnThread(clock) }
                }
            }
        }
        var report = Report()
        for worker in workers {
            if let failure = worker.failure { report.failures.append(failure) }
            report.counts.merge(worker.counts, uniquingKeysWith: +)
        }
        // Children first, then their parents.
        for worker in workers.reversed() { try worker.context.performAndWait { try worker.save() } }
        family.resolve()
        try compare(family, file, &report)
        return report
    }

    private func compare(_ family: StressFamily, _ file: URL, _ report: inout Report) throws {
        report.failures += try family.disagreements()
        let second = NSPersistentStoreCoordinator(managedObjectModel: StressModel.make())
        try second.addPersistentStore(
            type: .sqlite, at: file, options: [NSPersistentHistoryTrackingKey: true])
        defer { for store in second.persistentStores { try? second.remove(store) } }
        let reader = NSManagedObjectContext(.privateQueue)
        reader.persistentStoreCoordinator = second
        let stored = try reader.performAndWait { try StressPicture(reader) }
        report.objectCount = stored.count
        for context in family.contexts {
            let shown = try context.performAndWait {
                context.rollback()
                context.refreshAllObjects()
                return try StressPicture(context)
            }
            if let difference = shown.difference(to: stored) {
                report.failures.append("\(context.name ?? ""): \(difference)")
            }
        }
    }
}

/// When workers stop.
struct StressClock: Sendable {
    private let steps: Int
    private let end: Date

    init(_ length: ContextStress.Length) {
        switch length {
        case .steps(let count): (steps, end) = (count, .distantFuture)
        case .seconds(let seconds): (steps, end) = (.max, Date(timeIntervalSinceNow: seconds))
        }
    }

    func isRunning(_ step: Int) -> Bool { step < steps && Date() < end }
}

extension StressWorker {
    /// Takes steps in a task.
    func run(_ clock: StressClock) async {
        var count = 0
        do {
            while clock.isRunning(count) {
                try await step()
                count += 1
            }
        } catch { fail(error) }
    }

    /// Takes steps on a thread of its own.
    func runOnThread(_ clock: StressClock) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var count = 0
                do {
                    while clock.isRunning(count) {
                        try self.step()
                        count += 1
                    }
                } catch { self.fail(error) }
                continuation.resume()
            }
        }
    }
}
