import CoreData
import TestVFS

/// A scenario with one setting of `synchronous`, made ready to be run again and again.
final class Bench {
    /// What is wrong after a point; nil when its call never came.
    typealias Verdict = (point: Point, complaints: [String]?)

    let scenario: Scenario
    let synchronous: Synchronous
    /// The kinds of the calls of a run without faults.
    private(set) var kinds: [Int32] = []
    private(set) var paths: [String] = []
    private let workshop: Workshop
    private let template: URL
    let oracle: Oracle
    private let runSeed: UInt64

    init(_ scenario: Scenario, _ synchronous: Synchronous, _ workshop: Workshop, seed: UInt64) throws {
        self.scenario = scenario
        self.synchronous = synchronous
        self.workshop = workshop
        runSeed = seed
        template = try workshop.makeFolder("template")
        umask(0o077)
        let stage = Stage(template, synchronous)
        try scenario.prepare(stage)
        try stage.close()
        umask(0o022)
        // The states, each from a run that stops there.
        let untouched = try workshop.copy(template, "state")
        defer { workshop.remove(untouched) }
        var states = [try Picture(untouched, scenario.files)]
        while true {
            let folder = try workshop.copy(template, "state")
            defer { workshop.remove(folder) }
            let stage = Stage(folder, synchronous, limit: states.count, checksWays: true)
            do { try scenario.run(stage) } catch is Stage.Stop {}
            try stage.close()
            guard stage.done == states.count else { break }
            states.append(try Picture(folder, scenario.files))
        }
        let isPrivate =
            scenario.isPrivate
            && !((try? FileManager.default.contentsOfDirectory(atPath: template.path)) ?? []).isEmpty
        oracle = Oracle(scenario, states, isPrivate: isPrivate)
        try record()
    }

    deinit { workshop.remove(template) }

    /// Runs the scenario without faults.
    private func record() throws {
        let folder = try workshop.copy(template, "record")
        defer { workshop.remove(folder) }
        testvfs_begin(folder.path, 0, 0, 0)
        let stage = Stage(folder, synchronous)
        defer { testvfs_end() }
        try scenario.run(stage)
        try stage.close()
        for call in 0..<testvfs_count() {
            kinds.append(testvfs_kind(call + 1))
            paths.append(String(cString: testvfs_path(call + 1)))
        }
        if let unseen = testvfs_unseen_change() {
            throw TortureError("A call was not seen: \(String(cString: unseen))")
        }
        testvfs_end()
        let complaints =
            stage.wrongSearches + oracle.complaints(folder, allowed: oracle.last...oracle.last)
        guard complaints.isEmpty else {
            throw TortureError("Without faults: \(complaints.joined(separator: "\n    "))")
        }
    }

    var callCount: Int { kinds.count }

    /// The verdict about each fault of one call.
    func run(_ call: Int, _ faults: [Fault]) throws -> [Verdict] {
        if case .error? = faults.first {
            return try faults.map { (Point(scenario.name, synchronous, call, $0), try fail(call, $0)) }
        }
        return try die(call, faults)
    }

    // MARK: Deaths

    private func die(_ call: Int, _ faults: [Fault]) throws -> [Verdict] {
        let folder = try workshop.copy(template, "run")
        defer { workshop.remove(folder) }
        testvfs_begin(folder.path, call, Int32(TESTVFS_DEATH.rawValue), 0)
        defer { testvfs_end() }
        let stage = Stage(folder, synchronous)
        do { try scenario.run(stage) } catch {}
        let (done, durable) = (stage.done, stage.lastDurable)
        try? stage.close()
        guard testvfs_was_hit() != 0 else { return faults.map { (point(call, $0), nil) } }
        var images: [(Fault, URL)] = []
        for fault in faults {
            switch fault {
            case .cut(let remains):
                images.append((fault, try workshop.powerCut(point(call, fault).seed(runSeed), remains)))
            default: images.append((fault, try workshop.copy(folder, "crash")))
            }
        }
        testvfs_end()
        return images.map { fault, image in
            defer { workshop.remove(image) }
            let first = if case .cut = fault { durable } else { done }
            return (point(call, fault), oracle.complaints(image, allowed: first...max(done + 1, first)))
        }
    }

    private func point(_ call: Int, _ fault: Fault) -> Point {
        Point(scenario.name, synchronous, call, fault)
    }

    // MARK: Errors

    private func fail(_ call: Int, _ fault: Fault) throws -> [String]? {
        let folder = try workshop.copy(template, "run")
        defer { workshop.remove(folder) }
        testvfs_begin(folder.path, call, fault.number, fault.persists ? 1 : 0)
        defer { testvfs_end() }
        let stage = Stage(folder, synchronous)
        var failure: (any Error)?
        do { try scenario.run(stage) } catch { failure = error }
        // A disk that fails while the store is closed is not repaired before.
        if failure == nil { try? stage.close() }
        guard testvfs_was_hit() != 0 else { return nil }
        let path = String(cString: testvfs_path(call))
        testvfs_end()
        var complaints = fault.persists ? [] : failuresOfIndex(stage, failure, path)
        var allowed = stage.done...stage.done
        if failure != nil {
            allowed = stage.done...(stage.done + 1)
            // The process may die before it does anything else.
            let crash = try workshop.copy(folder, "crash")
            defer { workshop.remove(crash) }
            complaints += oracle.complaints(crash, allowed: allowed).map { "after a death then: \($0)" }
            complaints += agreement(stage, &allowed)
            if let search = scenario.search, stage.coordinator?.persistentStores.isEmpty == false {
                do { complaints += try stage.complaints(of: search) } catch {
                    complaints.append("the process cannot search: \(Oracle.text(error))")
                }
            }
        }
        complaints += stage.wrongSearches
        do { try stage.close() } catch { complaints.append("it cannot be closed: \(Oracle.text(error))") }
        complaints += oracle.complaints(folder, allowed: allowed)
        if !complaints.isEmpty, let failure {
            complaints.append("after \(stage.done) steps: \(Oracle.text(failure))")
        }
        return complaints
    }

    /// What has failed and should not have, when one call for the index's file did: a save, or a fetch that can do without.
    private func failuresOfIndex(_ stage: Stage, _ failure: (any Error)?, _ path: String) -> [String] {
        guard let name = scenario.search?.indexName, path.hasPrefix(name), stage.coordinator != nil else {
            return []
        }
        var complaints = stage.failedFetches.map { "a fetch fails because of the index: \($0)" }
        if let failure { complaints.append("the run ends because of the index: \(Oracle.text(failure))") }
        return complaints
    }

    /// What the process that got the error sees, and whether the same save works when the disk does.
    private func agreement(_ stage: Stage, _ allowed: inout ClosedRange<Int>) -> [String] {
        guard let coordinator = stage.coordinator, !coordinator.persistentStores.isEmpty,
            scenario.files.count == 1
        else { return [] }
        do {
            guard let states = oracle.numbers(ofObjects: try Picture(coordinator), in: allowed) else {
                return ["the process sees neither the old state nor the new one"]
            }
            allowed = states
            guard scenario.repeats, states.lowerBound == stage.done, try stage.saveAgain() else { return [] }
            allowed = (stage.done + 1)...(stage.done + 1)
            guard oracle.numbers(ofObjects: try Picture(coordinator), in: allowed) != nil else {
                return ["after the save was repeated, the process does not see the new state"]
            }
            return []
        } catch {
            return ["the process cannot go on: \(Oracle.text(error))"]
        }
    }
}
