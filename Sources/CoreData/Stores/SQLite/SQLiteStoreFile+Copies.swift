import Foundation
import GRDB

// A store put into the place of another one, or beside it: its database and its external data.

extension SQLiteStoreFile {
    /// Makes a new store of the contents of a database.
    ///
    /// - Parameters:
    ///   - folder: the files of external data to copy, if there are any.
    ///   - fill: writes the contents into a database that is empty.
    /// - Throws: 134080 when there is a file already, or an error of SQLite or the file system; nothing is left then.
    func make(externalData folder: URL?, _ fill: (DatabaseQueue) throws -> Void) throws {
        let existing = "there is a file already; destroy that store first"
        if FileManager.default.fileExists(atPath: url.path) { throw unopenable(existing) }
        guard !hasLeftovers else {
            throw unopenable("there is the log of a store that is gone; destroy it first")
        }
        _ = try exists()
        let added = try ExternalDataCopies(from: folder, to: url.externalDataFolder)
        do {
            let isPlaced = try placeDraft { try Self.write(to: $0, fill) }
            guard isPlaced else { throw unopenable(existing) }
        } catch {
            added.takeBack()
            throw error
        }
    }

    /// Takes the place of this store, if there is one, by the store in another file. Its identifier comes with it.
    ///
    /// The copy is complete and checked before the old store goes.
    ///
    /// - Throws: 260 when there is no store in the other file, 134010 when it is none, 259 when it is damaged, 134090
    ///   while others have this store open; everything is as it was then.
    func replace(with source: SQLiteStoreFile) throws {
        guard
            url.standardizedFileURL.resolvingSymlinksInPath()
                != source.url.standardizedFileURL.resolvingSymlinksInPath()
        else { throw unopenable("it cannot take its own place") }
        _ = try source.metadata()
        _ = try exists(toWrite: true)
        let own = ownExternalFiles()
        let added = try ExternalDataCopies(from: source.url.externalDataFolder, to: url.externalDataFolder)
        do {
            try withDraft { draft in
                try Self.write(to: draft) { queue in
                    let file = source.readOnly()
                    defer { file.close() }
                    try file.backup(to: queue)
                    let faults = try queue.read { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") }
                    guard faults == ["ok"] else {
                        throw DatabaseError(
                            resultCode: .SQLITE_CORRUPT, message: faults.joined(separator: "; "))
                    }
                }
                try withLock("replace the store") { _ in try Self.move(draft, to: url) }
            }
        } catch {
            added.takeBack()
            if let error = error as? DatabaseError { throw source.openingError(error) }
            throw error
        }
        added.removeOthers(own)
    }

    /// Makes a database, which is closed when this returns.
    static func write(to draft: URL, _ fill: (DatabaseQueue) throws -> Void) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { try SQLiteDefence.install(on: $0) }
        let queue = try DatabaseQueue(path: draft.path, configuration: configuration)
        defer { try? queue.close() }
        try fill(queue)
    }

    /// `rename` takes the old file's place in one step, which Foundation's move does not.
    static func move(_ draft: URL, to url: URL) throws {
        for suffix in ["-wal", "-journal"] {
            // What is not in the file yet would be lost.
            let attributes = try? FileManager.default.attributesOfItem(atPath: draft.path + suffix)
            guard (attributes?[.size] as? NSNumber)?.intValue ?? 0 == 0 else {
                throw DatabaseError(resultCode: .SQLITE_IOERR, message: "the draft has a log")
            }
        }
        // There are some only beside what is no database: else they went with the lock.
        for suffix in ["-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
        guard rename(draft.path, url.path) == 0 else {
            throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
        }
        // Before anything goes that the old file needs.
        let folder = Foundation.open(url.deletingLastPathComponent().path, O_RDONLY)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// Runs a block while nobody else has the store open. A file that is no database needs no lock.
    ///
    /// - Parameter body: is given the connection that has the lock; nil for what is no database. To read the file past that
    ///   connection would give up the lock.
    /// - Throws: 134090 when others have it open, or what the block throws.
    func withLock(_ what: String, _ body: (DatabaseQueue?) throws -> Void) throws {
        guard FileManager.default.fileExists(atPath: url.path) else { return try body(nil) }
        var connection: DatabaseQueue?
        defer { try? connection?.close() }
        do {
            let made = try queue()
            connection = made
            // Ending the log takes every lock there is, so nobody else is connected.
            try made.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE")
                try database.execute(sql: "BEGIN EXCLUSIVE; COMMIT")
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw NSError.sqlite(error, during: what, store: url)
        } catch is DatabaseError {
            // Whatever it is, it is no store that anybody could be using.
            try? connection?.close()
            connection = nil
        }
        try body(connection)
    }
}

/// Files of external data, copied from one store's folder to another's.
///
/// Their names are identifiers that no other data has, so those of two stores can lie beside each other until it is
/// clear which are needed.
private struct ExternalDataCopies {
    private let folder: URL
    /// What was not there before.
    private var added: [String] = []
    private var names: Set<String> = []
    private var madeFolders: [URL] = []
    /// Whether the source is beside the store whose place it takes, and shares its folder.
    private var isSameFolder = false

    /// - Throws: an error of the file system; nothing is left then.
    init(from source: URL?, to folder: URL) throws {
        self.folder = folder
        guard let source, FileManager.default.fileExists(atPath: source.path) else { return }
        isSameFolder =
            source.standardizedFileURL.resolvingSymlinksInPath()
            == folder.standardizedFileURL.resolvingSymlinksInPath()
        guard !isSameFolder else { return }
        let files = FileManager.default
        do {
            names = Set(try files.contentsOfDirectory(atPath: source.path))
            for place in [folder.deletingLastPathComponent(), folder]
            where !files.fileExists(atPath: place.path) {
                try files.createDirectory(at: place, withIntermediateDirectories: false)
                madeFolders.append(place)
            }
            for name in names.sorted() {
                let target = folder.appendingPathComponent(name)
                guard !files.fileExists(atPath: target.path) else { continue }
                added.append(name)
                try files.copyItem(at: source.appendingPathComponent(name), to: target)
            }
        } catch {
            takeBack()
            throw error
        }
    }

    func takeBack() {
        for name in added { try? FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
        for place in madeFolders.reversed() { try? FileManager.default.removeItem(at: place) }
    }

    /// Removes what belonged to the store whose place was taken.
    ///
    /// - Parameter own: the files that were that store's; nil for all.
    func removeOthers(_ own: Set<String>?) {
        let present = own ?? Set((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        for name in present.subtracting(isSameFolder ? [] : names) {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }
}
