import Foundation

/// What was measured, and what it should not be greater than.
struct Figure: Encodable {
    let name: String
    let value: Double
    let goal: Double
    let unit: String
}

/// The results of all workloads.
struct Report {
    private var lines: [String] = []
    private var goals: [Figure] = []

    mutating func add(_ workload: Workload, _ results: Medians) {
        lines.append(workload.name)
        let base = results.inOrder.first?.seconds ?? 1
        for (index, result) in results.inOrder.enumerated() {
            let time = String(format: "%10.2f ms", result.seconds * 1000)
            let ratio = index == 0 ? "" : String(format: "  %6.2f ×", result.seconds / base)
            lines.append(
                "    \(result.name.padding(toLength: 34, withPad: " ", startingAt: 0))\(time)\(ratio)")
        }
        for goal in workload.goals {
            let value = goal.value(results)
            guard value.isFinite else { continue }
            add(
                goal.name,
                Figure(
                    name: "\(workload.name): \(goal.name)", value: value, goal: goal.limit, unit: goal.unit))
        }
    }

    /// Adds figures that are no times of contestants.
    mutating func add(_ figures: [Figure]) {
        for figure in figures { add(figure.name, figure) }
    }

    private mutating func add(_ name: String, _ figure: Figure) {
        lines.append(
            "    \(figure.value <= figure.goal ? "reached" : "missed "): \(name) "
                + String(format: "%.2f %@, goal %.2f", figure.value, figure.unit as NSString, figure.goal))
        goals.append(figure)
    }

    /// A table for people.
    var text: String { lines.joined(separator: "\n") }

    /// The goals as an array of objects with `name`, `value`, `goal` and `unit`; reached where the value is not greater.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(goals), as: UTF8.self)
        }
    }
}
