import CoreData
import Foundation

/// Where a new store is to be.
struct NewStorePlace {
    /// What SQLite appends to a database's name for the files that it keeps beside it. Whatever is in one of them is
    /// taken for the database's own.
    static let logSuffixes = ["-wal", "-shm", "-journal"]

    private let url: URL

    init(_ url: URL) { self.url = url }

    /// - Throws: an error that names what is there: a file, a link that leads nowhere, or a log that is left of another
    ///   store.
    func requireEmpty() throws {
        guard !isTaken(url.path) else { throw StoreToolError("There is something at \(url.path) already.") }
        for path in Self.logSuffixes.map({ url.path + $0 }) where isTaken(path) {
            throw StoreToolError(
                "There is a \(path), left of another store; the new one would be damaged by it. Remove it first."
            )
        }
    }

    private func isTaken(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Moves a finished store, which has no log any more, here. Nothing is replaced, even if it came meanwhile.
    ///
    /// - Throws: as `requireEmpty()`; an error of the file system.
    func take(_ draft: URL) throws {
        try requireEmpty()
        // Every row that is seen finds its data.
        let moved = try takeExternalData(of: draft)
        do {
            try takeFile(draft)
        } catch {
            for file in moved { try? FileManager.default.removeItem(at: file) }
            throw error
        }
    }

    /// Moves the files of external data, whose folder is called after the store; where they are now.
    private func takeExternalData(of draft: URL) throws -> [URL] {
        let source = SQLiteStoreTables(draft).externalDataFolder
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: source.path), !names.isEmpty
        else { return [] }
        let target = SQLiteStoreTables(url).externalDataFolder
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        var moved: [URL] = []
        do {
            for name in names {
                let file = target.appendingPathComponent(name)
                try FileManager.default.moveItem(at: source.appendingPathComponent(name), to: file)
                moved.append(file)
            }
        } catch {
            for file in moved { try? FileManager.default.removeItem(at: file) }
            throw error
        }
        return moved
    }

    private func takeFile(_ draft: URL) throws {
        if link(draft.path, url.path) == 0 {
            unlink(draft.path)
            return
        }
        switch errno {
        // There are file systems without links.
        case EPERM, EOPNOTSUPP, ENOSYS: try FileManager.default.moveItem(at: draft, to: url)
        case let code: throw StoreToolError("\(url.path): \(String(cString: strerror(code))).")
        }
    }
}
