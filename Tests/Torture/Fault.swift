import TestVFS

/// What happens at a chosen call.
package enum Fault: Hashable, Sendable {
    /// The process dies; its files stay as they are.
    case crash
    /// The machine loses its power: of what was not synced, a part remains.
    case cut(Remains)
    /// The call fails, and the next one works; or everything fails until the operation has given its error.
    case error(Failure, persists: Bool)

    package enum Remains: String, CaseIterable, Sendable {
        case nothing, names, sectors, any

        var number: UInt32 {
            switch self {
            case .nothing: TESTVFS_NOTHING_UNSYNCED.rawValue
            case .names: TESTVFS_NAMES_ONLY.rawValue
            case .sectors: TESTVFS_SECTORS.rawValue
            case .any: TESTVFS_SECTORS_AND_NAMES.rawValue
            }
        }
    }

    package enum Failure: String, CaseIterable, Sendable {
        case io, full, cannotOpen, noMemory

        var number: UInt32 {
            switch self {
            case .io: TESTVFS_IO_ERROR.rawValue
            case .full: TESTVFS_FULL.rawValue
            case .cannotOpen: TESTVFS_CANNOT_OPEN.rawValue
            case .noMemory: TESTVFS_NO_MEMORY.rawValue
            }
        }
    }

    /// All that a dead process may leave, which one run gives.
    static let deaths = [Fault.crash] + Remains.allCases.map(Fault.cut)
    static let cuts = Remains.allCases.map(Fault.cut)
    static let errors =
        Failure.allCases.map { Fault.error($0, persists: false) }
        + [.error(.io, persists: true), .error(.full, persists: true)]

    var name: String {
        switch self {
        case .crash: "crash"
        case .cut(let remains): "cut-\(remains.rawValue)"
        case .error(let failure, let persists): failure.rawValue + (persists ? "-on" : "")
        }
    }

    init?(_ name: String) {
        guard let fault = (Self.deaths + Self.errors).first(where: { $0.name == name }) else { return nil }
        self = fault
    }

    /// The input of the recorder.
    var number: Int32 {
        guard case .error(let failure, _) = self else { return Int32(TESTVFS_DEATH.rawValue) }
        return Int32(failure.number)
    }

    var persists: Bool {
        if case .error(_, true) = self { true } else { false }
    }

    func canMeet(_ kind: Int32) -> Bool { testvfs_can_meet(kind, number) != 0 }
}

/// How often SQLite waits for the disk: as the framework has it, or at each commit.
package enum Synchronous: String, CaseIterable, Sendable { case normal, full }

/// One thing that is tried: a scenario, the number of a call in it, and what happens there.
package struct Point: Hashable, Sendable, CustomStringConvertible {
    package let scenario: String
    package let synchronous: Synchronous
    package let call: Int
    package let fault: Fault

    package var description: String {
        "\(scenario)\(synchronous == .full ? "+full" : ""):\(call):\(fault.name)"
    }

    package init(_ scenario: String, _ synchronous: Synchronous, _ call: Int, _ fault: Fault) {
        self.scenario = scenario
        self.synchronous = synchronous
        self.call = call
        self.fault = fault
    }

    /// A point by its description.
    package init?(_ description: String) {
        let parts = description.split(separator: ":").map(String.init)
        guard parts.count == 3, let call = Int(parts[1]), let fault = Fault(parts[2]) else { return nil }
        let isFull = parts[0].hasSuffix("+full")
        self.init(isFull ? String(parts[0].dropLast(5)) : parts[0], isFull ? .full : .normal, call, fault)
    }

    /// What the choices of a power cut come from.
    func seed(_ run: UInt64) -> UInt64 {
        // FNV, since hashes of Swift differ from run to run.
        description.utf8.reduce(0xcbf2_9ce4_8422_2325 ^ run) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
