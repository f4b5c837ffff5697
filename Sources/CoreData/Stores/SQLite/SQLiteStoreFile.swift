import Foundation
import GRDB
import ManagedObjectModel

/// The file of a SQLite store: what can be found out about it, and done with it, without a model.
///
/// Looking at a file changes neither it nor the folder that it is in.
struct SQLiteStoreFile {
    let url: URL
    let options: SQLiteStoreOptions

    private var path: String { url.path }

    // MARK: What is there

    /// Whether there is a file with something in it; an empty one is a store that was never written.
    ///
    /// - Throws: 134080 when there is, and can be, no file that these options could open.
    func exists() throws -> Bool {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            let folder = url.deletingLastPathComponent()
            guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder),
                isFolder.boolValue
            else { throw unopenable("the folder \(folder.path) does not exist") }
            guard !options.isReadOnly else { throw unopenable("the file does not exist") }
            return false
        }
        guard !isFolder.boolValue else { throw unopenable("it is a folder") }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw unopenable("the file cannot be read")
        }
        guard options.isReadOnly || FileManager.default.isWritableFile(atPath: path) else {
            throw unopenable("the file is read-only; open it with \(NSReadOnlyPersistentStoreOption)")
        }
        let isEmpty = size(of: path) == 0
        if isEmpty, options.isReadOnly { throw unopenable("the file is empty") }
        return !isEmpty
    }

    func unopenable(_ reason: String) -> NSError {
        .coreData(
            .persistentStoreOpen, "The store at \(path) cannot be opened: \(reason).",
            [NSFilePathErrorKey: path])
    }

    /// An error of SQLite that a file caused while it was looked at or opened.
    func openingError(_ error: DatabaseError) -> NSError {
        switch error.resultCode {
        case .SQLITE_NOTADB, .SQLITE_CORRUPT: damaged(error.message ?? "it is malformed", error)
        default: .sqlite(error, during: "open the store", store: url)
        }
    }

    private func damaged(_ reason: String, _ error: DatabaseError? = nil) -> NSError {
        let code = error?.extendedResultCode ?? .SQLITE_NOTADB
        return .coreData(
            .fileReadCorruptFile, "The file at \(path) is no undamaged SQLite database: \(reason).",
            [
                NSFilePathErrorKey: path,
                NSSQLiteErrorDomain: NSNumber(value: code.rawValue),
                NSUnderlyingErrorKey: NSError(
                    domain: NSSQLiteErrorDomain, code: Int(code.rawValue),
                    userInfo: [NSLocalizedDescriptionKey: reason]),
            ])
    }

    private func size(of path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue
    }

    // MARK: Connections

    var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "CoreData"
        configuration.busyMode = .timeout(options.timeout)
        configuration.readonly = options.isReadOnly
        configuration.maximumReaderCount = 8
        let pragmas = options.pragmas
        configuration.prepareDatabase { database in
            for pragma in pragmas { try database.execute(sql: "PRAGMA \(pragma.name) = \(pragma.value)") }
        }
        return configuration
    }

    /// Reads a file that is there, without changing it.
    ///
    /// - Throws: 259 when it is no SQLite database or a damaged one, 134080 when it cannot be opened, 134090 when it
    ///   stays locked.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try checkHeader()
        do {
            let connection = try connectToRead()
            defer { try? connection.close() }
            return try connection.read(body)
        } catch let error as DatabaseError {
            throw openingError(error)
        }
    }

    private func checkHeader() throws {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw unopenable("the file cannot be read")
        }
        let header = try? handle.read(upToCount: 16)
        try? handle.close()
        guard header == Data("SQLite format 3\0".utf8) else { throw damaged("it does not begin as one") }
    }

    private func connectToRead() throws -> DatabaseQueue {
        if options.isReadOnly || (size(of: path + "-wal") ?? 0) > 0 {
            // The last connection that may write would move the log into the file.
            return try readOnlyConnection(configuration)
        }
        // One that may not write leaves the files beside the store that it needed.
        var configuration = configuration
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA query_only = 1") }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// A connection that does not write. In a folder that cannot be written to, SQLite has no place for the index of a
    /// write-ahead log; without a log it needs none, because nobody can write.
    func readOnlyConnection(_ configuration: Configuration) throws -> DatabaseQueue {
        var configuration = configuration
        configuration.readonly = true
        do {
            return try DatabaseQueue(path: path, configuration: configuration)
        } catch let error as DatabaseError
            where (error.resultCode == .SQLITE_CANTOPEN || error.resultCode == .SQLITE_READONLY)
            && (size(of: path + "-wal") ?? 0) == 0
        {
            let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#;"))
            let name = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
            guard
                let connection = try? DatabaseQueue(
                    path: "file://\(name)?immutable=1", configuration: configuration)
            else { throw error }
            return connection
        }
    }

    // MARK: Without a coordinator

    /// What the store says of itself.
    ///
    /// - Throws: 260 when there is no file, 134010 when the database is no store, else as `read`.
    func metadata() throws -> [String: Any] {
        guard FileManager.default.fileExists(atPath: path) else { throw missing }
        guard try exists() else { throw damaged("it is empty") }
        return try read { try SQLiteMetadata.read($0, url) }
    }

    /// The copy of its model that the store holds.
    ///
    /// - Throws: as `metadata()`; 134060 when there is none, 134080 when it is damaged or that of another model.
    func cachedModel() throws -> NSManagedObjectModel {
        guard FileManager.default.fileExists(atPath: path) else { throw missing }
        guard try exists() else { throw damaged("it is empty") }
        return try read { database in
            try ModelCache.read(database, metadata: try SQLiteMetadata.read(database, url), url)
        }
    }

    /// Sets what the application adds to the metadata.
    ///
    /// - Throws: as `metadata()`, or an error of SQLite; the file is as it was.
    func setMetadata(_ metadata: [String: Any]) throws {
        let merged = SQLiteMetadata.merging(metadata, into: try self.metadata())
        do {
            let connection = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? connection.close() }
            try connection.write { try SQLiteMetadata.write(merged, $0) }
        } catch let error as DatabaseError {
            throw NSError.sqlite(error, during: "set the metadata", store: url)
        }
    }

    /// Removes the store, with the files beside it. One that is damaged or was never made goes without complaint.
    ///
    /// - Throws: 134090 while others have the store open; it is as it was then.
    func destroy() throws {
        if FileManager.default.fileExists(atPath: path) {
            do {
                let connection = try DatabaseQueue(path: path, configuration: configuration)
                defer { try? connection.close() }
                // Ending the log takes every lock there is, so nobody else is connected.
                try connection.writeWithoutTransaction { database in
                    try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE")
                    try database.execute(sql: "BEGIN EXCLUSIVE; COMMIT")
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                throw NSError.sqlite(error, during: "destroy the store", store: url)
            } catch is DatabaseError {
                // Whatever it is, it is no store that anybody could be using.
            }
        }
        for file in ["", "-wal", "-shm", "-journal"].map({ path + $0 }) + [url.supportFolder.path]
        where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
    }

    private var missing: NSError {
        .coreData(
            .fileReadNoSuchFile, "There is no store at \(path).", [NSFilePathErrorKey: path])
    }
}
