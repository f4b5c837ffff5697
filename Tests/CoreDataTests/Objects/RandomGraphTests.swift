import CoreData
import Foundation
import TestSupport
import Testing

/// Random edits of a graph of objects, compared step by step with a simple graph in memory.
///
/// `scripts/fuzz` makes the walks longer; `GRAPH_STEPS` takes so many steps, `GRAPH_SEED` repeats a walk.
@Suite struct RandomGraphTests {
    @Test(arguments: 0..<10) func contextsShowWhatASimpleGraphShows(_ walk: Int) throws {
        try run(walk, depth: 0)
    }

    /// What a child saves reaches the store only when its parents save it too.
    @Test(arguments: 0..<6) func childrenShowWhatASimpleGraphShows(_ walk: Int) throws {
        try run(walk, depth: 1 + walk % 2)
    }

    @Test(arguments: [StoreKind.memory, .xml, .binary], 0..<3)
    func storesOfEveryTypeShowWhatASimpleGraphShows(_ kind: StoreKind, _ walk: Int) throws {
        try run(walk, depth: walk % 2, kind)
    }

    private func run(_ walk: Int, depth: Int, _ kind: StoreKind = .sqlite) throws {
        let environment = ProcessInfo.processInfo.environment
        let steps = environment["GRAPH_STEPS"].flatMap(Int.init) ?? Fuzzing.rounds(500)
        let seed = Fuzzing.seed(UInt64(1000 * depth + walk), givenBy: "GRAPH_SEED")
        if environment["GRAPH_SEED"] != nil, walk > 1 { return }
        print("A graph walk of \(steps) steps, \(kind), \(depth) parents: GRAPH_SEED=\(seed)")
        do {
            try GraphWalk(seed: seed, depth: depth, kind: kind, comparesAll: walk.isMultiple(of: 5))
                .run(steps: steps)
        } catch {
            Issue.record("GRAPH_SEED=\(seed), \(kind), \(depth) parents: \(error)")
        }
    }
}
