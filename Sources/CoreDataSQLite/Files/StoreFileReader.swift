import CSQLiteHardening
import Foundation
import GRDBSQLite
import ManagedObjectModel

/// A file that is open for reading and that may be, under any name, the database of a store which this process has open.
///
/// The system drops all locks that a process has on a file when the process closes any descriptor of it. A connection would
/// go on without its lock, and another process would remove the log under it. So bytes of files that users, stores and
/// tools name are read here alone, through SQLite's own layer of files, which knows the connections of this process by the
/// inode of the file and postpones closing.
package final class StoreFileReader {
    private let file: OpaquePointer
    private let path: String

    /// Opens a regular file.
    ///
    /// - Parameter followsLinks: whether the path may be a symbolic link.
    /// - Throws: 260 of `NSCocoaErrorDomain` when there is no file; else the error of the system: `ELOOP` for a link that is not
    ///   to be followed, `EINVAL` for a folder, a pipe or a device.
    package init(_ path: String, followsLinks: Bool = true) throws {
        self.path = path
        var file: OpaquePointer?
        var number: Int32 = 0
        let code = csqlite_file_open(path, followsLinks ? 1 : 0, &file, &number)
        guard code == SQLITE_OK, let file else { throw Self.error(number == 0 ? EIO : number, path) }
        self.file = file
    }

    deinit { csqlite_file_close(file) }

    /// How many bytes the file has now.
    ///
    /// - Throws: an error of the system.
    package func byteCount() throws -> Int {
        var size: Int64 = 0
        guard csqlite_file_size(file, &size) == SQLITE_OK else { throw Self.error(EIO, path) }
        return Int(size)
    }

    /// Reads bytes; fewer where the file ends.
    ///
    /// - Throws: an error of the system.
    package func read(at offset: Int, count: Int) throws -> Data {
        // What is past the end reads as zeros, and SQLite does not say how many bytes there were.
        let present = min(count, max(0, try byteCount() - offset))
        guard present > 0 else { return Data() }
        var data = Data(count: present)
        var done = 0
        while done < present {
            let length = min(present - done, 1 << 26)
            let code = data.withUnsafeMutableBytes {
                csqlite_file_read(
                    file, $0.baseAddress?.advanced(by: done), Int32(length), Int64(offset + done))
            }
            guard code == SQLITE_OK else { throw Self.error(EIO, path) }
            done += length
        }
        return data
    }

    /// All bytes of the file.
    ///
    /// - Throws: an error of the system.
    package func contents() throws -> Data { try read(at: 0, count: .max) }

    private static func error(_ number: Int32, _ path: String) -> NSError {
        number == ENOENT
            ? CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: path]) as NSError
            : NSError(domain: NSPOSIXErrorDomain, code: Int(number), userInfo: [NSFilePathErrorKey: path])
    }
}

extension StoreFileReader {
    /// The first bytes of a file; nil when it cannot be read.
    package static func start(of path: String, count: Int) -> Data? {
        try? StoreFileReader(path).read(at: 0, count: count)
    }

    /// The path that SQLite has for a database, of which those of its journal, log and index are made: without symbolic links.
    static func databasePath(_ name: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4096)
        guard csqlite_full_path(name, &buffer, Int32(buffer.count)) == SQLITE_OK else { return name }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether a file begins as a SQLite database does.
    package static func isDatabase(_ path: String) -> Bool {
        start(of: path, count: SQLiteHeader.magic.count) == Data(SQLiteHeader.magic)
    }

    /// Has all files that a program names read here: their readers do not know SQLite, and any file can be taken for a
    /// model or a document. To be called before the process has its first lock on a store.
    static func readNamedFiles() { _ = isReadingNamedFiles }

    private static let isReadingNamedFiles: Void = FileReading.replace { path, limit in
        try StoreFileReader(path).read(at: 0, count: limit)
    }
}
