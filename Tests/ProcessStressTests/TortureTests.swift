import Foundation
import Testing

/// Some of the points of `scripts/torture`, by name.
@Suite struct TortureTests {
    private static let torture = Program.runner.deletingLastPathComponent()
        .appendingPathComponent("TortureRunner")

    private func run(_ arguments: String...) throws {
        let run = try Program(
            ["--quiet"] + arguments, program: Self.torture,
            // The number of a call means the same call in each run.
            environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
        #expect(run.status == 0, "\(run.output)")
        let summary = run.output.split(separator: "\n").last { $0.hasPrefix("torture: ") }
        let points = summary?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        #expect(points ?? 0 > 10, "\(run.output)")
    }

    @Test("After a failed commit every row has its external data and every file its row")
    func failedCommit() throws {
        try run(
            "--scenario", "external-insert", "--scenario", "external-replace", "--calls",
            "sync Store.sqlite-wal")
    }

    @Test("An open store is neither destroyed nor replaced, whatever call fails")
    func storeInUse() throws {
        try run("--scenario", "destroy-in-use", "--scenario", "replace-in-use", "--points", "60")
    }
}
