import Foundation
import TestSupport
import Testing

/// Eight processes at once on one store, some of which are killed. `scripts/stress-processes` runs them for longer;
/// `STRESS_SEED` repeats a seed.
@Suite struct ProcessStressTests {
    @Test(
        "Concurrent processes, some of them killed, lose no save, leave nothing unsaved, and find what is there"
    )
    func processesThatWorkAtOnce() throws {
        let seed = Fuzzing.seed(1, givenBy: "STRESS_SEED")
        let run = try Program(["20"], environment: ["STRESS_SEED": "\(seed)"])
        #expect(run.status == 0, "\(run.output)")
        #expect(!run.output.contains("FAILED"), "\(run.output)")
        for kind in [
            "add", "insert", "edit", "delete", "insertBatch", "history", "checkpoint", "killed", "note",
            "words",
            "substrings", "snapshots", "indexing",
        ] {
            #expect(run.output.contains("  \(kind): "), "no \(kind): \(run.output)")
        }
    }

    @Test(
        "A build of trigrams whose processes were killed is completed by another, and fetches are exact meanwhile"
    )
    func killedBuild() throws {
        let folder = try TestFolder()
        let run = try Program(["interrupted-build", folder.url.path])
        #expect(run.status == 0, "\(run.output)")
    }
}
