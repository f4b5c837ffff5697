import ObjectGraph
import DurableFiles
import Foundation
import GRDB

// A store that replaces another one, or is put beside it: its database and its external data.

extension SQLiteStoreFile {
    /// Makes a new store of the contents of a database, and opens it.
    ///
    /// - Parameters:
    ///   - source: the store that the contents come from: the new file has its mode, and external data is copied, as much of it
    ///     as rows name. Nil for one in memory.
    ///   - fill: writes the contents into a database that is empty. It is called again when files of external data went while
    ///     they were copied.
    ///   - opening: opens the new store. Until it has, it is still known which files are to go if it cannot.
    /// - Throws: 134080 when there is a file already, an error of SQLite or the file system, or what `opening` throws; nothing
    ///   is left then.
    func make<Opened>(
        from source: URL?, _ fill: (DatabaseQueue) throws -> Void, opening: () throws -> Opened
    ) throws -> Opened {
        try requireNothing()
        let attributes = try source.flatMap { try FileAttributes(of: $0) }
        return try withDraft { draft in
            let copies = ExternalDataCopies(from: source, to: self, attributes)
            do {
                try write(to: draft, with: copies, fill)
                try Self.complete(draft, attributes)
                try removeEmptyFile()
                guard try draft.placeIfMissing() else { throw taken }
                let opened = try opening()
                copies.finish()
                return opened
            } catch {
                copies.discard(unless: !draft.removePlacedStore())
                throw error
            }
        }
    }

    /// - Throws: 134080 when there is something where a new store is to be, or there can be none. An empty file may be there:
    ///   it is what is left of a store that was destroyed.
    func requireNothing() throws {
        if FileManager.default.fileExists(atPath: try regularFile().path), !url.isEmptyFile { throw taken }
        guard !hasLeftovers else {
            throw unopenable("the log of a deleted store is still there; destroy that store first")
        }
        _ = try exists()
    }

    /// Removes what is left of a store that was destroyed, so that another one can be placed there.
    ///
    /// - Throws: 134080 when another process has made a store in it, or 134090 when one is using it.
    func removeEmptyFile() throws {
        guard url.isEmptyFile else { return }
        try withLock("copy the store") { connection in
            // To lock an empty file gives it a page.
            let isFree = try connection?.read { database in
                try Int.fetchOne(database, sql: "SELECT 1 FROM sqlite_master LIMIT 1") == nil
            }
            guard isFree ?? false else { throw taken }
            try DurableFile.remove(regularFile())
        }
    }

    var taken: NSError { unopenable("there is a file already; destroy that store first") }

    /// Replaces this store, if there is one, by the store in another file. Its identifier comes with it.
    ///
    /// The copy is complete and checked before the old store goes. It has the mode and the owner of the old one, or those of the
    /// other file when there was no old one.
    ///
    /// - Parameter closing: runs a block while the stores of this process that have the file open are closed.
    /// - Throws: 260 when there is no store in the other file, 134010 when it is not a store, 259 when it is damaged, 134080 for a store
    ///   in memory and for anything but a regular file, 134090 while others have this store open; everything is as it was then.
    func replace(
        with source: SQLiteStoreFile, closing: (_ body: () throws -> Void) throws -> Void = { try $0() }
    ) throws {
        guard !url.isNullDevice else {
            throw unopenable("a store in memory cannot be replaced by one in a file")
        }
        guard try regularFile().path != source.url.followingLinks().path else {
            throw unopenable("a store cannot replace itself")
        }
        _ = try source.metadata()
        _ = try exists(toWrite: true)
        let attributes = try FileAttributes(of: url) ?? FileAttributes(of: source.url)
        try withDraft { draft in
            let own = OwnExternalFiles(of: self)
            let copies = ExternalDataCopies(from: source.url, to: self, attributes)
            do {
                try write(to: draft, with: copies) { queue in
                    let file = source.readOnly()
                    defer { file.close() }
                    try file.backup(to: queue)
                    let faults = try queue.read { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") }
                    guard faults == ["ok"] else {
                        throw DatabaseError(
                            resultCode: .SQLITE_CORRUPT, message: faults.joined(separator: "; "))
                    }
                }
                try Self.complete(draft, attributes)
                try closing {
                    try withLock("replace the store") { connection in
                        try own.removing(except: copies.names, unless: { draft.isPlaced }) {
                            try take(draft, isLocked: connection != nil)
                        }
                    }
                }
            } catch {
                copies.discard(unless: draft.isPlaced)
                if let error = error as? DatabaseError { throw source.openingError(error) }
                throw error
            }
            copies.finish()
        }
        removeDrafts()
    }

    /// Fills a draft and copies the files of external data that its rows name, and no others.
    private func write(
        to draft: FileDraft, with copies: ExternalDataCopies, _ fill: (DatabaseQueue) throws -> Void
    ) throws {
        while true {
            var names: Set<String> = []
            try Self.write(to: draft.url) { queue in
                try fill(queue)
                guard copies.isNeeded else { return }
                names = try queue.read { try ExternalFileNames.all(in: $0) }
            }
            if try copies.copy(names) { return }
            // Rows have changed since they were copied.
            for suffix in [""] + Self.logSuffixes {
                try DurableFile.remove(URL(fileURLWithPath: draft.url.path + suffix))
            }
        }
    }

    /// Makes a database, which is closed when this returns.
    static func write(to draft: URL, _ fill: (DatabaseQueue) throws -> Void) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { try SQLiteHardening.install(on: $0) }
        let queue = try DatabaseQueue(path: draft.path, configuration: configuration)
        defer { try? queue.close() }
        try fill(queue)
    }
}

/// Files of external data, copied from one store's folder to another's.
///
/// Their names are identifiers that no other data has, so those of two stores can be in one folder until it is
/// clear which are needed. A file of a name never changes: it comes before the row that names it, and goes after it.
private final class ExternalDataCopies {
    /// How often rows may change under the copy.
    private static let maxAttempts = 100

    private let source: URL?
    private let destination: SQLiteStoreFile
    private let folder: URL
    private let attributes: FileAttributes?
    /// What the copy's rows name.
    private(set) var names: Set<String> = []
    /// What was not there before.
    private var added: Set<String> = []
    private var list: ExternalFileList?
    private var attempts = 0
    /// What was missing before the rows were read that name it still: it is lost.
    private var missing: Set<String> = []
    private let hadFolders: [URL]

    /// Whether there is a folder with files that rows may name.
    let isNeeded: Bool
    /// Whether the source is beside the store that it replaces, and shares its folder.
    private let isSameFolder: Bool

    init(from source: URL?, to destination: SQLiteStoreFile, _ attributes: FileAttributes?) {
        self.source = source?.externalDataFolder
        self.destination = destination
        self.attributes = attributes
        folder = destination.url.externalDataFolder
        isNeeded = self.source.map { FileManager.default.fileExists(atPath: $0.path) } ?? false
        isSameFolder =
            self.source?.standardizedFileURL.resolvingSymlinksInPath()
            == folder.standardizedFileURL.resolvingSymlinksInPath()
        hadFolders = [folder, destination.url.supportFolder].filter {
            FileManager.default.fileExists(atPath: $0.path)
        }
    }

    /// Copies files that were not copied yet.
    ///
    /// - Returns: false when one is not there any more: the rows must be read anew then.
    /// - Throws: an error of the file system; 134080 when rows change all the time.
    func copy(_ names: Set<String>) throws -> Bool {
        self.names = names
        guard isNeeded, !isSameFolder, let source else { return true }
        let unneeded = added.subtracting(names)
        if let list {
            try list.remove(unneeded)
            added.subtract(unneeded)
        }
        let new = names.subtracting(added)
        guard !new.isEmpty else { return true }
        let list = try list ?? ExternalFileList(in: folder, of: destination.url, attributes)
        self.list = list
        try list.add(new)
        var lost: Set<String> = []
        for name in new.sorted() {
            do {
                if try DurableFile.copy(
                    source.appendingPathComponent(name), to: folder.appendingPathComponent(name),
                    attributes: attributes?.ofData)
                {
                    added.insert(name)
                }
            } catch let error as FileError where error.code == ENOENT {
                lost.insert(name)
            }
        }
        let isComplete = lost.isSubset(of: missing)
        if isComplete {
            for name in lost.sorted() {
                Log.store.error("\(source.path) lacks the file \(name), which a row of the store names.")
            }
            try DurableFile.syncFolder(folder)
            return true
        }
        missing.formUnion(lost)
        attempts += 1
        guard attempts < Self.maxAttempts else {
            throw destination.unopenable("other processes keep changing the store that is copied")
        }
        return false
    }

    /// The copy was not moved into place.
    ///
    /// - Parameter isPlaced: whether it did, and something failed after that.
    func discard(unless isPlaced: Bool) {
        guard let list else { return }
        guard !isPlaced else { return list.abandon() }
        do {
            try list.remove(added)
            list.end()
        } catch {
            list.abandon()
        }
        for location in [folder, destination.url.supportFolder] where !hadFolders.contains(location) {
            _ = try? DurableFile.removeEmptyFolder(location)
        }
    }

    /// The copy is in place.
    func finish() { list?.end() }
}
