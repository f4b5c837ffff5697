import GRDB
import GRDBSQLite

/// The beginning of the index of a write-ahead log (`-shm`), which every commit changes: https://www.sqlite.org/walformat.html.
///
/// It is read where a connection has it in memory. The file beside the database is not opened for it: SQLite has locks on that file,
/// and a process that closes it loses those of its other connections.
struct LogIndexHeader {
    /// It is there twice, one after the other.
    private static let size = 48

    /// The version of the format, a count of transactions, the last frame of the log, the size of the database, checksums and salts.
    let bytes: [UInt8]

    /// - Parameter database: a connection that is reading in a transaction.
    /// - Returns: nil when the connection shares no index with others.
    init?(_ database: Database) {
        guard let file = database.mainFile, let methods = file.pointee.pMethods,
            methods.pointee.iVersion >= 2,
            let map = methods.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        // The size of one of its regions; one that is not there is not made.
        let found = map(file, 0, 32 << 10, 0, &region)
        // A connection that may not write to the index gets the second one.
        guard found == SQLITE_OK || found == SQLITE_READONLY, let region else { return nil }
        var copies: [UInt8] = []
        for _ in 0..<100 {
            copies = Array(UnsafeRawBufferPointer(start: region, count: 2 * Self.size))
            // They differ while another process writes them.
            if copies[..<Self.size].elementsEqual(copies[Self.size...]) { break }
        }
        bytes = Array(copies[..<Self.size])
    }

    /// Whether there is nothing in the log that is not in the file.
    var isOfEmptyLog: Bool { bytes[16..<20].allSatisfy { $0 == 0 } }
}
