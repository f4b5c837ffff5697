import Foundation
import ProcessStress

/// Runs eight processes on one store, for as many seconds as the first argument says (60 without it), from the seed that
/// `STRESS_SEED` names or a new one, and prints what it found. Each of them is this program again.
@main
struct ProcessStressRunner {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "worker": try work(arguments)
        case "shortage": Shortage.run(Array(arguments.dropFirst()))
        case "interrupted-build": InterruptedBuild.run(Array(arguments.dropFirst()))
        case "build": InterruptedBuild.build(Array(arguments.dropFirst()))
        default: try stress(arguments.first.flatMap(Double.init) ?? 60)
        }
    }

    private static func work(_ arguments: [String]) throws {
        guard arguments.count == 5, let worker = Int(arguments[2]), let generation = Int(arguments[3]),
            let seed = UInt64(arguments[4])
        else { exit(64) }
        let worked = try ProcessWorker(
            URL(fileURLWithPath: arguments[1]), worker: worker, generation: generation, seed: seed
        ).run()
        exit(worked ? 0 : 1)
    }

    private static func stress(_ seconds: Double) throws {
        let seed =
            ProcessInfo.processInfo.environment["STRESS_SEED"].flatMap(UInt64.init)
            ?? UInt64.random(in: 0..<1_000_000_000)
        print("Eight processes for \(seconds) seconds: STRESS_SEED=\(seed)")
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let report = try ProcessStress(URL(fileURLWithPath: program), seconds: seconds, seed: seed).run()
        for (kind, count) in report.counts.sorted(by: { $0.key < $1.key }) { print("  \(kind): \(count)") }
        print("  killed: \(report.kills)")
        for failure in report.failures { print("FAILED: \(failure)") }
        exit(report.failures.isEmpty ? 0 : 1)
    }
}
