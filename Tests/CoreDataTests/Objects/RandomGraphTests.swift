import CoreData
import Foundation
import Testing

/// Random edits of a graph of objects, compared step by step with a simple graph in memory.
///
/// `GRAPH_STEPS` takes more steps, `GRAPH_SEED` repeats a walk.
@Suite struct RandomGraphTests {
    @Test(arguments: 0..<10) func contextsShowWhatASimpleGraphShows(_ walk: Int) throws {
        try run(walk, depth: 0)
    }

    /// What a child saves reaches the store only when its parents save it too.
    @Test(arguments: 0..<6) func childrenShowWhatASimpleGraphShows(_ walk: Int) throws {
        try run(walk, depth: 1 + walk % 2)
    }

    private func run(_ walk: Int, depth: Int) throws {
        let environment = ProcessInfo.processInfo.environment
        let steps = environment["GRAPH_STEPS"].flatMap(Int.init) ?? 5_000
        let seed =
            environment["GRAPH_SEED"].flatMap(UInt64.init)
            ?? UInt64.random(in: 0..<1_000_000_000)
        if environment["GRAPH_SEED"] != nil, walk > 1 { return }
        print("A graph walk of \(steps / 10) steps, \(depth) parents: GRAPH_SEED=\(seed)")
        do {
            try GraphWalk(seed: seed, depth: depth).run(steps: steps / 10)
        } catch {
            Issue.record("GRAPH_SEED=\(seed), \(depth) parents: \(error)")
        }
    }
}
