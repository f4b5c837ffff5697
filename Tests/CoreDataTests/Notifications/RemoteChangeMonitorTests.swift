import Dispatch
import Foundation
import Synchronization
import Testing

@testable import ObjectGraph

/// How often a store is asked whether others have changed it.
@Suite struct RemoteChangeMonitorTests {
    /// A database's version that is set by the test, and what the monitor has asked and reported.
    private final class Counted: Sendable {
        private let state = Mutex((version: Int64(1), reads: 0, reports: 0))
        var reads: Int { state.withLock { $0.reads } }
        var reports: Int { state.withLock { $0.reports } }

        func read() -> Data {
            state.withLock {
                $0.reads += 1
                return withUnsafeBytes(of: $0.version) { Data($0) }
            }
        }
        func commit() { state.withLock { $0.version += 1 } }
        func report() { state.withLock { $0.reports += 1 } }
    }

    private func monitor(_ file: URL, _ counted: Counted) throws -> RemoteChangeMonitor {
        try RemoteChangeMonitor(
            file, logSuffixes: ["-wal"], version: { counted.read() }, { counted.report() })
    }

    /// Waits until a condition holds; whether it does in time.
    private func isSoon(_ condition: () -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(300)
        while !condition() {
            guard ContinuousClock.now < end else { return false }
            try await Task.sleep(for: .milliseconds(5))
        }
        return true
    }

    private func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "RemoteChangeMonitor-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test("A file is not polled while nothing is written to it, and commits are reported")
    func idleStoresAreNotAsked() async throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("Store.sqlite")
        try Data("a".utf8).write(to: file)
        let counted = Counted()
        let monitor = try monitor(file, counted)
        defer { monitor.end() }
        // After the beginning of the watch it asks at ever longer intervals, twelve times in eight seconds.
        #expect(try await isSoon { counted.reads >= 14 })
        let reads = counted.reads
        try await Task.sleep(for: .seconds(10))
        #expect(counted.reads == reads)
        #expect(counted.reports == 0)
        counted.commit()
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data("b".utf8))
        try handle.close()
        #expect(try await isSoon { counted.reports == 1 })
        #expect(counted.reads > reads)
    }

    @Test("A store whose file cannot be watched is checked once a second")
    func unwatchedStoresArePolled() async throws {
        // The kernel watches no file in a folder that is not there.
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("RemoteChangeMonitor-\(UUID().uuidString)/Store.sqlite")
        let counted = Counted()
        let start = ContinuousClock.now
        let monitor = try monitor(file, counted)
        defer { monitor.end() }
        #expect(try await isSoon { counted.reads >= 3 })
        let reads = counted.reads
        #expect(ContinuousClock.now - start >= .milliseconds(990 * (reads - 1)))
        #expect(counted.reports == 0)
        counted.commit()
        #expect(try await isSoon { counted.reports == 1 })
    }
}
