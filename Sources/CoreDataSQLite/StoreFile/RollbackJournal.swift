import ObjectGraph
import DurableFiles
import Foundation
import GRDB

/// The rollback journal beside a database, as far as it can do harm before SQLite looks at anything in the database.
///
/// A connection that may write plays a journal back that a process left behind. When the end of the journal names another
/// file (a "super-journal", which transactions over several databases have), SQLite then removes that file, wherever it is.
/// No connection of this framework writes such a journal.
///
/// Format: https://www.sqlite.org/fileformat2.html#the_rollback_journal, and for the end of the file the comments of
/// SQLite's `writeSuperJournal`: … page number (4 bytes), name, length of the name (4), checksum (4), magic (8).
struct RollbackJournal {
    private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// Where SQLite looks for it: beside the file that a symbolic link leads to.
    let path: String
    private let header: [UInt8]
    private let file: StoreFileReader
    private let byteCount: Int

    /// The journal of a database that is still to be played back; nil when it has none.
    ///
    /// - Throws: an error of the system.
    init?(ofDatabaseAt name: String) throws {
        path = StoreFileReader.databasePath(name) + "-journal"
        do {
            file = try StoreFileReader(path, followsLinks: false)
        } catch let error as NSError where error.code == CocoaError.Code.fileReadNoSuchFile.rawValue {
            return nil
        }
        byteCount = try file.byteCount()
        header = [UInt8](try file.read(at: 0, count: 28))
        // With `journal_mode = PERSIST`, zeros at its beginning are what ends a transaction.
        guard let first = header.first, first != 0 else { return nil }
    }

    /// Whether playing it back makes an empty file of the database: what was interrupted was the first transaction.
    var emptiesDatabase: Bool {
        header.starts(with: Self.magic) && header.dropFirst(16).prefix(4) == [0, 0, 0, 0]
    }

    /// The file that the journal names beside its database; nil for none.
    ///
    /// SQLite reads the name even if nothing else of the journal is one.
    ///
    /// - Throws: an error of the system.
    func namedFile() throws -> String? {
        guard byteCount >= 16 else { return nil }
        let end = [UInt8](try file.read(at: byteCount - 16, count: 16))
        guard end.count == 16, Array(end.suffix(8)) == Self.magic else { return nil }
        let length = end.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard length > 0, length <= byteCount - 16 else { return nil }
        // The checksum is left out: SQLite ignores a journal whose checksum is wrong, so refusing it as well does no harm.
        let name = try file.read(at: byteCount - 16 - length, count: min(length, 1024))
        return String(decoding: name, as: UTF8.self)
    }
}

extension SQLiteStoreFile {
    /// Checks what a connection that can write would use before anything in the database is looked at. Nothing is changed.
    ///
    /// - Throws: `SQLITE_NOTADB` for a file that does not begin as a database; 134080 when its journal names another file.
    func checkBeforeWriting() throws {
        let journal: RollbackJournal?
        let named: String?
        do {
            journal = try RollbackJournal(ofDatabaseAt: url.path)
            named = try journal?.namedFile()
        } catch {
            throw unopenable("its journal cannot be read: \(error.localizedDescription)")
        }
        if let journal, let named {
            throw unopenable(
                "its journal, \(journal.path), names another file, '\(named)', which SQLite would remove")
        }
        guard let start = StoreFileReader.start(of: url.path, count: SQLiteHeader.magic.count),
            !start.isEmpty,
            start != Data(SQLiteHeader.magic)
        else { return }
        // The pages of a first transaction may be on the disk without the first of them.
        if let journal, journal.emptiesDatabase, start.allSatisfy({ $0 == 0 }) { return }
        throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "it has no journal header")
    }

    /// Has SQLite roll back what a process left half written without a write-ahead log, so that the file can be read. For
    /// a file that is going to be written to.
    ///
    /// - Throws: as `read`, and 134080 when the journal names another file.
    func recover() throws {
        do { try playBack() } catch let error as DatabaseError { throw openingError(error) }
    }

    /// As `recover()`.
    ///
    /// - Throws: as `checkBeforeWriting()`, or an error of SQLite.
    func playBack() throws {
        guard FileManager.default.isWritableFile(atPath: url.path) else { return }
        try checkBeforeWriting()
        guard try RollbackJournal(ofDatabaseAt: url.path) != nil else { return }
        let connection = try queue()
        try connection.close()
    }

    /// Removes a rollback journal that SQLite does not take for one, and leaves. To be called while a connection of this process has the
    /// write-ahead log: no other process can have a journal then.
    func removeStaleJournal() {
        do {
            try DurableFile.remove(URL(fileURLWithPath: regularFile().path + "-journal"))
        } catch {
            Log.store.error(
                "Could not remove the journal of the store at \(url.path): \(error.localizedDescription)")
        }
    }
}
