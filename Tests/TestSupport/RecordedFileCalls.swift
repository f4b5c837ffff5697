import DurableFiles
import Foundation
import Synchronization

/// Calls of the file system that are counted, and of which one fails or, with all after it, is not made.
package final class RecordedFileCalls: FileCalls {
    /// What happens to calls, which are numbered from 1.
    package enum Fault: Sendable, Equatable {
        case none
        /// The call fails with an error.
        case error(Int, Int32)
        /// The process is as good as dead: this call and all after it do nothing and fail.
        case death(Int)
        /// Nothing is changed, ever: each call that would change a file fails.
        case all

        /// The faults that a call can have; none for the number 0.
        package static func each(at number: Int) -> [Fault] {
            number == 0 ? [.none] : [.error(number, ENOSPC), .death(number)]
        }
    }

    private struct State {
        var calls: [String] = []
        var paths: [Int32: String] = [:]
    }

    private let state = Mutex(State())
    private let fault: Fault
    private let system = SystemFileCalls()

    private let before: @Sendable (String) -> Void

    /// - Parameter before: called before each call with its text; its own calls are the system's.
    package init(_ fault: Fault = .none, before: @escaping @Sendable (String) -> Void = { _ in }) {
        self.fault = fault
        self.before = before
    }

    /// The calls so far: the name of each, and the last parts of its paths.
    package var calls: [String] { state.withLock { $0.calls } }

    /// Runs a block with these calls instead of the system's.
    package func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try FileSystem.$taskCalls.withValue(self, operation: body)
    }

    private func note(_ call: String, _ paths: String...) throws {
        let text = ([call] + paths.map { ($0 as NSString).lastPathComponent }).joined(separator: " ")
        FileSystem.$taskCalls.withValue(SystemFileCalls()) { before(text) }
        let number = state.withLock { state in
            state.calls.append(text)
            return state.calls.count
        }
        let code: Int32? =
            switch fault {
            case .none: nil
            case .error(let failing, let code): failing == number ? code : nil
            case .death(let first): number >= first ? EIO : nil
            case .all: EIO
            }
        if let code { throw FileError(call: call, path: paths.last ?? "", code: code) }
    }

    private func name(_ file: Int32) -> String { state.withLock { $0.paths[file] ?? "" } }

    package func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) throws -> Int32 {
        try note(flags & O_CREAT != 0 ? "create" : "open", path)
        let file = try system.openFile(path, flags, mode)
        state.withLock { $0.paths[file] = path }
        return file
    }

    /// A dead process's files are closed, too.
    package func closeFile(_ file: Int32) {
        try? note("close", name(file))
        system.closeFile(file)
        state.withLock { $0.paths[file] = nil }
    }

    package func readFile(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try note("read", name(file))
        return try system.readFile(file, buffer)
    }

    package func writeFile(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws -> Int {
        try note("write", name(file))
        return try system.writeFile(file, bytes)
    }

    package func syncFile(_ file: Int32) throws {
        try note("sync", name(file))
        try system.syncFile(file)
    }

    package func setMode(_ file: Int32, _ mode: mode_t) throws {
        try note("mode", name(file))
        try system.setMode(file, mode)
    }

    package func setOwner(_ file: Int32, _ user: uid_t, _ group: gid_t) throws {
        try note("owner", name(file))
        try system.setOwner(file, user, group)
    }

    package func lockFile(_ file: Int32, _ operation: Int32) throws {
        try note("lock", name(file))
        try system.lockFile(file, operation)
    }

    package func renameFile(_ old: String, _ new: String) throws {
        try note("rename", old, new)
        try system.renameFile(old, new)
    }

    package func linkFile(_ old: String, _ new: String) throws {
        try note("link", old, new)
        try system.linkFile(old, new)
    }

    package func unlinkFile(_ path: String) throws {
        try note("unlink", path)
        try system.unlinkFile(path)
    }

    package func makeFolder(_ path: String, _ mode: mode_t) throws {
        try note("mkdir", path)
        try system.makeFolder(path, mode)
    }

    package func removeFolder(_ path: String) throws {
        try note("rmdir", path)
        try system.removeFolder(path)
    }
}
