import Foundation

/// A file or folder of which a running process says that it needs it: it holds it under `flock`, which ends with the process.
///
/// Not thread-safe.
package final class HeldPath {
    package let path: String
    /// Closed by `release()`.
    package private(set) var descriptor: Int32

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { release() }

    /// Makes an empty folder, which only its owner can read, under a name that nothing has.
    ///
    /// - Parameter path: a path for an identifier.
    package static func makeFolder(_ path: (String) -> String) throws -> HeldPath {
        try make(path, undo: { try $1.removeFolder($0) }) { path, calls in
            try calls.makeFolder(path, 0o700)
            return O_RDONLY | O_DIRECTORY
        }
    }

    /// Makes an empty file for writing under a name that nothing has.
    ///
    /// - Parameter path: a path for an identifier.
    package static func makeFile(_ path: (String) -> String) throws -> HeldPath {
        try make(path, undo: { try $1.unlinkFile($0) }) { _, _ in O_RDWR | O_CREAT | O_EXCL }
    }

    /// - Parameter begin: makes what opening does not make; the flags for opening.
    private static func make(
        _ path: (String) -> String, undo: (String, any FileCalls) throws -> Void,
        _ begin: (String, any FileCalls) throws -> Int32
    ) throws -> HeldPath {
        // Who looks for leftovers may hold, and remove, what was just made.
        for _ in 0..<100 {
            let path = path(UUID().uuidString)
            let calls = FileSystem.calls
            let flags = try begin(path, calls)
            do {
                let descriptor = try calls.openFile(path, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
                let heldPath = HeldPath(path: path, descriptor: descriptor)
                if try heldPath.hold() != .lost { return heldPath }
            } catch let error as FileError where error.code == ENOENT {
                // Either it was removed between its making and its opening, or its folder is not there.
                let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
                guard try FileKind(at: folder) != .missing else { throw error }
            } catch {
                // Also without a free descriptor, nothing is left.
                if (error as? FileError)?.code != EEXIST { try? undo(path, calls) }
                throw error
            }
        }
        throw FileError(call: "flock", path: path(""), code: EWOULDBLOCK)
    }

    /// Takes what a process has left that is dead; nil when the process runs, when that cannot be known, or nothing is there.
    package static func takeLeftover(_ path: String, isFolder: Bool) throws -> HeldPath? {
        let kind = isFolder ? O_RDONLY | O_DIRECTORY : O_RDWR | O_NONBLOCK
        do {
            guard try FileKind(at: path) == (isFolder ? .folder : .regular) else { return nil }
            let descriptor = try FileSystem.calls.openFile(path, kind | O_NOFOLLOW | O_CLOEXEC, 0)
            let heldPath = HeldPath(path: path, descriptor: descriptor)
            return try heldPath.hold() == .held ? heldPath : nil
        } catch let error as FileError where error.isMissing || error.isRefusal {
            return nil
        }
    }

    private enum Outcome { case held, lost, unknown }

    private func hold() throws -> Outcome {
        do {
            try FileSystem.calls.lockFile(descriptor, LOCK_EX | LOCK_NB)
        } catch let error as FileError where error.code == EWOULDBLOCK {
            return .lost
        } catch let error as FileError where [ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL, EBADF].contains(error.code)
        {
            return .unknown
        }
        var own = stat()
        var present = stat()
        guard fstat(descriptor, &own) == 0, lstat(path, &present) == 0, own.st_dev == present.st_dev,
            own.st_ino == present.st_ino
        else { return .lost }
        return .held
    }

    /// Ends holding it; what is still there is a leftover.
    package func release() {
        guard descriptor >= 0 else { return }
        FileSystem.calls.closeFile(descriptor)
        descriptor = -1
    }
}

// What is in a file that is held.
extension HeldPath {
    /// Writes at the end of what was written.
    package func append(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            try data.isEmpty ? () : OpenFile.write(bytes, to: descriptor)
        }
    }

    package func sync() throws { try FileSystem.calls.syncFile(descriptor) }

    package func set(_ attributes: FileAttributes) throws { try attributes.set(descriptor) }
}
