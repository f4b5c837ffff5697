import ObjectGraph
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
        case .SQLITE_READONLY where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK:
            unopenable(
                "a transaction was interrupted, and is rolled back when the store is opened for writing")
        default: .sqlite(error, during: "open the store", store: url)
        }
    }

    private func damaged(_ reason: String, _ error: DatabaseError? = nil) -> NSError {
        let code = error?.extendedResultCode ?? .SQLITE_NOTADB
        return .coreData(
            .fileReadCorruptFile, "The file at \(path) is damaged, or not a SQLite database: \(reason).",
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
    ///   - usesSpatialIndexes: as for `SQLiteHardening`.
    func configuration(
        _ first: SQLiteReadOnlyFile.Setup? = nil, usesSpatialIndexes: Bool = false
    ) -> Configuration {
        StoreFileReader.readNamedFiles()
        var configuration = Configuration()
        configuration.label = "CoreData"
        let (path, timeout) = (path, options.timeout)
        configuration.busyMode = .callback { LockWait.shouldRetry(after: $0, timeout: timeout, for: path) }
        configuration.maximumReaderCount = options.connectionCount
        // As SQLite has it, and Apple's framework leaves it.
        configuration.foreignKeysEnabled = false
        if let first { configuration.prepareDatabase(first) }
        let pragmas = options.pragmas
        configuration.prepareDatabase { database in
            try SQLiteHardening.install(on: database, usesSpatialIndexes: usesSpatialIndexes)
            try LogLimit.setSize(on: database)
            for pragma in pragmas { try database.execute(sql: "PRAGMA \(pragma.name) = \(pragma.value)") }
        }
        return configuration
    }

    /// A connection that writes.
    ///
    /// - Throws: as `checkBeforeWriting()`, or an error of SQLite.
    func queue(_ configuration: Configuration? = nil) throws -> DatabaseQueue {
        try checkBeforeWriting()
        return try SharedIndex.connectingWriter(path, timeout: options.timeout) {
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
        if !options.pragmas.contains(where: { $0.name == "cache_size" }) {
            // Look-ups all over a table keep the pages of its index and of a good part of its rows.
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -8000") }
        }
        let path = path
        return ReadingConnections(limit: options.connectionCount) { [configuration] in
            try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    /// Connections of which one writes while others read.
    ///
    /// - Throws: as `checkBeforeWriting()`, or an error of SQLite.
    func pool(_ configuration: Configuration) throws -> DatabasePool {
        try checkBeforeWriting()
        return try SharedIndex.connectingWriter(path, timeout: options.timeout) {
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.writeWithoutTransaction { database in
                // Making the pool has set what its makers think best.
                if let synchronous = options.pragmas.first(where: { $0.name == "synchronous" }) {
                    try database.execute(sql: "PRAGMA synchronous = \(synchronous.value)")
                }
                try LogLimit.install(on: database, of: pool, options)
            }
            return pool
        }
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

    /// Reads a file that is there, without changing it: a journal that a process left behind is not played back.
    ///
    /// - Parameters:
    ///   - setup: what the connection gets in addition.
    ///   - body: may be called more than once, when others write at the same time.
    /// - Throws: 259 when it is not an SQLite database or is damaged, 134080 when it cannot be opened or a change of it was
    ///   interrupted, 134090 when it stays locked.
    func read<Value>(
        _ setup: @escaping SQLiteReadOnlyFile.Setup = { _ in }, _ body: (Database) throws -> Value
    ) throws -> Value {
        do {
            let file = readOnly(setup)
            defer { file.close() }
            return try file.read(body)
        } catch let error as DatabaseError {
            throw openingError(error)
        }
    }

    // MARK: Without a coordinator

    /// What the store says of itself.
    ///
    /// - Throws: 260 when there is no file, 134010 when the database is not a store, else as `read`.
    func metadata() throws -> [String: Any] {
        guard FileManager.default.fileExists(atPath: path) else { throw missing }
        guard try exists(toWrite: false) else { throw damaged("it is empty") }
        return try read { try SQLiteMetadata.read($0, url) }
    }

    /// The copy of its model that the store holds.
    ///
    /// - Throws: as `metadata()`; 134060 when there is no copy, 134080 when it is damaged or that of another model.
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

    /// The names of the entities that the store has tables of, by their numbers.
    ///
    /// - Throws: as `read`.
    func entityNames() throws -> [String] {
        try read { database in
            try String.fetchAll(
                database,
                sql: "SELECT IFNULL(Z_NAME, '') FROM Z_PRIMARYKEY WHERE Z_ENT < ? ORDER BY Z_ENT",
                arguments: [SQLiteStoreFeatures.firstPrivateEntity])
        }
    }

    /// The copy of its model that the store holds, or else a model made from its tables: the log says why where there is
    /// a copy.
    ///
    /// - Throws: as `metadata()`; 134080 when the tables describe none.
    func modelOfItsOwn() throws -> NSManagedObjectModel {
        guard try hasCachedModel() else { return try reconstructedModel() }
        do {
            return try cachedModel()
        } catch let error as NSError where error.code == CocoaError.Code.persistentStoreOpen.rawValue {
            guard let model = try? reconstructedModel() else { throw error }
            Log.store.warning(
                """
                \(error.localizedDescription) The store is opened read-only, with a model that was made from its tables.
                """)
            return model
        }
    }

    /// A model made from the store's tables.
    ///
    /// - Throws: as `metadata()`; 134080 when the tables describe none.
    func reconstructedModel() throws -> NSManagedObjectModel {
        guard FileManager.default.fileExists(atPath: path) else { throw missing }
        guard try exists(toWrite: false) else { throw damaged("it is empty") }
        return try read { database in
            _ = try SQLiteMetadata.read(database, url)
            return try ReconstructedModel.read(database, url)
        }
    }

    /// Sets what the application adds to the metadata: in one transaction, so that of what others write meanwhile nothing is
    /// lost.
    ///
    /// - Throws: as `metadata()`, or an error of SQLite; the file is as it was.
    func setMetadata(_ metadata: [String: Any]) throws {
        guard !options.isReadOnly else {
            throw NSError.coreData(
                .persistentStoreSave,
                "The metadata of the store at \(path) cannot be set with \(NSReadOnlyPersistentStoreOption).")
        }
        guard FileManager.default.fileExists(atPath: path) else { throw missing }
        guard try exists(toWrite: true) else { throw damaged("it is empty") }
        do {
            // What is not a store is found before it is written to.
            try recover()
            _ = try self.metadata()
            let connection = try queue()
            defer { try? connection.close() }
            try connection.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    let present = try SQLiteMetadata.read(database, url)
                    try SQLiteMetadata.write(
                        SQLiteMetadata.mergingApplicationValues(of: metadata, into: present), database)
                    return .commit
                }
            }
        } catch let error as DatabaseError {
            throw NSError.sqlite(error, during: "set the metadata", store: url)
        }
    }

    private var missing: NSError {
        .coreData(
            .fileReadNoSuchFile, "There is no store at \(path).", [NSFilePathErrorKey: path])
    }
}
