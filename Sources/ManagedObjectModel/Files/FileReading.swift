import Foundation
import Synchronization

/// How the bytes of files are read that a program names: models, stores that are documents.
///
/// A program may name any file, also the database of a store that it has open. To open and close such a file drops the locks
/// that the process has on it, unless it is read through SQLite, which this module does not know. So the module that opens
/// databases replaces the reading before it opens the first one.
package enum FileReading {
    /// Reads at most `limit` bytes from the file at a path.
    package typealias Reader = @Sendable (_ path: String, _ limit: Int) throws -> Data

    private static let reader = Mutex<Reader?>(nil)

    /// Has another reader read from now on. When this returns, no file is open that was opened before.
    package static func replace(_ new: @escaping Reader) { reader.withLock { $0 = new } }

    /// The first bytes of a file, `limit` at most.
    ///
    /// - Throws: an error of the system.
    package static func read(_ path: String, limit: Int) throws -> Data {
        let replacement: Reader? = reader.withLock { $0 }
        if let replacement { return try replacement(path, limit) }
        // Under the lock: `replace` waits until the file is closed.
        let read: Data? = try reader.withLock { reader in
            guard reader == nil else { return nil }
            let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? handle.close() }
            return try handle.read(upToCount: limit) ?? Data()
        }
        return try read ?? self.read(path, limit: limit)
    }
}
