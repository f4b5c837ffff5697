import Foundation

/// How long tests with random input run, and from which seed.
///
/// A test run is short and the same every time. `scripts/fuzz` sets `FUZZ_FACTOR`, which makes such tests longer and
/// their seeds new; each prints its seed, and `FUZZ_SEED` brings a run back.
package enum Fuzzing {
    private static let environment = ProcessInfo.processInfo.environment
    private static let factor = environment["FUZZ_FACTOR"].flatMap(Int.init)

    /// Whether tests take as much as there is, and not only what a test run has time for: so does `scripts/test --long`.
    package static var isLong: Bool { factor != nil }

    /// How many cases to try where a test run tries `count`.
    package static func rounds(_ count: Int) -> Int { count * max(1, factor ?? 1) }

    /// How many cases to try where a test run tries `count`, and a long run at least `long`.
    package static func rounds(_ count: Int, long: Int) -> Int { rounds(isLong ? long : count) }

    /// Numbers from the seed of a test run, or from a new one; the seed is printed.
    package static func numbers(seed: UInt64, _ name: String = #function) -> SeededNumbers {
        let seed = Self.seed(seed, givenBy: "FUZZ_SEED")
        print("\(name): FUZZ_SEED=\(seed)")
        return SeededNumbers(seed: seed)
    }

    /// The seed of a test run, a new one for `scripts/fuzz`, or what an environment variable says.
    package static func seed(_ seed: UInt64, givenBy variable: String) -> UInt64 {
        if let given = environment[variable].flatMap(UInt64.init) { return given }
        return factor == nil ? seed : UInt64.random(in: 0 ... .max)
    }
}
