import Foundation

/// The calls of the operating system by which this package changes files that are not SQLite's to change.
///
/// All of them go through `FileSystem.calls`, so that a test can count them, make the n-th one fail, or stop the process there.
/// Paths are absolute or relative to the working folder; descriptors are those of the system. Each method throws a `FileError`.
package protocol FileCalls: Sendable {
    /// `open(2)`; folders are opened with `O_DIRECTORY`, to be synced or held.
    func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) throws -> Int32
    /// `close(2)`; what it reports cannot be acted on.
    func closeFile(_ file: Int32)
    /// `read(2)`: how many bytes there were; 0 at the end.
    func readFile(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) throws -> Int
    /// `write(2)`: how many bytes were written, which may be fewer than requested.
    func writeFile(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws -> Int
    /// `fsync(2)` of a file or of a folder.
    func syncFile(_ file: Int32) throws
    /// `fchmod(2)`.
    func setMode(_ file: Int32, _ mode: mode_t) throws
    /// `fchown(2)`.
    func setOwner(_ file: Int32, _ user: uid_t, _ group: gid_t) throws
    /// `flock(2)`.
    func lockFile(_ file: Int32, _ operation: Int32) throws
    /// `rename(2)`.
    func renameFile(_ old: String, _ new: String) throws
    /// `link(2)`.
    func linkFile(_ old: String, _ new: String) throws
    /// `unlink(2)`.
    func unlinkFile(_ path: String) throws
    /// `mkdir(2)`.
    func makeFolder(_ path: String, _ mode: mode_t) throws
    /// `rmdir(2)`.
    func removeFolder(_ path: String) throws
}

/// The system's own calls.
package struct SystemFileCalls: FileCalls {
    package init() {}

    package func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) throws -> Int32 {
        try Self.checked("open", path) { open(path, flags, mode) }
    }

    package func closeFile(_ file: Int32) { close(file) }

    package func readFile(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        try Self.checked("read") { read(file, buffer.baseAddress, buffer.count) }
    }

    package func writeFile(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws -> Int {
        try Self.checked("write") { write(file, bytes.baseAddress, bytes.count) }
    }

    package func syncFile(_ file: Int32) throws { _ = try Self.checked("fsync") { fsync(file) } }

    package func setMode(_ file: Int32, _ mode: mode_t) throws {
        _ = try Self.checked("fchmod") { fchmod(file, mode) }
    }

    package func setOwner(_ file: Int32, _ user: uid_t, _ group: gid_t) throws {
        _ = try Self.checked("fchown") { fchown(file, user, group) }
    }

    package func lockFile(_ file: Int32, _ operation: Int32) throws {
        _ = try Self.checked("flock") { flock(file, operation) }
    }

    package func renameFile(_ old: String, _ new: String) throws {
        _ = try Self.checked("rename", new) { rename(old, new) }
    }

    package func linkFile(_ old: String, _ new: String) throws {
        _ = try Self.checked("link", new) { link(old, new) }
    }

    package func unlinkFile(_ path: String) throws { _ = try Self.checked("unlink", path) { unlink(path) } }

    package func makeFolder(_ path: String, _ mode: mode_t) throws {
        _ = try Self.checked("mkdir", path) { mkdir(path, mode) }
    }

    package func removeFolder(_ path: String) throws { _ = try Self.checked("rmdir", path) { rmdir(path) } }

    /// Calls again what a signal has interrupted.
    private static func checked<Number: SignedInteger>(
        _ call: String, _ path: String = "", _ body: () -> Number
    ) throws -> Number {
        while true {
            let result = body()
            if result >= 0 { return result }
            let code = errno
            if code != EINTR { throw FileError(call: call, path: path, code: code) }
        }
    }
}
