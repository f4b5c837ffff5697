import Foundation

extension SQLiteStoreTables {
    /// Whether the header of the file says that changes go to a write-ahead log.
    package var usesLog: Bool {
        // The second byte of the two says which journal the file is for.
        StoreFileReader.start(of: url.path, count: 20).map { $0.count == 20 && $0[19] == 2 } ?? false
    }

    /// The paths of the files that SQLite keeps beside a database. Whatever is in one of them is taken for the database's own.
    package var logPaths: [String] { SQLiteStoreFile.logSuffixes.map { url.path + $0 } }

    /// The path of the write-ahead log, if the file has one.
    package var logPath: String { url.path + "-wal" }

    /// The names of the files of external data beside the file; none where there is no folder.
    package func externalFileNames() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: externalDataFolder.path)) ?? []
        // The list of those that a save is changing is not one of them.
        return names.filter { UUID(uuidString: $0) != nil }
    }
}
