import Foundation
import TestSupport
import Testing

/// Eight processes at once on one store, some of which are killed. `scripts/stress-processes` runs them for longer;
/// `STRESS_SEED` repeats a seed.
@Suite struct ProcessStressTests {
    @Test("Concurrent processes, some of them killed, lose no save and leave nothing unsaved")
    func processesThatWorkAtOnce() throws {
        let seed = Fuzzing.seed(1, givenBy: "STRESS_SEED")
        let run = try Program(["20"], environment: ["STRESS_SEED": "\(seed)"])
        #expect(run.status == 0, "\(run.output)")
        #expect(!run.output.contains("FAILED"), "\(run.output)")
        for kind in ["add", "insert", "edit", "delete", "insertBatch", "history", "checkpoint", "killed"] {
            #expect(run.output.contains("  \(kind): "), "no \(kind): \(run.output)")
        }
    }
}
