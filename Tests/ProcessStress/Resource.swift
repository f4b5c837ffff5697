import CFailingAllocator
import Foundation
import GRDBSQLite

/// Something that an operation needs, and that can be taken from this process and given back.
protocol Resource {
    /// How much of it is left, one time after the other, until the operation works twice.
    var amounts: [Int] { get }
    func take(leaving amount: Int) throws
    /// - Returns: whether it was asked for in vain, where that can be known; else false.
    func giveBack() throws -> Bool
}

package enum ResourceKind: String, CaseIterable, Sendable {
    /// Room on the folder's disk, which must be a small one.
    case disk
    /// The size that files may have.
    case fileSize = "file-size"
    /// The right to write to the folder.
    case folder
    /// Numbers for open files.
    case descriptors
    /// One allocation of SQLite's.
    case allocation

    /// Before anything is done with a store.
    func make(_ folder: URL) throws -> any Resource {
        switch self {
        case .disk: return DiskSpace(folder)
        case .fileSize:
            signal(SIGXFSZ, SIG_IGN)
            return FileSize()
        case .folder: return try WritableFolder(folder)
        case .descriptors: return Descriptors()
        case .allocation: return try Allocations()
        }
    }
}

private func failure(_ what: String) -> StressFailure {
    StressFailure("\(what): \(String(cString: strerror(errno)))")
}

/// Fills a disk but for some kilobytes.
private final class DiskSpace: Resource {
    private let file: String
    let amounts = [0, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64] + stride(from: 80, through: 2400, by: 40)

    init(_ folder: URL) { file = folder.appendingPathComponent("ballast").path }

    func take(leaving amount: Int) throws {
        let descriptor = open(file, O_CREAT | O_RDWR, 0o600)
        guard descriptor >= 0 else { throw failure("the ballast cannot be made") }
        defer { close(descriptor) }
        let piece = [UInt8](repeating: 1, count: 4096)
        var size = 0
        while write(descriptor, piece, piece.count) == piece.count { size += piece.count }
        guard errno == ENOSPC else { throw failure("the ballast cannot be written") }
        guard ftruncate(descriptor, off_t(max(0, size - amount * 1024))) == 0 else {
            throw failure("the ballast cannot be cut")
        }
    }

    func giveBack() throws -> Bool {
        guard unlink(file) == 0 else { throw failure("the ballast stays") }
        return false
    }
}

/// Sets the limit on the size of files, in bytes.
private final class FileSize: Resource {
    let amounts: [Int] =
        [0, 1, 512, 4096, 8192, 16384, 30000, 40000, 60000, 80000]
        // The log grows meanwhile.
        + (0..<20).map { Int(100_000 * pow(1.4, Double($0))) }

    func take(leaving amount: Int) throws { try set(UInt(amount)) }

    func giveBack() throws -> Bool {
        try set(UInt(bitPattern: -1))
        return false
    }

    private func set(_ size: UInt) throws {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
            throw failure("no limit")
        }
        limit.rlim_cur = min(rlim_t(size), limit.rlim_max)
        guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
            throw failure("no limit")
        }
    }
}

/// Takes the right to write to a folder and all folders in it. The superuser has it anyway, so such a process becomes another
/// user's.
private final class WritableFolder: Resource {
    private let folder: URL
    let amounts = [0]

    init(_ folder: URL) throws {
        self.folder = folder
        guard geteuid() == 0 else { return }
        guard chown(folder.path, 65534, 65534) == 0, setgid(65534) == 0, setuid(65534) == 0 else {
            throw failure("another user cannot be taken")
        }
    }

    func take(leaving amount: Int) throws { try set(0o555) }

    func giveBack() throws -> Bool {
        try set(0o755)
        return false
    }

    private func set(_ mode: mode_t) throws {
        var folders = [folder.path]
        if let names = FileManager.default.enumerator(atPath: folder.path) {
            for case let name as String in names {
                let path = folder.appendingPathComponent(name).path
                var isFolder: ObjCBool = false
                if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
                    folders.append(path)
                }
            }
        }
        for path in folders where chmod(path, mode) != 0 { throw failure("the mode of \(path)") }
    }
}

/// Takes the numbers for open files but for some.
private final class Descriptors: Resource {
    private var taken: [Int32] = []
    let amounts = Array(0..<40)

    init() {
        var limit = rlimit(rlim_cur: 256, rlim_max: 256)
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    func take(leaving amount: Int) throws {
        while case let descriptor = dup(2), descriptor >= 0 { taken.append(descriptor) }
        guard errno == EMFILE, taken.count >= amount else { throw failure("descriptors cannot be taken") }
        for _ in 0..<amount { if let descriptor = taken.popLast() { close(descriptor) } }
    }

    func giveBack() throws -> Bool {
        for descriptor in taken { close(descriptor) }
        taken = []
        return false
    }
}

/// Lets the n-th allocation of SQLite's fail. Not all that follow: the library below ends the process when SQLite has not
/// even the memory to roll back.
private final class Allocations: Resource {

    init() throws {
        guard failing_allocator_install() == SQLITE_OK else {
            throw StressFailure("SQLite takes no other allocator: it is in use already")
        }
    }

    /// All of the first ones, then fewer; in a test fewer still.
    let amounts: [Int] = {
        let share = ProcessInfo.processInfo.environment["SHORTAGE_THOROUGH"] == nil ? 4 : 40
        var amounts: [Int] = []
        var next = 1
        while next < 1_000_000 {
            amounts.append(next)
            next += 1 + next / share
        }
        return amounts
    }()

    func take(leaving amount: Int) throws { failing_allocator_arm(amount, 0) }

    func giveBack() throws -> Bool { failing_allocator_disarm() > 0 }
}
