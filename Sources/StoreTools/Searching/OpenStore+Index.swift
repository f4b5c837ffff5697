import CoreData
import CoreDataSQL
import CoreDataSQLite

extension OpenStore {
    /// Whether there can be a search index beside the store that its programs use as well.
    ///
    /// - Throws: an error of SQLite or of the file system.
    func canKeepIndex() throws -> Bool {
        guard type == .sqlite, !model.isReconstructed else { return false }
        guard Self.isWritable(url), Self.isWritable(url.deletingLastPathComponent()) else { return false }
        // A history without records may be one that no program keeps.
        return try SQLiteStoreTables(url).inspect { try HistoryTables($1)?.haveRows($0) ?? false }
    }

    /// Whether a store has tables of the persistent history. Who opens it for writing without keeping the history may only read.
    static func hasHistory(_ url: URL) throws -> Bool {
        try SQLiteStoreTables(url).inspect { $1.columns(of: HistoryTables.transaction) != nil }
    }

    /// Whether this process may write, and the mode lets anyone write: the superuser may also write to files without any such permission.
    private static func isWritable(_ url: URL) -> Bool {
        guard FileManager.default.isWritableFile(atPath: url.path),
            let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
            let mode = attributes[.posixPermissions] as? NSNumber
        else { return false }
        return mode.intValue & 0o222 != 0
    }
}
