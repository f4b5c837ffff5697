import GRDB

/// Whether items, records and notes, each of which one process alone changes, are as that process left them.
struct OwnObjectJudgement {
    /// The objects of one step.
    private struct Group: Hashable {
        let worker: Int
        let generation: Int
        let serial: Int
    }

    /// When a step was taken: those of one worker follow each other.
    private struct Moment: Comparable {
        let generation: Int
        let serial: Int
        static func < (one: Self, other: Self) -> Bool {
            (one.generation, one.serial) < (other.generation, other.serial)
        }
    }

    /// What may have become of one object.
    private struct Fate {
        var isDeleted = false
        var mayBeDeleted = false
        /// The last edit that is saved, and those after it that may be.
        var edits: Set = [0]

        mutating func edit(_ edit: Int, _ outcome: StressLedger.Outcome) {
            switch outcome {
            case .done: edits = [edit]
            case .open: edits.insert(edit)
            case .void: break
            }
        }

        mutating func delete(_ outcome: StressLedger.Outcome) {
            isDeleted = isDeleted || outcome == .done
            mayBeDeleted = mayBeDeleted || outcome == .open
        }
    }

    private let database: Database
    private let ledger: StressLedger

    init(_ database: Database, _ ledger: StressLedger) {
        self.database = database
        self.ledger = ledger
    }

    func failures() throws -> [String] {
        try failures(of: "Item", inserted: "insert", edited: "edit", deleted: "delete")
            + failures(of: "Record", inserted: "insertBatch", edited: "updateBatch", deleted: "deleteBatch")
            + failures(of: "Note", inserted: "note", edited: "editNote", deleted: "deleteNote")
            + boxes()
    }

    private func failures(
        of entity: String, inserted: String, edited: String, deleted: String
    ) throws -> [String] {
        var stored: [Group: [Int: Int]] = [:]
        var failures: [String] = []
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT ZWORKER, ZGENERATION, ZSERIAL, ZPOSITION, ZEDIT FROM Z\(entity.uppercased())")
        while let row = try rows.next() {
            let group = Group(worker: row[0] ?? -1, generation: row[1] ?? -1, serial: row[2] ?? -1)
            if stored[group, default: [:]].updateValue(row[4] ?? -1, forKey: row[3] ?? -1) != nil {
                failures.append("\(entity) \(group) is there twice.")
            }
        }
        let fates = fates(entity, edited: edited, deleted: deleted)
        for (life, steps) in ledger.steps {
            for (serial, step) in steps where step.kind == inserted {
                let group = Group(worker: life.worker, generation: life.generation, serial: serial)
                let found = stored.removeValue(forKey: group) ?? [:]
                let count = step.arguments.first ?? 0
                let wasSeen = !found.isEmpty || fates[group] != nil
                if step.outcome == .void || (step.outcome == .open && !wasSeen) {
                    if wasSeen { failures.append("\(entity) of a refused step is there: \(group)") }
                    continue
                }
                failures += check(entity, group, count: count, found, fates[group] ?? [:])
            }
        }
        for group in stored.keys { failures.append("\(entity) \(group) was never inserted.") }
        return failures
    }

    /// What the steps of a worker, one after the other, made of each object. A record's position does not matter: -1.
    private func fates(_ entity: String, edited: String, deleted: String) -> [Group: [Int: Fate]] {
        var fates: [Group: [Int: Fate]] = [:]
        let hasPosition = entity != "Record"
        let all = ledger.steps.flatMap { life, steps in
            steps.map { (life.worker, Moment(generation: life.generation, serial: $0), $1) }
        }
        for (worker, _, step) in all.sorted(by: { $0.1 < $1.1 })
        where step.kind == edited || step.kind == deleted {
            var arguments = step.arguments[...]
            guard let generation = arguments.popFirst(), let serial = arguments.popFirst() else { continue }
            let position = hasPosition ? arguments.popFirst() ?? -1 : -1
            let group = Group(worker: worker, generation: generation, serial: serial)
            var fate = fates[group]?[position] ?? Fate()
            if step.kind == deleted {
                fate.delete(step.outcome)
            } else {
                fate.edit(arguments.first ?? -1, step.outcome)
            }
            fates[group, default: [:]][position] = fate
        }
        return fates
    }

    private func check(
        _ entity: String, _ group: Group, count: Int, _ found: [Int: Int], _ fates: [Int: Fate]
    ) -> [String] {
        var failures: [String] = []
        if Set(found.keys).subtracting(0..<count) != [] {
            failures.append("\(entity) \(group) has positions \(found.keys.sorted()) of \(count).")
        }
        for position in 0..<count {
            let fate = fates[position] ?? fates[-1] ?? Fate()
            switch found[position] {
            case let edit?:
                if fate.isDeleted {
                    failures.append("\(entity) \(group), \(position) was deleted and is there.")
                }
                if !fate.edits.contains(edit) {
                    failures.append(
                        "\(entity) \(group), \(position) has edit \(edit); it should be one of \(fate.edits)."
                    )
                }
            case nil:
                if !fate.isDeleted, !fate.mayBeDeleted {
                    failures.append("\(entity) \(group), \(position) is lost.")
                }
            }
        }
        // A batch request is whole, or it is not there.
        if entity == "Record", !found.isEmpty, found.count != count || Set(found.values).count != 1 {
            failures.append("\(entity) \(group) is torn: \(found) of \(count).")
        }
        return failures
    }

    private func boxes() throws -> [String] {
        try String.fetchAll(
            database,
            sql: """
                SELECT 'box ' || b.ZNAME || ' has ' || b.ZITEMCOUNT || ' items; there are ' || count(i.Z_PK)
                FROM ZBOX b LEFT JOIN ZITEM i ON i.ZBOX = b.Z_PK GROUP BY b.Z_PK
                HAVING b.ZITEMCOUNT IS NOT count(i.Z_PK)
                """)
    }
}
