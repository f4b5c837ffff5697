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
    /// - Parameter isWritten: whether the file is going to be written to; nil for what the options say.
    /// - Throws: 134080 when there is, and can be, no file that these options could open.
    func exists(toWrite isWritten: Bool? = nil) throws -> Bool {
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
        let isWritten = isWritten ?? !options.isReadOnly
        guard !isWritten || FileManager.default.isWritableFile(atPath: path) else {
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

    var configuration: Configuration { configuration() }

    /// - Parameters:
    ///   - first: what is done with a connection before anything else.
    ///   - usesSpatialIndexes: as for `SQLiteDefence`.
    func configuration(
        _ first: SQLiteReadOnlyFile.Setup? = nil, usesSpatialIndexes: Bool = false
    ) -> Configuration {
        var configuration = Configuration()
        configuration.label = "CoreData"
        configuration.busyMode = .timeout(options.timeout)
        configuration.maximumReaderCount = options.connectionCount
        // As SQLite has it, and Apple's framework leaves it.
        configuration.foreignKeysEnabled = false
        if let first { configuration.prepareDatabase(first) }
        let pragmas = options.pragmas
        configuration.prepareDatabase { database in
            try SQLiteDefence.install(on: database, usesSpatialIndexes: usesSpatialIndexes)
            for pragma in pragmas { try database.execute(sql: "PRAGMA \(pragma.name) = \(pragma.value)") }
        }
        return configuration
    }

    /// A connection that writes.
    func queue(_ configuration: Configuration? = nil) throws -> DatabaseQueue {
        try SharedIndex.withLock(path) {
            let queue = try DatabaseQueue(path: path, configuration: configuration ?? self.configuration)
            // Now it has the index of the log, if there is a log.
            _ = try queue.writeWithoutTransaction { try Int.fetchOne($0, sql: "SELECT 1 FROM sqlite_master") }
            return queue
        }
    }

    /// Connections that read while one of a pool, which is open as long as they are, writes.
    func readers(_ configuration: Configuration) -> ReadingConnections {
        var configuration = configuration
        configuration.readonly = true
        let path = path
        return ReadingConnections(limit: options.connectionCount) { [configuration] in
            try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    /// Connections of which one writes while others read.
    func pool(_ configuration: Configuration) throws -> DatabasePool {
        try SharedIndex.withLock(path) { try DatabasePool(path: path, configuration: configuration) }
    }

    /// A connection that changes nothing.
    ///
    /// - Parameter setup: what each connection gets in addition.
    func readOnly(_ setup: @escaping SQLiteReadOnlyFile.Setup = { _ in }) -> SQLiteReadOnlyFile {
        SQLiteReadOnlyFile(path: path) { first in
            var configuration = configuration(first)
            configuration.prepareDatabase(setup)
            return configuration
        }
    }

    /// Reads a file that is there, without changing it.
    ///
    /// - Parameters:
    ///   - setup: what the connection gets in addition.
    ///   - body: may be called more than once, when others write at the same time.
    /// - Throws: 259 when it is no SQLite database or a damaged one, 134080 when it cannot be opened, 134090 when it
    ///   stays locked.
    func read<Value>(
        _ setup: @escaping SQLiteReadOnlyFile.Setup = { _ in }, _ body: (Database) throws -> Value
    ) throws -> Value {
        do {
            if !options.isReadOnly { try recover() }
            let file = readOnly(setup)
            defer { file.close() }
            return try file.read(body)
        } catch let error as DatabaseError {
            throw openingError(error)
        }
    }

    /// Lets SQLite take back what was left half written without a write-ahead log: before that nobody can read.
    private func recover() throws {
        guard (size(of: path + "-journal") ?? 0) > 0, FileManager.default.isWritableFile(atPath: path) else {
            return
        }
        let connection = try queue()
        try connection.close()
    }

    // MARK: Without a coordinator

    /// What the store says of itself.
    ///
    /// - Throws: 260 when there is no file, 134010 when the database is no store, else as `read`.
    func metadata() throws -> [String: Any] {
        guard FileManager.default.fileExists(atPath: path) else { throw missing }
        guard try exists(toWrite: false) else { throw damaged("it is empty") }
        return try read { try SQLiteMetadata.read($0, url) }
    }

    /// The copy of its model that the store holds.
    ///
    /// - Throws: as `metadata()`; 134060 when there is none, 134080 when it is damaged or that of another model.
    func cachedModel() throws -> NSManagedObjectModel {
        guard FileManager.default.fileExists(atPath: path) else { throw missing }
        guard try exists(toWrite: false) else { throw damaged("it is empty") }
        return try read { database in
            try ModelCache.read(database, metadata: try SQLiteMetadata.read(database, url), url)
        }
    }

    /// Whether the store holds a copy of its model, be it damaged.
    ///
    /// - Throws: as `metadata()`.
    func hasCachedModel() throws -> Bool {
        guard FileManager.default.fileExists(atPath: path) else { throw missing }
        guard try exists(toWrite: false) else { throw damaged("it is empty") }
        return try read { try ModelCache.exists($0) }
    }

    /// A model made from the store's tables.
    ///
    /// - Throws: as `metadata()`; 134080 when the tables tell none.
    func reconstructedModel() throws -> NSManagedObjectModel {
        guard FileManager.default.fileExists(atPath: path) else { throw missing }
        guard try exists(toWrite: false) else { throw damaged("it is empty") }
        return try read { database in
            _ = try SQLiteMetadata.read(database, url)
            return try ReconstructedModel.read(database, url)
        }
    }

    /// Sets what the application adds to the metadata.
    ///
    /// - Throws: as `metadata()`, or an error of SQLite; the file is as it was.
    func setMetadata(_ metadata: [String: Any]) throws {
        let merged = SQLiteMetadata.merging(metadata, into: try self.metadata())
        guard !options.isReadOnly else {
            throw NSError.coreData(
                .persistentStoreSave,
                "The metadata of the store at \(path) cannot be set with \(NSReadOnlyPersistentStoreOption).")
        }
        _ = try exists(toWrite: true)
        do {
            let connection = try queue()
            defer { try? connection.close() }
            try connection.write { try SQLiteMetadata.write(merged, $0) }
        } catch let error as DatabaseError {
            throw NSError.sqlite(error, during: "set the metadata", store: url)
        }
    }

    private var missing: NSError {
        .coreData(
            .fileReadNoSuchFile, "There is no store at \(path).", [NSFilePathErrorKey: path])
    }
}
