import Foundation
import GRDB

/// Keeps connections that write from being made while connections of this process that may not write have the index of
/// the same log (`-shm`).
///
/// The connections of a process share one mapping of the index. The first of them decides whether it can be written to, so one
/// that writes must not find a mapping for reading only. Files are distinguished by device and inode: one file has several
/// names.
///
/// Readers of a file run in parallel, and one read may be made inside of another one, of any file. A thread that makes a
/// connection which writes waits for readers as for any lock of the store, and no longer; so threads that wait for each
/// other end with `SQLITE_BUSY`.
enum SharedIndex {
    /// Runs a block that reads with a connection which may not write.
    static func reading<Value>(_ path: String, _ body: () throws -> Value) rethrows -> Value {
        guard let file = FileIdentity(path) else { return try body() }
        registry.beginReading(file)
        defer { registry.endReading(file) }
        return try body()
    }

    /// Runs a block that makes a connection which writes, and has it read once.
    ///
    /// - Parameter timeout: how long to wait for readers, in seconds.
    /// - Throws: `SQLITE_BUSY` when they do not end, or when this very thread is one of them.
    static func connectingWriter<Value>(
        _ path: String, timeout: Double, _ body: () throws -> Value
    ) throws -> Value {
        // A file that is not there yet is read by no connection.
        guard let file = FileIdentity(path) else { return try body() }
        guard registry.beginConnecting(file, timeout: timeout) else {
            throw DatabaseError(
                resultCode: .SQLITE_BUSY, message: "the index of its log is being read in this process")
        }
        defer { registry.endConnecting(file) }
        return try body()
    }

    private static let registry = Registry()

    private struct FileIdentity: Hashable {
        let device: UInt64
        let number: UInt64

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(status.st_ino)
        }
    }

    private final class Registry: @unchecked Sendable {
        private struct Use {
            /// How many reads inside of each other each thread has.
            var readers: [ObjectIdentifier: Int] = [:]
            /// The thread that makes a connection.
            var connecting: ObjectIdentifier?
            var waiting = 0

            var isOver: Bool { readers.isEmpty && connecting == nil && waiting == 0 }
        }

        private let condition = NSCondition()
        private var uses: [FileIdentity: Use] = [:]

        private var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }

        func beginReading(_ file: FileIdentity) {
            condition.lock()
            defer { condition.unlock() }
            let thread = thread
            // A thread that reads already, this file or another one, must not wait for one that may wait for it.
            let isInside = uses.values.contains { $0.readers[thread] != nil }
            while let use = uses[file],
                use.connecting.map({ $0 != thread }) ?? false || use.waiting > 0 && !isInside
            {
                condition.wait()
            }
            uses[file, default: Use()].readers[thread, default: 0] += 1
        }

        func endReading(_ file: FileIdentity) {
            change(file) { use in
                let count = use.readers[thread] ?? 1
                use.readers[thread] = count > 1 ? count - 1 : nil
            }
        }

        func beginConnecting(_ file: FileIdentity, timeout: Double) -> Bool {
            let limit = Date(timeIntervalSinceNow: timeout)
            condition.lock()
            defer { condition.unlock() }
            let thread = thread
            guard uses[file]?.readers[thread] == nil else { return false }
            uses[file, default: Use()].waiting += 1
            var isFree = true
            while isFree, let use = uses[file], !use.readers.isEmpty || use.connecting != nil {
                isFree = condition.wait(until: limit)
            }
            // It may have become free just then.
            isFree = uses[file].map { $0.readers.isEmpty && $0.connecting == nil } ?? true
            uses[file]?.waiting -= 1
            if isFree {
                uses[file]?.connecting = thread
            } else {
                forgetIfOver(file)
                condition.broadcast()
            }
            return isFree
        }

        func endConnecting(_ file: FileIdentity) { change(file) { $0.connecting = nil } }

        private func change(_ file: FileIdentity, _ body: (inout Use) -> Void) {
            condition.lock()
            defer { condition.unlock() }
            guard var use = uses[file] else { return }
            body(&use)
            uses[file] = use
            forgetIfOver(file)
            condition.broadcast()
        }

        private func forgetIfOver(_ file: FileIdentity) {
            if uses[file]?.isOver ?? false { uses[file] = nil }
        }
    }
}
