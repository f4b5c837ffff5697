import Foundation

/// Times the contestants of one workload in turn, round by round, so that all meet the same machine.
struct Workload {
    let name: String
    let contestants: [Contestant]
    var goals: [Goal] = []
    /// For one that takes seconds.
    var mostRounds = Int.max

    struct Contestant {
        let name: String
        /// Makes what the work is done on, before each round; not timed.
        var prepare: () throws -> Void = {}
        /// Does the work once and answers a check value, the same for all contestants.
        let run: () throws -> Int
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The workload with only those contestants whose name has a text.
    func with(_ text: String?) -> Workload {
        guard let text else { return self }
        return Workload(
            name: name, contestants: contestants.filter { $0.name.contains(text) }, mostRounds: mostRounds)
    }

    /// - Returns: the median time of each contestant in seconds, by name.
    func measure(rounds: Int) throws -> Medians {
        var times = [[Double]](repeating: [], count: contestants.count)
        var checks: [Int] = []
        for round in 0...min(rounds, mostRounds) {
            for (index, contestant) in contestants.enumerated() {
                try contestant.prepare()
                let start = ContinuousClock.now
                let check = try contestant.run()
                let time = (ContinuousClock.now - start) / .seconds(1)
                if round == 0 { checks.append(check) } else { times[index].append(time) }
            }
        }
        guard Set(checks).count <= 1 else {
            throw Failure(description: "\(name): the contestants did different work: \(checks)")
        }
        return Medians(
            inOrder: zip(contestants, times).map { ($0.name, $1.sorted()[$1.count / 2]) })
    }
}

/// The median time of each contestant, in seconds.
struct Medians {
    let inOrder: [(name: String, seconds: Double)]

    subscript(name: String) -> Double { inOrder.first { $0.name == name }?.seconds ?? .nan }
}
