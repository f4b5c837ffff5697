import ObjectGraph
import DurableFiles
import Foundation
import GRDB

// Moving the files of a store into place, and removing them. Only regular files are touched; of a link to one, the link stays.

extension SQLiteStoreFile {
    /// What SQLite appends to a database's name for the files that it keeps beside it.
    static let logSuffixes = ["-wal", "-shm", "-journal"]

    /// The file itself: SQLite, too, follows links, and keeps its files beside what they lead to.
    ///
    /// - Throws: 134080 when the path leads to what is not a regular file, or one of SQLite's files beside it is not.
    func regularFile() throws -> URL {
        guard url.isFileURL else { throw unopenable("its URL is not that of a file") }
        do {
            let file = try url.regularFile()
            for suffix in Self.logSuffixes {
                let log = file.path + suffix
                let kind = try FileKind(at: log)
                guard kind == .regular || kind == .missing else {
                    throw FileError(
                        call: "open", path: log, code: EINVAL, reason: "this is not a regular file")
                }
            }
            return file
        } catch let error as FileError {
            throw unopenable(error.reason ?? error.localizedDescription)
        }
    }

    /// Whether there is a log that a file with this name left behind. SQLite would put it into a new one, but for an
    /// empty file, beside which it takes the log away.
    var hasLeftovers: Bool {
        guard let path = try? url.followingLinks().path else { return false }
        // In this order: a process that makes the file at the same time makes it before its log.
        return ["-wal", "-journal"].contains { FileManager.default.fileExists(atPath: path + $0) }
            && !FileManager.default.fileExists(atPath: path)
    }

    /// Makes a database beside the file's location and puts it there when it is complete, if nothing is there then.
    ///
    /// - Parameters:
    ///   - attributes: whose the file is to be; nil for the process's.
    ///   - make: makes the database; it is closed when this returns.
    /// - Returns: false when something is there.
    func placeDraft(_ attributes: FileAttributes? = nil, _ make: (URL) throws -> Void) throws -> Bool {
        try withDraft { draft in
            try make(draft.url)
            try Self.complete(draft, attributes)
            return try draft.placeIfMissing()
        }
    }

    /// Runs a block with a draft of the file; a draft that was not moved into place is removed.
    func withDraft<Value>(_ body: (FileDraft) throws -> Value) throws -> Value {
        let draft: FileDraft
        do {
            draft = try FileDraft(for: url)
        } catch let error as FileError {
            if error.isRefusal { throw unopenable("its folder cannot be written to") }
            guard let reason = error.reason else { throw error }
            throw unopenable(reason)
        }
        defer { draft.discard() }
        return try body(draft)
    }

    /// Sees to it that all of a draft is on the disk, in one file.
    static func complete(_ draft: FileDraft, _ attributes: FileAttributes?) throws {
        for suffix in ["-wal", "-journal"] {
            // What is not in the file yet would be lost.
            guard try byteCount(of: draft.url.path + suffix) == 0 else {
                throw DatabaseError(resultCode: .SQLITE_IOERR, message: "the draft has a log")
            }
        }
        try draft.complete(attributes)
    }

    /// The size of a file; 0 when it is missing.
    private static func byteCount(of path: String) throws -> Int {
        var status = stat()
        guard lstat(path, &status) != 0 else { return Int(status.st_size) }
        let error = FileError(call: "lstat", path: path, code: errno)
        guard error.isMissing else { throw error }
        return 0
    }

    /// Replaces the file by a complete draft. Until it is there, the log of the old file is not lost.
    ///
    /// - Parameter isLocked: whether the connection that has all locks of the file is open: then all that was committed is in
    ///   the file. Else it is not a database, and a log beside it belongs to none.
    func take(_ draft: FileDraft, isLocked: Bool) throws {
        let file = try regularFile()
        var aside: [(log: String, location: String)] = []
        do {
            for suffix in Self.logSuffixes {
                let log = file.path + suffix
                guard try FileKind(at: log) == .regular else { continue }
                if isLocked {
                    try DurableFile.remove(URL(fileURLWithPath: log))
                } else {
                    let location = draft.url.path + ".old" + suffix
                    try DurableFile.move(log, to: location)
                    aside.append((log, location))
                }
            }
            try draft.replaceTarget()
        } catch {
            if !draft.isPlaced { for (log, location) in aside { try? DurableFile.move(location, to: log) } }
            throw error
        }
    }

    /// Runs a block while no other connection has the store open. A file that is not a database needs no lock.
    ///
    /// - Parameter body: is called with the connection that has the lock; nil when the file is not a database. To read the file past that
    ///   connection would release the lock.
    /// - Throws: 134090 when others have it open; what else keeps the lock from being taken, as an error of SQLite; or what
    ///   the block throws.
    func withLock(_ what: String, _ body: (DatabaseQueue?) throws -> Void) throws {
        guard try FileKind(at: regularFile().path) != .missing else { return try body(nil) }
        var connection: DatabaseQueue?
        defer { try? connection?.close() }
        do {
            let made = try queue()
            connection = made
            // Ending the log takes every lock, so there is no other connection.
            let mode = try made.writeWithoutTransaction { database -> String? in
                try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
                let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
                try database.execute(sql: "BEGIN EXCLUSIVE; COMMIT")
                return mode
            }
            guard mode == "delete" else {
                throw DatabaseError(
                    resultCode: .SQLITE_BUSY, message: "the journal mode stays \(mode ?? "as it is")")
            }
        } catch let error as DatabaseError
            where [ResultCode.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode)
        {
            // The file is not a store, so no client can be using it.
            try? connection?.close()
            connection = nil
        } catch let error as DatabaseError {
            throw NSError.sqlite(error, during: what, store: url)
        }
        try body(connection)
    }

    /// Removes what is in the store, with the files beside it; of external data that another store has in the same folder, only
    /// what this one alone names. An empty file is left, as Apple's framework leaves one: programs remove it themselves. One that is
    /// damaged goes without complaint, and one on a full disk too; of one that was never made and one in memory there is nothing to
    /// remove.
    ///
    /// - Throws: 134090 while others have the store open, unless the options force it; 134080 for what is not a regular file;
    ///   it is as it was then.
    func destroy() throws {
        guard !url.isNullDevice else { return }
        let file = try regularFile()
        // While it is locked, it cannot be read; neither while a change of it is still to be rolled back.
        if !options.destroysByForce {
            // One that cannot be read is removed nevertheless.
            do { try playBack() } catch is DatabaseError {}
        }
        let external = OwnExternalFiles(of: self)
        if try FileKind(at: file.path) == .missing {
            try locked { _ in try remove(file, external) }
        } else {
            do {
                try empty(file, external)
            } catch let error as FileError where [ENOSPC, EDQUOT].contains(error.code) {
                // There is no room for an empty file; the store may be destroyed to make room.
                try locked { _ in try remove(file, external) }
            }
        }
        removeDrafts()
    }

    /// Runs a block while no other connection has the store open; by force, without that check.
    private func locked(_ body: (DatabaseQueue?) throws -> Void) throws {
        if options.destroysByForce { return try body(nil) }
        try withLock("destroy the store", body)
    }

    /// Replaces the store by an empty file, which is an empty database.
    private func empty(_ file: URL, _ external: OwnExternalFiles) throws {
        let attributes = try FileAttributes(of: file)
        try withDraft { draft in
            try DurableFile.make(draft.url, Data(), attributes: attributes)
            try locked { connection in
                try external.removing(unless: { draft.isPlaced }) {
                    try take(draft, isLocked: connection != nil)
                }
            }
        }
    }

    private func remove(_ file: URL, _ external: OwnExternalFiles) throws {
        let isGone = { !FileManager.default.fileExists(atPath: file.path) }
        try external.removing(isWithoutList: true, unless: isGone) {
            var isChanged = false
            // The file first: without it, its log belongs to nothing.
            for suffix in [""] + Self.logSuffixes {
                if try DurableFile.remove(URL(fileURLWithPath: file.path + suffix)) { isChanged = true }
            }
            if isChanged { try DurableFile.syncFolder(file.deletingLastPathComponent()) }
        }
    }

    /// Removes drafts of this file that processes have left which were killed.
    func removeDrafts() {
        for error in FileDraft.removeLeftovers(of: url) {
            Log.store.error(
                "Could not remove a draft of the store at \(url.path): \(error.localizedDescription)")
        }
    }
}

extension URL {
    /// Whether it leads to an empty file: what is left of a SQLite store that was destroyed.
    var isEmptyFile: Bool {
        guard let path = try? followingLinks().path,
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        else { return false }
        return attributes[.type] as? FileAttributeType == .typeRegular
            && (attributes[.size] as? NSNumber)?.intValue == 0
    }
}
