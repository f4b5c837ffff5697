import ContextStress
import Foundation

/// Runs the stress for as many seconds as `STRESS_SECONDS` says (60 without it), from the seed that
/// `STRESS_SEED` names or a new one, and prints the findings.
@main
struct ContextStressRunner {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["STRESS_SECONDS"].flatMap(Double.init) ?? 60
        let seed = environment["STRESS_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1_000_000_000)
        print("Eight contexts for \(seconds) seconds: STRESS_SEED=\(seed)")
        let report = try await ContextStress(seed: seed, .seconds(seconds)).run()
        for (kind, count) in report.counts.sorted(by: { $0.key < $1.key }) { print("  \(kind): \(count)") }
        print("  objects at the end: \(report.objectCount)")
        for failure in report.failures { print("FAILED: \(failure)") }
        exit(report.failures.isEmpty ? 0 : 1)
    }
}
