import Foundation
import GRDB
import GRDBSQLite

/// The first bytes of a database file.
///
/// They are read through SQLite's own file, not one opened beside it: a process that closes a file loses all its
/// locks on it, those of SQLite's other connections too.
struct SQLiteHeader {
    /// What a database begins with.
    static let magic = Array("SQLite format 3\0".utf8)

    private let bytes: [UInt8]

    init(_ database: Database) {
        var bytes = [UInt8](repeating: 0, count: 28)
        if let file = database.mainFile, let read = file.pointee.pMethods?.pointee.xRead {
            // A file that is shorter gives zeros for the rest.
            let count = Int32(bytes.count)
            _ = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, count, 0) }
        }
        self.bytes = bytes
    }

    /// Whether the file begins as a database does.
    var isDatabase: Bool { bytes.starts(with: Self.magic) }

    /// What each transaction counts up that writes to the file itself, and not to a write-ahead log.
    var changeCounter: ArraySlice<UInt8> { bytes[24..<28] }

    /// Whether changes go to a write-ahead log first.
    var usesLog: Bool { bytes[18] == 2 || bytes[19] == 2 }
}
