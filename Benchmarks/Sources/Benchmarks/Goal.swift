/// What a workload should reach: a number made of the medians that is not to be greater than another one.
struct Goal {
    let name: String
    let unit: String
    let limit: Double
    let value: (Medians) -> Double

    /// How many times as long one contestant may take as another.
    static func ratio(_ contestant: String, to base: String, _ limit: Double) -> Goal {
        Goal(name: "\(contestant) / \(base)", unit: "×", limit: limit) { $0[contestant] / $0[base] }
    }

    /// How long one turn of a contestant may take.
    static func each(
        _ contestant: String, of turns: Int, _ limit: Double, _ unit: TimeUnit, less base: String? = nil
    ) -> Goal {
        let name = base.map { "\(contestant) − \($0)" } ?? contestant
        return Goal(name: name, unit: "\(unit.rawValue) each", limit: limit) { medians in
            let less = base.map { medians[$0] } ?? 0
            return (medians[contestant] - less) / Double(turns) / unit.seconds
        }
    }

    enum TimeUnit: String {
        case nanoseconds = "ns"
        case microseconds = "µs"
        case milliseconds = "ms"

        var seconds: Double {
            switch self {
            case .nanoseconds: 1e-9
            case .microseconds: 1e-6
            case .milliseconds: 1e-3
            }
        }
    }
}
