import ContextStress
import Foundation
import TestSupport
import Testing

/// Eight contexts at once on one store. `STRESS_SECONDS` lengthens it, `STRESS_SEED` repeats a seed; `scripts/sanitize` runs it
/// with ThreadSanitizer.
@Suite struct ContextStressTests {
    @Test("Eight contexts that work at once agree with the store in the end", .timeLimit(.minutes(40)))
    func contextsAtOnce() async throws {
        let environment = ProcessInfo.processInfo.environment
        let length = environment["STRESS_SECONDS"].flatMap(Double.init).map(ContextStress.Length.seconds)
        let seed = Fuzzing.seed(1, givenBy: "STRESS_SEED")
        let report = try await ContextStress(seed: seed, length ?? .steps(60)).run()
        #expect(report.failures == [], "STRESS_SEED=\(seed)")
        #expect(report.objectCount > 0)
        for kind in ["insert", "save", "delete", "asynchronous fetch", "batch"] {
            #expect(report.counts[kind, default: 0] > 0, "STRESS_SEED=\(seed): no \(kind)")
        }
    }
}
