import CoreData
import Foundation
import TestSupport
import Testing

/// Random edits of a graph of objects, compared with a simple graph in memory after each of 10,000 steps: every value and every
/// relationship of every object, what is inserted, changed and deleted, and the store after each save.
///
/// A long run takes more walks and longer ones, and `scripts/fuzz` still longer; `GRAPH_STEPS` takes so many steps, `GRAPH_SEED` repeats a walk.
@Suite struct RandomGraphTests {
    private static let kinds = StoreKind.with(.isBuiltIn)

    @Test(
        "Random edits in a context match a reference graph", arguments: kinds, 0..<(Fuzzing.isLong ? 12 : 6))
    func contextsMatchTheReference(_ kind: StoreKind, _ walk: Int)
        throws
    {
        try run(walk, depth: 0, kind)
    }

    /// What a child saves reaches the store only when its parents save it too.
    @Test(
        "Random edits in child contexts match a reference graph", arguments: kinds,
        0..<(Fuzzing.isLong ? 13 : 7))
    func childrenMatchTheReference(_ kind: StoreKind, _ walk: Int)
        throws
    {
        try run(walk, depth: 1 + walk % 2, kind)
    }

    private func run(_ walk: Int, depth: Int, _ kind: StoreKind) throws {
        let environment = ProcessInfo.processInfo.environment
        let steps = environment["GRAPH_STEPS"].flatMap(Int.init) ?? Fuzzing.rounds(200)
        let seed = Fuzzing.seed(
            UInt64(1000 * (10 * depth + (Self.kinds.firstIndex(of: kind) ?? 0)) + walk), givenBy: "GRAPH_SEED"
        )
        if environment["GRAPH_SEED"] != nil, walk > 1 { return }
        do {
            let graphs = try GraphWalk(seed: seed, depth: depth, kind: kind)
            try graphs.run(steps: steps)
            let meetings = graphs.meetings.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            print(
                "A graph walk of \(steps) steps, \(kind), \(depth) parents: GRAPH_SEED=\(seed), \(meetings)")
        } catch {
            Issue.record("GRAPH_SEED=\(seed), \(kind), \(depth) parents: \(error)")
        }
    }
}
