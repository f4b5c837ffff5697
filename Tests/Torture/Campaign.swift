import Foundation
import TestVFS

/// Tries points: all of them, some that are spread over all, or one.
package final class Campaign {
    package struct Options: Sendable {
        /// How many points are tried at least, if there are so many; nil for all.
        package var points: Int?
        package var seconds: Double?
        package var seed: UInt64 = 1
        /// The names of scenarios; empty for all.
        package var scenarios: [String] = []
        package var only: Point?
        /// Which calls are tried, by the beginning of what is printed of them, such as "sync Store.sqlite-wal"; nil for all.
        package var calls: String?
        /// Whether a line is printed for each run, with its points.
        package var isVerbose = true
        /// This process's part of the work, of so many.
        package var part = (index: 0, count: 1)

        package init() {}
    }

    package struct Result: Sendable {
        package var points = 0
        package var failures: [String] = []
        package var scenarios = 0
        /// Points whose call did not come in their run.
        package var missed = 0
    }

    private struct Work {
        let bench: Int
        let call: Int
        let faults: [Fault]
    }

    private let options: Options
    private let workshop: Workshop
    private var benches: [Bench] = []
    private var result = Result()

    package init(_ options: Options) throws {
        self.options = options
        workshop = try Workshop()
    }

    package func run() throws -> Result {
        guard testvfs_install() == 0 else { throw TortureError("The VFS cannot be installed.") }
        let start = Date()
        prepare()
        var works =
            options.only.map { only in [Work(bench: 0, call: only.call, faults: [only.fault])] } ?? all()
        works = works.enumerated().filter { $0.offset % options.part.count == options.part.index }.map(
            \.element)
        var reported = start
        for work in works {
            if !options.isVerbose, Date().timeIntervalSince(reported) > 60 {
                reported = Date()
                Self.say("\(result.points) points, \(result.failures.count) failures")
            }
            if let points = options.points, result.points >= points { break }
            if let seconds = options.seconds, Date().timeIntervalSince(start) >= seconds { break }
            run(work)
        }
        return result
    }

    private func prepare() {
        for scenario in Scenario.all {
            if let only = options.only, only.scenario != scenario.name { continue }
            guard options.scenarios.isEmpty || options.scenarios.contains(scenario.name) else { continue }
            result.scenarios += 1
            for synchronous in scenario.usesSQLite ? Synchronous.allCases : [.normal] {
                if let only = options.only, only.synchronous != synchronous { continue }
                do {
                    testvfs_watch("\(scenario.name) without faults", 300)
                    let bench = try Bench(scenario, synchronous, workshop, seed: options.seed)
                    benches.append(bench)
                    Self.say(
                        "\(scenario.name)\(synchronous == .full ? "+full" : ""): \(bench.callCount) calls, \(bench.oracle.last) steps"
                    )
                } catch {
                    fail("\(scenario.name) \(synchronous): \(error)")
                }
            }
        }
    }

    /// All there is to try; in an order that is spread over the scenarios when not all of it may be tried.
    private func all() -> [Work] {
        var works: [Work] = []
        for (index, bench) in benches.enumerated() {
            for call in 1...max(bench.callCount, 1)
            where options.calls.map({ bench.call(call).hasPrefix($0) }) ?? true {
                works.append(Work(bench: index, call: call, faults: Fault.deaths))
                guard bench.synchronous == .normal, bench.callCount > 0 else { continue }
                let errors = Fault.errors.filter { $0.canMeet(bench.kinds[call - 1]) }
                if !errors.isEmpty { works.append(Work(bench: index, call: call, faults: errors)) }
            }
        }
        guard options.points != nil || options.seconds != nil else { return works }
        // By a number that depends on the work alone, so that a later run goes on with the same points.
        return works.map { work in
            let bench = benches[work.bench]
            return (
                Point(bench.scenario.name, bench.synchronous, work.call, work.faults[0]).seed(options.seed),
                work
            )
        }.sorted { $0.0 < $1.0 }.map { $0.1 }
    }

    private func run(_ work: Work) {
        guard benches.indices.contains(work.bench) else { return fail("There is no such point.") }
        let bench = benches[work.bench]
        let name = "\(bench.scenario.name)\(bench.synchronous == .full ? "+full" : ""):\(work.call)"
        testvfs_watch("\(name):\(work.faults.map(\.name).joined(separator: ","))", 300)
        do {
            let verdicts = try bench.run(work.call, work.faults)
            var isRight = true
            for (point, complaints) in verdicts {
                guard let complaints else {
                    result.missed += 1
                    continue
                }
                result.points += 1
                guard !complaints.isEmpty else { continue }
                isRight = false
                fail("\(point) (\(bench.call(work.call))):\n    \(complaints.joined(separator: "\n    "))")
            }
            if options.isVerbose, isRight {
                Self.say(
                    "ok \(name) \(bench.call(work.call)): \(verdicts.map(\.point.fault.name).joined(separator: " "))"
                )
            }
        } catch {
            fail("\(name): \(error)")
        }
    }

    /// Writes a line at once: a trap would lose what waits.
    package static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    private func fail(_ text: String) {
        result.failures.append(text)
        Self.say("FAILED \(text)")
    }
}

extension Bench {
    /// What a call is.
    func call(_ number: Int) -> String {
        guard kinds.indices.contains(number - 1) else { return "?" }
        return "\(String(cString: testvfs_name(kinds[number - 1]))) \(paths[number - 1])"
    }
}
