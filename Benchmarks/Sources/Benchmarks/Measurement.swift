import Foundation

/// Times the contestants of one workload in turn, round by round, so that all meet the same machine.
struct Workload {
    let name: String
    let contestants: [Contestant]

    struct Contestant {
        let name: String
        /// Does the work once and answers a check value, the same for all contestants.
        let run: () throws -> Int
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Returns: the median time of each contestant in seconds.
    func measure(rounds: Int) throws -> [(name: String, seconds: Double)] {
        var times = [[Double]](repeating: [], count: contestants.count)
        var checks: [Int] = []
        for round in 0...rounds {
            for (index, contestant) in contestants.enumerated() {
                let start = ContinuousClock.now
                let check = try contestant.run()
                let time = (ContinuousClock.now - start) / .seconds(1)
                if round == 0 { checks.append(check) } else { times[index].append(time) }
            }
        }
        guard Set(checks).count <= 1 else {
            throw Failure(description: "\(name): the contestants did different work: \(checks)")
        }
        return zip(contestants, times).map { ($0.name, $1.sorted()[$1.count / 2]) }
    }
}

/// One table of all workloads.
struct Report {
    private var lines: [String] = []

    mutating func add(_ workload: Workload, _ results: [(name: String, seconds: Double)]) {
        lines.append(workload.name)
        let base = results.first?.seconds ?? 1
        for (index, result) in results.enumerated() {
            let time = String(format: "%10.1f ms", result.seconds * 1000)
            let ratio = index == 0 ? "" : String(format: "  %6.2f ×", result.seconds / base)
            lines.append(
                "    \(result.name.padding(toLength: 34, withPad: " ", startingAt: 0))\(time)\(ratio)")
        }
    }

    var text: String { lines.joined(separator: "\n") }
}
