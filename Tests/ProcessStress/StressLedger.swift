/// What the steps of all processes were, as they wrote it down: each step before it began and after it ended.
///
/// A process writes lines to a pipe, one system call a line, so that what it wrote before it was killed is whole:
///
///     begin SERIAL KIND ARGUMENT…
///     done SERIAL            the step is saved
///     void SERIAL            the step was refused, and nothing of it may be in the store
///     count KIND             something that saves nothing
///     failed WORDS           something is wrong
package struct StressLedger: Sendable {
    /// A process from its start to its end.
    package struct Life: Hashable, Sendable {
        package let worker: Int
        package let generation: Int
    }

    package enum Outcome: Sendable {
        case done, void
        /// The process ended between the beginning and the end.
        case open
    }

    package struct Step: Sendable {
        package let kind: String
        package let arguments: [Int]
        package var outcome = Outcome.open
    }

    package private(set) var steps: [Life: [Int: Step]] = [:]
    package private(set) var counts: [String: Int] = [:]
    package private(set) var failures: [String] = []

    /// Adds what a process wrote.
    ///
    /// - Parameter wasKilled: whether it may have ended in the middle of a step.
    mutating func add(_ output: String, of life: Life, wasKilled: Bool) {
        var found: [Int: Step] = [:]
        let name = "process \(life.worker).\(life.generation)"
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ")
            switch (words.first ?? "", words.dropFirst().first.flatMap { Int($0) }) {
            case ("begin", let serial?):
                let kind = words.count > 2 ? String(words[2]) : ""
                found[serial] = Step(kind: kind, arguments: words.dropFirst(3).compactMap { Int($0) })
            case ("done", let serial?):
                found[serial]?.outcome = .done
                counts[found[serial]?.kind ?? "", default: 0] += 1
            case ("void", let serial?):
                found[serial]?.outcome = .void
                counts["\(found[serial]?.kind ?? ""), refused", default: 0] += 1
            case ("count", _): counts[words.dropFirst().joined(separator: " "), default: 0] += 1
            default: failures.append("\(name): \(line)")
            }
        }
        let open = found.values.count { $0.outcome == .open }
        counts["killed in the middle of a step", default: 0] += open
        if open > (wasKilled ? 1 : 0) { failures.append("\(name) left \(open) steps open.") }
        steps[life] = found
    }

    mutating func fail(_ words: String) { failures.append(words) }

    /// The number of saves that are in the store at least and at most.
    var savedSteps: ClosedRange<Int> {
        var (done, open) = (0, 0)
        for step in steps.values.flatMap(\.values) {
            if step.outcome == .done { done += 1 }
            if step.outcome == .open { open += 1 }
        }
        return done...(done + open)
    }
}
